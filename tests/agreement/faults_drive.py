"""Faults in driving: in what is looked at, what is told of it, and what is seen of an implementation."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from meshspec.engines import drive, machine
from meshspec.engines.beside import Cells, Side
from meshspec.engines.course import Course
from meshspec.engines.driven import Plan
from meshspec.engines.machine import ModelMachine
from tests.agreement.faults_plant import Known, Plant, Test, part_of
from tests.engines import test_drive, test_drive_beside, test_drive_machine

RUN, SAYER = part_of(drive, "_Run"), part_of(drive, "_Sayer")

# -- steps -----------------------------------------------------------------------------------------------------


def native_result_not_compared(plant: Plant) -> None:
    plant.edited(Course, "take", ("plan.layout.encode(after.values) != expected", "False"))


def blocked_everywhere_believed(plant: Plant) -> None:
    plant.edited(Course, "idle", ("if state in plan.stuck or plan.outside(state):", "if True:"))


def state_after_a_step_not_looked_at(plant: Plant) -> None:
    plant.edited(ModelMachine, "take", ("    course.look()\n", "    pass\n"))


def first_initial_state_always(plant: Plant) -> None:
    plant.edited(ModelMachine, "begin_at", ("course.begin(start)", "course.begin(0)"))


def weights_forgotten(plant: Plant) -> None:
    plant.edited(Course, "pick", ("if plan.even:", "if True:"))


def swarm_forgotten(plant: Plant) -> None:
    plant.edited(Course, "pick", ("if self.off:", "if False:"))


def seed_forgotten(plant: Plant) -> None:
    plant.edited(machine, "drawn", ("seed(chosen)", "seed(0)"))


def examples_kept_from_other_runs(plant: Plant) -> None:
    """Draws that depend on what else is loaded, or on what an earlier run has left."""
    plant.edited(machine, "digits", ("st.integers(0, DIGIT - 1)", "st.integers(0, 2**16)"))


# -- what is told ----------------------------------------------------------------------------------------------


def all_else_forgotten_after_one_is_refuted(plant: Plant) -> None:
    plant.edited(RUN, "all", ("self._note(stopped)", "self._note(stopped); break"))


def one_witness_for_all_arguments(plant: Plant) -> None:
    plant.edited(SAYER, "_witnessed", ("if missing:", "if len(missing) == len(owed):"))


def action_never_taken_is_no_matter(plant: Plant) -> None:
    plant.edited(SAYER, "_fires", ("if not self.plan.taken[kind]]", "if False]"))


def interrupted_and_yet_it_holds(plant: Plant) -> None:
    plant.edited(SAYER, "_said", ("if run.cut or run.unmet:", "if False:"))


def stuck_and_yet_it_holds(plant: Plant) -> None:
    plant.edited(SAYER, "_said", ("if run.steps == 0 and not self.walked:", "if False:"))


def needless_steps_stay(plant: Plant) -> None:
    plant.edited(Plan, "shorter", ("fewest(list(trace.actions), as_far)", "(as_far([]), trace.actions)[1]"))


# -- an implementation -----------------------------------------------------------------------------------------


def type_of_a_value_does_not_matter(plant: Plant) -> None:
    plant.edited(Cells, "differences", ("if not of_type or value != mine:", "if value != mine:"))


def half_a_map_is_enough(plant: Plant) -> None:
    plant.edited(Cells, "_entry", ("if key not in entries:", "if False:"), ("entries[key]", "entries.get(key, 0)"))


def leak_taken_for_a_difference(plant: Plant) -> None:
    plant.edited(Side, "begin", ("if memory.began or again:", "if False:"))


def steps_not_compared(plant: Plant) -> None:
    plant.says(Cells, "differences", [])


def what_is_not_observed_is_not_named(plant: Plant) -> None:
    plant.edited(Side, "_shown", ("memory.shown.update(shown)", "memory.shown.update(range(1000))"))


def one_event_loop_for_all(plant: Plant) -> None:
    """The loop of an example is left open, and what was begun on it goes on."""
    plant.edited(Side, "close", ("loop.close()", "_LEFT.append(loop)"))
    plant.patch.setitem(Side.begin.__globals__, "_LEFT", _LEFT)


_LEFT: list[object] = []


def with_a_patch(test: Callable[[pytest.MonkeyPatch], None]) -> Test:
    def alone() -> None:
        with pytest.MonkeyPatch.context() as patch:
            test(patch)

    return alone


def no_loop_is_left_open() -> None:
    try:
        test_drive_beside.test_all_three_may_be_async_with_an_event_loop_for_each_example_and_no_task_left()
    finally:
        while _LEFT:
            _LEFT.pop().close()  # type: ignore[attr-defined]  # a runner


IN_DRIVING: Known = {
    native_result_not_compared: with_a_patch(
        test_drive_machine.test_a_method_that_does_not_do_as_it_was_lifted_is_a_bug_of_ours
    ),
    blocked_everywhere_believed: with_a_patch(
        test_drive_machine.test_an_action_that_was_lifted_away_is_noticed_where_nothing_else_is_enabled
    ),
    state_after_a_step_not_looked_at:
        test_drive_machine.test_a_failing_machine_tells_the_path_as_an_argument_and_what_replays_it,
    first_initial_state_always: test_drive.test_initial_states_are_drawn_too,
    weights_forgotten: test_drive_machine.test_weights_say_how_often_an_action_is_picked,
    swarm_forgotten: test_drive_machine.test_a_swarm_leaves_kinds_of_action_aside_as_long_as_there_is_another,
    seed_forgotten: test_drive.test_the_same_seed_gives_the_same_answers_and_another_seed_another_path,
    examples_kept_from_other_runs: test_drive_machine.test_draws_are_nearly_even_for_few_ways_and_for_many,
    all_else_forgotten_after_one_is_refuted:
        test_drive.test_after_one_property_is_refuted_every_other_has_its_own_answer,
    one_witness_for_all_arguments: test_drive.test_a_witness_is_owed_for_every_value_of_the_parameters,
    action_never_taken_is_no_matter:
        test_drive.test_an_action_or_fault_that_no_example_took_is_named_and_undetermined_as_only_explore_knows_more,
    interrupted_and_yet_it_holds: test_drive.test_ctrl_c_leaves_what_was_not_refuted_undetermined,
    stuck_and_yet_it_holds: test_drive.test_where_no_step_is_taken_nothing_was_tried,
    needless_steps_stay: test_drive_machine.test_a_path_is_told_without_the_steps_that_it_does_without,
    type_of_a_value_does_not_matter: partial(
        test_drive_beside.test_a_difference_names_its_cell_and_both_values,
        {"on": 1}, "it begins otherwise: on: model False, implementation 1, a int",
    ),
    half_a_map_is_enough: partial(
        test_drive_beside.test_what_cannot_be_read_is_refused,
        {"tries": {}}, "observe() shows tries without (node0, False): give every key",
    ),
    leak_taken_for_a_difference:
        test_drive_beside.test_state_that_leaks_from_one_example_to_the_next_is_told_as_such,
    steps_not_compared: test_drive_beside.test_the_first_difference_is_shown_after_the_path_in_the_words_of_the_model,
    what_is_not_observed_is_not_named:
        test_drive_beside.test_a_right_implementation_agrees_and_what_it_does_not_show_is_named,
    one_event_loop_for_all: no_loop_is_left_open,
}  # fmt: skip
