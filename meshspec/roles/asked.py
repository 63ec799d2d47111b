"""The parent's side of a role whose policies are asked questions: two processes, answers read, findings told.

The processes differ in their hash seed, their locale and their time zone, and one of them is asked in the other
order. The child's side is :mod:`meshspec.roles.asked_host`.
"""

from __future__ import annotations

import shlex
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from pathlib import Path
from typing import Any, ClassVar

import attrs
import msgspec

from meshspec.answer import Answer, Counterexample, Finding, Strength
from meshspec.progress import Progress
from meshspec.roles.environments import CannotInstall
from meshspec.roles.hosted import Hosted, Launch, NotLoaded, shown
from meshspec.roles.owed import Duty, Role
from meshspec.roles.protocol import About, Outcome, Spoiled
from meshspec.roles.retell import launch_of

BATCH = 256
SURROUNDINGS = (
    (("LC_ALL", "C"), ("TZ", "UTC0")),
    (("LC_ALL", "C.UTF-8"), ("TZ", "EAST-9")),
)
"""In what the processes differ, beside their hash seeds."""

Question = Sequence[object]


class Asking(Hosted):
    """A policy in a child process that is asked questions."""

    def __init__(self, launch: Launch, hash_seed: int, host: str, read: Callable[[bytes], Any]) -> None:
        self.host = Path(__file__).with_name(f"{host}.py")
        self._read = read
        super().__init__(launch, hash_seed)

    def __enter__(self) -> Asking:
        return self

    def ask(self, questions: Sequence[Question]) -> list[Any]:
        """What it answered, in order; fewer than asked only if the last one is an :class:`Outcome` of being cut."""
        if self._child is None:
            try:
                self._start()
            except (NotLoaded, ValueError) as error:  # it loaded before
                return [Outcome("ended", 0, f"it could not be loaded again: {error}")]
        found: list[Any] = []
        self._send(questions)
        while len(found) < len(questions):
            told = self._line(self.launch.limit)
            try:
                found.append(self._read(told) if isinstance(told, bytes) else self._cut(told))
            except Spoiled:
                found.append(self._cut("spoiled"))
            if isinstance(found[-1], Outcome):
                break
        return found


def reader(kind: Any) -> Callable[[bytes], Any]:
    """Reads a line of a child without believing it; raises :class:`Spoiled` for what none writes."""
    decoder: msgspec.json.Decoder[Any] = msgspec.json.Decoder(kind)

    def read(line: bytes) -> Any:
        try:
            return decoder.decode(line)
        except (ValueError, RecursionError):
            raise Spoiled from None

    return read


@attrs.define
class Session:
    """The same policy in two processes."""

    hosts: tuple[Asking, Asking]
    progress: Callable[[int], None]
    end: float
    run: int = 0

    def drive(self, questions: Sequence[Question]) -> Iterator[tuple[int, Any, Any]]:
        """Each question's number with what the two made of it; the one that was cut short is the last, twice over.

        The second process is asked in the other order. Where one of them was cut, no more is asked, and what only one
        of them came to stands first, with None for the other.
        """
        for start in range(0, len(questions), BATCH):
            if self.late:
                return
            batch = questions[start : start + BATCH]
            self.progress(self.run)
            with ThreadPoolExecutor(2) as pool:
                forward = pool.submit(self.hosts[0].ask, batch)
                backward = pool.submit(self.hosts[1].ask, batch[::-1])
                try:
                    first = dict(enumerate(forward.result()))
                    other = dict(zip(range(len(batch) - 1, -1, -1), backward.result(), strict=False))
                except KeyboardInterrupt:  # the rest of the batch may take long
                    for host in self.hosts:
                        host.stop()
                    raise
            cut: dict[int, Any] = {}
            for held in (first, other):
                cut |= {i: said for i, said in held.items() if isinstance(said, Outcome)}
            for i in range(len(batch)):
                if (i in first or i in other) and i not in cut:
                    self.run += 1
                    yield start + i, first.get(i, other.get(i)), other[i] if i in first and i in other else None
            if cut:
                i = min(cut)
                yield start + i, cut[i], cut[i]
                return

    @property
    def late(self) -> bool:
        return time.monotonic() >= self.end


