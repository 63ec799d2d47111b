"""An implementation of the plain ledger that a command line can name: as a module, and as an object."""

from __future__ import annotations

from typing import Any

from tests.models.plain_ledger import EffectLedger


def start() -> Any:
    """A ledger; here it is a model of its own, which says nothing against the model."""
    return EffectLedger()


def step(system: Any, name: str, arguments: tuple[Any, ...]) -> None:
    if name == "recover" or name == "crash":
        system.up = name == "recover"
    elif name == "intend":
        system.intended[arguments[0]] = True


def observe(system: Any) -> dict[str, object]:
    return {"up": system.up}


class Whole:
    """The same three as methods."""

    def start(self) -> Any:
        return start()

    def step(self, system: Any, name: str, arguments: tuple[Any, ...]) -> None:
        step(system, name, arguments)

    def observe(self, system: Any) -> dict[str, object]:
        return observe(system)


class Down(Whole):
    """Does not come up again."""

    def step(self, system: Any, name: str, arguments: tuple[Any, ...]) -> None:
        if name != "recover":
            step(system, name, arguments)
