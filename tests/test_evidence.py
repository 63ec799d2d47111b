"""Evidence files: every promise has its line, every line its claim, and what is no incident is refused."""

from __future__ import annotations

import pytest

from meshspec import ModelError, evidence, promise
from meshspec.lang.evidence import Evidence, Promise
from tests.models.lock import Peterson
from tests.models.plain_ledger import Effect, EffectLedger, ResendInDoubt

CLAIMS = ("at_most_once", "recorded_is_done", "memory_dies_with_the_worker")


def told(promises: dict[str, Promise]) -> Evidence:
    return evidence(EffectLedger, scope={Effect: 2}, states=72, deadlocks=0, promises=promises)


def test_it_is_kept_as_it_was_given() -> None:
    line = promise(stands_for=["EL-AT-MOST-ONCE"], proved=True, refuted_by={ResendInDoubt: ["crash", "recover"]})
    held = told(dict.fromkeys(CLAIMS, line))
    assert (held.model, held.states, held.deadlocks, dict(held.scope)) == (EffectLedger, 72, 0, {Effect: 2})
    assert held.promises["at_most_once"] == Promise(("EL-AT-MOST-ONCE",), True, {ResendInDoubt: ("crash", "recover")})
    assert promise() == Promise((), False, {})


@pytest.mark.parametrize("missing", CLAIMS)
def test_a_claim_without_a_line_is_refused(missing: str) -> None:
    with pytest.raises(ModelError, match=f"test_evidence.py:.*EffectLedger claims {missing} without evidence"):
        told({claim: promise() for claim in CLAIMS if claim != missing})


def test_a_line_without_a_claim_is_refused() -> None:
    lines = {claim: promise() for claim in CLAIMS}
    for name in ("at_most_onze", "sent_is_done", "crash"):  # a slip, a lemma, an action
        with pytest.raises(ModelError, match=f"EffectLedger has no claim '{name}'; it has at_most_once, memory"):
            told({**lines, name: promise()})


def test_what_does_not_extend_the_model_is_no_incident() -> None:
    lines = {claim: promise() for claim in CLAIMS}
    with pytest.raises(ModelError, match="at_most_once: Peterson is no incident of EffectLedger"):
        told({**lines, "at_most_once": promise(refuted_by={Peterson: []})})


def test_evidence_is_for_models() -> None:
    with pytest.raises(ModelError, match="int is not a model"):
        evidence(int, scope={}, states=1, deadlocks=0, promises={})
