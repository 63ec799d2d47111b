"""Findings of these checks: the pair that shows it, what was asked, what was refused, and how to see it again."""

from __future__ import annotations

import ast
import shlex
from collections.abc import Iterable, Mapping, Sequence

import attrs

from meshspec.adequacy.function import Function, Said, text_of
from meshspec.answer import Answer, Counterexample, Finding, Step, Strength

ENGINE = "adequacy"


@attrs.frozen(eq=False)
class Shown:
    """What refutes it: two inputs, what was said to each, why that is wrong, and how to see it again.

    ``texts`` are what the inputs are called, where that is not how they are written; ``name`` is what a list of
    several calls it; ``notes`` say under what conditions each was asked, where these are what differs.
    """

    one: object
    other: object
    said: tuple[Said, Said]
    failed: str
    replay: str = ""
    name: str = ""
    notes: tuple[str, str] = ("", "")
    texts: tuple[str, str] | None = None
    how: str = "smallest"

    @property
    def counterexample(self) -> Counterexample:
        texts = self.texts or (text_of(self.one), text_of(self.other))
        steps = tuple(
            Step(text, note="; ".join(part for part in (said.text, note) if part))
            for text, said, note in zip(texts, self.said, self.notes, strict=True)
        )
        return Counterexample({}, steps, self.failed, self.how)


@attrs.define(eq=False)
class Tally:
    """What was asked of one function for one property, and what was refused."""

    function: Function
    property: str
    unit: str
    asked: int = 0
    refused: list[str] = attrs.field(factory=list[str])
    facts: dict[str, object] = attrs.field(factory=dict[str, object])
    processes: list[str] = attrs.field(factory=list[str])
    locales_not_here: list[str] = attrs.field(factory=list[str])
    not_there: list[str] = attrs.field(factory=list[str])

    def violated(self, shown: Shown, reason: str) -> Finding:
        return self._finding(Answer.VIOLATED, reason=reason, counterexample=shown.counterexample, replay=shown.replay)

    def undetermined(self, why: str, settles: str) -> Finding:
        known = f"nothing speaks against it in {self.asked:,} {self.unit}" if self.asked else ""
        return self._finding(Answer.UNDETERMINED, reason=why, known=known, settles=settles)

    def ended(self, nothing: str, rests_on: Sequence[str] = (), of: int = 0) -> Finding:
        """HOLDS, tested; or VACUOUS, saying ``nothing``, where nothing was asked or all of it was refused.

        UNDETERMINED where more than half of so many (``of``) were refused: of those nothing is known.
        """
        if not self.asked and self.refused:
            return self._finding(Answer.VACUOUS, reason=f"it refused all {len(self.refused)} {self.unit}")
        if not self.asked:
            return self._finding(Answer.VACUOUS, reason=nothing)
        if of and 2 * len(self.refused) > of:
            why = (
                f"it refused {len(self.refused)} of {of}, more than half of what it was asked ({some(self.refused)})"
            )
            return self.undetermined(why, "a function that refuses fewer, or only what it is meant for asked")
        reason = "; ".join([*self._refusals(), *rests_on, *self._processes()])
        return self._finding(Answer.HOLDS, strength=Strength.TESTED, tested=self.asked, reason=reason)

    def holds_everywhere(self, states: int, scope: Mapping[str, int], reason: str) -> Finding:
        return self._finding(
            Answer.HOLDS, strength=Strength.EXHAUSTIVE, states=states, scope=scope, tested=self.asked, reason=reason
        )

    def _refusals(self) -> list[str]:
        if not self.refused:
            return []
        return [f"it refused {len(self.refused)} more ({some(self.refused)})"]

    def _processes(self) -> list[str]:
        versions = dict.fromkeys(text.partition(",")[0] for text in self.processes)
        told = [f"asked again in {len(self.processes)} processes ({', '.join(versions)})"] if self.processes else []
        told += [f"no locale {', '.join(self.locales_not_here)} here"] if self.locales_not_here else []
        return told + ([f"{len(self.not_there)} inputs could not be had there"] if self.not_there else [])

    def _finding(self, answer: Answer, **told: object) -> Finding:
        facts: dict[str, object] = {
            "unit": self.unit,
            "asked": self.asked,
            "refused": tuple(self.refused),
            "processes": tuple(self.processes),
            "locales not here": tuple(self.locales_not_here),
            "inputs not to be had there": tuple(self.not_there),
            **self.facts,
        }
        plain = Finding(self.function.name, self.property, Answer.VACUOUS, ENGINE, "obligation", facts=facts)
        return attrs.evolve(plain, answer=answer, **told)  # type: ignore[arg-type]


def some(names: Sequence[str]) -> str:
    """The first few of them."""
    return ", ".join(names[:5]) + (", ..." if len(names) > 5 else "")


def replay(function: Function, expressions: Iterable[str], *, before: str = "", environment: str = "") -> str:
    """The command that asks again; where the function has no name that can be imported, the lines to type."""
    asked = ", ".join(f"{function.call}({expression})" for expression in expressions)
    lines = [part for part in (function.imports, before, f"print({asked})") if part]
    if not function.imports:
        return "; ".join(lines)
    code = "; ".join(lines)
    quoted = shlex.quote(code) if set('"$`\\!') & set(code) else f'"{code}"'  # the plain way where there is one
    return f"{environment} python -c {quoted}".strip()


def literal(value: object) -> str:
    """An expression that makes the value again, or nothing."""
    try:
        text = repr(value)
        ast.literal_eval(text)
    except Exception:
        return ""
    return text


class Inadequate(AssertionError):
    """A function is not adequate, or nobody knows; the message is the answer with what shows it."""


def adequate(*findings: Finding) -> None:
    """Let a test fail unless every one of these holds; the failure shows the pair.

    Raises :class:`Inadequate`, an :class:`AssertionError`, for anything but HOLDS, and where there is no finding.

    >>> from meshspec.adequacy import discriminates, stable
    >>> adequate(discriminates(lambda effect: repr(effect.arguments), topics=["numbers"]))
    """
    __tracebackhide__ = True  # pytest shows the test, and the pair
    if not findings:
        raise Inadequate("nothing was asked: give at least one finding, as in adequate(discriminates(key))")
    wrong = [finding for finding in findings if finding.answer is not Answer.HOLDS]
    if wrong:
        raise Inadequate("\n".join(str(finding) for finding in wrong))
