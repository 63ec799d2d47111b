"""coverage: what was tried is counted, what was not is named, and nothing is called covered that was not seen."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from types import ModuleType
from typing import Annotated, Any

import attrs

from meshspec import (
    Map,
    Range,
    Sort,
    action,
    always,
    each,
    exists,
    fault,
    implies,
    model,
    require,
    sometimes,
    var,
)
from meshspec.answer import Answer, Finding, Strength
from meshspec.backends import native
from meshspec.backends.layout import Layout
from meshspec.engines.coverage import ANTECEDENTS, FAILS, MET, WITNESSED, Coverage, Covered, coverage
from meshspec.engines.explore import FIRES, explore
from meshspec.engines.limits import Limits
from meshspec.lang.lift import lift
from meshspec.models.effect_ledger import EffectLedger
from meshspec.models.environment import CrashAndRestart, Effect
from meshspec.report.matrix import coverage_lines


class Job(Sort): ...


class Mode(Enum):
    IDLE = 0
    BUSY = 1


@model
class Desk:
    n: Annotated[int, Range(0, 9)] = var(0)
    mode: Mode = var(Mode.IDLE)
    taken: Map[Job, bool] = var(False)

    @action
    def take(self, job: Job) -> None:
        require(
            self.n < 2
            and not self.taken[job]
            and self.n < 9
        )  # fmt: skip
        self.taken[job] = True
        self.n += 1

    @action
    def rest(self) -> None:
        require(self.mode == Mode.BUSY and self.n > 0)
        self.mode = Mode.IDLE

    @action
    def work(self) -> None:
        require(self.mode == Mode.IDLE)
        if self.n == 2:
            self.mode = Mode.BUSY

    @always
    def busy_with_two(self, job: Job) -> bool:
        return implies(self.mode == Mode.BUSY, self.n == 2)

    @sometimes
    def given(self, job: Job) -> bool:
        return self.taken[job]


def covered(cls: Any, size: int = 2, **more: Any) -> Coverage:
    lifted = lift(cls)
    return coverage(lifted, dict.fromkeys(lifted.sorts, size), **more)


def answers(found: Coverage) -> dict[str, Finding]:
    return {finding.property: finding for finding in found.findings()}


def guard(found: Coverage, method: str, text: str) -> Covered:
    (one,) = [one for one in found.guards if (one.site.method, one.site.text) == (method, text)]
    return one


def by_cpython(cls: Any, sizes: Any, test: Callable[[Any], bool | None]) -> tuple[int, int]:
    """How often `test` of an instance is true and false over the reachable states, all steps taken by CPython."""
    lifted = lift(cls)
    layout = Layout(lifted, sizes)
    seen = list(layout.initial_states())
    for state in seen:
        for action_, arguments in layout.ground_actions():
            after = native.run(layout, action_, layout.decode(state), arguments)
            if isinstance(after, native.Next) and (reached := layout.encode(after.values)) not in seen:
                seen.append(reached)
    said = [test(native.load(layout, layout.decode(state))) for state in seen]
    return said.count(True), said.count(False)


def test_a_conjunct_counts_only_where_it_is_evaluated() -> None:
    found = covered(Desk)
    first, second, third = (guard(found, "take", t) for t in ("self.n < 2", "not self.taken[job]", "self.n < 9"))
    assert second.true + second.false == first.true
    assert third.true + third.false == second.true
    jobs = (Job(0), Job(1))
    of_first = [by_cpython(Desk, {Job: 2}, lambda desk: desk.n < 2) for _ in jobs]
    assert (first.true, first.false) == tuple(map(sum, zip(*of_first, strict=True)))
    of_second = [by_cpython(Desk, {Job: 2}, lambda d, j=j: not d.taken[j] if d.n < 2 else None) for j in jobs]  # type: ignore[misc]
    assert (second.true, second.false) == tuple(map(sum, zip(*of_second, strict=True)))


def test_a_conjunct_stands_at_its_own_line_in_the_authors_words() -> None:
    found = covered(Desk)
    lines = [guard(found, "take", t).site.where.line for t in ("self.n < 2", "not self.taken[job]", "self.n < 9")]
    assert lines == [lines[0], lines[0] + 1, lines[0] + 2]


def test_a_guard_that_is_never_false_is_redundant_in_scope_and_not_a_success() -> None:
    found = covered(Desk)
    idle = guard(found, "take", "self.n < 9")
    assert (idle.false, idle.word) == (0, "never false")
    finding = answers(found)[FAILS]
    assert finding.answer is Answer.UNDETERMINED
    assert f"take: `self.n < 9` at {idle.site.where}" in finding.reason
    assert "redundant in this scope" in finding.reason
    assert answers(found)[MET].answer is Answer.HOLDS


def test_a_guard_that_is_never_true_is_dead_and_its_action_never_fires() -> None:
    @model
    class Dead(Desk):
        @fault
        def lose(self) -> None:
            require(self.n > 7)
            require(self.mode == Mode.IDLE)
            self.n = 0

    found = covered(Dead)
    assert guard(found, "lose", "self.n > 7").word == "never true"
    assert guard(found, "lose", "self.mode == Mode.IDLE").word == "never evaluated"
    said = answers(found)
    assert said[MET].answer is Answer.VACUOUS
    assert "lose: `self.n > 7`" in said[MET].reason
    assert said[FIRES].answer is Answer.VACUOUS
    assert said[FIRES].reason == "lose: never enabled"


def test_counts_of_actions_and_states_are_those_of_explore() -> None:
    lifted = lift(EffectLedger)
    found = coverage(lifted, {Effect: 2})
    (first, *_) = explore(lifted, {Effect: 2})
    assert found.states == first.states
    assert sum(found.fired.values()) == first.facts["transitions"]
    assert max(found.depths) == first.facts["depth"]
    assert sum(found.depths.values()) == found.states
    for counts in found.values.values():
        assert max(counts.values()) <= found.states <= sum(counts.values())


def test_everything_that_the_effect_ledger_states_is_tried_at_two_effects() -> None:
    found = coverage(lift(EffectLedger), {Effect: 2})
    assert {f.answer for f in found.findings()} == {Answer.HOLDS}
    assert {f.strength for f in found.findings()} == {Strength.EXHAUSTIVE}
    assert len(found.findings()) == 5


def test_antecedents_and_witnesses_are_counted_in_states() -> None:
    found = covered(Desk)
    ((claim, place),) = found.antecedents
    assert claim == "busy_with_two"
    assert "test_coverage.py:" in place
    assert found.antecedents[claim, place] == by_cpython(Desk, {Job: 2}, lambda desk: desk.mode is Mode.BUSY)[0]
    assert found.witnesses == {
        f"given({job})": by_cpython(Desk, {Job: 2}, lambda d, j=job: d.taken[j])[0]  # type: ignore[misc]
        for job in (Job(0), Job(1))
    }
    assert answers(found)[WITNESSED].answer is Answer.HOLDS


def test_an_antecedent_and_a_witness_that_are_never_true_are_vacuous() -> None:
    @model
    class Vain(Desk):
        @always
        def vain(self) -> bool:
            return implies(self.n > 5, self.mode == Mode.IDLE) and implies(self.n > 0, self.n < 9)

        @sometimes
        def six(self) -> bool:
            return self.n == 6

    said = answers(covered(Vain))
    assert said[ANTECEDENTS].answer is Answer.VACUOUS
    assert said[ANTECEDENTS].reason.count("vain at ") == 1
    assert "(number 1)" in said[ANTECEDENTS].reason
    assert (said[WITNESSED].answer, said[WITNESSED].reason) == (Answer.VACUOUS, "six: true in no reachable state")


def test_values_are_counted_by_the_states_that_hold_them() -> None:
    found = covered(Desk)
    assert list(found.values) == ["n", "mode", "taken"]
    busy = by_cpython(Desk, {Job: 2}, lambda desk: desk.mode is Mode.BUSY)[0]
    assert found.values["mode"] == {"IDLE": found.states - busy, "BUSY": busy}
    some = by_cpython(Desk, {Job: 2}, lambda desk: desk.taken[Job(0)] or desk.taken[Job(1)])[0]
    assert found.values["taken"]["True"] == some


def test_a_search_that_is_cut_calls_nothing_vacuous() -> None:
    found = covered(Desk, limits=Limits(max_states=2))
    assert (found.states, found.cut) == (2, "2 states")
    said = answers(found)
    assert {f.answer for f in said.values()} <= {Answer.UNDETERMINED, Answer.HOLDS}
    assert said[FIRES].answer is Answer.UNDETERMINED
    assert said[FIRES].reason.startswith("cut off after 2 states; so far rest")
    assert said[FIRES].known == "2 states visited"
    held = [f for f in said.values() if f.answer is Answer.HOLDS]
    assert all(f.strength is Strength.TESTED for f in held)
    told = " ".join([*coverage_lines(found), *(f.reason for f in said.values())])
    assert "never evaluated" in {one.word for one in found.guards}
    assert not any(word in told for word in ("dead", "redundant"))
    assert not any("never" in line for line in coverage_lines(found))


def test_one_state_is_told_as_one() -> None:
    said = answers(covered(Desk, limits=Limits(max_states=1)))
    assert said[FIRES].reason.startswith("cut off after 1 state; so far ")
    assert said[FIRES].known == "1 state visited"


def test_a_command_names_the_target_as_it_was_given() -> None:
    assert (
        "(meshspec mutate my.py:Desk tells whether it matters)"
        in answers(covered(Desk, name="my.py:Desk"))[FAILS].settles
    )
    assert "'my desk.py'" in answers(covered(Desk, name="my desk.py"))[FAILS].settles


def test_an_interruption_is_said() -> None:
    def interrupted(message: str) -> None:
        if message.endswith(": rest"):
            raise KeyboardInterrupt

    found = covered(Desk, progress=interrupted)
    assert found.cut == "interrupted"
    assert {f.answer for f in found.findings()} == {Answer.UNDETERMINED}


def test_no_step_is_counted_from_a_state_in_which_a_range_is_left() -> None:
    @model
    class Leaky:
        n: Annotated[int, Range(0, 2)] = var(0)

        @action
        def grow(self) -> None:
            require(self.n >= 0)
            self.n += 1

    found = covered(Leaky)
    assert (found.states, found.fired) == (4, {"grow": 3})
    assert guard(found, "grow", "self.n >= 0").true == 3


# -- what bodies can look like ---------------------------------------------------------------------------------


@model
class Many(CrashAndRestart):
    """Hooks of a mixin, a helper with a guard, quantifiers, a tuple, an action that calls another."""

    picked: Map[Job, bool] = var(False)
    n: Annotated[int, Range(0, 9)] = var(0)

    def ready(self) -> bool:
        require(self.up)
        return self.n < 2

    def forget(self) -> None:
        self.picked = each(Job, lambda j: False)

    @action
    def pick(self, jobs: Annotated[tuple[Job, ...], Range(1, 2)]) -> None:
        require(self.ready() and not any(self.picked[job] for job in jobs))
        for job in jobs:
            self.picked[job] = True
        if exists(Job, lambda j: not self.picked[j]):
            self.n += 1

    @action
    def again(self, job: Job) -> None:
        require(self.picked[job])
        self.crash()


def test_helpers_mixins_quantifiers_tuples_and_calls_of_actions_are_covered() -> None:
    found = covered(Many)
    assert not found.unread
    where = {(one.site.method, one.site.text): one.site.where.file.rpartition("/")[2] for one in found.guards}
    assert where["crash", "self.up"] == "environment.py"
    assert where["ready", "self.up"] == "test_coverage.py"
    for one in found.guards:
        assert one.true + one.false > 0, one
    helper, caller = guard(found, "ready", "self.up"), guard(found, "pick", "self.ready()")
    assert caller.true + caller.false == helper.true
    assert guard(found, "crash", "self.up").true >= found.fired["crash"] + found.fired["again"]


def test_a_model_that_was_typed_into_a_shell_has_no_guards_and_says_so() -> None:
    made = ModuleType("typed_into_another_shell")
    text = (
        "from meshspec import *\n@model\nclass Typed:\n    on: bool = var(True)\n    @action\n"
        "    def stop(self) -> None:\n        require(self.on)\n        self.on = False\n"
    )
    exec(compile(text, "<ipython-input-1>", "exec"), vars(made))
    found = covered(made.Typed)
    assert found.fired == {"stop": 1}
    assert found.guards == ()
    assert found.unread == ("<ipython-input-1>:5: no file holds the source of stop",)
    said = answers(found)
    assert list(said) == [FIRES, MET, FAILS]
    for name in (MET, FAILS):
        assert said[name].answer is Answer.UNDETERMINED
        assert said[name].reason == f"no source: not every guard was read ({found.unread[0]})"
        assert said[name].settles.startswith("the model in a file")


@model
class Spun(Desk):
    """A guard of it is dead."""

    @action
    def spin(self) -> None:
        require(self.n > 7)
        self.n = 0


def test_a_guard_that_was_read_and_is_dead_is_vacuous_whatever_was_not_read() -> None:
    said = answers(attrs.evolve(covered(Spun), unread=("x.py:1: not read",)))
    assert said[MET].answer is Answer.VACUOUS
    assert (
        answers(attrs.evolve(covered(EffectLedger), unread=("x.py:1: not read",)))[MET].answer is Answer.UNDETERMINED
    )


def test_a_model_without_actions_is_vacuous() -> None:
    @model
    class Still:
        on: bool = var(True)

        @always
        def lit(self) -> bool:
            return self.on

    (finding,) = covered(Still).findings()
    assert (finding.answer, finding.reason) == (Answer.VACUOUS, "the model has no action")


def test_it_is_plain_data() -> None:
    told = covered(Desk).to_dict()
    assert told["scope"] == {"Job": 2}
    assert {"method", "kind", "where", "text", "true", "false", "word"} == set(told["guards"][0])
    (fires, *_) = covered(Desk).findings()
    assert fires.facts["coverage"] == told
