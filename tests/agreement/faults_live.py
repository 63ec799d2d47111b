"""Faults in what is said of whole runs and of two models: fairness, lassos, refinement. Each with who notices it."""

from __future__ import annotations

from meshspec.engines import live, refine
from meshspec.engines.graph import Regions
from meshspec.engines.lasso import Owing, Runs
from meshspec.engines.live import Waiting
from tests.agreement.faults_plant import Known, Plant, part_of
from tests.engines import test_live, test_live_oracle, test_refine

SAYER = part_of(live, "_Sayer")


def weak_fairness_ignored(plant: Plant) -> None:
    plant.edited(Owing, "unmet", ("(always & self.weak)", "0"))


def strong_fairness_taken_for_weak(plant: Plant) -> None:
    plant.edited(Owing, "unmet", ("(ever & self.strong)", "(always & self.strong)"))


def weak_fairness_taken_for_strong(plant: Plant) -> None:
    plant.edited(Owing, "unmet", ("(always & self.weak)", "(ever & self.weak)"))


def fairness_shared_by_all_arguments(plant: Plant) -> None:
    plant.edited(Owing, "__init__", ("tuple(map(graph.layout.encode_value, own))", "()"))


def every_way_of_a_choice_is_owed(plant: Plant) -> None:
    plant.edited(Owing, "__init__", ("arguments[: len(lifted.parameters) - len(lifted.choices)]", "arguments"))


def fault_is_owed(plant: Plant) -> None:
    plant.edited(Runs, "may_end", ("graph.actions[n] in self.faults", "n < 0"))


def lasso_that_does_not_close(plant: Plant) -> None:
    plant.edited(Runs, "loop", ("not unmet and at == entry and walk", "not unmet and walk"))


def discharged_by_a_visited_state(plant: Plant) -> None:
    """A state that was met with nothing pending is not looked at again with something pending."""
    plant.edited(Runs, "stem", ("if node in came:", "if any(one[0] == node[0] for one in came):"))


def cycle_through_two_ways_not_seen(plant: Plant) -> None:
    plant.edited(Regions, "components", ("low[calls[-1]] = min(low[calls[-1]], low[state])", "pass"))


def step_to_itself_is_no_cycle(plant: Plant) -> None:
    plant.edited(Regions, "components", (" or state in targets[first[state] : end]", ""))


def rest_of_a_component_not_searched(plant: Plant) -> None:
    """Where strong fairness fails in a component, what remains without the states that enable it is left."""
    plant.edited(
        Runs,
        "cycles",
        ("work += self.regions.components([state for state in part if not owing.enabled[state] & unmet])", "pass"),
    )


def what_was_answered_still_pends(plant: Plant) -> None:
    plant.edited(Runs, "pending", ("if not seen[target] and not done[target]:", "if not seen[target]:"))


def asked_for_at_the_start_only(plant: Plant) -> None:
    plant.edited(Waiting, "roots", ("if self.asked is None else range(len(graph.states))", ""))


def cut_taken_for_an_end(plant: Plant) -> None:
    """A state whose steps were not taken any more has none."""
    plant.edited(
        Runs,
        "may_end",
        ("if not graph.whole(state):\n        return False", "if state >= graph.expanded:\n        return True"),
    )


def first_start_taken_for_all(plant: Plant) -> None:
    plant.edited(Runs, "stem", ("range(graph.initial)", "range(1)"))


def idle_fairness_is_fair(plant: Plant) -> None:
    plant.edited(SAYER, "_vacuous", ("if owing.idle:", "if False:"))


# -- refinement ------------------------------------------------------------------------------------------------

RUN = part_of(refine, "_Run")


def any_step_is_a_stutter(plant: Plant) -> None:
    plant.edited(RUN, "go", ("if before == after:", "if before == after or taken is None:"))


def any_start_will_do(plant: Plant) -> None:
    plant.says(refine, "_may_start", True)


def first_start_is_seen_for_all(plant: Plant) -> None:
    plant.edited(RUN, "go", ("range(min(graph.initial, len(graph.states)))", "range(1)"))


def ranges_of_the_abstract_model_overlooked(plant: Plant) -> None:
    plant.edited(RUN, "go", ("taken is None or self.out_of_range(after)", "taken is None"))


def nothing_moved_and_it_holds(plant: Plant) -> None:
    plant.edited(RUN, "finding", ("if not self.moves:", "if False:"))


def cut_search_refines(plant: Plant) -> None:
    plant.edited(RUN, "finding", ("if graph.flaw:", "if False:"))


ORACLE = test_live_oracle.test_on_every_small_graph_it_says_what_the_definitions_say_and_shows_a_shortest_stem

IN_RUNS: Known = {
    weak_fairness_ignored: ORACLE,
    strong_fairness_taken_for_weak: test_live.test_what_is_enabled_on_and_off_needs_strong_fairness,
    weak_fairness_taken_for_strong: test_live.test_what_is_enabled_on_and_off_needs_strong_fairness,
    fairness_shared_by_all_arguments: test_live.test_each_instance_of_an_action_is_fair_by_itself,
    every_way_of_a_choice_is_owed: test_live.test_which_way_a_choice_falls_is_owed_to_nobody,
    fault_is_owed: test_live.test_a_fault_is_never_owed,
    lasso_that_does_not_close: test_live.test_the_loop_takes_all_that_is_owed_and_comes_back,
    discharged_by_a_visited_state:
        test_live.test_a_place_met_first_with_nothing_pending_is_looked_at_again_with_something_pending,
    cycle_through_two_ways_not_seen: test_live.test_no_false_pass_through_cycles,
    step_to_itself_is_no_cycle: ORACLE,
    rest_of_a_component_not_searched:
        test_live.test_strong_fairness_is_met_where_the_states_that_enable_an_action_are_left,
    what_was_answered_still_pends: test_live.test_what_was_answered_is_not_pending_and_what_is_asked_for_again_is,
    asked_for_at_the_start_only: ORACLE,
    cut_taken_for_an_end: test_live.test_what_lies_beyond_a_cut_is_no_end_of_a_run,
    first_start_taken_for_all: test_live.test_every_initial_state_is_looked_at,
    idle_fairness_is_fair: ORACLE,
}  # fmt: skip
IN_REFINEMENT: Known = {
    any_step_is_a_stutter: test_refine.test_a_step_that_skips_an_abstract_state_is_refuted,
    any_start_will_do: test_refine.test_an_initial_state_that_is_seen_as_none_refutes_in_no_step,
    first_start_is_seen_for_all: test_refine.test_every_initial_state_must_be_seen_as_one,
    ranges_of_the_abstract_model_overlooked:
        test_refine.test_a_step_by_which_the_abstract_model_leaves_its_range_is_none_to_be_seen_as,
    nothing_moved_and_it_holds: test_refine.test_a_mapping_under_which_nothing_moves_is_vacuous,
    cut_search_refines:
        test_refine.test_a_search_that_was_cut_is_undetermined_and_a_step_that_does_not_map_refutes_all_the_same,
}  # fmt: skip
