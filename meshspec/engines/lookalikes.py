"""lookalikes: which runs look the same to somebody who sees only a part of the state, and end in different worlds?

Whoever decides by what it sees decides the same in all of them: a pair of runs with one sight and two worlds is what
refutes a whole class of policies at once.

Sound when the model is deterministic: every step is one of CPython's own, from an initial state, breadth first, so
that each run is a shortest one to its sight and world, and the first among those in the order of actions and members.
Misses nothing in the scope: a scope with more states than allowed is refused, not cut.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from typing import Any, cast

import attrs

from meshspec.backends import native
from meshspec.backends.layout import Key, Layout
from meshspec.errors import UsageError
from meshspec.lang.lift import LiftedModel
from meshspec.sorts import Sort, scope

MOST = 20_000

_Frozen = tuple[tuple[Key, object], ...]


@attrs.frozen
class Sight:
    """What is seen, and for each world that it is seen in, a shortest run to it."""

    seen: Hashable
    runs: Mapping[Hashable, tuple[str, ...]]

    @property
    def is_ambiguous(self) -> bool:
        return len(self.runs) > 1

    def __str__(self) -> str:
        """The runs side by side, as they are shown to a person."""
        lines = [f"seen: {_text(self.seen)}"]
        for world, run in self.runs.items():
            lines += [f"  world: {_text(world)}", f"    after {', '.join(run) or 'no step'}"]
        return "\n".join(lines)


def lookalikes(
    model: LiftedModel,
    sizes: Mapping[type[Sort], int],
    *,
    sees: Callable[[Any], Hashable],
    world: Callable[[Any], Hashable],
    when: Callable[[Any], bool],
    most: int = MOST,
) -> tuple[Sight, ...]:
    """Every sight of the states in which `when` is true, in the order in which they are come upon.

    `sees`, `world` and `when` are given a model instance in the state. Raises :class:`UsageError` where there are
    more than `most` states, and where `when` is true in none: nothing would have been looked at.
    """
    layout = Layout(model, sizes)
    found: dict[Hashable, dict[Hashable, tuple[str, ...]]] = {}
    for values, run in _runs(layout, most):
        instance = native.load(layout, dict(values))
        with scope(layout.sizes):
            if when(instance):
                found.setdefault(sees(instance), {}).setdefault(world(instance), run)
    if not found:
        raise UsageError(f"{model.name}: no state of this scope is one that is asked about, so nothing was compared")
    return tuple(Sight(seen, runs) for seen, runs in found.items())


def _runs(layout: Layout, most: int) -> Iterator[tuple[_Frozen, tuple[str, ...]]]:
    """Every reachable state with a shortest run to it."""
    ground = [(lifted, arguments, lifted.called(arguments)) for lifted, arguments in layout.ground_actions()]
    layer: dict[_Frozen, tuple[str, ...]] = {}
    for state in layout.initial_states():
        layer.setdefault(tuple(layout.decode(state).items()), ())
    seen = set(layer)
    while layer:
        yield from layer.items()
        found: dict[_Frozen, tuple[str, ...]] = {}
        for values, run in layer.items():
            for lifted, arguments, name in ground:
                after = native.run(layout, lifted, dict(values), arguments)
                if isinstance(after, native.Next):
                    reached = tuple(after.values.items())
                    if reached not in seen:
                        seen.add(reached)
                        found[reached] = (*run, name)
        if len(seen) > most:
            raise UsageError(f"{layout.model.name} has more than {most:,} states here: give a smaller scope")
        layer = found


def _text(value: object) -> str:
    return ", ".join(map(str, cast("tuple[object, ...]", value))) if isinstance(value, tuple) else str(value)
