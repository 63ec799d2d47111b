"""The search behind `explore`: breadth first by layers of exact states, each property watched until it is settled.

Sound and complete in its scope unless ``cut`` says why it stopped. Layers are kept and no parents: paths are found
afterwards (:mod:`meshspec.engines.trails`). A state in which a Range is left is in no layer. It is counted, claims
are asked of it, and no step is taken from it.
"""

from __future__ import annotations

import itertools
import time
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from meshspec.backends.layout import Layout, State, range_name
from meshspec.backends.space import Batch, Odd, Stepped
from meshspec.backends.tuples import TupleSpace
from meshspec.engines.checkpoint import Layer
from meshspec.engines.exploration import Counts, Exploration, Found
from meshspec.engines.keeping import Keeper
from meshspec.engines.limits import INTERRUPTED, Limits, Options, memory_now
from meshspec.engines.spaces import Stage, carried, order_for, stages, symmetry_for
from meshspec.engines.trails import Goal
from meshspec.engines.watch import Seen, Settled, watch, where
from meshspec.errors import Disagreement, UsageError
from meshspec.lang.lift import LiftedModel
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort

_CELLS_BETWEEN_LOOKS = 1 << 18  # at most about this many entries of states are added before memory is looked at
_SLICE = 4096  # tuples stepped at a time, at most
_PACKED_SLICE = 1 << 16  # packed states stepped at a time, at most
_ENTRIES = 1 << 22  # entries of tuples that the steps of one slice may come to
_ROWS = 1 << 24  # packed states that the steps of one slice may come to
_FEW = 64  # where few more states may be held, so many are stepped at a time


def search_states(
    model: LiftedModel,
    sizes: Mapping[type[Sort], int],
    limits: Limits,
    progress: Progress = silent,
    options: Options | None = None,
) -> tuple[Exploration, Seen]:
    """Every reachable state of the model in this scope, or as many as the limits allow.

    Raises :class:`meshspec.errors.UsageError` for a scope that lacks a sort or is too large to build, and where a
    space that is asked for cannot hold the model.
    """
    options = options or Options()
    layout = Layout(model, sizes)
    symmetry, why = symmetry_for(layout, options)
    order, why_all = order_for(layout, symmetry, options)
    plain = TupleSpace(layout, symmetry, order.choose if order is not None else None)
    seen = watch(model, layout, symmetry, options.counterexamples)
    seen.ask_plainly(plain)
    result = Exploration(layout, plain, plain, symmetry_off=why, ordered=order is not None, order_off=why_all)
    keeper = Keeper(result, symmetry, options)
    run = _Search(result, seen, keeper, options, limits, progress)
    try:
        run.go()
    except KeyboardInterrupt:
        result.cut = INTERRUPTED
    except MemoryError:
        result.cut = "the end of memory"
    keeper.finish()
    seen.conclude()
    progress("")
    return result, seen


