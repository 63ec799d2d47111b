"""``leads_to`` and fairness: what they mean natively, what lifting keeps of them, where they may not stand."""

from __future__ import annotations

import re
from typing import Any

import pytest

from meshspec import (
    Map,
    ModelError,
    Sort,
    action,
    always,
    eventually,
    fault,
    forall,
    leads_to,
    model,
    require,
    scope,
    sometimes,
    var,
)
from meshspec.backends import native
from meshspec.backends.certificate import certified, certify
from meshspec.backends.layout import Key, Layout
from meshspec.errors import CertificateError, LiftError
from meshspec.expr.text import text
from meshspec.lang.declare import declared
from meshspec.lang.fairness import Fairness, fairness_of
from meshspec.lang.lift import lift
from meshspec.lang.response import response_of


class Job(Sort):
    """Something to wait for."""


@model
class Waiting:
    asked: Map[Job, bool] = var(False)
    done: Map[Job, bool] = var(False)
    late: bool = var(False)

    @action
    def ask(self, j: Job) -> None:
        require(not self.asked[j])
        self.asked[j] = True

    @action
    def answer(self, j: Job) -> None:
        require(self.asked[j])
        self.done[j] = True

    @fault
    def lose(self, j: Job) -> None:
        require(self.asked[j])
        self.asked[j] = False


@model
class Claims(Waiting):
    @eventually(weak=("answer",), strong=["ask"])
    def every_job_is_answered(self, j: Job) -> bool:
        """Which fairness it needs stands above it."""
        return leads_to(self.asked[j], self.done[j])

    @eventually
    def all_are(self) -> bool:
        return forall(Job, lambda j: self.done[j])

    @eventually()
    def in_two_cases(self, j: Job) -> bool:
        if self.late:
            return leads_to(self.asked[j], self.done[j])
        return leads_to(self.done[j], self.asked[j])

    @eventually
    def may_raise(self, j: Job) -> bool:
        if self.late:
            raise ValueError
        return leads_to(self.asked[j], self.done[j])


def claim_of(name: str) -> Any:
    return next(claim for claim in lift(Claims).claims if claim.name == name)


def test_called_by_hand_it_is_false_only_where_what_was_asked_for_has_not_come() -> None:
    assert [leads_to(p, q) for p, q in ((True, True), (True, False), (False, True), (False, False))] == [
        True, False, True, True
    ]  # fmt: skip
    with pytest.raises(ModelError, match="leads_to needs bools, not 1"):
        leads_to(1, True)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]  # that is the point


def test_the_body_of_a_claim_runs_on_cpython_as_it_stands() -> None:
    with scope({Job: 1}):
        claims: Any = Claims()
        assert claims.every_job_is_answered(Job(0))
        claims.ask(Job(0))
        assert not claims.every_job_is_answered(Job(0))


def test_both_sides_are_kept_apart() -> None:
    sides = response_of(claim_of("every_job_is_answered").raw)
    assert sides is not None
    assert tuple(map(text, sides)) == ("asked[j]", "done[j]")
    assert response_of(claim_of("all_are").raw) is None


def test_a_claim_that_returns_one_of_two_keeps_the_sides_of_each() -> None:
    sides = response_of(claim_of("in_two_cases").raw)
    assert sides is not None
    layout = Layout(lift(Claims), {Job: 1})
    claim = claim_of("in_two_cases")
    job = Job(0)
    for late, asked, done in ((a, b, c) for a in (False, True) for b in (False, True) for c in (False, True)):
        values: dict[Key, object] = {("asked", (job,)): asked, ("done", (job,)): done, ("late", ()): late}
        said = native.run(layout, claim, values, (job,))
        assert said == native.Value(
            leads_to(asked, done) if late else leads_to(done, asked), (asked, done) if late else (done, asked)
        )


def test_where_the_body_raises_something_is_asked_for_and_never_comes() -> None:
    sides = response_of(claim_of("may_raise").raw)
    assert sides is not None
    assert (text(sides[0]), text(sides[1])) == ("late or asked[j]", "not late and done[j]")


def test_the_certificate_holds_both_sides_against_cpython(monkeypatch: pytest.MonkeyPatch) -> None:
    certified(Claims)
    lifted = lift(Claims)

    def swaps(*given: Any) -> Any:
        found = native.call(*given)
        if isinstance(found, native.Value) and found.sides is not None:
            return native.Value(found.value, (found.sides[1], found.sides[0]))
        return found

    monkeypatch.setattr("meshspec.backends.certificate.call", swaps)
    with pytest.raises(CertificateError, match="asked for"):
        certify(lifted)


# -- where it may stand ----------------------------------------------------------------------------------------


@model
class Negated(Waiting):
    @eventually
    def claim(self, j: Job) -> bool:
        return not leads_to(self.asked[j], self.done[j])  # here


@model
class Combined(Waiting):
    @eventually
    def claim(self, j: Job) -> bool:
        return leads_to(self.asked[j], self.done[j]) and not self.late  # here


@model
class Nested(Waiting):
    @eventually
    def claim(self, j: Job) -> bool:
        return leads_to(leads_to(self.asked[j], self.done[j]), self.late)  # here


