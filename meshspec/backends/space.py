"""A space: the states of one model at one scope, a batch at a time, in one representation.

Engines search spaces and do not look inside a batch. There are three: tuples (:mod:`meshspec.backends.tuples`),
packed words stepped by rows and a kernel (:mod:`meshspec.backends.kernel`), packed words stepped by NumPy
(:mod:`meshspec.backends.columns`). All hold exact states, never fingerprints of them. With a symmetry a space holds
one state of each orbit.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from meshspec.backends.layout import Layout, State
from meshspec.backends.symmetry import Symmetry
from meshspec.expr.nodes import Node

Batch = Any
"""Some states in a space's own representation; indexes into it are stable."""

Arguments = Sequence[Mapping[str, Any]]
"""Combinations of arguments, each from a parameter's name to the value an author knows."""

Test = Callable[[Batch], Sequence[int]]
"""For each state of a batch: the first combination of arguments for which an expression is false, or -1."""


@attrs.frozen
class Odd:
    """A step to no ordinary state: the action raises, or it leads out of a Range. What it is, CPython's text tells.

    ``source`` is an index into the batch that was stepped, ``action`` a ground action's number.
    """

    source: int
    action: int


@attrs.frozen
class Stepped:
    """What one step from every state of a batch came to.

    ``new`` are the states that the space had not met, remembered from now on; ``stuck`` the indexes of states without
    any step; ``odd`` what leads to no ordinary state; ``taken`` how often each ground action was taken, odd steps
    included, each state counted as often as ``weights`` says.
    """

    new: Batch
    stuck: Sequence[int]
    odd: Sequence[Odd]
    taken: Sequence[int]


class Space(ABC):
    """The states of `layout`; with a `symmetry`, one of each orbit (its canonical form)."""

    name: str
    """How reports call it: ``generated Python``, ``rows and kernel``, ``NumPy``."""

    def __init__(self, layout: Layout, symmetry: Symmetry | None = None) -> None:
        self.layout = layout
        self.symmetry = symmetry

    @abstractmethod
    def pack(self, states: Sequence[State]) -> Batch:
        """These states as a batch, in this order, in canonical form; nothing is remembered."""

    @abstractmethod
    def unpack(self, batch: Batch) -> list[State]: ...

    @abstractmethod
    def size(self, batch: Batch) -> int: ...

    @abstractmethod
    def take(self, batch: Batch, indexes: Sequence[int]) -> Batch:
        """Some states of a batch, in the order of `indexes`."""

    @abstractmethod
    def joined(self, batches: Sequence[Batch]) -> Batch:
        """Batches end to end; of no batch, an empty one."""

    @abstractmethod
    def weights(self, batch: Batch) -> Sequence[int]:
        """How many states each stands for: the size of its orbit, or 1."""

    @abstractmethod
    def add(self, batch: Batch) -> Batch:
        """Remember these states; those not met before, each once, in the order given."""

    @abstractmethod
    def step(self, batch: Batch, weights: Sequence[int]) -> Stepped:
        """Take every step from every state of a batch, and remember what it leads to."""

    @abstractmethod
    def leading(self, batch: Batch, targets: Batch) -> Sequence[int]:
        """Indexes, in order, of the states with a step into one of `targets`; nothing is remembered."""

    @abstractmethod
    def member(self, state: State, batch: Batch) -> bool:
        """Whether the canonical form of a state is in a batch."""

    @abstractmethod
    def test(self, node: Node, arguments: Arguments) -> Test:
        """Compile what is to be asked of many batches."""

    @abstractmethod
    def bytes_held(self) -> int:
        """Memory of the space's own data about states it remembers, in bytes (batches handed out not counted)."""
