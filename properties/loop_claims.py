"""What the texts claim of loops: of identical calls, of sessions that get nowhere, of scopes in scopes."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from fractions import Fraction
from itertools import product

from meshspec import Map, scope
from meshspec.claims import load
from meshspec.engines.live import live
from meshspec.lang.lift import lift
from meshspec.models.incidents.progress_breaker import StepBudgetAlone
from meshspec.models.incidents.session_progress import EveryWriteCounts, PathKeyed, RefusedWritesCount
from meshspec.models.nested_scopes import NestedScopes, Scope
from meshspec.models.progress_breaker import Answer, Call, ProgressBreaker, Session
from meshspec.models.session_progress import Digest, File, SessionProgress
from meshspec.models.session_progress import Session as Turns
from meshspec.properties.asking import broken, is_proved
from meshspec.properties.breaker_claims import NUMBERS, printed, statement
from meshspec.settle import Values, settles

ONE, AGENT = Session(0), Turns(0)


def calls_made(model: ProgressBreaker, calls: Iterable[int | None]) -> ProgressBreaker:
    """The model after these calls, each answered as ever, ``None`` being one that fails, until it is stopped."""
    with scope({Session: 1, Call: 99, Answer: 1}):
        for call in calls:
            if model.is_stopped(ONE) or model.steps[ONE] >= model.budget[ONE]:
                break
            if call is None:
                model.err(ONE)
            else:
                model.call(ONE, Call(call), Answer(0))
    return model


def error_rate_opens(errors: Sequence[bool], window: int, threshold: Fraction) -> bool:
    """Whether an error-rate breaker opens on any window of a run."""
    windows = (errors[max(0, end - window) : end] for end in range(1, len(errors) + 1))
    return any(Fraction(sum(seen), len(seen)) >= threshold for seen in windows)


THRESHOLDS = [Fraction(n, d) for d in range(1, 13) for n in range(1, d + 1)]


def told(claim: str, pattern: str) -> tuple[str, ...]:
    """What the registry says is to come out of a claim."""
    found = re.search(pattern, load().claims[claim].how_to_check)
    assert found is not None, pattern
    return found.groups()


@settles("F1.verifier-loop.54-calls", "reproduced")
def the_run_is_stopped_at_its_fourth_call(values: Values) -> None:
    """The inherited breaker never opens, for any window and threshold; the other spares all but four calls."""
    calls, errors = values.number("calls"), values.number("errors")
    payloads = values.number("distinct_payloads")
    assert payloads >= 1 and calls > errors >= 0
    run = [None] * errors + [i % payloads for i in range(calls - errors)]
    assert len(run) == calls and run.count(None) == errors
    failed = [call is None for call in run]
    assert not any(error_rate_opens(failed, window, t) for window in (1, 10, calls) for t in THRESHOLDS)
    stopped = calls_made(ProgressBreaker(budget=Map(calls)), run)
    assert stopped.is_stopped(ONE) and not stopped.opened[ONE]
    spacing, bound, after, spared, share = told(
        "F1.verifier-loop.54-calls",
        r"at ([\d.]+) s spacing.*bound (\d) .*about (\d+) s\), sparing (\d+) calls \(([\d.]+)%",
    )
    pace = Fraction(60 * values.number("minutes"), calls)
    assert f"{float(pace):.1f}" == spacing
    assert stopped.steps[ONE] == int(bound) and calls - stopped.steps[ONE] == int(spared)
    assert f"{float(Fraction(100 * (calls - stopped.steps[ONE]), calls)):.1f}" == share
    assert round((stopped.steps[ONE] - 1) * pace) == int(after), "from the first call to the last"


@settles("F1.error-breaker-blind", "proved")
def without_errors_there_is_nothing_to_see(values: Values) -> None:
    """For every window, pace and threshold above zero; and once more by exact fractions on runs of every length."""
    assert is_proved(ProgressBreaker, "without_errors_the_inherited_breaker_stays_shut")
    for length, threshold in product(range(1, 30), THRESHOLDS):
        assert not error_rate_opens([False] * length, length, threshold)
    assert error_rate_opens([False] * 9 + [True], 10, Fraction(1, 10)), "one error in ten is seen"


@settles("F1.step-budget-licence", "proved")
def a_larger_budget_buys_a_longer_loop(values: Values) -> None:
    """Under the budget alone a loop costs the budget; with patience, for any budget, no more than that."""
    assert is_proved(ProgressBreaker, "a_loop_costs_no_more_than_its_patience")
    for budget in (5, 54, 540):
        loop = [0] * (budget + 1)
        assert calls_made(StepBudgetAlone(budget=Map(budget)), loop).steps[ONE] == budget
        patient = ProgressBreaker(budget=Map(budget))
        assert calls_made(patient, loop).steps[ONE] == patient.patience[ONE]


@settles("C.fg.poison", "proved")
def a_poison_input_costs_the_budget_or_the_patience(values: Values) -> None:
    """The same structure: a bound of steps stops it at full cost, for every patience the breaker at its patience."""
    assert is_proved(ProgressBreaker, "a_loop_costs_no_more_than_its_patience")
    costs = [calls_made(StepBudgetAlone(budget=Map(b)), [0] * 99).steps[ONE] for b in (10, 20, 40)]
    assert costs == [10, 20, 40]
    for patience in (1, 2, 4, 8):
        assert calls_made(ProgressBreaker(patience=Map(patience), budget=Map(40)), [0] * 99).steps[ONE] == patience


@settles("F1.dominant-mode", "not-checkable")
def two_corpora_agree_with_all_that_is_printed_and_differ_in_their_dominant_mode(values: Values) -> None:
    """D27: of the incidents only their number and twelve of another kind are printed."""
    incidents, others = int(str(printed("A.corpus.147-81", "incidents"))), 12
    corpora = [Counter(loops=loops, gates=others, rest=incidents - others - loops) for loops in (100, 20)]
    assert {corpus.total() for corpus in corpora} == {incidents}
    assert [corpus.most_common(1)[0][0] for corpus in corpora] == ["loops", "rest"]


def default(model: type, name: str) -> object:
    """The number that a model, and what is proved of it, has by default."""
    return getattr(model(), name)[AGENT if model is SessionProgress else ONE]


def spelled(claim: str) -> set[int]:
    """The numbers that are spelled out in a statement."""
    return {NUMBERS[word] for word in re.findall(r"\w+", statement(claim).lower()) if word in NUMBERS}


@settles("F1.k.identical-calls", "conditional")
def four_equal_calls_are_stopped_if_they_are_in_a_row(values: Values) -> None:
    """In a row they are stopped at the fourth. Whether they must be is not said: in turn with another, never."""
    threshold = values.number("threshold")
    assert {threshold} == spelled("F1.k.identical-calls") and threshold == default(ProgressBreaker, "patience")
    assert is_proved(ProgressBreaker, "a_loop_costs_no_more_than_its_patience")
    others = list(range(1, 4))  # whatever comes first
    run = calls_made(ProgressBreaker(budget=Map(54)), [*others, *[0] * 9])
    assert run.is_stopped(ONE) and run.steps[ONE] == len(others) + threshold
    assert not calls_made(ProgressBreaker(budget=Map(54)), [0, 1] * 27).is_stopped(ONE)


def turns(model: SessionProgress, *words: str, files: int = 1) -> SessionProgress:
    """The model after turns of a session, until it is stopped: ``read 0``, ``write 0 1``, ``change 0 1``, others."""
    with scope({Turns: 1, File: files, Digest: 99}):  # every file has digest 0 in it at first
        for word, *rest in map(str.split, words):
            numbers = list(map(int, rest))
            if word == "change":
                model.change(File(numbers[0]), Digest(numbers[1]))
            elif model.is_stopped(AGENT):
                break
            elif word == "read":
                model.read(AGENT, File(numbers[0]))
            elif word == "write":
                model.write(AGENT, File(numbers[0]), Digest(numbers[1]))
            elif word == "refused":
                model.write_in_vain(AGENT)
            else:
                model.run_check(AGENT)
    return model


@settles("F1.k.no-progress-turns", "reproduced")
def four_turns_without_news_or_change_stop_a_session(values: Values) -> None:
    """For every patience; at four with the printed one, and refused writes are such turns."""
    threshold = values.number("threshold")
    assert {threshold} == spelled("F1.k.no-progress-turns") and threshold == default(SessionProgress, "patience")
    assert is_proved(SessionProgress, "who_learns_nothing_is_stopped")
    assert is_proved(SessionProgress, "who_learns_is_not_stopped")
    dry = ["read 0", "check", "refused", "read 0", "refused"]
    assert not turns(SessionProgress(), *dry[:threshold]).is_stopped(AGENT), "the first read is news"
    assert turns(SessionProgress(), *dry[: threshold + 1]).is_stopped(AGENT)
    assert not turns(RefusedWritesCount(), *["refused"] * 99).is_stopped(AGENT)
    assert turns(SessionProgress(), *["write 0 1"] * (threshold + 1)).is_stopped(AGENT), "it is there after the first"
    assert not turns(EveryWriteCounts(), *["write 0 1"] * 99).is_stopped(AGENT)


@settles("F1.k.check-runs", "reproduced")
def a_session_runs_ten_checks_and_no_more(values: Values) -> None:
    """All checks count, equal or not: for every limit, and with the printed one ten can be run and eleven cannot."""
    threshold = values.number("threshold")
    assert {threshold} == spelled("F1.k.check-runs") and threshold == default(SessionProgress, "most_checks")
    assert is_proved(SessionProgress, "checks_are_bounded")
    run = turns(SessionProgress(), *[word for i in range(threshold) for word in ("check", f"write 0 {i + 1}")])
    assert run.checks[AGENT] == threshold and not run.is_stopped(AGENT)


@settles("F1.content-keyed-read", "proved")
def a_read_is_news_if_its_digest_is(values: Values) -> None:
    """Who learns is not stopped and who does not is, whoever changes files; and every short run by hand."""
    assert is_proved(SessionProgress, "who_learns_nothing_is_stopped")
    assert is_proved(SessionProgress, "who_learns_is_not_stopped")
    for words in product(("read 0", "read 1", "change 0 1", "change 0 0"), repeat=5):
        seen, content, dry = set[tuple[int, int]](), {0: 0, 1: 0}, 0
        legal: list[str] = []
        for word, file, *digest in map(str.split, words):
            if word == "change" and content[int(file)] != int(digest[0]):
                content[int(file)] = int(digest[0])
                legal.append(f"{word} {file} {digest[0]}")
            elif word == "read":
                key = (int(file), content[int(file)])
                dry = dry + 1 if key in seen else 0
                seen.add(key)
                legal.append(f"read {file}")
        assert turns(SessionProgress(patience=Map(9)), *legal, files=2).dry[AGENT] == dry


@settles("F1.post-write-read", "conditional")
def reads_that_verify_are_taken_for_wandering_by_a_key_of_paths(values: Values) -> None:
    """If one turn changes several files, or somebody else changes them. Where each read follows a write of its own,
    the write is progress by either rule, and neither trips."""
    once = ["read 0", "read 1", "read 2", "read 3"]
    changed = [f"change {i} 1" for i in range(4)]  # by a formatter, after one write
    assert turns(PathKeyed(), *once, *changed, *once, files=4).is_stopped(AGENT)
    assert not turns(SessionProgress(), *once, *changed, *once, files=4).is_stopped(AGENT)
    in_turn = [word for i in range(20) for word in (f"write 0 {1 - i % 2}", "read 0")]
    assert not turns(PathKeyed(), *in_turn).is_stopped(AGENT)
    assert not turns(SessionProgress(), *in_turn).is_stopped(AGENT)


WORDS = {
    Scope.RUN: "run",
    Scope.COMPONENT: "component",
    Scope.FINGERPRINT: "fingerprint",
    Scope.STRATEGY: "strategy",
    Scope.SESSION: "session",
    Scope.CALLS: "identical calls",
}


def scopes_named(claim: str) -> set[Scope]:
    """The scopes that the items of a list name: after the colon, each with the words of one scope."""
    found: set[Scope] = set()
    for item in re.split(r"[,;:]", statement(claim).lower())[1:]:
        found |= {one for one, word in WORDS.items() if re.search(rf"\b{word}", item)}
    return found


@settles("F1.five-scopes", "inconsistent")
def three_printed_fives_name_six_scopes(values: Values) -> None:
    """D12. One list has identical calls and no strategy, two have a strategy and no calls, and a drawing has four.

    Readings: what a list leaves out is no scope, and five that are capped end; or it is one without a cap of its own,
    and then work goes on for ever within everybody else's limits.
    """
    first, second, third = (scopes_named(c) for c in ("F1.five-scopes", "Fig2.scope-chain", "P4.rule"))
    fives = [len(first), len(third)]
    assert fives == [values.number("scopes")] * 2 and values.number("scopes") in spelled("F1.five-scopes")
    assert second | {Scope.RUN} == third, "the first of a list has no comma before it"
    assert first - third == {Scope.CALLS} and third - first == {Scope.STRATEGY}
    assert first | third == set(Scope)
    assert printed("Fig8.caps", "drawn") != printed("Fig8.caps", "caption") == len(third)
    assert broken(NestedScopes, {}) == {}
    for left_out in (None, *sorted(set(Scope) - (first & third), key=lambda one: one.value)):
        (found,) = live(lift(NestedScopes(without_cap=left_out)), {})
        assert (found.counterexample is None) == (left_out is None)
