"""The benchmark models in Promela, as Spin likes them best: one process, each action a deterministic step.

Each is written in two forms: with arrays of bytes, and with variables of as many bits as they need, which Spin packs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable


def bits(most: int) -> int:
    return max(1, most.bit_length())


class _Text:
    """Declarations and steps; ``name`` is an array's entry, or a variable of its own where fields are packed."""

    def __init__(self, packed: bool) -> None:
        self.packed = packed
        self.declared: list[str] = []
        self.steps: list[str] = []

    def array(self, name: str, size: int, most: int) -> Callable[[int], str]:
        if self.packed:
            self.declared += [f"unsigned {name}_{at} : {bits(most)};" for at in range(size)]
            return lambda at: f"{name}_{at}"
        self.declared.append(f"byte {name}[{size}];")
        return lambda at: f"{name}[{at}]"

    def one(self, name: str, most: int) -> str:
        self.declared.append(f"unsigned {name} : {bits(most)};" if self.packed else f"byte {name};")
        return name

    def step(self, when: str, *then: str) -> None:
        self.steps.append(f"  :: d_step {{ ({when}) -> {'; '.join(then)} }}")

    def source(self) -> str:
        loop = ["active proctype model() {", "end: do", *self.steps, "  od", "}"]
        return "\n".join([*self.declared, *loop]) + "\n"


def ledger(delegations: int, crashes: int, *, packed: bool) -> str:
    """As :class:`tests.models.m_ledger.Ledger`: two effects for each delegation."""
    text, effects = _Text(packed), 2
    crashed = text.one("crashed", crashes)
    phase, cursor = text.array("phase", delegations, 3), text.array("cursor", delegations, effects)
    entry = text.array("entry", delegations * effects, 2)
    applied = text.array("applied", delegations * effects, 2)
    for d in range(delegations):
        p, c = phase(d), cursor(d)
        for e in range(effects):
            l, a = entry(effects * d + e), applied(effects * d + e)  # noqa: E741
            ready, at = f"{p} == 0 && {c} == {e}", f"{c} == {e}"
            text.step(f"{ready} && {l} == 0", f"{l} = 1", f"{p} = 1")
            text.step(f"{p} == 1 && {at}", f"{a} = ({a} < 2 -> {a} + 1 : 2)", f"{p} = 2", f"assert({a} <= 1)")
            text.step(f"{p} == 2 && {at}", f"{l} = 2", f"{p} = 3")
            text.step(f"{p} == 3 && {at}", f"{c} = {c} + 1", f"{p} = 0")
            text.step(f"{ready} && {l} == 2", f"{c} = {c} + 1")
            text.step(f"{ready} && {l} == 1 && {a} == 0", f"{p} = 1")
            text.step(f"{ready} && {l} == 1 && {a} >= 1", f"{l} = 2", f"{p} = 3")
    anew = _each(delegations, lambda d: (f"{phase(d)} = 0", f"{cursor(d)} = 0"))
    text.step(f"{crashed} < {crashes}", f"{crashed} = {crashed} + 1", *anew)
    return text.source()


def budget(components: int, cap: int, failures: int, tries: int, total: int, *, packed: bool) -> str:
    """As :class:`tests.models.m_budget.Budget`."""
    text = _Text(packed)
    spent, level = text.array("spent", components, cap), text.array("level", components, 2)
    tried = text.array("tried", failures, tries)
    every = " + ".join(spent(c) for c in range(components))
    for c in range(components):
        s, v = spent(c), level(c)
        for f in range(failures):
            t = tried(f)
            for amount in (1, 2):
                room = f"{s} + {amount} <= {cap} && {every} + {amount} <= {total}"
                when = f"{v} <= {2 - amount} && {t} < {tries} && {room}"
                text.step(when, f"{s} = {s} + {amount}", f"{t} = {t} + 1", f"assert({every} <= {total})")
            text.step(f"{s} > 0 && {t} > 0", f"{s} = {s} - 1", f"{t} = {t} - 1")
        text.step(f"{v} < 2 && 2 * {s} >= {cap}", f"{v} = {v} + 1")
    return text.source()


def lease(clients: int, tokens: int, *, packed: bool) -> str:
    """As :class:`tests.models.m_third.Lease`; the holder is a client's number, and 0 is nobody."""
    text = _Text(packed)
    granted, holder, highest = text.one("granted", tokens), text.one("holder", clients), text.one("highest", tokens)
    token, sent = text.array("token", clients, tokens), text.array("sent", clients, tokens)
    for c in range(clients):
        t, s = token(c), sent(c)
        safe = f"assert({t} <= {granted} && {s} <= {t})"
        text.step(
            f"{holder} == 0 && {granted} < {tokens}",
            f"{holder} = {c + 1}", f"{granted} = {granted} + 1", f"{t} = {granted}", safe,
        )  # fmt: skip
        text.step(f"{t} > 0 && {s} == 0", f"{s} = {t}", safe)
        text.step(f"{s} > 0 && {s} >= {highest}", f"{highest} = {s}", f"{s} = 0")
        text.step(f"{s} > 0 && {s} < {highest}", f"{s} = 0")
    text.step(f"{holder} != 0", f"{holder} = 0")
    return text.source()


def _each(size: int, of: Callable[[int], Iterable[str]]) -> list[str]:
    return [text for at in range(size) for text in of(at)]
