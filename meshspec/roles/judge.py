"""Does this policy keep what its role owes? Every story up to a length, then longer ones, each to a fresh policy.

Two processes with different hash seeds see the same stories, one of them in reverse order: where their answers
differ the policy is not deterministic. Nothing a policy does reaches more than its own line of the report.

Soundness: VIOLATED comes with a story anybody can replay. Completeness: HOLDS is *tested*, for the stories counted,
in their renderings, and for the drills of its life (:mod:`meshspec.roles.living`).
"""

from __future__ import annotations

import itertools
import random
import shlex
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from typing import cast

import attrs

from meshspec.answer import Finding
from meshspec.errors import MeshspecError, UsageError
from meshspec.progress import Progress, silent
from meshspec.roles.asked import INTERRUPTED
from meshspec.roles.breaker import Bound, Obligation, fields_of, obligations
from meshspec.roles.environments import CannotInstall
from meshspec.roles.hosted import Drill, Hosted, Launch, NotLoaded
from meshspec.roles.life import names
from meshspec.roles.living import FORGETS, ZONE, asked, examine, forgets, not_asked
from meshspec.roles.protocol import Outcome
from meshspec.roles.retell import launch_of
from meshspec.roles.story import FIELDS, HORIZON, SHAPES, Story
from meshspec.roles.telling import CONDUCT, Conduct, Tally, Teller, story_of

_BATCHES = (1, 8, 16, 32, 64, 128, 256, 512)
_HOPELESS = 500  # stories spoiled, and none judged: the policy raises or answers nonsense on all of them
_ONCE = tuple(
    i for i, s in enumerate(SHAPES) if "fresh" not in s and s.arguments == "constant" and s.rank != "decreasing"
)
_DONE = tuple(i for i in _ONCE if SHAPES[i].success and SHAPES[i].rank == "absent")


class Session:
    """The same policy in two processes."""

    def __init__(self, hosts: Sequence[Hosted], progress: Callable[[int], None]) -> None:
        self.hosts = hosts
        self.progress = progress
        self.conduct = Conduct()

    def drive(self, stories: Sequence[Story]) -> list[Outcome]:
        """What the first process made of the stories, up to the first that was cut short."""
        self.progress(self.conduct.run)
        with ThreadPoolExecutor(2) as pool:
            forward = pool.submit(self.hosts[0].run, stories)
            backward = pool.submit(self.hosts[1].run, stories[::-1])
            try:
                first = dict(enumerate(forward.result()))
                other = dict(zip(range(len(stories) - 1, -1, -1), backward.result(), strict=False))
            except KeyboardInterrupt:  # the rest of the batch may take long
                for host in self.hosts:
                    host.stop()
                raise
        for i, story in enumerate(stories):
            if outcomes := [outcomes[i] for outcomes in (first, other) if i in outcomes]:
                self.conduct.note(story, outcomes)
        return list(first.values())


