"""Symmetry: which permutations of members map a model onto itself, and one state for each orbit under them.

A sort has nothing but equality, so every permutation of its members does, unless a constant table tells them apart.
Where a sort only keys variables that no other sort keys, its members own columns, and sorting the columns is
canonical; otherwise the canonical form is the least among all images, as long as those are few.
"""

from __future__ import annotations

from collections.abc import Callable

import attrs

from meshspec.backends.layout import Layout, State


@attrs.frozen
class Image:
    """What one permutation makes of a state: entry ``i`` is entry ``cells[i]`` of the old one, relabelled.

    ``labels[i]`` maps the position of a member that the entry holds; ``None`` where it holds no member.
    """

    cells: tuple[int, ...]
    labels: tuple[tuple[int, ...] | None, ...]


@attrs.frozen(eq=False)
class Symmetry:
    """A group of permutations: all those of ``columns``, times the ``images`` (the identity is not listed).

    ``columns`` has an entry for each sort whose members own columns: for each member, its cells, in one order for all
    members. The canonical form of a state is the least, over the identity and all images, of the image with its
    columns sorted.
    """

    layout: Layout
    columns: tuple[tuple[tuple[int, ...], ...], ...]
    images: tuple[Image, ...]

    def canonical(self) -> Callable[[State], State]:
        """A function from a state to the one that stands for its orbit."""
        raise NotImplementedError

    def orbit_size(self) -> Callable[[State], int]:
        """A function from a state to the number of states in its orbit."""
        raise NotImplementedError


def symmetry_of(layout: Layout) -> Symmetry | str:
    """The symmetry of a layout, or why there is none that is sound and small enough to use."""
    raise NotImplementedError
