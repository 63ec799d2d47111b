"""Answers: four words, how strong the word HOLDS is, and what is told beside it.

`Answer` is the checker's own word. `Verdict`, the paper's word for how a delegation ended, is another thing.
"""

from __future__ import annotations

import builtins
from collections.abc import Iterable, Mapping
from datetime import date
from enum import Enum
from types import MappingProxyType

import attrs

from meshspec.display import Shown
from meshspec.errors import Disagreement

_NOTHING: Mapping[str, object] = MappingProxyType({})


class Answer(Enum):
    """What a check says of a property."""

    HOLDS = "HOLDS"
    VIOLATED = "VIOLATED"
    UNDETERMINED = "UNDETERMINED"
    VACUOUS = "VACUOUS"


class Strength(Enum):
    """How strong a HOLDS is, from the strongest to the weakest."""

    EVERY_SIZE = "every size"
    EXHAUSTIVE = "exhaustive"
    K_INDUCTION = "k-induction"
    TESTED = "tested"


_RANK = {Strength.EVERY_SIZE: 3, Strength.EXHAUSTIVE: 2, Strength.K_INDUCTION: 2, Strength.TESTED: 1}


@attrs.frozen
class Step:
    """One step of a counterexample: what happened and only what changed.

    ``changes`` maps a variable's name (``applied[effect0]``) to its value before and after, as text.
    For a policy the action is the step of the story in words and ``note`` is what the policy said. ``at`` is the
    step's number where steps before it are left out, and 0 for the line that says so. ``where`` is the ``file:line``
    of the action's method, where it has one.
    """

    action: str
    changes: Mapping[str, tuple[str, str]] = attrs.field(factory=dict[str, tuple[str, str]])
    note: str = ""
    at: int | None = None
    where: str = ""


@attrs.frozen
class Counterexample(Shown):
    """A path that refutes a property, to be read as an argument.

    ``initial`` is the first state, ``failed`` the clause that is false at the end with its values, ``how`` says
    whether the path is the *shortest* or *shrunk*. A run that never ends is a lasso: its steps from ``loop`` on,
    counted from 0, are repeated for ever; where ``loop`` is their number, nothing more happens.
    """

    initial: Mapping[str, str]
    steps: tuple[Step, ...]
    failed: str
    how: str = "shortest"
    loop: int | None = None

    @property
    def actions(self) -> tuple[str, ...]:
        return tuple(step.action for step in self.steps)


@attrs.frozen
class Waiver:
    """That someone answers, until a day, for a property that does not hold.

    ``model`` is the subject of the finding as reports name it, ``expires`` the last day on which it counts, ``where``
    the file and line that it stands at. ``ended`` is set when that day is over: it then excuses nothing. ``answer``
    is the only one that it excuses.
    """

    model: str
    property: str
    owner: str
    reason: str
    expires: date
    where: str = ""
    ended: bool = False
    answer: Answer = Answer.VIOLATED


@attrs.frozen
class Finding(Shown):
    """What one engine says of one property of one subject (a model or a policy).

    Attributes:
        subject: the model's or policy's name.
        property: the claim's or obligation's name.
        kind: ``always``, ``sometimes``, ``eventually``, ``lemma``, ``range``, ``total``, ``fires``, ``terminal``,
            ``refines``, ``obligation``, ``evidence``, ``waiver`` (that none outlives its day) or ``check``
            (of the check itself: that it ran to its end).
        strength: set exactly when the answer is HOLDS.
        scope: sizes of the sorts, by name; empty where no size matters.
        states, orbits: distinct states seen, and orbits under symmetry (``None`` where not counted).
        more: further counterexamples that end in other states, where they were asked for.
        tested: how many runs, examples or stories stand behind a tested answer.
        reason: why it is not HOLDS, or what HOLDS rests on (lemmas, an assumption).
        known: for UNDETERMINED, what is known so far; ``settles``: what would settle it.
        replay: the exact command that shows this finding again.
        where: ``file:line`` of the claim.
        claim: what an author's claim says, as it was read; a digest of it where that is long.
        waiver: who answers for it where it does not hold; one that ended, or is for another answer, is told and
            excuses nothing.
        facts: anything more that a line of text says, by name, so that the JSON says it too.
    """

    subject: str
    property: str
    answer: Answer
    engine: str
    kind: str = "always"
    strength: Strength | None = None
    scope: Mapping[str, int] = attrs.field(factory=dict[str, int])
    states: int | None = None
    orbits: int | None = None
    tested: int | None = None
    counterexample: Counterexample | None = None
    more: tuple[Counterexample, ...] = ()
    reason: str = ""
    known: str = ""
    settles: str = ""
    replay: str = ""
    where: str = ""
    claim: str = ""
    waiver: Waiver | None = None
    facts: Mapping[str, object] = attrs.field(default=_NOTHING)

    def __attrs_post_init__(self) -> None:
        if (self.strength is not None) != (self.answer is Answer.HOLDS):
            raise Disagreement(f"{self.subject}.{self.property}: a strength belongs to HOLDS and only to it")
        if self.answer is Answer.UNDETERMINED and not self.reason:
            raise Disagreement(f"{self.subject}.{self.property}: UNDETERMINED must carry its reason")

    @builtins.property
    def waived(self) -> bool:
        """Whether it does not hold, and a waiver for this very answer that has not ended answers for that."""
        waiver = self.waiver
        return waiver is not None and not waiver.ended and self.answer is waiver.answer is not Answer.HOLDS


