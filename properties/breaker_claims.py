"""What the texts claim of the breaker of repair rounds: constant signal, filter, one function, power."""

import hashlib
import re
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise, product

from meshspec import Map, Sort, always, implies, lemma, model, scope
from meshspec.claims import load
from meshspec.models.incidents.repair_rounds import (
    ConstantEvidence,
    CountOnlyRefund,
    HashRefund,
    InferredVocabulary,
    NoDiagnosticsFallback,
)
from meshspec.models.repair_rounds import Component, Outcome, RepairRounds, Report, filtered
from meshspec.properties.asking import broken, is_proved
from meshspec.properties.repair_rounds import CRASH, FIVE, TWO, replayed, stopped_in
from meshspec.settle import Values, settles

SIZES: dict[type[Sort], int] = {Component: 1, Outcome: 4, Report: 4}
CONVERGING = (CRASH, FIVE, TWO)
PROGRESS = ("who_gets_better_is_not_stopped", "who_is_stuck_is_stopped", "a_round_is_stalled_or_refunded")
WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
NUMBERS = {word: number for number, word in enumerate(WORDS)}

Power = Fraction | None


def power(decisions: Iterable[Iterable[str]], vocabulary: Iterable[str]) -> Power:
    """The share of decisions whose evidence is not wholly in the vocabulary; without a decision there is none.

    >>> power([{"check"}, {"check", "test_a"}], {"check"}), power([], {"check"})
    (Fraction(1, 2), None)
    """
    constant, told = frozenset(vocabulary), [frozenset(evidence) for evidence in decisions]
    return Fraction(sum(not evidence <= constant for evidence in told), len(told)) if told else None


def statement(claim: str) -> str:
    return load().claims[claim].statement


def printed(claim: str, name: str) -> object:
    """What is printed for another claim."""
    return load().claims[claim].values[name]


def number_before(claim: str, words: str) -> int:
    """The number that stands in a statement before some words, in digits or spelled."""
    found = re.search(rf"(\w+) {words}", statement(claim))
    assert found is not None, f"{claim} does not speak of {words}"
    return int(found[1]) if found[1].isdigit() else NUMBERS[found[1].lower()]


def figure_three(*failing: int) -> Callable[[type[RepairRounds]], RepairRounds]:
    """A model whose outcomes are a crash that reports one identifier, and so many failing tests."""
    table = Map(0, {Outcome(i): count for i, count in enumerate((1, *failing))})
    return lambda model: model(failing=table)


def told(model: RepairRounds, now: Outcome, before: Outcome) -> bool:
    """Whether a breaker reads two outcomes as different ones."""
    return model.reads_as_moved(model.tells_apart(now, before))


def behaviours() -> Iterable[tuple[int, ...]]:
    """Whatever an agent may come to in four rounds."""
    return product(range(SIZES[Outcome]), repeat=4)


def converge(outcomes: Sequence[int]) -> bool:
    """Whether each round is better than the one before, by rank."""
    model = RepairRounds()
    with scope(SIZES):
        return all(model.is_better(Outcome(now), Outcome(before)) for before, now in pairwise(outcomes))


@settles("F2.constant-signal", "reproduced")
def the_name_of_the_check_says_the_same_of_every_repair(values: Values) -> None:
    """No pair of outcomes reads as moved, those that differ in rank included."""
    with scope(SIZES):
        pairs = [(a, b) for a in Outcome for b in Outcome]
        assert not any(told(ConstantEvidence(), a, b) for a, b in pairs)
        assert any(told(RepairRounds(), a, b) and RepairRounds().is_better(a, b) for a, b in pairs)


@settles("F2.trip-third-round", "reproduced")
def every_behaviour_is_stopped_in_the_third_round(values: Values) -> None:
    """All behaviours of four rounds; with evidence that moves, some are let run and some are not."""
    assert {stopped_in(ConstantEvidence, *outcomes) for outcomes in behaviours()} == {values.number("round")}
    assert {stopped_in(RepairRounds, *outcomes) for outcomes in behaviours()} >= {None, values.number("round")}


@settles("F2.every-repair", "conditional")
def whoever_is_read_by_a_constant_is_called_stalled_and_nobody_else(values: Values) -> None:
    """True of strategies with constant evidence; of four such among eleven strategies it is not true of all."""
    assert stopped_in(ConstantEvidence, *CONVERGING) == 3
    assert stopped_in(RepairRounds, *CONVERGING) is None
    described = 1 + int(str(printed("F2.two-more-paths", "further")))
    assert described < int(str(printed("P1.metric.power", "paths"))), "D13: the texts do not count the same paths"