class _Search:
    def __init__(
        self,
        result: Exploration,
        seen: Seen,
        keeper: Keeper,
        options: Options,
        limits: Limits,
        progress: Progress,
    ) -> None:
        self.result, self.seen, self.keeper, self.plain = result, seen, keeper, result.plain
        self.options, self.limits, self.progress = options, limits, progress
        self._too_many = f"--max-states of {limits.max_states:,}"
        self.actions = len(result.layout.ground_actions())
        self.stages: list[Stage] = [] if result.ordered else stages(options)
        self.between_looks = max(1, min(4096, _CELLS_BETWEEN_LOOKS // max(1, len(result.layout.cells))))
        self.weights: Sequence[int] = ()  # of the last layer
        self.work = 0  # states stepped and found since the last look
        self.memory_before = memory_now()
        self.began = time.monotonic()

    def go(self) -> None:
        result = self.result
        result.counts = Counts(fired=(0,) * self.actions)
        depth, last = -1, None
        for depth, kept in enumerate(self.keeper.kept()):
            last = self._kept(depth, kept)
            self._take_in(last)
        if last is None:
            depth, last = 0, self._start()
            self._take_in(last)
        while last.orbits and not result.cut:
            depth += 1
            last = self._expand(depth - 1)
            self._take_in(last)

    # -- one layer ---------------------------------------------------------------------------------------------

    def _start(self) -> Found:
        """The initial states."""
        while True:
            layer, states, left = self._layer(0), self.result.layout.initial_states(), self.limits.max_states
            while not self.result.cut and (some := list(itertools.islice(states, self._slice(layer)))):
                if self._moved(layer):
                    break
                if self._out_of_memory(len(some), layer):
                    return layer
                if len(some) > left:  # under symmetry many of them may be few orbits; they are bounded all the same
                    some, self.result.cut = some[:left], self._too_many
                left -= len(some)
                inside: list[State] = []
                for state in some:
                    if self.plain.out_of_range(state):
                        self._leave(layer, state, None)
                    else:
                        inside.append(state)
                self._found(layer, self.result.space.add(self.result.space.pack(inside)))
            else:
                return layer

    def _kept(self, depth: int, kept: Layer) -> Found:
        """A layer from a checkpoint."""
        while True:
            layer = Found(depth, list(kept.taken), deadlocks=kept.deadlocks, closed=kept.closed)
            layer.stuck, layer.raising = list(kept.stuck), list(kept.raising)
            layer.outside = {state: list(sources) for state, sources in kept.outside.items()}
            for states in kept.states:
                if self._moved(layer):
                    break
                if self._out_of_memory(len(states), layer):
                    return layer
                new = self.result.space.add(self.result.space.pack(states))
                layer.new.append(new)
                layer.orbits += self.result.space.size(new)
            else:
                return layer

    def _expand(self, depth: int) -> Found:
        """Every step from the layer of this depth."""
        while True:
            batch, layer, begin = self.result.layers[depth], self._layer(depth + 1), 0
            size = self.result.space.size(batch)
            while begin < size and not self.result.cut:
                if self._moved(layer):
                    break
                end = min(size, begin + self._slice(layer))
                if self._out_of_memory(end - begin, layer):
                    return layer
                part = batch if end - begin == size else self.result.space.take(batch, range(begin, end))
                weights = self.weights[begin:end]
                self._collect(layer, part, weights, self.result.space.step(part, weights), begin)
                begin = end
            else:
                return layer

    def _layer(self, depth: int) -> Found:
        return Found(depth, [0] * self.actions)

    def _slice(self, layer: Found) -> int:
        """How many states to step before limits are looked at: fewer where few more may be held."""
        if self.result.space is self.plain:
            most = min(_SLICE, _ENTRIES // (max(1, self.actions) * max(1, len(self.result.layout.cells))))
        else:
            most = min(_PACKED_SLICE, _ROWS // max(1, self.actions))
        return max(1, min(most, max(_FEW, self._room(layer))))

    def _room(self, layer: Found) -> int:
        return self.limits.max_states - self.result.counts.orbits - layer.held

    def _collect(self, layer: Found, part: Batch, weights: Sequence[int], stepped: Stepped, begin: int) -> None:
        for action, times in enumerate(stepped.taken):
            layer.taken[action] += int(times)
        if len(stepped.stuck):
            places = [int(place) for place in stepped.stuck]
            layer.deadlocks += sum(int(weights[place]) for place in places)
            if self.keeper.path is not None or self.result.deadlock.found is None or self._ends_are_owed:
                layer.stuck += [begin + place for place in places]
        self._found(layer, stepped.new)
        if len(stepped.odd):
            self._odd(layer, part, stepped.odd, begin)

    def _found(self, layer: Found, new: Batch) -> None:
        """Count what a space has not met before, as far as the bound on states goes."""
        space, room = self.result.space, self._room(layer)
        many = space.size(new)
        if many > room:
            new, many = space.take(new, range(room)), room
            self.result.cut = self._too_many
        layer.new.append(new)
        layer.orbits += many
        self.work += many

    def _odd(self, layer: Found, part: Batch, odd: Sequence[Odd], begin: int) -> None:
        """Ask generated Python what steps to no ordinary state are: an error, or a state in which a Range is left."""
        by_source: dict[int, list[int]] = {}
        for one in odd:
            by_source.setdefault(int(one.source), []).append(int(one.action))
        space = self.result.space
        sources = space.unpack(space.take(part, list(by_source)))
        for (source, actions), state in zip(by_source.items(), sources, strict=True):
            after = {action: reached for action, reached, _ in self.plain.successors(state)}
            for action in actions:
                reached = after.get(action, state)
                if reached is None:
                    layer.raising.append(begin + source)
                elif self.plain.out_of_range(reached):
                    self._leave(layer, reached, begin + source)
                else:
                    lifted, arguments = self.result.layout.ground_actions()[action]
                    raise Disagreement(
                        f"{space.name} says that {lifted.called(arguments)} leads to no state; in generated Python "
                        f"it does not raise and leaves no Range: {self.result.layout.show(state)}"
                    )

    def _leave(self, layer: Found, state: State, source: int | None) -> None:
        """Take note of a state in which a Range is left, and of what leads to it."""
        (one,) = self.plain.pack([state])
        if one in self.result.outside:
            return
        if one not in layer.outside:
            if self._room(layer) < 1:
                self.result.cut = self._too_many
                return
            layer.outside[one] = []
            layer.closed += _total(self.plain.weights([one]))
        if source is not None and source not in layer.outside[one][-1:]:
            layer.outside[one].append(source)

    def _take_in(self, layer: Found) -> None:
        """Make a layer part of the result, and settle what it settles."""
        result, depth, old = self.result, layer.depth, self.result.counts
        new = layer.new[0] if len(layer.new) == 1 else result.space.joined(layer.new)
        layer.new = []
        self.weights = result.space.weights(new)
        if layer.orbits:
            result.layers.append(new)
        result.outside.update(dict.fromkeys(layer.outside, depth))
        self.seen.look(depth, new, layer.outside)
        self._left(depth, layer.outside)
        if layer.stuck:
            result.deadlock.add(Goal(depth - 1, layer.stuck))
            self._ended(depth - 1, layer.stuck)
        if layer.raising:
            self.seen.raised.add(Goal(depth - 1, list(dict.fromkeys(layer.raising))))
        count = _total(self.weights)
        result.counts = Counts(
            states=old.states + count + layer.closed,
            orbits=old.orbits + layer.held,
            transitions=old.transitions + sum(layer.taken),
            depth=depth if layer.held and (not result.cut or not depth) else max(depth - 1, 0),
            deadlocks=old.deadlocks + layer.deadlocks,
            closed=old.closed + layer.closed,
            fired=tuple(map(int.__add__, old.fired, layer.taken)),
            layers=len(result.layers),
        )
        self.keeper.took_in(layer, count)

    def _left(self, depth: int, outside: Mapping[State, Sequence[int]]) -> None:
        layout, by_name = self.result.layout, dict[str, dict[State, Sequence[int]]]()
        for state, sources in outside.items():
            for cell in self.plain.out_of_range(state):
                name = range_name(layout.cells[cell].variable, layout.model.instance)
                by_name.setdefault(name, {})[state] = sources
        for name, left in by_name.items():
            settled = self.seen.ranges.setdefault(name, Settled(self.options.counterexamples))
            settled.add(Goal(depth, outside=left))

    @property
    def _ends_are_owed(self) -> bool:
        return self.seen.end is not None and not self.seen.end.enough

    def _ended(self, depth: int, stuck: Sequence[int]) -> None:
        end = self.seen.end
        if end is not None and not end.enough:
            bad = where(end.test(self.result.space.take(self.result.layers[depth], stuck)))
            end.add(Goal(depth, [stuck[place] for place in bad]))

    # -- other spaces ------------------------------------------------------------------------------------------

    def _moved(self, layer: Found) -> bool:
        """Whether the search has grown and now goes on in another space; this layer is then begun again."""
        result, refusals = self.result, list[str]()
        while self.stages and result.counts.orbits + layer.orbits >= self.stages[0].states:
            stage = self.stages.pop(0)
            try:
                space = stage.make(result.layout, result.space.symmetry, self.options)
                layers = [carried(result.space, space, one) for one in result.layers]
                self.seen.ask(space)
            except UsageError as refused:
                if self.options.space is not None:
                    raise
                refusals.append(str(refused))
                self.stages = [attrs.evolve(one, states=stage.states) for one in self.stages]
                continue
            for mine, its in zip(result.layers, layers, strict=True):
                if space.size(its) != result.space.size(mine):
                    raise Disagreement(
                        f"{space.name} holds {space.size(its):,} states in a layer for which "
                        f"{result.space.name} held {result.space.size(mine):,}"
                    )
            self.stages = [later for later in self.stages if later.states > stage.states]
            result.space, result.layers = space, layers
            self.weights = space.weights(layers[-1]) if layers else ()
            self.plain.forget()
            return True
        if refusals and result.space is self.plain:
            result.stayed = "; ".join(dict.fromkeys(refusals))
        return False

    # -- limits ------------------------------------------------------------------------------------------------

    def _out_of_memory(self, steps: int, layer: Found) -> bool:
        """Look at memory and tell of progress, every so many states; `steps` more are to be stepped now."""
        if self.work >= self.between_looks:
            if memory_now() - self.memory_before > self.limits.max_memory:
                self.result.cut = f"--max-memory of {self.limits.max_memory:,} bytes"
            self._tell(layer)
            self.work = 0
        self.work += steps
        return bool(self.result.cut)

    def _tell(self, layer: Found) -> None:
        states, seconds = self.result.counts.states + layer.held, time.monotonic() - self.began
        rate = f", {states / seconds:,.0f} a second" if seconds else ""
        self.progress(f"explore {self.result.layout.model.name}: {states:,} states{rate}")


def _total(weights: Sequence[int]) -> int:
    if isinstance(weights, list):
        return sum(weights)
    packed: Any = weights  # a NumPy array, which is summed as one
    return int(packed.sum())
