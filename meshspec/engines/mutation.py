"""What a mutation run came to: which property noticed which change, and the answers that follow."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Any

import attrs

from meshspec.answer import Answer, Finding, Strength
from meshspec.display import Shown
from meshspec.engines.limits import INTERRUPTED
from meshspec.lang.mutants import Mutant

NOTICED = "every change is noticed"
ENGINE = "mutate"
PROMISES = ("always", "sometimes", "eventually", "terminal")
FINITE = "a smaller scope, or a Range or a guard that bounds what the change lets grow"


def counted(count: int, noun: str) -> str:
    """A number and its noun.

    >>> counted(1, "state"), counted(1200, "state")
    ('1 state', '1,200 states')
    """
    return f"{count:,} {noun}{'s' * (count != 1)}"


class Fate(Enum):
    """What became of a mutant.

    A *survivor* was explored and nothing noticed it, or its steps differ from the original's in no reachable state of
    the scope, which is not shown for every size. *Noticed* means by vacuity alone: a witness or an action is lost.
    """

    KILLED = "killed"
    NOTICED = "noticed by vacuity"
    SURVIVED = "survived"
    EQUIVALENT = "equivalent (proved)"
    UNDECIDED = "undecided"
    SAME = "the same change as another"
    NOT_MADE = "not made"


@attrs.frozen(eq=False)
class Run:
    """One mutant, run: the properties that kill it, that notice it by being vacuous, and that it violates otherwise.

    ``otherwise`` says for each why the violation is not the change's own; ``remark`` is what more there is to say,
    ``settles`` what would settle one that is undecided.
    """

    mutant: Mutant
    fate: Fate
    kills: tuple[str, ...] = ()
    notices: tuple[str, ...] = ()
    otherwise: Mapping[str, str] = attrs.field(factory=dict[str, str])
    remark: str = ""
    settles: str = ""

    @property
    def counts(self) -> bool:
        """Whether it was run: it was made, and is no second copy of another."""
        return self.fate not in (Fate.SAME, Fate.NOT_MADE)

    def to_dict(self) -> dict[str, Any]:
        mutant = self.mutant
        return {
            "level": mutant.level,
            "method": mutant.method,
            "where": str(mutant.where),
            "old": mutant.old,
            "new": mutant.new,
            "row": mutant.row,
            "name": mutant.name,
            "fate": self.fate.value,
            "killed by": list(self.kills),
            "noticed by": list(self.notices),
            "violated otherwise": dict(self.otherwise),
            "remark": self.remark,
        }


@attrs.frozen(eq=False)
class MutationReport(Shown):
    """The kill matrix of a model at a scope.

    Attributes:
        model: the model's name; ``where`` its place; ``scope`` the sizes of its sorts by name.
        base: what the unchanged model says, explored and run live, one finding a property.
        total: how many mutants there are, copies of one another and what cannot be made included.
        runs: what became of those that were tried, in the order in which they are listed.
        seed: of the sample; it matters only where not all were tried.
        unread: why some methods have mutants of their rows only.
        stopped: ``interrupted`` where the user ended it.
        name: the target as the user gave it, for the commands that are told.
    """

    model: str
    where: str
    scope: Mapping[str, int]
    base: tuple[Finding, ...]
    total: int
    runs: tuple[Run, ...]
    seed: int
    unread: tuple[str, ...] = ()
    stopped: str = ""
    name: str = ""

    def of(self, *fates: Fate) -> list[Run]:
        return [run for run in self.runs if run.fate in fates]

    @property
    def run(self) -> int:
        """How many mutants were run: made, and each once."""
        return sum(run.counts for run in self.runs)

    @property
    def all_tried(self) -> bool:
        return len(self.runs) == self.total

    @property
    def by_lemmas(self) -> list[Run]:
        """Mutants that lemmas notice and nothing else does: a lemma promises nothing to anyone."""
        lemmas = {found.property for found in self.base if found.kind == "lemma"}
        return [run for run in self.of(Fate.KILLED, Fate.NOTICED) if lemmas.issuperset((*run.kills, *run.notices))]

    @property
    def survivors(self) -> list[Run]:
        return self.of(Fate.SURVIVED)

    def kills_of(self, name: str) -> list[Run]:
        """The mutants that a property kills; of one that is witnessed, those that lose the witness."""
        witnessed = any(f.kind in ("sometimes", "fires") for f in self.base if f.property == name)
        return [run for run in self.runs if name in (run.notices if witnessed else run.kills)]

    @property
    def tried(self) -> str:
        """``12 of 61 mutants``: how many of those there are were tried."""
        mutants = counted(self.total, "mutant")
        return f"{len(self.runs)} of {mutants}" if not self.all_tried or self.total < 2 else f"all {mutants}"

    # -- answers -----------------------------------------------------------------------------------------------

    def findings(self) -> list[Finding]:
        """One for each claim that is a promise, and one for whether every change is noticed."""
        promises = [f for f in self.base if f.kind in PROMISES]
        return [*(self._of(found) for found in promises), self._noticed()]

    def _finding(self, name: str, kind: str, answer: Answer, **more: Any) -> Finding:
        tested = self.run if answer is Answer.HOLDS else None
        strength = Strength.TESTED if answer is Answer.HOLDS else None
        facts: dict[str, Any] = {"unit": "mutants", "cut": self.stopped, **more.pop("facts", {})}
        return Finding(
            self.model,
            name,
            answer,
            ENGINE,
            kind=kind,
            strength=strength,
            scope=self.scope,
            tested=tested,
            facts=facts,
            **more,
        )

    def _of(self, base: Finding) -> Finding:
        name, kind = base.property, base.kind
        more: dict[str, Any] = {"where": base.where}
        if kind == "eventually" and base.answer is Answer.UNDETERMINED:
            reason = INTERRUPTED if self.stopped else f"it is not settled of the model itself: {base.reason}"
            settles = self.settles() if self.stopped else base.settles
            return self._finding(name, kind, Answer.UNDETERMINED, reason=reason, settles=settles, **more)
        if base.answer is Answer.VIOLATED:
            reason = f"the model itself breaks {name}, so that a mutant breaks it shows nothing"
            engine = "live" if kind == "eventually" else "explore"
            settles = f"a model that keeps it ({shlex.join(['meshspec', engine, self.name])} shows the path)"
            return self._finding(name, kind, Answer.UNDETERMINED, reason=reason, settles=settles, **more)
        if base.answer is Answer.VACUOUS:
            reason = f"it is vacuous in the model itself: {base.reason}"
            return self._finding(name, kind, Answer.VACUOUS, reason=reason, settles=base.settles, **more)
        found = self.kills_of(name)
        verb = "it is lost in" if kind == "sometimes" else "it refutes"
        if found:
            first = found[0].mutant
            reason = f"{verb} {len(found)} of them, the first at {first.where}: {first.change}"
            return self._finding(name, kind, Answer.HOLDS, reason=reason, facts={"kills": len(found)}, **more)
        open_ = self.open()
        nothing = (
            "in no mutant that was run is it lost" if kind == "sometimes" else "no mutant that was run refutes it"
        )
        if open_ or not self.run:
            reason = f"{nothing}; {open_}" if self.run else f"no mutant was run{'; ' * bool(open_)}{open_}"
            answer = Answer.UNDETERMINED if open_ else Answer.VACUOUS
            return self._finding(name, kind, answer, reason=reason, settles=self.settles(), **more)
        reason = f"{nothing}, of all {self.run}: nothing shows that it can fail"
        settles = "a claim that says more, or an incident that breaks it"
        return self._finding(name, kind, Answer.VACUOUS, reason=reason, settles=settles, **more)

    def open(self) -> str:
        """Why there may be more to find; nothing where all mutants were settled."""
        parts = [INTERRUPTED] if self.stopped else []
        parts += [f"{self.tried} tried"] if not self.all_tried else []
        undecided = len(self.of(Fate.UNDECIDED))
        parts += [f"{undecided} not settled before the search was cut"] if undecided else []
        parts += [f"no source: only rows were changed ({self.unread[0]})"] if self.unread else []
        return ", ".join(parts)

    def settles(self) -> str:
        """What would settle the rest."""
        if self.stopped:
            return "letting it run to its end"
        parts = dict.fromkeys(run.settles for run in self.of(Fate.UNDECIDED))
        cap = [] if self.all_tried else ["meshspec mutate without --cap"]
        return "; ".join([*parts, *cap, *(["the model in a file"] if self.unread else [])])

    def _noticed(self) -> Finding:
        facts = {"mutation": self.to_dict()}
        alive, open_ = self.survivors, self.open()
        if alive:
            first = alive[0].mutant
            reason = f"{len(alive)} survive{'s' * (len(alive) == 1)}, the first at {first.where}: {first.name}"
            reason += f"; {open_}" if open_ else ""
            settles = "a claim that forbids the change, or a model without what makes no difference"
            settles += f"; {self.settles()}" if open_ else ""
            return self._finding(
                NOTICED, "check", Answer.UNDETERMINED, reason=reason, settles=settles, where=self.where, facts=facts
            )
        if not self.run and not open_:
            reason = "there is nothing to change: no mutant could be made"
            return self._finding(NOTICED, "check", Answer.VACUOUS, reason=reason, where=self.where, facts=facts)
        if open_:
            known = f"{counted(self.run, 'mutant')} run, none survived"
            return self._finding(
                NOTICED, "check", Answer.UNDETERMINED, reason=open_, known=known, settles=self.settles(),
                where=self.where, facts=facts,
            )  # fmt: skip
        equal = len(self.of(Fate.EQUIVALENT))
        reason = f"{self.tried} tried, {equal} proved equivalent"
        return self._finding(NOTICED, "check", Answer.HOLDS, reason=reason, where=self.where, facts=facts)

    def to_dict(self) -> dict[str, Any]:
        """All of it, plain."""
        return {
            "model": self.model,
            "scope": dict(self.scope),
            "seed": self.seed,
            "mutants": self.total,
            "tried": len(self.runs),
            "run": self.run,
            "fates": {fate.value: len(self.of(fate)) for fate in Fate},
            "properties": {f.property: len(self.kills_of(f.property)) for f in self.base},
            "runs": [run.to_dict() for run in self.runs],
            "rows only": list(self.unread),
            "stopped": self.stopped,
        }


def died(report: MutationReport, survivors: Sequence[str]) -> Finding:
    """The line of evidence that a model's mutants die, but for survivors that are acknowledged by name.

    In a name ``*`` stands for any text: ``intend: *`` for every change of one action.
    """
    known = {name: re.compile(".*".join(map(re.escape, name.split("*")))) for name in survivors}
    alive = [run.mutant.name for run in report.survivors]
    unknown = [run for run in report.survivors if not any(p.fullmatch(run.mutant.name) for p in known.values())]
    wrong = [f"{run.mutant.where}: {run.mutant.name} survives and is not acknowledged" for run in unknown]
    wrong += [
        f"{name} is acknowledged as a survivor and is none"
        for name, pattern in known.items()
        if not any(map(pattern.fullmatch, alive))
    ]
    undecided = bool(report.open())
    killed = len(report.of(Fate.KILLED)) + len(report.of(Fate.NOTICED))
    answer, reason, settles = Answer.HOLDS, f"{killed} of {report.run} die", ""
    if unknown or (wrong and not undecided):
        answer, reason = Answer.VIOLATED, "; ".join(wrong)
    elif undecided:
        answer, reason, settles = Answer.UNDETERMINED, report.open(), report.settles()
    elif not any(report.kills_of(found.property) for found in report.base if found.kind in PROMISES):
        answer, reason = Answer.VACUOUS, "no claim notices any of them: nothing shows that one can fail"
    elif alive:
        reason += f"; acknowledged: {'; '.join(known)}"
    facts = {"unit": "mutants", "mutation": report.to_dict()}
    strength = Strength.TESTED if answer is Answer.HOLDS else None
    return Finding(
        report.model, "its mutants die", answer, ENGINE, kind="evidence", strength=strength, scope=report.scope,
        tested=report.run if strength else None, reason=reason, settles=settles, where=report.where, facts=facts,
    )  # fmt: skip
