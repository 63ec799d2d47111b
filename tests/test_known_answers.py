"""Counts that other tools have published, found again: states, transitions, depth and answers.

The counts of TLC stand in the manifests of https://github.com/tlaplus/Examples (specifications/NAME/manifest.json):
``distinctStates``; ``totalStates``, which counts initial states and every step that leads somewhere, again and again;
``stateDepth``, which counts states on a path and so is one more than ours. Those of stateright stand in the comments
and tests of the examples at https://github.com/stateright/stateright.
"""

from __future__ import annotations

from collections.abc import Mapping

import attrs
import pytest

from meshspec import Sort
from meshspec.answer import Answer, Finding
from meshspec.backends.layout import Layout
from meshspec.engines.explore import explore
from meshspec.lang.lift import lift
from tests.models.published import (
    CatInFiveBoxes,
    CatInSixBoxes,
    CleanForks,
    CoffeeCan,
    Increment,
    Manager,
    Prisoner,
    Prisoners,
    PrisonersInTheDark,
    Smokers,
    Thread,
    TransactionCommit,
)
from tests.models.two_phase_commit import Manager as Part
from tests.models.two_phase_commit import TwoPhase


@attrs.frozen
class Published:
    """What is on record of a model in a scope; ``more`` states are ours alone."""

    model: type
    states: int
    total: int | None = None
    depth: int | None = None
    scope: Mapping[type[Sort], int] = attrs.field(factory=dict[type[Sort], int])
    more: int = 0


KNOWN = {
    # tlaplus/Examples, transaction_commit/manifest.json: TwoPhase.cfg and TCommit.cfg, three resource managers
    "two-phase commit, 3": Published(TwoPhase, 288, 1146, 11, {Part: 3}),
    "transaction commit, 3": Published(TransactionCommit, 34, 94, 7, {Manager: 3}),
    # stateright, examples/2pc.rs, can_model_2pc
    "two-phase commit, 5": Published(TwoPhase, 8_832, scope={Part: 5}),
    # tlaplus/Examples, transaction_commit/TwoPhase.tla, its last comment
    "two-phase commit, 6": Published(TwoPhase, 50_816, scope={Part: 6}),
    # tlaplus/Examples, Prisoners_Single_Switch/manifest.json: Prisoner.cfg and PrisonerLightUnknown.cfg, three of
    # them; its depth of the latter, 11, is TLC's with several workers, an upper bound: breadth first it is 10
    "prisoners, one switch": Published(Prisoners, 16, 49, 5, {Prisoner: 2}),
    "prisoners, one switch, in the dark": Published(PrisonersInTheDark, 62, 188, 10, {Prisoner: 2}),
    # tlaplus/Examples, Moving_Cat_Puzzle/manifest.json: CatEvenBoxes.cfg and CatOddBoxes.cfg
    "the cat in six boxes": Published(CatInSixBoxes, 48, 128, 1),
    "the cat in five boxes": Published(CatInFiveBoxes, 30, 78, 1),
    # tlaplus/Examples, CigaretteSmokers/manifest.json
    "cigarette smokers": Published(Smokers, 6, 15, 2),
    # tlaplus/Examples, CoffeeCan/manifest.json, CoffeeCan100Beans.cfg; before it is filled our can is in 101 states
    "the coffee can of a hundred beans": Published(CoffeeCan, 5_150, 20_002, 1, more=101),
    # tlaplus/Examples, DiningPhilosophers/manifest.json (five of them: each has one step in each of the 67 states)
    "dining philosophers with clean forks": Published(CleanForks, 67, 336, 29),
    # stateright, examples/increment.rs, the comment at its head: two threads
    "lost updates": Published(Increment, 13, scope={Thread: 2}),
}


def explored(cls: type, scope: Mapping[type[Sort], int]) -> dict[str, Finding]:
    return {finding.property: finding for finding in explore(lift(cls), scope)}


@pytest.mark.parametrize("name", KNOWN)
def test_the_published_counts_are_found_again(name: str) -> None:
    known = KNOWN[name]
    every = explored(known.model, known.scope)["no action raises"]
    starts = len(set(Layout(lift(known.model), known.scope).initial_states()))
    assert every.states == known.states + known.more
    assert every.facts["complete"]
    if known.total is not None:
        assert every.facts["transitions"] == known.total - (0 if known.more else starts), (
            "totalStates counts starts too"
        )
    if known.depth is not None:
        assert every.facts["depth"] == known.depth - (0 if known.more else 1)


@pytest.mark.parametrize("name", [name for name in KNOWN if name != "lost updates"])
def test_what_they_found_to_hold_holds(name: str) -> None:
    known = KNOWN[name]
    found = explored(known.model, known.scope)
    assert {f.answer for f in found.values() if f.kind in ("always", "sometimes")} <= {Answer.HOLDS}


def test_two_threads_lose_an_update_in_four_steps_and_symmetry_leaves_eight_states() -> None:
    """examples/increment.rs: read, read, write, write; "symmetry reduction ... from 13 to 8"."""
    found = explored(Increment, {Thread: 2})
    lost = found["no_update_is_lost"]
    assert lost.answer is Answer.VIOLATED and lost.counterexample is not None
    assert [step.action.partition("(")[0] for step in lost.counterexample.steps] == ["read", "read", "write", "write"]
    assert found["no action raises"].orbits == 8
