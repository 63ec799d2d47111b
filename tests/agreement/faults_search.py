"""Faults in searches: layers and their bounds, ends, Ranges left, the move to other spaces, trails, what may wait."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from meshspec.backends.tuples import TupleSpace
from meshspec.engines import search, trails
from meshspec.engines.keeping import Keeper
from meshspec.engines.partial_order import Access, PartialOrder
from meshspec.engines.trails import Trails
from meshspec.engines.watch import Seen, Settled
from tests.agreement.faults_plant import Fault, Plant, part_of
from tests.engines import test_partial_order

SEARCH = part_of(search, "_Search")
WAY = part_of(trails, "_Way")


# -- layers ----------------------------------------------------------------------------------------------------


def lost_last_slice(plant: Plant) -> None:
    """Of a layer that is stepped in slices the last one is not."""
    plant.edited(
        SEARCH,
        "_expand",
        ("while begin < size and", "while (begin + self._slice(layer) < size or not begin) and begin < size and"),
    )


def layer_ends_where_nothing_is_held(plant: Plant) -> None:
    """The search stops a layer early: where the one before has no more than one state."""
    plant.edited(SEARCH, "go", ("while last.orbits and", "while last.orbits > 1 - (depth < 1) and"))


def initial_states_beyond_the_first_left_out(plant: Plant) -> None:
    plant.edited(
        SEARCH,
        "_start",
        ("self._slice(layer))", "1)"),
        ("while not self.result.cut and (some", "while not layer.new and (some"),
    )


def bound_exceeded_by_a_slice(plant: Plant) -> None:
    plant.edited(SEARCH, "_found", ("if many > room:", "if many > room + 4096:"))


# -- steps that are none, ends that are none ---------------------------------------------------------------------


def self_loops_taken_for_no_step(plant: Plant) -> None:
    plant.edited(TupleSpace, "step", ("if not after:", "if all(reached == state for _, reached, _ in after):"))


def deadlocks_counted_twice(plant: Plant) -> None:
    plant.edited(SEARCH, "_collect", ("layer.deadlocks += sum", "layer.deadlocks += 2 * sum"))


def end_asked_of_every_state(plant: Plant) -> None:
    """Which states may end is asked of the layer from its beginning, and not of those that are stuck."""
    plant.edited(SEARCH, "_ended", ("layers[depth], stuck)", "layers[depth], range(len(stuck)))"))


def outside_states_forgotten(plant: Plant) -> None:
    plant.says(SEARCH, "_leave", None)


def outside_states_not_asked(plant: Plant) -> None:
    """Claims are not asked of states in which a Range is left."""

    def look(right: Any, self: Seen, depth: int, batch: Any, outside: Any) -> None:
        right(self, depth, batch, {})

    plant.instead(Seen, "look", look)


def closed_states_expanded(plant: Plant) -> None:
    plant.edited(
        TupleSpace,
        "step",
        (
            "odd.append(Odd(source, action))\n                continue\n            one",
            "odd.append(Odd(source, action))\n            one",
        ),
    )


def raising_step_is_no_step(plant: Plant) -> None:
    plant.edited(SEARCH, "_odd", ("layer.raising.append(begin + source)", "pass"))


# -- what is watched -------------------------------------------------------------------------------------------


def instance_missed(plant: Plant) -> None:
    """A claim is never asked for the last of its arguments."""

    def wrong(right: Any, model: Any, layout: Any, symmetry: Any, wanted: int) -> Any:
        seen = right(model, layout, symmetry, wanted)
        for one in seen.claims:
            one.arguments = one.arguments[:-1] if len(one.arguments) > 1 else one.arguments
        return seen

    plant.instead(search, "watch", wrong)


def antecedent_met_is_not_seen(plant: Plant) -> None:
    plant.edited(
        search,
        "watch",
        ("node=negate(node), arguments=arguments, site=site", "node=node, arguments=arguments, site=site"),
    )


def witness_sought_where_the_claim_is_false(plant: Plant) -> None:
    plant.edited(
        search, "watch", ("node=negate(lifted.claim), arguments=alike", "node=lifted.claim, arguments=alike")
    )


def later_goal_kept_for_the_first(plant: Plant) -> None:
    """Not the nearest state that refutes a claim is kept, but the last one met."""

    def add(_right: Any, self: Settled, goal: Any) -> None:
        if len(goal):
            self.goals[:] = [goal]

    plant.instead(Settled, "add", add)
    plant.edited(Seen, "look", ("if not one.enough:", "if True:"))


# -- trails ----------------------------------------------------------------------------------------------------


def counterexample_not_the_least(plant: Plant) -> None:
    def moves(right: Any, self: Trails, state: Any) -> Iterator[Any]:
        return iter(list(right(self, state))[::-1])

    plant.instead(Trails, "moves", moves)


def trail_skips_a_state(plant: Plant) -> None:
    plant.edited(WAY, "walked", ("return tuple(steps)", "return tuple(steps[1:])"))


def trail_ends_in_a_twin(plant: Plant) -> None:
    """What a witness is accepted for is not asked again of the end as it is."""
    plant.edited(WAY, "is_near", ("near and (not last or self.accept(state))", "near"))


def sources_of_what_is_left_forgotten(plant: Plant) -> None:
    plant.edited(Trails, "predecessors", ("if depth == goal.depth - 1:", "if depth == goal.depth:"))


def same_end_shown_again(plant: Plant) -> None:
    plant.edited(Trails, "_without", ("if state != one]", "if state == one]"))


# -- other spaces, and going on --------------------------------------------------------------------------------


def handover_forgets_what_was_met(plant: Plant) -> None:
    plant.edited(search, "carried", ("new.add(new.pack(", "(new.pack("))


def handover_counts_a_layer_twice(plant: Plant) -> None:
    """The layer that was under way is begun again, and what was counted of it stays."""
    plant.edited(
        SEARCH,
        "_expand",
        ("while True:", "layer = self._layer(depth + 1)\n    while True:\n        layer.new = []"),
        ("batch, layer, begin =", "batch, begin ="),
        ("layers[depth], self._layer(depth + 1), 0", "layers[depth], 0"),
    )


def handover_loses_a_layer(plant: Plant) -> None:
    def carried(right: Any, old: Any, new: Any, batch: Any) -> Any:
        return right(old, new, batch if old.size(batch) == 1 else old.take(batch, range(old.size(batch) - 1)))

    plant.instead(search, "carried", carried)


def handover_asks_the_old_space(plant: Plant) -> None:
    """Claims are asked as for the space that is left: of words as if they were tuples, or not at all."""
    plant.edited(
        SEARCH,
        "_moved",
        (
            "self.seen.ask(space)",
            "[setattr(one, 'test', lambda batch: [-1] * len(batch)) for one in self.seen.watched]",
        ),
    )


def what_was_kept_is_taken_for_all(plant: Plant) -> None:
    """The last layer of a checkpoint counts as stepped."""
    plant.edited(
        SEARCH,
        "go",
        ("while last.orbits and not result.cut:", "while last.orbits and not result.cut and not self.keeper.kept():"),
    )


def resumed_one_layer_too_late(plant: Plant) -> None:
    """The first layer of a checkpoint is not taken in."""

    def kept(right: Any, self: Keeper) -> Sequence[Any]:
        layers: Sequence[Any] = right(self)
        return layers[1:]

    plant.instead(Keeper, "kept", kept)


def counts_of_kept_layers_forgotten(plant: Plant) -> None:
    plant.edited(SEARCH, "_kept", ("list(kept.taken)", "[0] * len(kept.taken)"))


# -- partial order ---------------------------------------------------------------------------------------------


def cycle_proviso_forgotten(plant: Plant) -> None:
    plant.edited(
        PartialOrder,
        "choose",
        ("any(reached is not None and is_new(reached) for _, reached, _ in chosen)", "chosen"),
    )


def visible_steps_may_wait(plant: Plant) -> None:
    plant.edited(PartialOrder, "_enough", ("if part != enabled and not part & self.visible", "if part != enabled"))


def readers_do_not_depend_on_writers(plant: Plant) -> None:
    def bears(_right: Any, self: Access, other: Access) -> bool:
        return bool(self.writes & other.writes)

    plant.instead(Access, "bears_on", bears)


def what_enables_is_left_waiting(plant: Plant) -> None:
    plant.edited(PartialOrder, "_closed", ("else self.enabling)[one]", "else [0] * len(self.enabling))[one]"))


def raising_action_looks_at_nothing(plant: Plant) -> None:
    plant.edited(test_partial_order, "ample", ("_union(one.reads for one in touched if one.raises)", "0"))


IN_SEARCHES: tuple[Fault, ...] = (
    layer_ends_where_nothing_is_held,
    initial_states_beyond_the_first_left_out,
    self_loops_taken_for_no_step,
    deadlocks_counted_twice,
    end_asked_of_every_state,
    outside_states_forgotten,
    outside_states_not_asked,
    closed_states_expanded,
    raising_step_is_no_step,
    instance_missed,
    antecedent_met_is_not_seen,
    witness_sought_where_the_claim_is_false,
    later_goal_kept_for_the_first,
    counterexample_not_the_least,
    trail_skips_a_state,
    trail_ends_in_a_twin,
    sources_of_what_is_left_forgotten,
    same_end_shown_again,
)
IN_MOVES: tuple[Fault, ...] = (
    lost_last_slice,
    handover_forgets_what_was_met,
    handover_counts_a_layer_twice,
    handover_loses_a_layer,
    handover_asks_the_old_space,
)
IN_CHECKPOINTS: tuple[Fault, ...] = (
    what_was_kept_is_taken_for_all,
    resumed_one_layer_too_late,
    counts_of_kept_layers_forgotten,
)
