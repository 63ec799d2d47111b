"""What a lease owes, put to the answers of one run: which obligations were asked there, and which were broken.

The rules follow the answers as they came and keep for each key what must be true of it: who holds it, under which
number, and when that ends. At the very instant of the end either answer is right, for one call by itself; that
granter and holder give the same one is an obligation of its own, which :func:`disagreements` reads off two runs.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

UNIQUE, FREE, ORPHAN = "one-holder-at-a-time", "free-key-is-granted", "expired-lease-is-reclaimed"
FENCE, AGREE, CLOCK = "late-holder-is-fenced", "granter-and-holder-agree", "lease-lasts-its-time"
NAME = "name-used-again-is-another-holder"

Call = tuple[str, int, str] | tuple[str, float]
"""``(name, key, holder)``, or ``("wait", seconds)``."""


@attrs.define
class Held:
    """A lease that was granted and neither released nor superseded."""

    holder: str
    token: int
    end: float


@attrs.define
class Key:
    """What is known of one key: every grant in order, the lease at hand, the tokens that were given back."""

    grants: list[tuple[str, int]] = attrs.field(factory=list[tuple[str, int]])
    held: Held | None = None
    released: set[int] = attrs.field(factory=set[int])


@attrs.frozen
class Ruling:
    """That an obligation was asked at one step, and why it is broken there, if it is."""

    obligation: str
    step: int
    broken: str = ""


@attrs.define
class Rules:
    """One run, step by step."""

    seconds: float
    now: float = 0.0
    keys: dict[int, Key] = attrs.field(factory=dict[int, Key])
    tokens: dict[tuple[int, str], list[int]] = attrs.field(factory=dict[tuple[int, str], list[int]])

    def rulings(self, calls: Sequence[Call], said: Sequence[object]) -> Iterator[Ruling]:
        """What each answer says of each obligation; after an answer that breaks one, no more is asked."""
        for step, (call, answer) in enumerate(zip(calls, said, strict=False)):
            if len(call) == 2:
                self.now += call[1]
                continue
            broken = False
            for name, why in self.acquired(call, answer) if call[0] == "acquire" else self.used(call, answer):
                yield Ruling(name, step, why)
                broken = broken or bool(why)
            if broken:
                return

    def acquired(self, call: Any, answer: Any) -> list[tuple[str, str]]:
        _, number, holder = call
        key = self.keys.setdefault(number, Key())
        held, ruled = key.held, list[tuple[str, str]]()
        live = held is not None and self.now < held.end
        if held is not None and live:
            if holder != held.holder:
                why = f"{holder} was granted what {held.holder} holds for {held.end - self.now:g} s more"
                ruled.append((UNIQUE, why if answer is not None else ""))
            else:
                same = answer is not None and answer == held.token
                why = f"a second {holder} was given the number {answer}, which the first one holds"
                ruled.append((NAME, why if same else ""))
        elif held is None:
            why = "nobody holds the key, and it was not granted"
            ruled.append((FREE, why if answer is None else ""))
        elif self.now > held.end:
            why = f"the lease of {held.holder} ended {self.now - held.end:g} s ago, and the key was not granted"
            ruled.append((ORPHAN, why if answer is None else ""))
        if answer is None:
            return ruled
        if key.grants and not any(name == NAME and why for name, why in ruled):
            most = max(token for _, token in key.grants)
            why = f"the number {answer} is not greater than {most}, which was given before"
            ruled.append((FENCE, why if answer <= most else ""))
        key.grants.append((holder, answer))
        key.held = Held(holder, answer, self.now + self.seconds)
        self.tokens.setdefault((number, holder), []).append(answer)
        return ruled

    def used(self, call: Any, answer: Any) -> list[tuple[str, str]]:
        name, number, holder = call
        if answer == "none":
            return []
        key = self.keys[number]
        token = self.tokens[number, holder][-2 if name[0] == "-" else -1]
        name, held = name.lstrip("-"), key.held
        if held is None or held.token != token:
            if held is None and name == "release":
                return []  # what was given back is given back again: no harm
            who = f"an earlier {holder}" if held is not None and held.holder == holder else holder
            whose = f"whose lease was given to {held.holder} since" if held is not None else "who gave it back"
            return [(FENCE, f"{who}, {whose}, was let {name}" if answer else "")]
        ruled = list[tuple[str, str]]()
        if self.now < held.end:
            why = f"{holder} holds the lease for {held.end - self.now:g} s more, and was not let {name}"
            ruled.append((CLOCK, why if not answer else ""))
        if answer and name == "renew":
            held.end = self.now + self.seconds
        elif answer and name == "release":
            key.held = None
        return ruled


def sides(calls: Sequence[Call], said: Sequence[object]) -> tuple[tuple[str, int, str], bool] | None:
    """What the last call of a run says of who may act: the granter's call or the holder's, and whether it was let."""
    if len(said) < len(calls) or not calls:
        return None
    call, answer = calls[-1], said[-1]
    if len(call) == 2 or answer == "none" or call[0][0] == "-" or call[0] == "release":
        return None
    return call, answer is not None and answer is not False


def disagreements(
    letting: Sequence[tuple[str, int, str]],
) -> Iterator[tuple[tuple[str, int, str], tuple[str, int, str]]]:
    """Of calls that were each let after one and the same beginning: a holder's, and a grant of its key to another."""
    for holder in letting:
        for granter in letting:
            apart = granter[1] == holder[1] and granter[2] != holder[2]
            if holder[0] != "acquire" and granter[0] == "acquire" and apart:
                yield holder, granter
