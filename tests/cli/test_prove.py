"""``meshspec prove``: what it says of a user's own model, and what it makes of bad options."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.conftest import IMPORTS, User

LEDGER = """\
@model
class Ledger:
    sent: Map[Effect, bool] = var(False)
    noted: Map[Effect, bool] = var(False)
    times: Map[Effect, Annotated[int, Range(0, 3)]] = var(0)

    @action
    def send(self, e: Effect) -> None:
        require(not self.noted[e])
        self.noted[e] = True
        self.sent[e] = True
        self.times[e] += 1

    @always
    def once(self, e: Effect) -> bool:
        return self.times[e] <= 1


@model
class Forgetful(Ledger):
    @action
    def send(self, e: Effect) -> None:
        require(not self.noted[e])
        self.sent[e] = True
        self.times[e] += 1
"""

COUNTER = """\
@model
class Counter:
    number: int = var(0)

    @action
    def grow(self) -> None:
        self.number += 2

    @always
    def never_seven(self) -> bool:
        return self.number != 7
"""

LEASE = """\
@model
class Lease:
    holder: Effect | None = var(None)
    thinks: Map[Effect, bool] = var(False)

    @action
    def acquire(self, e: Effect) -> None:
        require(self.holder is None)
        self.holder = e
        self.thinks[e] = True

    @action
    def expire(self) -> None:
        self.thinks = each(Effect, lambda e: False)
        self.holder = None

    @always
    def one_thinks(self) -> bool:
        return count(Effect, lambda e: self.thinks[e]) <= 1

    @always
    def no_two(self, a: Effect, b: Effect) -> bool:
        return implies(self.thinks[a] and self.thinks[b], a == b)
"""

WAITS = """\
@model
class Waits:
    number: Annotated[int, Range(0, 3)] = var(0)

    @action
    def grow(self) -> None:
        require(self.number < 3)
        self.number += 1

    @eventually(weak=("grow",))
    def arrives(self) -> bool:
        return self.number == 3

    @sometimes
    def two(self) -> bool:
        return self.number == 2