@model
class CertainlyStopped(ConstantEvidence):
    """Over a constant the breaker stops whoever gets better for as long as its patience."""

    @always
    def who_gets_better_is_stopped(self, c: Component) -> bool:
        return implies(self.climbing[c] >= self.patience[c] - 1 and self.patience[c] >= 2, self.is_stopped(c))

    @lemma
    def better_rounds_are_stalls(self, c: Component) -> bool:
        return 0 <= self.climbing[c] <= self.stalls[c]


@settles("F2.generalization", "proved")
def over_a_constant_every_converging_repair_is_stopped(values: Values) -> None:
    """Whoever gets better each round is stopped, and with evidence that tells nobody is: for every size and table.

    The second has a premise, that no report hides what got better. Once more on all behaviours of four rounds.
    """
    assert is_proved(CertainlyStopped, "who_gets_better_is_stopped")
    assert is_proved(RepairRounds, "who_gets_better_is_not_stopped")
    converging = [outcomes for outcomes in behaviours() if converge(outcomes[:3])]
    assert converging
    assert all(stopped_in(ConstantEvidence, *outcomes) == 3 for outcomes in converging)
    assert all(stopped_in(RepairRounds, *outcomes[:3]) is None for outcomes in converging)


def left_of(components: int, repaired: int, model: type[RepairRounds]) -> int:
    """How many of some finished components are left when some of them are repaired, each of which gets better."""
    run = model()
    with scope({**SIZES, Component: components}):
        for component in list(Component)[:repaired]:
            run.begin(component, Outcome(CRASH))
            for before, now in pairwise(CONVERGING):
                run.repair(component, Outcome(before), Outcome(now))
        return sum(not run.is_stopped(component) for component in Component)


def lost_to_the_breaker(before: int, after: int) -> int:
    """How many are lost of those that are repaired, all of which get better; an adequate breaker loses none."""
    assert 0 <= after <= before
    assert left_of(before, before - after, RepairRounds) == before
    assert left_of(before, before - after, ConstantEvidence) == after
    return before - after


@settles("F2.run-6-to-3", "conditional")
def half_of_six_components_are_lost_though_each_gets_better(values: Values) -> None:
    """If those that were lost are those that were repaired, and each got better: the model is told so, and then the
    breaker alone loses them, where one whose evidence moves loses none. How two step-downs share them is not said."""
    assert lost_to_the_breaker(values.number("from"), values.number("to")) == values.number("lost")
    assert values.number("from") == number_before("F2.run-6-to-3", "finished components")
    assert 2 * values.number("lost") == values.number("from"), "half"
    splits = [(a, values.number("lost") - a) for a in range(1, values.number("lost"))]
    assert splits == [(1, 2), (2, 1)], "two step-downs, in either order"


@settles("T1.r06.stall-constant", "conditional")
def the_row_is_the_same_run_again(values: Values) -> None:
    """D06: the row and the incident are one, with the same numbers and the same condition."""
    lost = lost_to_the_breaker(values.number("from"), values.number("to"))
    assert lost == printed("F2.run-6-to-3", "lost")
    assert (values.number("from"), values.number("to")) == tuple(printed("F2.run-6-to-3", n) for n in ("from", "to"))


@settles("F2.window", "conditional")
def the_window_gets_better_if_a_crash_is_above_any_count(values: Values) -> None:
    """D31: by phase and count it is strictly better each round; by count alone the second round is refused."""
    assert values.text("r1") == "crash"
    five, two = values.number("r2"), values.number("r3")
    assert five - two == values.number("newly_passing")
    assert (five, two) == (printed("Fig3.series", "r2"), printed("Fig3.series", "r3"))
    made = figure_three(five, two)
    assert stopped_in(lambda: made(RepairRounds), *CONVERGING) is None
    assert stopped_in(lambda: made(ConstantEvidence), *CONVERGING) == 3
    by_rank = replayed(made(RepairRounds), CRASH, FIVE)
    by_count = replayed(made(CountOnlyRefund), CRASH, FIVE)
    assert by_rank.refunded[Component(0)] and not by_count.refunded[Component(0)]


@settles("Fig3.series", "conditional")
def the_breaker_says_unmoved_of_a_series_that_moves(values: Values) -> None:
    """D31 again: crash, 5, 2 is monotone only if a crash ranks worst, and the naive signal trips at round three."""
    five, two = values.number("r2"), values.number("r3")
    assert five - two == number_before("Fig3.series", "newly passing")
    assert f"crash, {five}, {two} " in statement("Fig3.series")
    made = figure_three(five, two)
    assert stopped_in(lambda: made(ConstantEvidence), *CONVERGING) == 3
    assert stopped_in(lambda: made(RepairRounds), *CONVERGING) is None
    counts = [1, five, two]  # identifiers reported
    assert not all(now < before for before, now in pairwise(counts))