@model
class Quantified(Waiting):
    @eventually
    def claim(self) -> bool:
        return forall(Job, lambda j: leads_to(self.asked[j], self.done[j]))  # here


@model
class Kept(Waiting):
    @eventually
    def claim(self, j: Job) -> bool:
        kept = leads_to(self.asked[j], self.done[j])  # here
        return kept  # noqa: RET504


@model
class ByHelper(Waiting):
    def helper(self, j: Job) -> bool:
        return leads_to(self.asked[j], self.done[j])  # here

    @eventually
    def claim(self, j: Job) -> bool:
        return self.helper(j)


@model
class Swallowed(Waiting):
    @eventually
    def claim(self, j: Job) -> bool:
        try:
            bool(leads_to(self.asked[j], self.done[j]))  # here
        except Exception:
            return True
        return leads_to(self.asked[j], self.done[j])


@pytest.mark.parametrize("cls", [Negated, Combined, Nested, Quantified, Kept, ByHelper, Swallowed])
def test_anywhere_but_outermost_it_is_refused_with_its_line(cls: type) -> None:
    import inspect

    lines, first = inspect.getsourcelines(cls)
    line = next(first + n for n, one in enumerate(lines) if "# here" in one)
    message = rf"test_leads_to\.py:{line}: claim: leads_to must be the whole of what the claim returns"
    with pytest.raises(LiftError, match=message):
        lift(cls)


@model
class InAlways(Waiting):
    @always
    def claim(self, j: Job) -> bool:
        return leads_to(self.asked[j], self.done[j])


@model
class InSometimes(Waiting):
    @sometimes
    def claim(self, j: Job) -> bool:
        return leads_to(self.asked[j], self.done[j])


@model
class InAction(Waiting):
    @action
    def step(self, j: Job) -> None:
        require(leads_to(self.asked[j], self.done[j]))


@pytest.mark.parametrize(
    ("cls", "kind"),
    [(InAlways, "claim is @always"), (InSometimes, "claim is @sometimes"), (InAction, "step is @action")],
)
def test_in_what_is_no_eventually_it_is_refused(cls: type, kind: str) -> None:
    with pytest.raises(LiftError, match=f"{kind}: leads_to speaks of runs and stands in an @eventually"):
        lift(cls)


@model
class Mixed(Waiting):
    @eventually
    def claim(self, j: Job) -> bool:
        return not self.late and leads_to(self.asked[j], self.done[j])


def test_a_claim_that_ends_in_it_in_some_cases_only_is_refused() -> None:
    with pytest.raises(LiftError, match=r"claim returns leads_to\(\.\.\.\) in some cases and not in others"):
        lift(Mixed)


# -- fairness --------------------------------------------------------------------------------------------------


def test_fairness_stands_at_the_claim_and_bare_means_none() -> None:
    fair = {method.name: fairness_of(method) for method in declared(Claims).methods}
    assert fair["every_job_is_answered"] == Fairness(("answer",), ("ask",))
    assert str(fair["every_job_is_answered"]) == "under weak fairness of answer and strong fairness of ask"
    assert str(fair["all_are"]) == str(fair["in_two_cases"]) == "no fairness assumed"
    assert declared(Claims).methods[-4].doc == "Which fairness it needs stands above it."


def test_a_subclass_that_states_the_claim_again_states_its_fairness_again() -> None:
    @model
    class Again(Claims):
        @eventually
        def every_job_is_answered(self, j: Job) -> bool:
            return leads_to(self.asked[j], self.done[j])

    method = next(m for m in declared(Again).methods if m.name == "every_job_is_answered")
    assert fairness_of(method) == Fairness()


def assuming(**fairness: Any) -> Any:
    @model
    class Assumes(Waiting):
        @eventually(**fairness)
        def claim(self, j: Job) -> bool:
            return leads_to(self.asked[j], self.done[j])

    return Assumes


@pytest.mark.parametrize(
    ("fairness", "message"),
    [
        ({"weak": ("reply",)}, "claim counts on 'reply', which is no action; the actions are ask, answer"),
        ({"strong": ("claim",)}, "claim counts on 'claim', which is no action"),
        ({"weak": ("lose",)}, "claim counts on lose, which is a fault: a fault is never owed"),
        ({"weak": ("ask",), "strong": ("ask",)}, "names ask weak and strong: strong fairness includes the weak"),
        ({"weak": "ask"}, "weak='ask': give a tuple of names of actions, weak=(\"ask\",)"),
        ({"strong": (Waiting.ask,)}, "give a tuple of names of actions, strong=(\"send\", \"record\")"),
        ({"weak": None}, "weak=None: give a tuple of names of actions"),
    ],
)  # fmt: skip
def test_what_cannot_be_fair_is_refused_when_the_model_is_made(fairness: dict[str, Any], message: str) -> None:
    with pytest.raises(ModelError, match=r"test_leads_to\.py:\d+: .*" + re.escape(message)):
        assuming(**fairness)


def test_what_is_no_method_cannot_be_marked() -> None:
    with pytest.raises(ModelError, match="@eventually marks a method, not 'ask'"):
        eventually("ask")  # type: ignore[call-overload]  # pyright: ignore[reportCallIssue, reportArgumentType]  # the point
