"""How is what a policy did on a story told? Outcomes become findings, in the words of the domain."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, cast

import attrs

from meshspec.answer import Answer, Counterexample, Finding, Step, Strength
from meshspec.roles import breaker, life
from meshspec.roles.breaker import Bound, Obligation, obligations
from meshspec.roles.hosted import shown
from meshspec.roles.owed import Duty
from meshspec.roles.protocol import About, Outcome
from meshspec.roles.retell import source_of
from meshspec.roles.story import Story, converges, describe, length, stories_in_all, unroll, words

CONDUCT = {
    "total": "it raises on no story",
    "contract": "it answers CONTINUE, TRIP or TRIP(reason), and nothing else",
    "deterministic": "it answers the same story the same way in every run",
}
_UNFOLDED = 18


@attrs.define
class Tally:
    """What happened on the stories of one obligation.

    ``owed`` stories were driven; ``judged`` of them ended in a decision and ``spoiled`` in an error or in nonsense.
    """

    owed: int = 0
    judged: int = 0
    spoiled: int = 0
    first_trip: int | None = None
    last_trip: int | None = None
    broken: tuple[Story, Outcome] | None = None
    how: str = "shortest"
    cut: tuple[Story, Outcome] | None = None
    out_of_time: bool = False

    @property
    def over(self) -> bool:
        return self.broken is not None or self.cut is not None or self.out_of_time


@attrs.define
class Conduct:
    """How the policy behaved on all stories, whatever they owe: counts, and the first story of each misconduct."""

    run: int = 0
    compared: int = 0
    answered: int = 0
    raised: tuple[Story, Outcome] | None = None
    nonsense: tuple[Story, Outcome] | None = None
    differs: tuple[Story, Outcome, Outcome] | None = None
    cut: tuple[Story, Outcome] | None = None
    out_of_time: bool = False

    def note(self, story: Story, outcomes: Sequence[Outcome]) -> None:
        """Record what one or both processes made of a story."""
        self.run += 1
        self.answered += all(outcome.answered for outcome in outcomes)
        for outcome in outcomes:
            if outcome.word == "raised":
                self.raised = self.raised or (story, outcome)
            elif outcome.word == "nonsense":
                self.nonsense = self.nonsense or (story, outcome)
            elif outcome.cut:
                self.cut = self.cut or (story, outcome)
        if len(outcomes) == 2 and not any(outcome.cut for outcome in outcomes):
            self.compared += 1
            one, other = outcomes
            if (one.word, one.step) != (other.word, other.step):
                self.differs = self.differs or (story, one, other)


def where(obligation: Duty) -> str:
    """File and line at which the obligation is stated."""
    stated = breaker if any(one.name == obligation.name for one in obligations()) else life
    return line_in(stated, obligation.name)


def line_in(module: ModuleType, name: str) -> str:
    """File and line at which an obligation of that name is stated in a module of roles."""
    file = Path(str(module.__file__))
    lines = file.read_text(encoding="utf-8").splitlines()
    told = (f'"{name}",', f'LIVE = "{name}"')
    return f"meshspec/roles/{file.name}:{next(i for i, text in enumerate(lines, 1) if text.strip() in told)}"


def plural(count: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "story"), plural(2, "step")
    ('1 story', '2 steps')
    """
    return (
        f"{count} {noun}" if count == 1 else f"{count} {noun[:-1]}ies" if noun.endswith("y") else f"{count} {noun}s"
    )


def at(step: int) -> str:
    return f"at step {step}" if step else "while it was being made"


