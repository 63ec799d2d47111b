"""Does this policy keep what a ledger owes? Every drill, and a kill after each write, in processes that really die.

*Sound when* the world's file is written by `perform` alone: VIOLATED comes with what was done, what was answered and
what that file held at the end. HOLDS is *tested*, for the drills or kills counted. *Misses*: two kills in one story;
kills whose retry comes only when everything expired, but for the one after the effect; interleavings of threads that
did not come about; clocks that jump; and what :mod:`meshspec.roles.ledger.killer` misses.
"""

from __future__ import annotations

import os
import platform
import shlex
import socket
import time
from collections.abc import Collection, Iterator, Mapping
from contextlib import ExitStack
from typing import ClassVar

import attrs

from meshspec.answer import Answer, Finding
from meshspec.progress import Progress, silent
from meshspec.roles.asked import Seen as Came
from meshspec.roles.asked import Teller, interrupt
from meshspec.roles.environments import CannotInstall
from meshspec.roles.hosted import NotLoaded, shown
from meshspec.roles.ledger.drills import SHORT, Call, Drill, Life, killed_after, retried, spoken
from meshspec.roles.ledger.killer import CannotKill
from meshspec.roles.ledger.obligations import Obligation, obligations
from meshspec.roles.ledger.running import Runner, Seen, Told
from meshspec.roles.ledger.story import counterexample
from meshspec.roles.owed import Role
from meshspec.roles.protocol import About
from meshspec.roles.retell import launch_of

_LONGEST = 5.0  # seconds that a lifetime may have to be waited for
_INCIDENTS = "meshspec.policies.ledger_incidents"

ROLE = Role(
    name="ledger",
    contract=(
        'run(effect, perform) answers ("DONE", value), ("DUPLICATE", value), ("FAILED", why), ("UNKNOWN", why),'
        ' ("PENDING", why) or ("CONFLICT", why); made with the path of a folder that outlives its process'
    ),
    obligations=obligations(),
    reference="meshspec.policies.ledger:Ledger",
    incidents={
        "retry-after-success-runs-once": f"{_INCIDENTS}:HandsAResultOutOnce",
        "none-result-deduplicates": f"{_INCIDENTS}:TakesNoneForNothing",
        "unserialisable-result-deduplicates": f"{_INCIDENTS}:ForgetsWhatItCannotWrite",
        "no-silent-duplicate-after-exception": f"{_INCIDENTS}:TakesAnErrorForARefusal",
        "unknown-outcome-surfaces": f"{_INCIDENTS}:CallsATimeoutAFailure",
        "no-silent-duplicate-after-crash": f"{_INCIDENTS}:TakesOverFromTheDead",
        "no-false-success-after-crash": f"{_INCIDENTS}:RecordsTheResultFirst",
        "no-silent-duplicate-after-expiry": f"{_INCIDENTS}:TakesOverWhatExpired",
        "live-holder-keeps-its-effect": f"{_INCIDENTS}:DoesNotBeat",
        "concurrent-submits-run-once": f"{_INCIDENTS}:LooksThenClaims",
        "verdicts-distinguishable": f"{_INCIDENTS}:HasOneWordForNo",
        "changed-payload-is-refused": f"{_INCIDENTS}:LooksAtTheKeyAlone",
    },
    conduct={
        "total": "it raises nothing but what perform raised",
        "contract": "it answers a pair of one of its words and a value, and nothing else",
        "deterministic": "it answers the same drill the same way in every run",
    },
    unit="drills",
    where="meshspec/roles/ledger/obligations.py",
)


class _Teller(Teller):
    one_of: ClassVar[Mapping[str, str]] = {"drills": "drill"}