@attrs.define
class Seen:
    """What came of the questions of one obligation.

    Of ``judged`` there was an answer, ``refused`` were refused and ``spoiled`` ended in an error or in nonsense.
    ``broken`` are the counterexamples that were found, the one to be told first, with what is told of each; ``cut``
    says how it ended where it did.
    """

    judged: int = 0
    refused: int = 0
    spoiled: int = 0
    broken: list[tuple[Counterexample, Mapping[str, object]]] = attrs.field(
        factory=list[tuple[Counterexample, Mapping[str, object]]]
    )
    cut: str = ""
    where: str = ""
    facts: dict[str, object] = attrs.field(factory=dict[str, object])
    reason: str = ""
    settles: str = "a policy that comes back, or a higher limit"


INTERRUPTED = "interrupted"


def interrupt(seen: Mapping[str, Seen], whole: Collection[str] = ()) -> None:
    """The user ended it: what is `whole` or found broken stays as it is, the rest is not known."""
    for name, one in seen.items():
        if name not in whole and not one.cut:
            one.cut, one.settles = INTERRUPTED, "the same command, left to its end"
            one.facts["cut"] = INTERRUPTED


@attrs.define
class Teller:
    """Findings about one policy in one role."""

    role: Role
    subject: str
    replay: str
    promises: Collection[str] | None
    about: About
    one_of: ClassVar[Mapping[str, str]] = {"stories": "story", "pairs": "pair", "runs": "run"}

    def facts(self, owed: Duty) -> dict[str, object]:
        told: dict[str, object] = {"says": owed.says, "stands for": list(owed.stands_for)}
        told["in production"] = owed.in_production
        if self.about.file:
            told["policy"] = f"{shown(self.about.file)}:{self.about.line}"
        if self.promises is not None:
            told["promised"] = owed.name in self.promises
        return told

    def counted(self, count: int) -> str:
        """A number of what the role counts."""
        return f"{count:,} {self.role.unit if count != 1 else self.one_of[self.role.unit]}"

    def finding(self, name: str, seen: Seen) -> Finding:
        """The finding of one obligation or rule of conduct."""
        owed = self.role.owed(name)
        facts: dict[str, object] = self.facts(owed) if owed else {"says": self.role.conduct[name]}
        facts |= {"unit": self.role.unit, **seen.facts}
        facts |= {"refused": seen.refused} if seen.refused else {}
        answer, reason, known, settles, path = Answer.HOLDS, seen.reason, "", "", None
        if seen.broken:
            answer = Answer.VIOLATED
            path, more = seen.broken[0]
            reason, facts = path.failed, {**facts, **more, "violated": len(seen.broken)}
        elif seen.cut:
            answer, reason, known = Answer.UNDETERMINED, seen.cut, f"kept on {self.counted(seen.judged)}"
            settles = seen.settles
        elif not seen.judged:
            refused = f"{'' if seen.spoiled else 'all '}{self.counted(seen.refused)} were refused"
            spoiled = f"{self.counted(seen.spoiled)} ended without an answer (see total, contract)"
            why = " and ".join([refused] * bool(seen.refused) + [spoiled] * bool(seen.spoiled))
            answer, reason = Answer.VACUOUS, "nothing was evaluated" + (f": {why}" if why else "")
        elif seen.spoiled:
            answer, known = Answer.UNDETERMINED, f"kept on {self.counted(seen.judged)}"
            reason = f"{self.counted(seen.spoiled)} ended without an answer (see total, contract)"
            settles = "a policy that answers every time"
        elif seen.refused:
            reason = f"{self.counted(seen.refused)} more were refused, which is no answer and no breach"
        return Finding(
            self.subject,
            name,
            answer,
            "judge",
            kind="obligation" if owed else name,
            strength=Strength.TESTED if answer is Answer.HOLDS else None,
            tested=seen.judged,
            counterexample=path,
            reason=reason,
            known=known,
            settles=settles,
            replay=self.replay,
            where=stated(self.role, name) if owed else seen.where or self.policy(self.about.observe),
            facts=facts,
        )

    def policy(self, line: int) -> str:
        return f"{shown(self.about.file)}:{line}" if self.about.file else ""

    def nothing_known(self, names: Sequence[str], reason: str, settles: str) -> list[Finding]:
        """UNDETERMINED throughout, because nothing could be asked."""
        told = [attrs.evolve(self.finding(name, Seen(cut=reason)), settles=settles, known="") for name in names]
        return [attrs.evolve(finding, tested=0) for finding in told]