class Teller:
    """Turns what happened into findings about one subject."""

    def __init__(self, subject: str, replay: str, promises: Collection[str] | None) -> None:
        self.subject = subject
        self.replay = replay
        self.promises = promises
        self.about = About(subject, "", 0, 0)

    def policy(self, line: int = 0) -> str:
        return f"{shown(self.about.file)}:{line or self.about.line}" if self.about.file else ""

    def facts(self, obligation: Duty) -> dict[str, object]:
        facts: dict[str, object] = {
            "says": obligation.says,
            "stands for": list(obligation.stands_for),
            "in production": obligation.in_production,
        }
        if self.about.file:
            facts["policy"] = self.policy()
        if self.promises is not None:
            facts["promised"] = obligation.name in self.promises
        return facts

    def obligation(self, obligation: Obligation, seen: Tally, bound: Bound) -> Finding:
        """The finding for one obligation."""
        facts = self.facts(obligation)
        facts["stories in all"] = stories_in_all(bound.prefix, bound.loop)
        facts["stories owed"] = obligation.count(bound)
        answer, reason, known, settles, counterexample = Answer.HOLDS, "", "", "", None
        if seen.broken is not None:
            story, outcome = seen.broken
            answer = Answer.VIOLATED
            counterexample = self.counterexample(story, outcome, broken_clause(obligation, story, outcome), seen.how)
            reason = counterexample.failed
            facts["story"] = describe(story)
            facts["told"] = self.told(story, outcome)
            facts["tripped at step"] = outcome.tripped
        elif seen.cut is not None:
            answer, reason = Answer.UNDETERMINED, cut_reason(*seen.cut)
            known, settles = f"kept on {plural(seen.judged, 'story')}", "a policy that comes back, or a higher limit"
            facts["story"] = describe(seen.cut[0])
        elif seen.out_of_time:
            answer, reason = Answer.UNDETERMINED, "the time limit was reached"
            known, settles = f"kept on {plural(seen.judged, 'story')}", "a higher time limit"
        elif not seen.owed:
            answer, reason = Answer.VACUOUS, "no story within the bound meets its premise"
        elif not seen.judged:
            answer, reason = (
                Answer.VACUOUS,
                "nothing was evaluated: no story came to its loop and ended in a decision",
            )
        elif seen.spoiled:
            answer = Answer.UNDETERMINED
            reason = f"{plural(seen.spoiled, 'story')} ended without a decision (see total, contract)"
            known, settles = f"kept on {plural(seen.judged, 'story')}", "a policy that decides on every step"
        elif obligation.must_trip:
            facts["tripped at step"] = seen.first_trip
            facts["latest trip at step"] = seen.last_trip
        return Finding(
            self.subject,
            obligation.name,
            answer,
            "judge",
            kind="obligation",
            strength=Strength.TESTED if answer is Answer.HOLDS else None,
            tested=seen.judged,
            counterexample=counterexample,
            reason=reason,
            known=known,
            settles=settles,
            replay=self.replay,
            where=where(obligation),
            facts=facts,
        )

    def conduct(self, conduct: Conduct) -> Iterator[Finding]:
        """What holds on every story: `total`, `contract`, `deterministic`."""
        bad = conduct.raised
        line = (f"{shown(bad[1].file)}:{bad[1].line}" if bad[1].file else "") if bad else ""
        why = f"{bad[1].said} {at(bad[1].step)}" if bad else ""
        yield self._conduct("total", conduct.run, conduct, bad, why, line, stopped=conduct.cut is not None)
        bad = conduct.nonsense
        why = f"{bad[1].said} {at(bad[1].step)} is neither CONTINUE nor TRIP(reason)" if bad else ""
        yield self._conduct("contract", conduct.answered, conduct, bad, why)
        difference, why, bad = conduct.differs, "", None
        if difference is not None:
            story, one, other = difference
            bad = (story, min(one, other, key=lambda outcome: outcome.step))
            why = f"in one run it {did(one)}, in another it {did(other)}"
        yield self._conduct("deterministic", conduct.compared, conduct, bad, why)

    def _conduct(
        self,
        name: str,
        tested: int,
        conduct: Conduct,
        bad: tuple[Story, Outcome] | None,
        why: str,
        line: str = "",
        *,
        stopped: bool = False,
    ) -> Finding:
        answer, reason, settles, counterexample = Answer.HOLDS, "", "", None
        facts: dict[str, object] = {"says": CONDUCT[name], "stories run": conduct.run}
        if bad is not None:
            answer, reason = Answer.VIOLATED, why
            counterexample = self.counterexample(*bad, why, "first found")
            facts["story"] = describe(bad[0])
            facts["told"] = self.told(*bad)
        elif conduct.cut is not None and (stopped or not tested):
            answer, reason, settles = Answer.UNDETERMINED, cut_reason(*conduct.cut), "a policy that comes back"
        elif not tested and conduct.out_of_time:
            answer, reason, settles = Answer.UNDETERMINED, "the time limit was reached", "a higher time limit"
        elif not tested:
            answer, reason = Answer.VACUOUS, "nothing was evaluated"
        return Finding(
            self.subject,
            name,
            answer,
            "judge",
            kind=name,
            strength=Strength.TESTED if answer is Answer.HOLDS else None,
            tested=tested,
            counterexample=counterexample,
            reason=reason,
            settles=settles,
            replay=self.replay,
            where=line or self.policy(self.about.observe),
            facts=facts,
        )

    def nothing_known(self, reason: str, settles: str, asked: Collection[str]) -> list[Finding]:
        """UNDETERMINED throughout what is asked, because no story could be shown."""
        named = [(o.name, "obligation", where(o), self.facts(o)) for o in life.owed() if o.name in asked]
        named += [(name, name, "", {"says": says}) for name, says in CONDUCT.items()]
        return [
            Finding(
                self.subject,
                name,
                Answer.UNDETERMINED,
                "judge",
                kind=kind,
                tested=0,
                reason=reason,
                settles=settles,
                replay=self.replay,
                where=line,
                facts=facts,
            )
            for name, kind, line, facts in named
        ]

    def told(self, story: Story, outcome: Outcome) -> dict[str, object]:
        """The story and how it ended, whole: from this it can be told again."""
        whole = {**story._asdict(), "prefix": list(story.prefix), "loop": list(story.loop)}
        ended = {"word": outcome.word, "step": outcome.step, "said": outcome.said}
        return {"role": "breaker", **whole, **ended, "source": source_of(self.about)}

    def counterexample(self, story: Story, outcome: Outcome, failed: str, how: str) -> Counterexample:
        """The calls up to the end, the rounds in the middle folded where there are many."""
        calls = list(unroll(story))[: outcome.step or 1]
        steps = [Step(words(call), note="CONTINUE", at=number) for number, call in enumerate(calls, 1)]
        if outcome.step:
            steps[-1] = attrs.evolve(steps[-1], note=ending(outcome))
        if len(steps) > _UNFOLDED:
            head = len(story.prefix) + 2 * len(story.loop)
            tail = len(steps) - len(story.loop)
            again = Step(f"(the loop goes on in the same way through step {tail})", note="CONTINUE", at=0)
            steps = [*steps[:head], again, *steps[tail:]] if tail > head else steps
        return Counterexample({}, tuple(steps), failed, how)


