"""What is measured: three models at three sizes, each with its Promela in two forms."""

from __future__ import annotations

from collections.abc import Callable

import attrs

from meshspec import Sort
from tests.benchmarks import promela
from tests.models import m_budget, m_ledger, m_third


@attrs.frozen(eq=False)
class Case:
    """A model at a scope; ``states`` is how many it has, whoever counts them."""

    name: str
    file: str
    model: Callable[[], object]
    sizes: dict[type[Sort], int]
    states: int
    source: Callable[[bool], str]
    target: str = ""
    """How the command line calls it, where it can."""

    @property
    def scope(self) -> str:
        return ",".join(f"{sort.__name__}={size}" for sort, size in self.sizes.items())


def _ledger(name: str, model: type, delegations: int, crashes: int, states: int) -> Case:
    def source(packed: bool) -> str:
        return promela.ledger(delegations, crashes, packed=packed)

    file = "tests/models/m_ledger.py"
    sizes: dict[type[Sort], int] = {m_ledger.Delegation: delegations}
    return Case(name, file, model, sizes, states, source, f"{file}:{model.__name__}")


def _budget(name: str, model: type, components: int, failures: int, states: int) -> Case:
    made = model()

    def source(packed: bool) -> str:
        return promela.budget(components, made.cap, failures, made.tries, made.budget, packed=packed)

    file = "tests/models/m_budget.py"
    sizes: dict[type[Sort], int] = {m_budget.Component: components, m_budget.Failure: failures}
    return Case(name, file, model, sizes, states, source, f"{file}:{model.__name__}")


def _lease(name: str, clients: int, tokens: int, states: int) -> Case:
    def source(packed: bool) -> str:
        return promela.lease(clients, tokens, packed=packed)

    def model() -> object:
        return m_third.Lease(tokens=tokens)

    return Case(name, "tests/models/m_third.py", model, {m_third.Client: clients}, states, source)


CASES = {
    case.name: case
    for case in (
        _ledger("ledger 1e5", m_ledger.Ledger, 4, 1, 111_537),
        _ledger("ledger 1e6", m_ledger.Ledger, 5, 1, 1_948_617),
        _ledger("ledger 1e7", m_ledger.LedgerFiveCrashes, 5, 5, 9_506_889),
        _budget("budget 1e5", m_budget.NarrowBudget, 3, 2, 101_844),
        _budget("budget 1e6", m_budget.Budget, 3, 3, 846_855),
        _budget("budget 1e7", m_budget.WideBudget, 4, 3, 14_632_569),
        _lease("lease 1e5", 4, 5, 108_033),
        _lease("lease 1e6", 4, 7, 1_696_441),
        _lease("lease 1e7", 4, 8, 5_438_657),
    )
}
