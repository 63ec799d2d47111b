"""Faults in proofs: induction, k-induction, bounded search, lemmas, mutants. Each with who notices it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import attrs

from meshspec.answer import Answer, Strength
from meshspec.backends.after import after
from meshspec.backends.solver import Solver, Unknown, Unsat
from meshspec.backends.steps import Steps
from meshspec.engines import bounded, equivalence, induction, kills, lemmas, mutate, obligations
from meshspec.engines.induction import Induction
from meshspec.engines.inductive import properties_of
from meshspec.engines.mutate import mutate as mutate_all
from meshspec.engines.mutation import Fate
from meshspec.expr.build import disj, negate
from meshspec.lang.lift import lift
from tests.agreement.engines import contradictions
from tests.agreement.faults_models import Debts, Marks, Node, Passed, Seven
from tests.agreement.faults_plant import Fault, Known, Plant, Test, part_of
from tests.engines import test_bounded, test_mutate, test_prove
from tests.models import p_counts, p_hidden, p_ledger, p_lock, p_traps

RUN = part_of(bounded, "_Run")
QUESTION = part_of(obligations, "_Question")

# -- induction at every size -----------------------------------------------------------------------------------


def base_case_never_asked(plant: Plant) -> None:
    plant.changed(induction, "obligations_of", lambda found: found[1:])


def a_path_is_never_asked(plant: Plant) -> None:
    plant.changed(induction, "obligations_of", lambda found: [*found[:1], *found[2:]])


def raising_paths_never_asked(plant: Plant) -> None:
    plant.says(induction, "raising", [])


def proofs_that_rest_on_what_fell(plant: Plant) -> None:
    """What was proved stays proved when a property falls that it was proved from."""
    plant.edited(Induction, "_drop", (" if core.isdisjoint(falls)", ""))
    plant.edited(Induction, "_sweep", ("if other not in seen]", "if other not in seen and other in self.alive]"))
    plant.edited(Induction, "settled", ("(name, *self.uses(name))", "(name,)"))


def goal_at_the_arguments_of_the_action(plant: Plant) -> None:
    """The names of the claim are those of the action: it is asked for what the action touches and nothing else."""

    def apart(_right: Any, body: Any) -> Any:
        return body

    plant.instead(obligations, "apart", apart)


def no_members_but_the_named_ones(plant: Plant) -> None:
    """As if nobody had been left unnamed: unsatisfiable then means nothing."""
    plant.edited(QUESTION, "answer", ("reply = self._ask()", "reply = self._ask(closed=True)"))


def every_total_is_at_least_its_part(plant: Plant) -> None:
    """True of counts, not of sums of what may be negative."""
    plant.edited(QUESTION, "_ask", ('elif aggregate.kind == "count":', "else:"))


def giving_up_taken_for_a_proof(plant: Plant) -> None:
    def check(right: Any, self: Solver, labels: Any = ()) -> Any:
        reply = right(self, labels)
        return Unsat(frozenset()) if isinstance(reply, Unknown) else reply

    plant.instead(Solver, "check", check)


def assumed_after_the_step(plant: Plant) -> None:
    """Circular: what others say is assumed of the state after the step, and not only of the one before."""

    def goal(right: Any, self: obligations.Prover, obligation: obligations.Obligation) -> Any:
        found, path, mine = right(self, obligation), obligation.path, obligation.property
        if path is None or mine is None:
            return found
        others = [p.universal for p in properties_of(self.model) if p.name != mine.name]
        updates = obligations.updates_of(path)
        return disj(*(negate(after(one.body, updates)) for one in others if not one.parameters), found)

    plant.instead(obligations.Prover, "_goal", goal)


def range_of_a_parameter_forgotten(plant: Plant) -> None:
    def within(right: Any, name: Any, _bounds: range) -> Any:
        return right(name, range(-(10**6), 10**6))

    plant.instead(obligations, "within", within)


# -- in a scope ------------------------------------------------------------------------------------------------


def base_case_one_step_short(plant: Plant) -> None:
    plant.edited(RUN, "go", ("self._search(k - 1)", "self._search(k - 2)"))


def bounded_search_leaves_out_an_initial_value(plant: Plant) -> None:
    plant.changed(Steps, "options", lambda found: found[:1])


def wrong_frame_in_a_step(plant: Plant) -> None:
    """What no move writes may become anything."""
    plant.edited(
        Steps,
        "_step",
        ('parts.append(terms.join("or", [*writers.get(variable.symbol, []), self._next_of(here) == here]))', "pass"),
    )


def step_from_where_a_range_is_left(plant: Plant) -> None:
    plant.edited(Steps, "_step", ("[self.inside, self.which >= 0", "[self.which >= 0"))


def assumed_of_the_state_in_question(plant: Plant) -> None:
    """Each property is assumed after the step too, by which it is to be proved."""
    plant.edited(
        RUN, "_induct", ("steps.at(goal.holds, place), goal.name", "steps.at(goal.holds, place + 1), goal.name")
    )


def core_of_what_was_dropped_kept(plant: Plant) -> None:
    plant.edited(RUN, "_induct", (" if goal.name not in core}", "}"))


def states_that_differ_in_everything(plant: Plant) -> None:
    """Paths are asked for on which no two states agree in any cell."""
    plant.edited(Steps, "differ", ('return self.terms.join("or", parts)', 'return self.terms.join("and", parts)'))


def any_of_the_shortest_is_the_first(plant: Plant) -> None:
    plant.edited(part_of(bounded, "_Least"), "first", ("while low < high:", "while False:"))


# -- lemmas, mutants -------------------------------------------------------------------------------------------


def candidate_that_a_step_makes_false_kept(plant: Plant) -> None:
    plant.says(part_of(lemmas, "_Houdini"), "_step", None)


def candidate_that_fails_at_the_start_kept(plant: Plant) -> None:
    plant.edited(part_of(lemmas, "_Houdini"), "run", ("del self.alive[name]", "pass"))


def any_violation_is_the_mutants_own(plant: Plant) -> None:
    """The unchanged model breaks it as well, by steps of its own."""
    plant.says(kills.Judge, "_uses_the_change", True)
    plant.says(kills.Judge, "_mended", True)


def never_mended(plant: Plant) -> None:
    plant.says(kills.Judge, "_mended", True)


def mutant_not_run_by_cpython(plant: Plant) -> None:
    plant.says(kills.Judge, "_run", None)


def equal_by_what_is_not_proved(plant: Plant) -> None:
    def believed(found: Any) -> list[Any]:
        return [attrs.evolve(one, answer=Answer.HOLDS, strength=Strength.EVERY_SIZE, settles="") for one in found]

    plant.changed(mutate, "prove", believed)


def equal_in_scope_is_equal(plant: Plant) -> None:
    plant.says(mutate, "unequal", "")


def blocked_differs_from_nothing(plant: Plant) -> None:
    plant.edited(equivalence, "_differ", ("return (((), TRUE),)", "return ()"))


def cut_mutant_survives(plant: Plant) -> None:
    plant.edited(
        part_of(mutate, "_Running"), "_explored", ("elif found.answer is Answer.UNDETERMINED:", "elif False:")
    )


def for_each(test: Callable[..., None], *cases: tuple[Any, ...]) -> Test:
    """A test that is asked for several models, as the same named test."""

    def every() -> None:
        for case in cases:
            test(*case)

    return every


INCIDENTS = for_each(
    test_prove.test_what_an_incident_breaks_is_never_proved,
    (p_ledger.ResendInDoubt, "at_most_once"),
    (p_lock.ReleaseWhileWorking, "one_at_a_time"),
    (p_counts.LeakyBudget, "conserved"),
    (p_counts.Flipped, "counted"),
)


def what_explore_refutes_is_not_proved() -> None:
    for cls in (Passed, Marks, Debts):
        assert contradictions(lift(cls), {Node: 2}) == []


def no_mutant_is_equal_by_a_claim_that_is_not_proved() -> None:
    (run,) = [run for run in mutate_all(lift(Seven), {}).runs if run.mutant.name == "grow: without `self.n != 7`"]
    assert run.fate is Fate.SURVIVED


PATHS = for_each(
    test_bounded.test_what_an_incident_breaks_is_broken_by_the_path_of_explore,
    (p_traps.Mutual,),
    (p_traps.BadStart,),
    (p_lock.ReleaseWhileWorking,),
    (p_hidden.Beyond,),
)
IN_PROOFS: Known = {
    base_case_never_asked: test_prove.test_a_claim_false_at_the_start_is_violated_there_and_is_no_hypothesis,
    a_path_is_never_asked: INCIDENTS,
    raising_paths_never_asked: test_prove.test_that_no_action_raises_is_proved_from_what_is_proved_and_not_otherwise,
    proofs_that_rest_on_what_fell: test_prove.test_a_claim_proved_only_from_a_false_one_is_not_proved,
    goal_at_the_arguments_of_the_action: what_explore_refutes_is_not_proved,
    no_members_but_the_named_ones: what_explore_refutes_is_not_proved,
    every_total_is_at_least_its_part: what_explore_refutes_is_not_proved,
    giving_up_taken_for_a_proof: test_prove.test_where_the_solver_gives_up_the_answer_is_undetermined_and_says_why,
    assumed_after_the_step: test_prove.test_a_claim_proved_only_from_a_false_one_is_not_proved,
    range_of_a_parameter_forgotten:
        test_prove.test_a_range_is_an_obligation_and_the_values_of_a_parameter_are_those_of_its_range,
}  # fmt: skip
IN_SCOPES: Known = {
    base_case_one_step_short: partial(test_bounded.test_an_induction_of_two_steps_has_a_base_of_two_states, 0),
    bounded_search_leaves_out_an_initial_value: PATHS,
    wrong_frame_in_a_step: PATHS,
    step_from_where_a_range_is_left: test_bounded.test_where_a_range_is_left_the_path_ends,
    assumed_of_the_state_in_question: PATHS,
    core_of_what_was_dropped_kept: test_bounded.test_a_claim_is_not_proved_by_another_that_is_broken,
    states_that_differ_in_everything: PATHS,
    any_of_the_shortest_is_the_first: PATHS,
}
IN_LEMMAS: tuple[Fault, ...] = (candidate_that_a_step_makes_false_kept, candidate_that_fails_at_the_start_kept)
"""These let candidates through that are no lemmas, and the induction that is trusted must drop them."""
IN_MUTANTS: Known = {
    any_violation_is_the_mutants_own: test_mutate.test_a_violation_that_the_model_has_as_well_is_no_kill,
    never_mended: test_mutate.test_a_kill_is_one_only_if_undoing_the_change_on_the_same_schedule_undoes_it,
    mutant_not_run_by_cpython: test_mutate.test_what_cpython_does_not_do_is_no_kill,
    equal_by_what_is_not_proved: no_mutant_is_equal_by_a_claim_that_is_not_proved,
    equal_in_scope_is_equal: test_mutate.test_what_only_the_scope_does_not_tell_apart_is_a_survivor,
    blocked_differs_from_nothing: test_mutate.test_equivalence_is_proved_under_proved_claims_and_only_there,
    cut_mutant_survives: test_mutate.test_a_mutant_without_end_is_cut_and_left_undecided,
}