def story_of(told: object) -> Story:
    """The story of a finding that tells it whole."""
    whole = cast("dict[str, Any]", told)
    return Story(tuple(whole["prefix"]), tuple(whole["loop"]), whole["one_tool"], whole["field"], whole["steps"])


def did(outcome: Outcome) -> str:
    """What a policy did on a story, as a predicate."""
    said = f": {outcome.said}" if outcome.said else ""
    return {
        "done": f"never tripped in {outcome.step} steps",
        "trip": f"tripped after step {outcome.step}{said}",
        "raised": f"raised {at(outcome.step)}{said}",
        "nonsense": f"answered {outcome.said} {at(outcome.step)}",
    }.get(outcome.word, outcome.word)


def ending(outcome: Outcome) -> str:
    """What the policy said on the last step shown."""
    said = f": {outcome.said}" if outcome.said else ""
    return {"done": "CONTINUE", "trip": f"TRIP{said}", "raised": f"raised {outcome.said}"}.get(
        outcome.word, f"answered {outcome.said}"
    )


def cut_reason(story: Story, outcome: Outcome) -> str:
    said = "it ran into the memory limit" if outcome.word == "memory" else outcome.said
    return f"{said} {at(outcome.step)} of {describe(story)}"


def broken_clause(obligation: Obligation, story: Story, outcome: Outcome) -> str:
    """The demand that was not met, and by what."""
    if obligation.must_trip:
        return f"it must trip by step {length(story)}, and {did(outcome)}"
    green = f" before step {length(story)}, which is green" if converges(story) else ""
    return f"it must not trip{green}, and {did(outcome)}"
