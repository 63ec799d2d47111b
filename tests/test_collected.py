"""What must not go unchecked is collected by pytest, and the registry says what its evidence says."""

from __future__ import annotations

import pytest

from meshspec.claims import load, missing_evidence, parse
from meshspec.errors import ModelError
from meshspec.settle import Settlement, Values, settles
from tests import registry
from tests.registry import AGAIN, BEYOND, CLAIMS, COLLECTED, Stated, listed, owed, rewritten, stated, without_item

TEXT = CLAIMS.read_text(encoding="utf-8")
CLAIM = "F1.k.identical-calls"


def test_the_committed_list_is_what_pytest_collects() -> None:
    committed = COLLECTED.read_text(encoding="utf-8")
    assert without_item(committed) == [], "no item of properties/ stands for these names"
    assert committed == listed(registry.collected()), f"run {AGAIN}, and look at what has gone"


def test_the_registry_says_what_its_evidence_says() -> None:
    assert rewritten(TEXT, stated()) == TEXT, f"run {AGAIN}, and look at what it changes"


def test_every_reference_that_is_written_leads_somewhere() -> None:
    registry = parse(rewritten(TEXT, stated()).encode())
    assert any(one.startswith("properties.") for row in registry.rows for one in row.evidence)
    assert missing_evidence(registry) == []


def test_the_names_are_those_of_the_two_primitives_the_verdicts_and_what_belongs_to_them() -> None:
    assert set(BEYOND) <= {one.id for one in load().invariants.values() if one.primitive == "beyond"}
    names = owed()
    assert {"PB-TRIP-BOUND", "EL-AT-MOST-ONCE", "LEASE-FENCE", "VC-DISTINCT", *BEYOND} <= set(names)
    assert not [name for name in names if name.startswith(("EC-", "BL-", "SAGA-"))]


# -- the tool itself -------------------------------------------------------------------------------------------------


def four(status: str = "reproduced", claim: str = CLAIM) -> Settlement:
    @settles(claim, status)
    def it_is_four(values: Values) -> None:
        """Four."""

    return it_is_four


def stating(*settled: Settlement, **standing: tuple[str, ...]) -> Stated:
    return Stated({one.claim: [one] for one in settled}, standing)


def test_a_status_and_evidence_come_from_the_settlement_and_no_other_line_changes() -> None:
    plain = rewritten(TEXT, stating())
    made = rewritten(plain, stating(four()))
    changed = [(a, b) for a, b in zip(plain.splitlines(), made.splitlines(), strict=True) if a != b]
    assert changed == [
        ('status = "open"', 'status = "reproduced"'),
        ("evidence = []", f'evidence = ["{four().reference}"]'),
    ]
    assert rewritten(made, stating(four())) == made
    assert rewritten(made, stating(four("refuted"))).count('status = "refuted"') == 1


def test_a_claim_that_lost_its_settlement_is_open_again() -> None:
    plain = rewritten(TEXT, stating())
    one = four()
    one.function.__module__ = "meshspec.properties.made_up"
    assert one.reference == "properties.made_up:it_is_four"
    assert rewritten(rewritten(plain, stating(one)), stating()) == plain


def test_what_stands_for_a_name_is_its_evidence_and_what_is_written_by_hand_stays_behind_it() -> None:
    plain = rewritten(TEXT, stating())
    by_hand = "tests/test_collected.py::test_the_registry_says_what_its_evidence_says"
    at = plain.index("evidence = [", plain.index("[invariants.EL-TTL]"))
    given = plain[:at] + f'evidence = ["{by_hand}"]' + plain[plain.index("]", at) + 1 :]
    several = tuple(f"properties.made_up:it_holds_in_a_world_of_number_{n}" for n in range(3))
    made = rewritten(given, stating(**{"EL-TTL": several}))
    lines = made[made.index("evidence = [", made.index("[invariants.EL-TTL]")) :].splitlines()
    assert lines[:6] == ["evidence = [", *(f'    "{one}",' for one in (*several, by_hand)), "]"]
    assert rewritten(made, stating()) == given


def test_what_comes_out_is_a_registry_or_nothing_is_written() -> None:
    with pytest.raises(ModelError, match="not-checkable, yet how_to_check says how"):
        rewritten(TEXT, stating(four("not-checkable")))


def test_two_settlements_that_contradict_each_other_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Module:
        __name__ = "meshspec.properties.made_up"
        one, other = four(), four("refuted")

    def modules(_: str) -> list[object]:
        return [Module]

    monkeypatch.setattr(registry, "shipped_modules", modules)
    with pytest.raises(ModelError, match=f"{CLAIM} is settled in two ways: reproduced by .*, refuted by"):
        stated()
    monkeypatch.setattr(Module, "other", four(claim="F1.none"))
    with pytest.raises(ModelError, match=r"there is no F1\.none in the registry"):
        stated()


def test_a_name_below_which_nothing_stands_is_told() -> None:
    text = listed({name: [f"properties/x.py::{name}"] for name in owed()[1:]})
    assert without_item(text) == [owed()[0]]
    assert without_item(listed({})) == list(owed())