@settles("F2.two-more-paths", "inconsistent")
def three_paths_are_described_and_four_are_counted(values: Values) -> None:
    """D13. One path is described first, then some further; the metric counts four.

    Readings: the first class spans two paths; or one path is counted and not described.
    """
    named = re.search(r"\((.*)\)", statement("F2.two-more-paths"))
    assert named is not None and len(named[1].split(", ")) == values.number("further")
    described, counted = 1 + values.number("further"), printed("P1.metric.power", "paths")
    assert described != counted
    assert described + 1 == counted, "either reading adds exactly one"


@settles("R.23-no-kill", "conditional")
def stalls_end_nobody_who_gets_better_in_between(values: Values) -> None:
    """As many stalls as printed, none of them terminal, if a better round stands between any two.

    D32: whether the components were converging is ground truth that is not printed.
    """
    stalls = values.number("stall")
    assert stalls == printed("R.records", "stall") == number_before("R.23-no-kill", "stall verdicts")
    counts = [stalls - i // 2 for i in range(2 * stalls + 1)]  # each count is reported twice
    failing = {Outcome(i): count for i, count in enumerate(counts)}
    model = RepairRounds(
        failing=Map(0, failing),
        crashed=Map(False),
        left=filtered([{f"test_{n}"} for n in counts], declared=(), diagnostics=[""] * len(counts)),
    )
    seen = 0
    with scope({Component: 1, Outcome: len(counts), Report: len(counts)}):
        model.begin(Component(0), Outcome(0))
        for before, now in pairwise(range(len(counts))):
            model.repair(Component(0), Outcome(before), Outcome(now))
            seen += model.stalls[Component(0)]
            assert not model.is_stopped(Component(0))
    assert seen == stalls


@settles("V.both-in-breaker", "reproduced")
def one_constant_defeats_stall_detection_and_refund(values: Values) -> None:
    """One decision is changed, two guards fail; put back, neither does."""
    assert len(broken(ConstantEvidence, SIZES)) == values.number("guards")
    assert set(broken(ConstantEvidence, SIZES)) == {"who_gets_better_is_not_stopped", "what_got_better_is_refunded"}
    assert broken(RepairRounds, SIZES) == {}


@settles("Fig2.filter", "reproduced")
def what_is_declared_is_dropped_and_what_is_inferred_hides_a_failure(values: Values) -> None:
    """Declared, the vocabulary leaves what can vary; inferred from history, it hides a test that stays failing.

    The filter of the model against a difference of sets, for all pairs of reports of three names, each vocabulary.
    """
    sets = [frozenset(f"test_{i}" for i in range(3) if n >> i & 1) for n in range(2**3)]
    one, other = Outcome(0), Outcome(1)
    with scope({Component: 1, Outcome: 2, Report: 2}):
        for now, before, declared, same in product(sets, sets, sets, (True, False)):
            rounds = RepairRounds(left=filtered([now, before], declared, ["crash", "crash" if same else "time-out"]))
            left, right = now - declared, before - declared
            assert rounds.tells_apart(one, other) == (left != right if left or right else not same)
    assert is_proved(RepairRounds, "who_is_stuck_is_stopped")
    assert stopped_in(RepairRounds, FIVE, FIVE, FIVE, FIVE) == 3
    assert stopped_in(InferredVocabulary, FIVE, FIVE, FIVE, FIVE) is None
    reports = [{"check", "test_a"}] * 4
    inferred = reports[0].intersection(*reports)
    assert power(reports, {"check"}) == 1 and power(reports, inferred) == 0


@settles("Fig2.one-function", "proved")
def who_reads_one_function_cannot_disagree(values: Values) -> None:
    """Two functions disagree both ways. D41: agreement is no adequacy, one function of a constant stalls for ever."""
    assert is_proved(RepairRounds, "a_round_is_stalled_or_refunded")
    stall = Component(0)
    neither, both = replayed(CountOnlyRefund(), CRASH, FIVE), replayed(HashRefund(), FIVE, CRASH)
    assert not neither.refunded[stall] and neither.stalls[stall] == 0
    assert both.refunded[stall] and both.stalls[stall] == 1
    constant = broken(ConstantEvidence, SIZES)
    assert "a_round_is_stalled_or_refunded" not in constant and "who_gets_better_is_not_stopped" in constant


def power_of_constant_paths(paths: int) -> set[Power]:
    """The power of each of so many strategies that report nothing but what they re-emit."""
    vocabularies = [{f"check{i}"} for i in range(paths)]
    return {power([vocabulary] * 3, vocabulary) for vocabulary in vocabularies}


@settles("Fig2.power-formula", "conditional")
def power_is_what_is_not_decided_on_constants(values: Values) -> None:
    """One minus the share on constants is the share on what is not wholly constant; without a decision, undefined.

    Zero, if the evidence was constant. How many paths there are follows from nothing: it is read, here as there.
    """
    assert power_of_constant_paths(values.number("paths")) == {Fraction(values.number("pre_fix"))}
    assert values.number("paths") == number_before("P1.metric.power", "paths") == printed("T5.r02.power", "paths")
    for kinds in product((False, True), repeat=4):
        decisions = [{"check", "test_a"} if moves else {"check"} for moves in kinds]
        assert power(decisions, {"check"}) == 1 - Fraction(kinds.count(False), len(kinds))
    assert power([], {"check"}) is None


@settles("P1.metric.power", "conditional")
def strategies_of_constants_have_no_power(values: Values) -> None:
    """Zero for each of the paths, if all it reads is what it re-emits; read by what can vary it has some. That there
    are four is only compared with where it is printed again: a list of them is not printed."""
    paths = values.number("paths")
    assert power_of_constant_paths(paths) == {Fraction(values.number("pre_fix"))}
    assert power([{"check", f"test_{n}"} for n in range(3)], {"check"}) != Fraction(values.number("pre_fix"))
    assert paths == number_before("P1.metric.power", "paths") == printed("Fig2.power-formula", "paths")


@settles("T3.r03.breaker", "conditional", unread={"status": "that it runs and was measured is the authors' record"})
def the_power_before_the_mend_is_that_of_a_constant(values: Values) -> None:
    """Zero if the evidence was the name of the check; the same strategy, read by what can vary, has some."""
    assert power([{"check"}] * 3, {"check"}) == values.number("pre_fix_power")
    assert power([{"check"}, {"check", *"abcde"}, {"check", *"ab"}], {"check"}) == Fraction(2, 3)


@settles("Fig3.hash", "reproduced")
def one_name_is_hashed_each_round(values: Values) -> None:
    """Literally: a list of one name, hashed in three rounds; equal hashes, a stop in the third, no refund."""
    names = ["integration"]
    assert len(names) == values.number("elements") and "one-element list" in statement("Fig3.hash")
    hashes = [hashlib.sha256(repr(names).encode()).hexdigest() for _ in CONVERGING]
    assert len(set(hashes)) == 1
    assert stopped_in(ConstantEvidence, *CONVERGING) == len(hashes)
    assert not replayed(ConstantEvidence(), *CONVERGING).refunded[Component(0)]


@settles("Fig3.one-key", "reproduced")
def one_edit_makes_the_last_two_failures_pass(values: Values) -> None:
    """Two tests read one key that the component does not set; whoever adds it is done."""

    def says_ok(reply: dict[str, str]) -> bool:
        return reply["status"] == "ok"

    def says_it_in_two_letters(reply: dict[str, str]) -> bool:
        return len(reply["status"]) == 2

    def missing(reply: dict[str, str]) -> list[str]:
        found: list[str] = []
        for test in (says_ok, says_it_in_two_letters):
            try:
                assert test(reply)
            except KeyError as error:
                found += map(str, error.args)
        return found

    reply = {"id": "1"}
    assert len(missing(reply)) == printed("Fig3.series", "r3")
    assert len(set(missing(reply))) == values.number("missing_keys")
    assert missing({**reply, "status": "ok"}) == []


@settles("P1.rule", "proved")
def who_converges_is_let_run_and_who_is_stuck_is_stopped(values: Values) -> None:
    """For every size, patience, outcome and report that hides no better round; stall and refund are one function."""
    assert all(is_proved(RepairRounds, claim) for claim in PROGRESS)


def outcomes_of(model: type[RepairRounds]) -> tuple[bool, bool]:
    """Whether the converging replay is stopped, and whether the stuck one is."""
    return stopped_in(model, *CONVERGING) is not None, stopped_in(model, *[CRASH] * 54) is not None


@settles("D.signal", "reproduced")
def each_half_of_the_mend_is_needed(values: Values) -> None:
    """With both, the converging replay goes on and the stuck one stops; without either, one does otherwise."""
    assert outcomes_of(RepairRounds) == (False, True)
    assert outcomes_of(ConstantEvidence) == (True, True)
    assert outcomes_of(NoDiagnosticsFallback) == (False, False)


@settles("AB.reversion-filter", "reproduced")
def the_two_reversions_fail_in_opposite_directions(values: Values) -> None:
    """Without the filter the converging replay stops in round three; without the fallback the stuck one never."""
    reverted = {model: outcomes_of(model) for model in (ConstantEvidence, NoDiagnosticsFallback)}
    right = outcomes_of(RepairRounds)
    wrong = [tuple(a != b for a, b in zip(right, found, strict=True)) for found in reverted.values()]
    assert wrong == [(True, False), (False, True)] and len(set(wrong)) == values.number("directions")
    assert stopped_in(ConstantEvidence, *CONVERGING) == 3