def judge(
    target: str,
    *,
    role: str = "breaker",
    package: str | None = None,
    seed: int = 0,
    time_limit_per_story: float = 10.0,
    python: str | None = None,
    bound: Bound | None = None,
    walk: int = 100,
    time_limit: float = 600.0,
    memory_limit: int = 4 << 30,
    subject: str | None = None,
    promises: Collection[str] | None = None,
    only: Collection[str] | None = None,
    progress: Progress = silent,
) -> list[Finding]:
    """What a policy keeps of its role's obligations: one finding each, then `total`, `contract`, `deterministic`.

    An obligation about something that the policy does not offer is not asked; the fact ``not asked`` tells which.

    Args:
        target: ``module:attr`` or ``path.py:attr``, a class or a function of no arguments that makes a policy.
        package: ``name==version`` of a package to install into an environment of its own and run there.
        seed: of the walk over longer stories.
        time_limit_per_story: seconds of wall clock; a policy that needs longer is taken to hang.
        python: the interpreter to run, instead of this one or the package's.
        bound: up to which length all stories are driven.
        walk: longer stories for each obligation, and as many again that owe nothing.
        time_limit: seconds in all, half of what is left for each obligation; what is not driven is UNDETERMINED.
        memory_limit: bytes of address space of each process.
        subject: the name to report instead of the target.
        promises: the obligations the package itself promises, where that is known.
        only: ask these obligations alone, and the rules of conduct.
        progress: is told which obligation is being put to the policy, and how many stories it has seen.

    Raises :class:`UsageError` for an unknown role or target and :class:`meshspec.errors.ModelError`, with the user's
    file and line, for a policy that cannot be loaded or made.
    """
    known_role(role)
    replay = f"meshspec check {shlex.quote(subject or target)} --role {role} --seed {seed}"
    if bound is not None and bound.prefix != Bound().prefix:
        replay += f" --prefix {bound.prefix}"
    teller = Teller(subject or target, replay + (f" --with {package}" if package else ""), promises)
    if package is not None and python is None:
        progress(f"install {package}: once, into an environment of its own")
    try:
        launch = launch_of(target, package, python, time_limit_per_story, memory_limit)
        progress(f"load {teller.subject}: in a process of its own")
        with ExitStack() as stack:
            hosts = [stack.enter_context(Hosted(launch, hash_seed)) for hash_seed in (1, 2)]
            session = Session(hosts, lambda seen: progress(f"judge {teller.subject}: {seen:,} stories"))
            teller.about = hosts[0].about
            offered = hosts[0].about.offers
            end = time.monotonic() + time_limit
            chosen = {name for name in names() if only is None or name in only}
            findings = list[Finding]()
            try:
                for finding in _judge(session, teller, bound or Bound(), seed, walk, end, chosen):
                    findings.append(finding)
                findings[-len(CONDUCT) : -len(CONDUCT)] = _lived(launch, teller, findings, end, chosen, progress)
            except KeyboardInterrupt:
                findings = _interrupted(teller, findings, offered, chosen)
        progress("")
        facts = {"printed": hosts[0].printed, "printed bytes": hosts[0].printed_bytes} if hosts[0].printed else {}
        told = dict.fromkeys(line for host in hosts for line in host.conduct())
        facts = {**facts, "fences": hosts[0].fences(), **({"did": list(told)} if told else {})}
        facts = {**facts, "seed": seed, "walk": walk, **({"package": package} if package else {})}
        facts = {**facts, "not asked": [line for line in not_asked(offered) if line.partition(":")[0] in chosen]}
        return [attrs.evolve(finding, facts={**finding.facts, **facts}) for finding in findings]
    except CannotInstall as error:
        known = f"{package} cannot be installed: {error}", "an environment that has the package"
    except NotLoaded as error:
        known = str(error), "a policy that loads, or a longer time limit"
    always = {*(one.name for one in obligations()), *(one.name for one in asked(()))}
    return teller.nothing_known(*known, always if only is None else always & set(only))


def _interrupted(
    teller: Teller, findings: Sequence[Finding], offered: Sequence[str], chosen: Collection[str]
) -> list[Finding]:
    """What was answered by then, and the rest UNDETERMINED: the user ended it."""
    owed = set(chosen) & {*(one.name for one in obligations()), *(one.name for one in asked(offered))}
    rest = teller.nothing_known(INTERRUPTED, "the same command, left to its end", owed)
    answered = {finding.property: finding for finding in findings}
    rest = [attrs.evolve(finding, facts={**finding.facts, "cut": INTERRUPTED}) for finding in rest]
    return [answered.get(finding.property, finding) for finding in rest]


def known_role(role: str) -> None:
    """Raise :class:`UsageError` for what is no role."""
    if role != "breaker":
        raise UsageError(f"there is no role {role!r}: the roles are breaker")


def _lived(
    launch: Launch,
    teller: Teller,
    findings: Sequence[Finding],
    end: float,
    chosen: Collection[str],
    progress: Progress,
) -> list[Finding]:
    """What the policy keeps in its life, in a process where the clocks are ours; and what it was seen to forget."""
    ours = attrs.evolve(launch, zone=ZONE)
    told: list[Finding] = []
    try:
        with Hosted(ours, hash_seed=1) as host:
            for finding in findings:
                story = finding.facts.get("told")
                if finding.kind == "obligation" and finding.facts.get("tripped at step", 0) is None and story:
                    drill = Drill((), (story_of(story),))
                    if forgets(host, drill):
                        cast("dict[str, object]", finding.facts)["memory"] = FORGETS
            told = list(examine(host, teller, end, chosen, lambda name: progress(f"judge {teller.subject}: {name}")))
    except (NotLoaded, MeshspecError) as error:
        reason = f"it loads, and not where the clocks are ours: {error}"
        names = [one.name for one in asked(teller.about.offers) if one.name in chosen]
        told = [f for f in teller.nothing_known(reason, "a policy that loads there", names) if f.kind == "obligation"]
    return told


