"""drive: can Hypothesis break it, and shrink the story? And does an implementation do as the model does?

Examples are drawn by Hypothesis: in each, one enabled action after another, run as the author wrote it. What is
refuted is shrunk, then left alone, and all else is driven on. With an implementation, every step is taken by it too,
and what it shows is held against the model.

Sound when it refutes: the path is run on CPython once more. Misses whatever the examples did not meet; its HOLDS is
*tested* and nothing more. That something is never tried only `explore` can say: an action that no example took, or a
witness that none met, is UNDETERMINED here, and only where no step was taken at all is it VACUOUS. Of very many
initial states it begins in the first.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import attrs

from meshspec.answer import Answer, Finding, Strength
from meshspec.engines.course import Course
from meshspec.engines.driven import AGREES, Plan, Refuted, Trace
from meshspec.engines.explore import FIRES, STRIKES
from meshspec.engines.limits import INTERRUPTED
from meshspec.errors import UsageError
from meshspec.lang.lift import LiftedModel
from meshspec.progress import Progress, silent
from meshspec.sorts import Sort

if TYPE_CHECKING:
    from meshspec.engines.beside import Implementation

MAX_STEPS = 1_000
"""So many fit into what Hypothesis draws for one example."""


def drive(
    model: LiftedModel,
    sizes: Mapping[type[Sort], int],
    *,
    examples: int = 100,
    steps: int = 50,
    seed: int = 0,
    against: Implementation | None = None,
    path: Sequence[str] | None = None,
    start: int = 0,
    progress: Progress = silent,
) -> list[Finding]:
    """One finding for every claim and range, for what raises and where it ends, and for what was never taken.

    `examples` examples of at most `steps` steps each, again for everything that is refuted; the same seed gives the
    same examples on every machine. With `against`, one more for the implementation. With a `path` of actions, as
    counterexamples print them, only that is taken, from the initial state numbered `start`.

    Raises :class:`UsageError` unless there is at least 1 example of 1 to 1000 steps, and for a path that is none.
    """
    if examples < 1 or not 1 <= steps <= MAX_STEPS:
        raise UsageError(f"--examples must be at least 1, and --steps from 1 to {MAX_STEPS:,}")
    run = _Run(Plan(model, sizes, against=against), seed, examples)
    if path is not None:
        run.along(path, start)
    else:
        run.all(steps, progress)
    progress("")
    return _Sayer(run, walked=path is not None).findings()


@attrs.define
class _Run:
    """Drives until nothing more is refuted, and keeps what was found."""

    plan: Plan
    seed: int
    asked: int
    refuted: dict[str, Finding] = attrs.field(factory=dict[str, Finding])
    cut: str = ""
    unmet: str = ""
    unclear: tuple[Answer, str, str] | None = None
    examples: int = 0
    steps: int = 0

    def all(self, steps: int, progress: Progress) -> None:
        """Examples by Hypothesis, once more after everything that is refuted."""
        machine = importlib.import_module("meshspec.engines.machine")  # imports Hypothesis, which only this needs
        made = machine.made(self.plan)
        while not (self.cut or self.unmet):
            self.plan.examples = self.plan.steps = 0
            self.plan.taken.clear()
            self.plan.progress = lambda: progress(
                f"drive {self.plan.model.name}: example {self.plan.examples + 1} of {self.asked}"
            )
            try:
                stopped = machine.drawn(made, self.seed, self.asked, steps)
            except KeyboardInterrupt:
                self.cut = INTERRUPTED
                break
            finally:
                self.examples, self.steps = self.plan.examples, self.plan.steps
            if stopped is None:
                break
            self._note(stopped)

    def _note(self, stopped: BaseException) -> None:
        """Why Hypothesis stopped: something is refuted, or it could not go on."""
        beside = importlib.import_module("meshspec.engines.beside")
        if isinstance(stopped, Refuted):
            self.refuted[stopped.property] = attrs.evolve(stopped.finding, tested=self.examples)
            self.plan.open.discard(stopped.property)
            return
        told = f"{type(stopped).__name__}: {stopped}".partition("\n")[0]
        if isinstance(stopped, beside.NothingShown):
            self.unclear = (Answer.VACUOUS, str(stopped), "an observe() that shows a variable")
        elif isinstance(stopped, beside.NotFresh):
            self.unclear = (Answer.UNDETERMINED, str(stopped), "a start() that makes a new system each time")
        elif self.plan.side() is not None:  # without it, all is as it was lifted, and the same every time
            why = f"it does not do the same twice on the same steps ({told})"
            self.unclear = (Answer.UNDETERMINED, why, "a start() and a step() that leave nothing to chance")
        else:
            self.unmet = told
        self.plan.open.discard(AGREES)

    def along(self, path: Sequence[str], start: int) -> None:
        """One example: the given path, and nothing else; all that it refutes on its way."""
        plan = self.plan
        numbers = {"".join(called.split()): number for number, called in enumerate(plan.called)}
        walk = plan.walk(Trace(start, ()))  # it knows whether there is such an initial state
        for action in path:
            walk.take(action)  # and why an action is not enabled
        taken = [numbers["".join(step.split())] for step in walk.path]
        side = plan.side()
        course = Course(plan)
        course.begin(start)
        try:
            self._tried(course.look, course)
            if side is not None:
                self._tried(side.begin, course)
            for number in taken:
                reached = dict(plan.here(course.state).ways).get(number)
                if reached is None:  # it raises, and `look` has said so
                    break
                course.take(number, reached)
                if side is not None and AGREES in plan.open:
                    self._tried(lambda: side.follow(number, course), course)  # noqa: B023  # now
                self._tried(course.look, course)
        finally:
            if side is not None:
                side.close()
        self.examples, self.steps = 1, plan.steps

    def _tried(self, what: Any, course: Course) -> None:
        """Do it, and again for as long as something else is refuted by it."""
        while True:
            try:
                what()
            except Refuted as stopped:
                finding = stopped.finding
                assert finding.counterexample is not None
                path = attrs.evolve(finding.counterexample, how="as given")
                self.refuted[stopped.property] = attrs.evolve(finding, counterexample=path, tested=1)
                self.plan.open.discard(stopped.property)
                if stopped.property == AGREES:
                    return
            else:
                return


class _Sayer:
    """Puts what was found into findings."""

    def __init__(self, run: _Run, walked: bool) -> None:
        self.run, self.plan, self.walked = run, run.plan, walked
        plan = self.plan
        taken = {kind: plan.taken[kind] for kind in plan.kinds}
        self.facts: dict[str, object] = {
            "seed": run.seed,
            "unit": "examples" if run.examples != 1 else "example",
            "cut": run.cut,
            "steps": run.steps,
            "taken": taken,
            "never taken": plan.never_taken,
        }

    def findings(self) -> list[Finding]:
        plan, found = self.plan, dict[str, Finding]()
        for one in plan.watched:
            where = str(one.lifted.method.where) if one.lifted is not None else ""
            if one.property in found:
                continue
            if one.kind == "sometimes":
                found[one.property] = self._witnessed(one.property, where)
            else:
                found[one.property] = self._said(one.property, one.kind, where=where)
        for lifted in plan.model.claims:
            if lifted.method.kind == "eventually":
                why, settles = "no example shows what must come about", "the engine live"
                where = str(lifted.method.where)
                found[lifted.name] = self._finding(
                    lifted.name, "eventually", Answer.UNDETERMINED, reason=why, settles=settles, where=where
                )
        if not self.walked:
            found[FIRES] = self._fires(FIRES, "action")
            if any(lifted.method.kind == "fault" for lifted in plan.model.actions):
                found[STRIKES] = self._fires(STRIKES, "fault")
        if plan.against is not None:
            found[AGREES] = self._agrees()
        return list(found.values())

    def _finding(self, name: str, kind: str, answer: Answer, **more: Any) -> Finding:
        return Finding(
            self.plan.model.name,
            name,
            answer,
            "drive",
            kind=kind,
            scope=self.plan.layout.scope_names,
            tested=self.run.examples,
            facts=self.facts,
            **more,
        )

    def _said(self, name: str, kind: str, *, unmet: str = "", holds: str = "", where: str = "") -> Finding:
        """What is said of one property: `unmet` is why it cannot hold, `holds` what its holding rests on."""
        run = self.run
        if name in run.refuted:
            return attrs.evolve(run.refuted[name], facts=self.facts)
        known = f"{run.steps:,} steps in {run.examples:,} examples"
        if run.unclear is not None and name == AGREES:
            answer, why, settles = run.unclear
            return self._finding(name, kind, answer, reason=why, settles=settles)
        if run.cut or run.unmet:
            settles = "letting it run to its end" if run.cut else "what Hypothesis asks for"
            return self._finding(
                name,
                kind,
                Answer.UNDETERMINED,
                reason=run.cut or run.unmet,
                known=known,
                settles=settles,
                where=where,
            )
        if run.steps == 0 and not self.walked:
            why = "no example took a step: the model is stuck where it starts, so nothing was tried"
            return self._finding(name, kind, Answer.VACUOUS, reason=why, known=known, where=where)
        if unmet:
            settles = "explore, which visits every state of a scope"
            return self._finding(
                name, kind, Answer.UNDETERMINED, reason=unmet, known=known, settles=settles, where=where
            )
        return self._finding(name, kind, Answer.HOLDS, strength=Strength.TESTED, reason=holds, where=where)

    def _witnessed(self, name: str, where: str) -> Finding:
        owed = [one for one in self.plan.watched if one.property == name and one.witness]
        missing = [one.name for one in owed if one.name not in self.plan.witnessed]
        if missing:
            return self._said(name, "sometimes", unmet=f"no example met {missing[0]}", where=where)
        met = self.plan.shorter(self.plan.witnessed[owed[0].name], lambda one: one.name == owed[0].name)
        walk = ", ".join(self.plan.called[number] for number in met.actions) or "the initial state"
        finding = self._said(name, "sometimes", holds=f"witness: {walk}", where=where)
        if finding.answer in (Answer.UNDETERMINED, Answer.VACUOUS) and name not in self.run.refuted:
            return self._finding(  # a witness is one, however little else was tried
                name, "sometimes", Answer.HOLDS, strength=Strength.TESTED, reason=f"witness: {walk}", where=where
            )
        return finding

    def _fires(self, name: str, of: str) -> Finding:
        every = [one.name for one in self.plan.model.actions if (one.method.kind == "fault") == (of == "fault")]
        never = [kind for kind in every if not self.plan.taken[kind]]
        counts = ", ".join(f"{kind} {self.plan.taken[kind]:,}" for kind in every)
        if not every:
            return self._finding(name, "fires", Answer.VACUOUS, reason=f"the model has no {of}")
        return self._said(name, "fires", unmet=f"no example took {', '.join(never)}" if never else "", holds=counts)

    def _agrees(self) -> Finding:
        unseen = self.plan.beside.unseen
        holds = f"not observed: {', '.join(unseen)}" if unseen else "every variable was observed"
        return self._said(AGREES, "refines", holds=holds)