"""


def entry(report: dict[str, Any], name: str) -> dict[str, Any]:
    return next(one for one in report["properties"] if one["property"] == name)


def test_what_is_not_proved_is_tried_in_a_scope_of_two(user: User) -> None:
    user.write(LEDGER)
    said, report = user.json("prove", "mine.py:Ledger")
    assert said.code == 0
    once = entry(report, "once")
    assert (once["answer"], once["strength"], once["scope"]) == ("HOLDS", "k-induction", {"Effect": 2})
    assert "HOLDS once in scope (k-induction, Effect=2)" in said.words
    assert "not proved for every size: not inductive: send(effect0)" in said.words


def test_a_search_for_lemmas_prints_what_to_paste(user: User) -> None:
    user.write(LEDGER)
    said, report = user.json("prove", "mine.py:Ledger", "--search-lemmas")
    assert said.code == 0 and entry(report, "once")["strength"] == "every size"
    assert "found by the search, and to be pasted into the model: @lemma def found_1(self, e: Effect)" in said.words
    lines = said.out.splitlines()
    start = lines.index("      @lemma")
    method = "\n".join("    " + line.removeprefix("      ") for line in lines[start : start + 3])
    user.write(LEDGER.replace("\n\n\n@model\nclass Forgetful", f"\n\n{method}\n\n\n@model\nclass Forgetful"))
    again, report = user.json("prove", "mine.py:Ledger")
    assert again.code == 0 and entry(report, "once")["strength"] == "every size"


def test_what_rests_on_a_found_lemma_says_so(user: User) -> None:
    user.write(LEASE, imports=IMPORTS.replace("always,", "always, count,"))
    said, report = user.json("prove", "mine.py", "--search-lemmas")
    scoped, everywhere = entry(report, "one_thinks"), entry(report, "no_two")
    assert (scoped["strength"], everywhere["strength"]) == ("k-induction", "every size")
    assert "1-inductive with no_two; a search found found_1; not proved for every size" in said.words
    assert "searched for lemmas: found_1 of" in said.words
    assert "wants" not in said.words and "not inductive: acquire" not in said.words  # found_1 excludes that state
    for name in ("one_thinks", "no_two"):
        assert f"{name} rests on found_1, which the model does not state yet" in said.words
    assert "found_1" in everywhere["facts"]["found"] and "found_1" in scoped["facts"]["found"]


def test_claims_that_no_induction_speaks_of_are_named_with_the_command_that_does(user: User) -> None:
    user.write(WAITS + "\n    @always\n    def small(self) -> bool:\n        return self.number < 4\n")
    said, report = user.json("prove", "mine.py")
    named = "not asked here: arrives (@eventually: meshspec live mine.py), two (@sometimes: meshspec explore mine.py)"
    assert said.code == 0 and named in said.words and named in report["notes"]
    assert [one["answer"] for one in report["properties"]] == ["HOLDS"] * 3


def test_a_model_of_which_no_claim_was_asked_is_no_success(user: User) -> None:
    user.write(WAITS)
    said, report = user.json("prove", "mine.py")
    assert said.code == 3 and "not asked here" not in said.words
    for name, command in (("arrives", "meshspec live mine.py"), ("two", "meshspec explore mine.py")):
        one = entry(report, name)
        assert (one["answer"], one["settles"], one["replay"]) == ("UNDETERMINED", command, command)
        assert user.run(*command.split()[1:]).code in (0, 3)
    assert user.run("check", "mine.py").code == 0


def test_a_shortest_path_refutes_and_the_command_is_given_back(user: User) -> None:
    user.write(LEDGER)
    said, report = user.json("prove", "mine.py:Forgetful", "--scope", "Effect=1", "--depth", "3", "--k", "2")
    assert said.code == 1
    once = entry(report, "once")
    assert [step["action"] for step in once["counterexample"]] == ["send(effect0)", "send(effect0)"]
    command = "meshspec prove mine.py:Forgetful --scope Effect=1 --depth 3 --k 2"
    assert f"replay once: {command}" in said.words
    again = user.run(*command.split()[1:])
    assert again.out == said.out


def test_what_is_neither_proved_nor_refuted_is_undetermined(user: User) -> None:
    user.write(COUNTER)
    said, report = user.json("prove", "mine.py", "--search-lemmas", "--depth", "2", "--k", "2")
    assert said.code == 3 and entry(report, "never_seven")["answer"] == "UNDETERMINED"
    assert "candidates is a lemma that helps" in said.words
    assert "known so far: no counterexample of at most 2 steps; there not k-inductive for any k up to 2" in said.words
    assert user.run("prove", "mine.py", "--allow-undetermined").code == 0


def test_with_hardly_any_steps_for_the_solver_nothing_is_proved(user: User) -> None:
    user.write(LEDGER)
    said = user.run("prove", "mine.py:Ledger", "--rlimit", "1")
    assert said.code == 3 and "rlimit" in said.words


def test_a_model_that_claims_nothing_is_vacuous(user: User) -> None:
    user.write(COUNTER.replace("@always", "@lemma"))
    assert user.run("prove", "mine.py").code == 4


@pytest.mark.parametrize(
    ("option", "value", "why"),
    [
        ("--depth", "-1", "--depth -1: give a number of at least 0"),
        ("--k", "0", "--k 0: give a number of at least 1"),
        ("--rlimit", "0", "--rlimit 0: give a number of at least 1"),
        ("--scope", "Worker=2", "--scope Worker=2: Ledger ranges over Effect"),
        ("--scope", "Effect=0", "--scope Effect=0: a sort has at least one member"),
        ("--without", "crash", "--without crash: Ledger has the faults none"),
    ],
)
def test_a_value_that_cannot_be_is_refused_before_anything_runs(
    user: User, option: str, value: str, why: str
) -> None:
    user.write(LEDGER)
    said = user.run("prove", "mine.py:Ledger", option, value)
    assert said.code == 2 and why in " ".join(said.err.split()) and not said.out


def test_a_scope_that_is_too_large_costs_no_proof(user: User) -> None:
    user.write(LEDGER)
    said, report = user.json("prove", "mine.py:Ledger", "--scope", "Effect=1000000", "--search-lemmas")
    assert entry(report, "once")["strength"] == "every size" and said.code == 0
    said, report = user.json("prove", "mine.py:Ledger", "--scope", "Effect=1000000")
    assert said.code == 3 and "more than 20,000" in entry(report, "once")["known"]