def _judge(
    session: Session, teller: Teller, bound: Bound, seed: int, walk: int, end: float, chosen: Collection[str]
) -> Iterator[Finding]:
    for obligation in (one for one in obligations() if one.name in chosen):
        share = (end - time.monotonic()) / 2  # a slow one leaves something to those after it
        seen = _examine(session, obligation, obligation.stories(bound), Tally(), time.monotonic() + share)
        if not seen.over and seen.owed:
            chance = random.Random(f"{seed} {obligation.name}")  # what one obligation met changes no other's walk
            longer = [_longer(obligation, chance) for _ in range(walk)]
            seen = _examine(session, obligation, longer, seen, end)
            if seen.broken is not None:
                seen.broken = _shrunk(session, obligation, *seen.broken)
                seen.how = "shrunk"
        yield teller.obligation(obligation, seen, bound)
    chance = random.Random(f"{seed} any")
    for batch in _batches(_any_story(chance) for _ in range(walk)):
        session.conduct.out_of_time = time.monotonic() >= end
        if session.conduct.out_of_time or len(session.drive(batch)) < len(batch):
            break
    yield from teller.conduct(session.conduct)


def _examine(session: Session, obligation: Obligation, stories: Iterable[Story], seen: Tally, end: float) -> Tally:
    """Drive the stories until one breaks the obligation, is cut short, or time is up."""
    for batch in _batches(stories):
        if time.monotonic() >= end:
            seen.out_of_time = True
            return seen
        for story, outcome in zip(batch, session.drive(batch), strict=False):
            seen.owed += 1
            if outcome.cut:
                seen.cut = (story, outcome)
                return seen
            if not outcome.answered:
                seen.spoiled += 1
                if seen.spoiled >= _HOPELESS and not seen.judged:
                    return seen
                continue
            if not obligation.owed(story, outcome.tripped):
                continue
            seen.judged += 1
            if obligation.broken(story, outcome.tripped):
                seen.broken = (story, outcome)
                return seen
            if outcome.tripped is not None:
                seen.first_trip = seen.first_trip or outcome.tripped
                seen.last_trip = max(seen.last_trip or 0, outcome.tripped)
    return seen


def _batches(stories: Iterable[Story]) -> Iterator[list[Story]]:
    """A few stories first, for most broken obligations break at once; then many, for speed."""
    rest = iter(stories)
    for size in itertools.chain(_BATCHES, itertools.repeat(_BATCHES[-1])):
        batch = list(itertools.islice(rest, size))
        if not batch:
            return
        yield batch


def _longer(obligation: Obligation, chance: random.Random) -> Story:
    """A story that owes the obligation and is longer than any before: prefix, length, and any order of the loop."""
    size = chance.choice(obligation.premise.between) + 1
    loop = list(chance.choice(obligation.premise.loops(size)))
    chance.shuffle(loop)
    before = _ONCE if obligation.must_trip else _DONE  # a long run of failures may be stopped before the loop begins
    long = chance.random() < 0.2  # a policy may stop watching after a while
    prefix = tuple(chance.choice(before) for _ in range(chance.randint(60, 240) if long else chance.randint(4, 12)))
    field = chance.choice(fields_of(tuple(loop)))
    return obligation.story(prefix, tuple(loop), chance.random() < 0.5, field, len(prefix) + 3 * HORIZON)


def _any_story(chance: random.Random) -> Story:
    """Any story at all, with loops of up to six steps: none may make a policy raise, or differ from itself."""
    prefix = tuple(chance.choice(_ONCE) for _ in range(chance.randint(0, 8)))
    loop = tuple(chance.randrange(len(SHAPES)) for _ in range(chance.randint(1, 6)))
    steps = len(prefix) + chance.randint(1, 3) * HORIZON
    return Story(prefix, loop, chance.random() < 0.5, chance.choice(FIELDS), steps)


def _shrunk(session: Session, obligation: Obligation, story: Story, outcome: Outcome) -> tuple[Story, Outcome]:
    """Leave out steps of the prefix, and shorten the run, as long as the obligation stays broken."""
    shorter = True
    while shorter:
        shorter = False
        for i in range(len(story.prefix)):
            prefix = story.prefix[:i] + story.prefix[i + 1 :]
            tried = story._replace(prefix=prefix, steps=story.steps - 1)
            found = session.drive([tried])[0]
            owed = found.answered and obligation.owed(tried, found.tripped)
            if owed and obligation.broken(tried, found.tripped):
                story, outcome, shorter = tried, found, True
                break
    return story, outcome