@attrs.define
class _Examiner:
    """Runs each drill once, whoever asks for it, and keeps an eye on conduct."""

    runner: Runner
    end: float
    kills: int | None
    progress: Progress
    subject: str
    lifetime: object = None
    keyed: bool = False
    seen: dict[Drill, Seen] = attrs.field(factory=dict[Drill, Seen])
    unkilled: str = ""
    killed: int = 0
    conduct: dict[str, Came] = attrs.field(factory=lambda: {name: Came() for name in ROLE.conduct})

    def ask(self) -> str:
        """What the policy says of itself; why not, where it does not come to an end."""
        seen = self.runner.run(Drill(((Life(()),),)))
        self.lifetime, self.keyed = seen.lifetime, seen.keyed
        self.note(seen)
        return seen.cut

    def run(self, drill: Drill) -> Seen:
        if drill not in self.seen:
            self.progress(f"judge {self.subject}: {self.runner.runs:,} drills, {self.killed:,} kills")
            self.seen[drill] = seen = self.runner.run(drill)
            self.killed += "killed" in seen.ended.values()
            self.note(seen)
            if drill.sequential and not seen.cut:
                self.compare(seen, self.runner.run(drill.turned()))
        return self.seen[drill]

    def note(self, seen: Seen) -> None:
        """What every run shows of conduct, whatever it is run for."""
        told = sorted(seen.told.items())
        for name, kind in (("total", "slip"), ("contract", "nonsense")):
            came = self.conduct[name]
            came.judged += 1
            bad = [(call, one) for call, one in told if one.kind == kind]
            if bad and not came.broken:
                call, one = bad[0]
                came.where = f"{shown(one.file)}:{one.line}" if one.file else ""
                came.broken.append((counterexample(seen, _misconduct(call, one)), {}))
            if seen.cut:
                came.cut = came.cut or seen.cut

    def settled(self) -> dict[str, Came]:
        """What was seen of conduct, at the end of all drills."""
        alike = self.conduct["deterministic"]
        if not alike.judged:
            alike.cut = alike.cut or self.conduct["total"].cut
        return self.conduct

    def compare(self, seen: Seen, other: Seen) -> None:
        came = self.conduct["deterministic"]
        came.judged += 1
        if other.cut:
            came.cut = came.cut or other.cut
        elif seen.alike() != other.alike() and not came.broken:
            why = f"run again, it went another way: {_difference(seen, other)}"
            came.broken.append((counterexample(seen, why), {}))

    def sweep(self) -> Iterator[Seen]:
        """A kill before the first write, after it, after the second, until nothing is left to kill."""
        for k in range(1 << 20):
            try:
                seen = self.run(killed_after(k))
            except CannotKill as error:
                self.unkilled = str(error)
                return
            yield seen
            if seen.cut or seen.ended.get(1) != "killed":
                return
            if self.kills is not None and k + 1 >= self.kills:
                self.unkilled = f"only the first {k + 1:,} kills were made"
                return

    def runs(self, obligation: Obligation) -> Iterator[Seen]:
        for drill in obligation.drills:
            if self.keyed or not any(call.key for _, call in drill.calls()):
                yield self.run(self.fitted(drill))
        if obligation.swept:
            yield from self.sweep()

    def fitted(self, drill: Drill) -> Drill:
        """The drill, with times that suit a policy that has a lifetime of its own."""
        if drill.lifetime != SHORT or not isinstance(self.lifetime, float):
            return drill
        scale = self.lifetime / SHORT

        def longer(call: Call) -> Call:
            return attrs.evolve(call, hold=call.hold * scale, after=call.after * scale)

        stages = tuple(
            tuple(attrs.evolve(life, calls=tuple(longer(call) for call in life.calls)) for life in stage)
            for stage in drill.stages
        )
        return Drill(stages, drill.pause * scale, self.lifetime)

    def examine(self, obligation: Obligation) -> Came:
        """Put the drills of an obligation to the policy until one breaks it or time is up."""
        came, ever, undone = Came(), False, 0
        if obligation.expires and (why := self.untimely()):
            return Came(cut=why, settles="an attribute `lifetime` in seconds, None for never, or a parameter of it")
        for seen in self.runs(obligation):
            ever = ever or bool(seen.world)
            if seen.cut:
                came.cut = f"{seen.cut} ({_which(seen)})"
                break
            if clause := obligation.broken(seen) if obligation.judged(seen) else "":
                came.broken.append((counterexample(seen, clause), {"world": [act.call for act in seen.world]}))
                break
            spoiled = any(told.kind in ("slip", "nonsense") for told in seen.told.values())
            came.spoiled += spoiled
            came.judged += not spoiled and (obligation.judged(seen) or obligation.swept)
            undone += not seen.acts()
            if time.monotonic() >= self.end:
                came.cut, came.settles = "the time limit was reached", "a higher time limit"
                break
        if obligation.swept:
            swept = [drill for drill in self.seen if drill.stages[0][0].kill is not None]
            killed = sum("killed" in self.seen[drill].ended.values() for drill in swept)
            came.facts |= {"kills": killed, "left undone": undone, "unit": "kills"}
            if self.unkilled and not came.broken and not came.cut:
                came.cut, came.settles = self.unkilled, "Linux, and leave to trace one's own processes"
            if came.judged and not came.cut and not came.broken:
                came.judged = killed
                came.reason = f"the effect was left undone in {undone}, as at most once allows" if undone else ""
        return came if ever or came.broken or came.cut or came.spoiled else Came()

    def untimely(self) -> str:
        """Why its expiry cannot be waited for, if it cannot."""
        if self.lifetime is None:
            return "it does not say for how long a claim or a key holds"
        if isinstance(self.lifetime, float) and not 0 < self.lifetime <= _LONGEST:
            return f"its lifetime of {self.lifetime:g} s is none, or longer than {_LONGEST:g} s, which is waited for"
        return ""


