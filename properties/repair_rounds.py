"""Evidence for the breaker of repair rounds, with the outcomes of Figure 3."""

from collections.abc import Callable
from itertools import pairwise

from meshspec import evidence, promise, scope
from meshspec.models.incidents.repair_rounds import (
    ConstantEvidence,
    CountOnlyRefund,
    HashRefund,
    InferredVocabulary,
    NoDiagnosticsFallback,
    RawDigests,
    ReporterIsSilent,
)
from meshspec.models.repair_rounds import Component, Outcome, RepairRounds, Report


def rounds(first: int, *others: int) -> list[str]:
    """A path: a round that comes to each of these outcomes."""
    repairs = zip((first, *others), others, strict=False)
    return [
        f"begin(component0, outcome{first})",
        *(f"repair(component0, outcome{before}, outcome{now})" for before, now in repairs),
    ]


CRASH, FIVE, TWO = 0, 1, 2

EVIDENCE = evidence(
    RepairRounds,
    scope={Component: 1, Outcome: 4, Report: 4},
    states=30,
    deadlocks=12,
    promises={
        "who_gets_better_is_not_stopped": promise(
            stands_for=["PB-NO-FALSE-TRIP", "PB-ADEQUATE", "PB-RANK"],
            proved=True,
            refuted_by={ConstantEvidence: rounds(CRASH, FIVE, TWO)},
        ),
        "no_report_hides_what_got_better": promise(  # a premise, of the tables in scope: of any tables it is not true
            stands_for=["PB-NO-FALSE-TRIP"],
            refuted_by={ReporterIsSilent: rounds(CRASH, TWO)},
        ),
        "who_is_stuck_is_stopped": promise(
            stands_for=["PB-NO-MISS", "PB-FILTER-BY-CONSTRUCTION"],
            proved=True,
            refuted_by={
                NoDiagnosticsFallback: rounds(CRASH, CRASH, CRASH),
                InferredVocabulary: rounds(FIVE, FIVE, FIVE),
                RawDigests: rounds(CRASH, CRASH, CRASH),
            },
        ),
        "a_round_is_stalled_or_refunded": promise(
            stands_for=["PB-ONE-FUNCTION"],
            proved=True,
            refuted_by={CountOnlyRefund: rounds(CRASH, FIVE), HashRefund: rounds(FIVE, CRASH)},
        ),
        "what_got_better_is_refunded": promise(
            stands_for=["PB-RANK", "PB-ADEQUATE"],
            proved=True,
            refuted_by={ConstantEvidence: rounds(CRASH, FIVE), CountOnlyRefund: rounds(CRASH, FIVE)},
        ),
        "what_is_refunded_got_better": promise(
            stands_for=["PB-RANK"],
            proved=True,
            refuted_by={
                NoDiagnosticsFallback: rounds(CRASH, CRASH),
                InferredVocabulary: rounds(FIVE, FIVE),
                RawDigests: rounds(CRASH, CRASH),
                CountOnlyRefund: rounds(FIVE, CRASH),
                HashRefund: rounds(FIVE, CRASH),
            },
        ),
        "a_round_gets_better": promise(stands_for=["PB-NO-FALSE-TRIP"]),
    },
)


def replayed(model: RepairRounds, *outcomes: int) -> RepairRounds:
    """The model after rounds that come to these outcomes, run on CPython until it is stopped."""
    with scope({Component: 1, Outcome: 4, Report: 4}):
        component = Component(0)
        model.begin(component, Outcome(outcomes[0]))
        for before, now in pairwise(outcomes):
            if model.is_stopped(component):
                break
            model.repair(component, Outcome(before), Outcome(now))
    return model


def stopped_in(model: Callable[[], RepairRounds], *outcomes: int) -> int | None:
    """The round in which it is stopped, counted from one; ``None`` where it is let run."""
    for number in range(1, len(outcomes) + 1):
        if replayed(model(), *outcomes[:number]).is_stopped(Component(0)):
            return number
    return None