def overall(findings: Iterable[Finding]) -> Finding:
    """The one answer for a property on which several engines spoke.

    VIOLATED if any engine refutes it, VACUOUS if any finds it vacuous, else the strongest HOLDS, else
    UNDETERMINED. Raises :class:`Disagreement` when one engine refutes what another proved for every size, or
    checked exhaustively in the same scope; and :class:`ValueError` when there is nothing to combine.

    >>> explored = Finding("M", "p", Answer.HOLDS, "explore", strength=Strength.EXHAUSTIVE)
    >>> unproved = Finding("M", "p", Answer.UNDETERMINED, "prove", reason="not inductive")
    >>> overall([unproved, explored]).engine
    'explore'
    """
    found = list(findings)
    if not found:
        raise ValueError("no finding to combine: nothing was evaluated")
    violated = [f for f in found if f.answer is Answer.VIOLATED]
    held = sorted(
        (f for f in found if f.strength is not None),
        key=lambda f: _RANK[f.strength] if f.strength is not None else 0,
        reverse=True,
    )
    for bad in violated:
        for good in held:
            everywhere = good.strength is Strength.EVERY_SIZE
            same_scope = good.strength in (Strength.EXHAUSTIVE, Strength.K_INDUCTION) and good.scope == bad.scope
            if everywhere or same_scope:
                raise Disagreement(
                    f"{bad.subject}.{bad.property}: {bad.engine} refutes what {good.engine} says holds "
                    f"({good.strength.value if good.strength else ''}). This is a bug of meshspec."
                )
    for group in (violated, [f for f in found if f.answer is Answer.VACUOUS], held, found):
        if group:
            return group[0]
    raise AssertionError("unreachable: `found` is not empty")


def demand(finding: Finding, required: Strength | None) -> Finding:
    """The same finding, or UNDETERMINED when its HOLDS is weaker than required.

    What a single path settles (a witness, an action that fires) has no stronger form and is left as it is.
    """
    if required is None or finding.strength is None or _RANK[finding.strength] >= _RANK[required]:
        return finding
    if finding.kind in ("sometimes", "fires"):
        return finding
    return attrs.evolve(
        finding,
        answer=Answer.UNDETERMINED,
        strength=None,
        reason=f"{required.value} was required",
        known=f"HOLDS, {finding.strength.value}",
        settles=finding.settles or "an engine that reaches the required strength",
    )


def exit_code(findings: Iterable[Finding], *, allow_undetermined: bool = False) -> int:
    """1 violated, 4 vacuous, 3 undetermined, 0 all hold or are waived; 4 also when there is no finding at all.

    >>> held = Finding("M", "p", Answer.HOLDS, "explore", strength=Strength.EXHAUSTIVE)
    >>> exit_code([held, Finding("M", "q", Answer.UNDETERMINED, "explore", reason="cut")]), exit_code([])
    (3, 4)
    """
    found = list(findings)
    said = {finding.answer for finding in found if not finding.waived}
    if Answer.VIOLATED in said:
        return 1
    if Answer.VACUOUS in said or not found:
        return 4
    if Answer.UNDETERMINED in said and not allow_undetermined:
        return 3
    return 0
