"""Every fault that is planted in our own engines is noticed."""

from __future__ import annotations

import pytest

from meshspec.backends.certificate import certify
from meshspec.errors import CertificateError, MeshspecError
from meshspec.lang.lift import lift
from tests.agreement.engines import searched
from tests.agreement.faults import IN_LIFTING, IN_READINGS, IN_SEARCH, Fault, branches_swapped
from tests.agreement.models import Subject, subjects
from tests.agreement.readings import compare

ENOUGH = range(40)
"""A fault must show in a corner or in one of so many generated models; a test ends at the first that shows it."""


def by_name(fault: Fault) -> str:
    return fault.__name__


def ready() -> list[Subject]:
    """All of them, lifted while all is well."""
    return list(subjects(ENOUGH))


def disagrees(subject: Subject) -> bool:
    """Whether the readings of a model differ, or one of them cannot even be had."""
    try:
        return bool(compare(*subject, states=10, solved=5).differences)
    except (MeshspecError, ArithmeticError, LookupError, TypeError, ValueError):
        return True


def searches_otherwise(subject: Subject) -> bool:
    try:
        return bool(searched(*subject))
    except (MeshspecError, LookupError, TypeError, ValueError):
        return True


def test_without_a_fault_nothing_is_noticed() -> None:
    assert not any(disagrees(subject) or searches_otherwise(subject) for subject in ready()[:20])


@pytest.mark.parametrize("fault", IN_READINGS, ids=by_name)
def test_a_fault_in_a_reading_is_noticed(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    models = ready()
    fault(monkeypatch)
    assert any(map(disagrees, models))


@pytest.mark.parametrize("fault", IN_SEARCH, ids=by_name)
def test_a_fault_in_the_search_is_noticed(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    models = ready()
    fault(monkeypatch)
    assert any(map(searches_otherwise, models))


@pytest.mark.parametrize("fault", IN_LIFTING, ids=by_name)
def test_a_fault_in_lifting_is_noticed_by_the_certificate(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    models = ready()
    fault(monkeypatch)
    with pytest.raises(CertificateError):
        for model, _ in models:
            certify(lift(model.instance), random_states=30)


@pytest.mark.parametrize("fault", IN_LIFTING, ids=by_name)
def test_a_fault_in_lifting_is_noticed_by_agreement(fault: Fault, monkeypatch: pytest.MonkeyPatch) -> None:
    models = ready()
    fault(monkeypatch)
    assert any(disagrees((lift(model.instance), sizes)) for model, sizes in models)


def test_swapped_branches_are_noticed_by_agreement_and_by_the_certificate() -> None:
    for model, sizes in subjects(()):
        wrong = branches_swapped(model)
        assert disagrees((wrong, sizes))
        with pytest.raises(CertificateError):
            certify(wrong, random_states=30)