def stated(role: Role, name: str) -> str:
    """File and line at which an obligation is stated."""
    source = (Path(__file__).parents[2] / role.where).read_text(encoding="utf-8").splitlines()
    stands = f'"{name}",'
    return f"{role.where}:{next(i for i, line in enumerate(source, 1) if line.strip() == stands)}"


@attrs.frozen
class Asked:
    """What every role of this kind is asked to do; see :func:`meshspec.roles.known.judge`."""

    target: str
    package: str | None
    seed: int
    python: str | None
    time_limit: float
    time_limit_per_story: float
    memory_limit: int
    subject: str | None
    promises: Collection[str] | None
    only: Collection[str] | None
    progress: Progress


def judged(
    role: Role,
    asked: Asked,
    host: str,
    read: Callable[[bytes], Any],
    examine: Callable[[Session, Asked], Mapping[str, Seen]],
) -> list[Finding]:
    """Load the policy twice, have it examined, and tell what was seen of each name that is asked for."""
    names = [name for name in role.names if asked.only is None or name in asked.only or name in role.conduct]
    subject = asked.subject or asked.target
    replay = f"meshspec check {shlex.quote(subject)} --role {role.name} --seed {asked.seed}"
    replay += f" --with {asked.package}" if asked.package else ""
    teller = Teller(role, subject, replay, asked.promises, About(subject, "", 0, 0))
    if asked.package is not None and asked.python is None:
        asked.progress(f"install {asked.package}: once, into an environment of its own")
    try:
        launch = launch_of(asked.target, asked.package, asked.python, asked.time_limit_per_story, asked.memory_limit)
        asked.progress(f"load {subject}: in a process of its own")
        with ExitStack() as stack:
            one, other = hosts = (
                stack.enter_context(Asking(attrs.evolve(launch, environment=SURROUNDINGS[0]), 1, host, read)),
                stack.enter_context(Asking(attrs.evolve(launch, environment=SURROUNDINGS[1]), 2, host, read)),
            )
            teller.about = one.about
            end = time.monotonic() + asked.time_limit
            session = Session(hosts, lambda n: asked.progress(f"judge {subject}: {n:,} {role.unit}"), end)
            seen = examine(session, asked)
        asked.progress("")
        findings = [teller.finding(name, seen[name]) for name in names]
        told = list(dict.fromkeys(line for process in (one, other) for line in process.conduct()))
        facts: dict[str, object] = {"fences": one.fences(), "seed": asked.seed}
        facts |= {"printed": one.printed, "printed bytes": one.printed_bytes} if one.printed else {}
        facts |= ({"did": told} if told else {}) | ({"package": asked.package} if asked.package else {})
        return [attrs.evolve(finding, facts={**finding.facts, **facts}) for finding in findings]
    except CannotInstall as error:
        reason = f"{asked.package} cannot be installed: {error}"
        return teller.nothing_known(names, reason, "an environment that has the package")
    except NotLoaded as error:
        return teller.nothing_known(names, str(error), "a policy that loads, or a longer time limit")