def judge(
    target: str,
    *,
    package: str | None = None,
    seed: int = 0,
    python: str | None = None,
    time_limit: float = 600.0,
    subject: str | None = None,
    promises: Collection[str] | None = None,
    only: Collection[str] | None = None,
    progress: Progress = silent,
    time_limit_per_story: float = 10.0,
    memory_limit: int = 4 << 30,
    kills: int | None = None,
    **ignored: object,
) -> list[Finding]:
    """What a policy keeps of a ledger's obligations: one finding each, then `total`, `contract`, `deterministic`.

    Args:
        target: ``module:attr`` or ``path.py:attr``, a class or a function that makes a policy of a folder's path.
        package: ``name==version`` of a package to install into an environment of its own and run there.
        seed: told and kept; nothing is drawn at random.
        python: the interpreter to run, instead of this one or the package's.
        time_limit: seconds in all; what is not drilled is UNDETERMINED.
        subject: the name to report instead of the target.
        promises: the obligations the package itself promises, where that is known.
        only: these obligations alone, and the rules of conduct.
        progress: is told how many drills were run, and how many processes were killed after a write.
        time_limit_per_story: seconds that one stage of a drill may take beside what it is to wait.
        memory_limit: bytes of address space of each process.
        kills: at most so many in a sweep; what is left out makes the answer UNDETERMINED, if nothing broke.

    Raises :class:`UsageError` for an unknown target and :class:`meshspec.errors.ModelError`, with the user's file and
    line, for a policy that cannot be loaded or made.
    """
    names = [name for name in ROLE.names if only is None or name in only or name in ROLE.conduct]
    told = subject or target
    replay = f"meshspec check {shlex.quote(told)} --role ledger --seed {seed}"
    replay += f" --with {package}" if package else ""
    teller = _Teller(ROLE, told, replay, promises, About(told, "", 0, 0))
    if not hasattr(os, "fork") or not hasattr(socket, "AF_UNIX"):
        why = f"the drills need fork and Unix sockets, and {platform.system()} has not both"
        return teller.nothing_known(names, why, "Linux, or another Unix")
    if package is not None and python is None:
        progress(f"install {package}: once, into an environment of its own")
    try:
        launch = launch_of(target, package, python, time_limit_per_story, memory_limit)
        progress(f"load {told}: in a process of its own")
        with ExitStack() as stack:
            runner = stack.enter_context(Runner(launch))
            nursery = runner.nurseries[0]
            teller.about = nursery.about
            examiner = _Examiner(runner, time.monotonic() + time_limit, kills, progress, told)
            came, whole = {one.name: Came() for one in obligations() if one.name in names}, set[str]()
            try:
                if why := examiner.ask():
                    return teller.nothing_known(names, f"{why}, while it was being made", "a policy that comes back")
                examiner.run(retried(Call()))  # conduct is seen on that whatever is asked
                for one in (each for each in obligations() if each.name in came):
                    came[one.name] = examiner.examine(one)
                    whole.add(one.name)
            except KeyboardInterrupt:
                interrupt(came, whole)
                interrupt(examiner.conduct)
            runs = runner.runs
        did = list(dict.fromkeys(line for one in runner.nurseries for line in one.conduct()))
        progress("")
        came |= examiner.settled()
        findings = [_reasoned(teller.finding(name, came[name]), came[name].spoiled) for name in names]
        facts: dict[str, object] = {"fences": nursery.fences(), "seed": seed, "drills run": runs}
        facts |= {"printed": nursery.printed, "printed bytes": nursery.printed_bytes} if nursery.printed else {}
        facts |= ({"did": did} if did else {}) | ({"package": package} if package else {})
        return [attrs.evolve(finding, facts={**finding.facts, **facts}) for finding in findings]
    except CannotInstall as error:
        reason = f"{package} cannot be installed: {error}"
        return teller.nothing_known(names, reason, "an environment that has the package")
    except NotLoaded as error:
        return teller.nothing_known(names, str(error), "a policy that loads, or a longer time limit")


def _reasoned(finding: Finding, spoiled: int) -> Finding:
    if finding.answer is Answer.VACUOUS:
        why = "no drill ended in answers (see total, contract)" if spoiled else "no effect was ever performed"
        return attrs.evolve(finding, reason=f"nothing was evaluated: {why}")
    return finding


def _misconduct(call: str, told: Told) -> str:
    where = "while it was being made" if call.endswith(".0") else f"in {spoken(call)}"
    if told.kind == "slip":
        return f"{where} it raised {told.said}"
    return f"{where} it answered {told.said}, which is no answer of a ledger"


def _difference(seen: Seen, other: Seen) -> str:
    for call in sorted({*seen.told, *other.told}):
        one, two = seen.told.get(call), other.told.get(call)
        words = [(told.word or f"{told.kind} {told.said}") if told else "no answer" for told in (one, two)]
        if words[0] != words[1]:
            return f"{spoken(call)} first came to {words[0]}, then to {words[1]}"
    return f"first the world saw {len(seen.world)} effects, then {len(other.world)}"


def _which(seen: Seen) -> str:
    """In which drill something was cut short."""
    kills = [life.kill for stage in seen.drill.stages for life in stage if life.kill is not None]
    where = f", which is to be killed after write {kills[0]}" if kills else ""
    return f"in the drill that begins: {counterexample(seen, '').steps[0].action}{where}"
