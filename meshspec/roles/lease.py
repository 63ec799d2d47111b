"""The role `lease`: what is owed by whatever decides who may work on something now.

A policy is made as ``Leases(clock, seconds)`` and has ``acquire(key, holder)``, which answers a number or None, and
``renew``, ``release`` and ``commit(key, number)``, which answer whether the lease of that number is live and so
whether that may be done. The clock is a function that tells seconds, and the check moves it. Keys are tuples of four
texts: failure, strategy, its version, budget key.

Put to a fresh policy each: every run of calls up to a length, over two keys, two holders and waits that end before,
at and after the end of a lease; then longer ones with three holders, drawn with the seed; and a second acquire at
every line of a first one.

Soundness: VIOLATED comes with the run. Completeness: HOLDS is *tested*, for the runs counted. Misses: a restart of
the process or of the store, several processes over one store, clocks that disagree, and more than two calls at once.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import attrs
import msgspec

from meshspec.answer import Counterexample, Finding, Step
from meshspec.progress import Progress, silent
from meshspec.roles.asked import Asked, Seen, Session, interrupt, judged, reader
from meshspec.roles.hosted import shown
from meshspec.roles.lease_rules import (
    AGREE,
    CLOCK,
    FENCE,
    FREE,
    NAME,
    ORPHAN,
    UNIQUE,
    Call,
    Rules,
    disagreements,
    sides,
)
from meshspec.roles.lease_runs import BASE, OTHERS, Run, answer, longer, plain, runs, words
from meshspec.roles.owed import Owed, Role
from meshspec.roles.protocol import Outcome

SECONDS = 10.0
"""How long a lease lives in the check."""

ROLE = Role(
    name="lease",
    contract="made as Leases(clock, seconds); acquire(key, holder) answers a number or None; renew, release and "
    "commit(key, number) answer True or False",
    obligations=(
        Owed(
            "one-holder-at-a-time",
            "while a lease is live nobody else is granted its key, whatever comes in between",
            ("LEASE-UNIQUE",),
            "Two workers look, find the key free, and both repair the same thing.",
        ),
        Owed(
            "free-key-is-granted",
            "a key that nobody holds is granted, in whichever part it differs from those that are held",
            ("LEASE-KEY",),
            "One repair keeps out another that has nothing to do with it, and the second failure stays.",
        ),
        Owed(
            "expired-lease-is-reclaimed",
            "once a lease has ended its key is granted to whoever asks",
            ("LEASE-ORPHAN",),
            "A worker dies with its lease, and nobody is ever let at the work again.",
        ),
        Owed(
            "late-holder-is-fenced",
            "numbers grow, and under a number that was superseded or given back nothing may be done",
            ("LEASE-FENCE",),
            "A worker that was paused wakes up and writes over what its successor has done.",
        ),
        Owed(
            "granter-and-holder-agree",
            "at no instant may the holder still act while the key would be granted to another",
            ("LEASE-AGREE",),
            "For a moment two are in the right, each by its own reading of the clock.",
        ),
        Owed(
            "lease-lasts-its-time",
            "from its grant, and from each renewal, a lease lives its whole time: the holder may act, renew, release",
            ("LEASE-CLOCK",),
            "Work that waited long in a queue starts with a lease that is already about to end.",
        ),
        Owed(
            "name-used-again-is-another-holder",
            "whoever asks under a name that holds the lease gets nothing, or a greater number, never the same one",
            ("LEASE-IDENTITY",),
            "A restarted worker goes by its old name, and old and new both hold one lease.",
        ),
    ),
    reference="meshspec.policies.lease:Leases",
    incidents={
        UNIQUE: "meshspec.roles.lease_incidents:ChecksThenInserts",
        FREE: "meshspec.roles.lease_incidents:KeyedByFailure",
        ORPHAN: "meshspec.roles.lease_incidents:NeverReclaims",
        FENCE: "meshspec.roles.lease_incidents:TrustsWhoeverComes",
        AGREE: "meshspec.roles.lease_incidents:HolderHasGrace",
        CLOCK: "meshspec.roles.lease_incidents:CountsTheQueue",
        NAME: "meshspec.roles.lease_incidents:KnowsTheName",
    },
    conduct={
        "total": "it raises in no run",
        "contract": "acquire answers a number or None, renew, release and commit True or False",
        "deterministic": "it answers the same run the same way in every process",
    },
    unit="runs",
    where="meshspec/roles/lease.py",
    brief={"length": 4, "walk": 100},
)


class _Ran(msgspec.Struct, array_like=True, tag="ran", forbid_unknown_fields=True):
    said: list[int | bool | str | None]
    kind: str
    what: str
    line: int
    file: str


class _Raced(msgspec.Struct, array_like=True, tag="raced", forbid_unknown_fields=True):
    met: list[tuple[int, int | str | None, int | str | None]]


class _Memory(msgspec.Struct, array_like=True, tag="memory", forbid_unknown_fields=True):
    pass


class _Replaced(msgspec.Struct, array_like=True, tag="replaced", forbid_unknown_fields=True):
    said: str
    file: str
    line: int


@attrs.define
class _Examination:
    session: Session
    seen: dict[str, Seen] = attrs.field(factory=lambda: {name: Seen() for name in ROLE.names})
    found_by: dict[str, tuple[int, Run]] = attrs.field(factory=dict[str, tuple[int, Run]])
    stopped: bool = False

    def question(self, other: int, run: Run) -> list[object]:
        return ["run", [BASE, OTHERS[other]], [list(call) for call in run]]

    def put(self, batch: Sequence[tuple[int, Run]], how: str) -> None:
        """Put runs to the policy; those of one batch that begin alike are held against each other."""
        if self.stopped:
            return
        letting: dict[tuple[int, Run], list[tuple[str, int, str]]] = {}
        met = 0
        for i, first, other in self.session.drive([self.question(*one) for one in batch]):
            which, run = batch[i]
            if isinstance(first, Outcome):
                self.cut(f"{first.said} at call {first.step} of the run {'; '.join(map(plain, run))}")
                return
            met += 1
            if isinstance(first, _Ran) and (other is None or isinstance(other, _Ran)):
                self.note(which, run, first, other or first, how)
                if not first.kind and (side := sides(run, first.said)) is not None:
                    beginning = letting.setdefault((which, run[:-1]), [])
                    self.agreement(which, run[:-1], side, beginning)
            else:
                self.odd(which, run, first if not isinstance(first, _Ran) else other)
                if self.stopped:
                    return
        if met < len(batch):
            self.cut("the time limit was reached")

    def cut(self, why: str) -> None:
        self.stopped = True
        for seen in self.seen.values():
            seen.cut = seen.cut or why

    def odd(self, which: int, run: Run, told: Any) -> None:
        if isinstance(told, _Replaced):
            self.found("contract", which, run, (), told.said, "first found")
            self.seen["contract"].where = f"{shown(told.file)}:{told.line}" if told.file else ""
        else:
            self.cut(f"it ran into the memory limit in the run {'; '.join(map(plain, run))}")

    def note(self, which: int, run: Run, first: _Ran, other: _Ran, how: str) -> None:
        for name in ("total", "contract", "deterministic"):
            self.seen[name].judged += 1
        if (first.said, first.kind) != (other.said, other.kind):
            at = next((i for i, (a, b) in enumerate(zip(first.said, other.said, strict=False)) if a != b), -1)
            here, there = (answer(t.said[at]) if at >= 0 else t.what or "an answer" for t in (first, other))
            why = f"in one process it answered {here}, in another {there}"
            self.found("deterministic", which, run[: at + 1] if at >= 0 else run, first.said, why, how)
        for told in (first, other):
            if told.kind:
                self.ended(which, run, told, how)
        if first.kind:
            for name in {r.obligation for r in Rules(SECONDS).rulings(run, first.said)} or {FREE}:
                self.seen[name].spoiled += 1
        asked: set[str] = set()
        for ruling in Rules(SECONDS).rulings(run, first.said):
            asked.add(ruling.obligation)
            if ruling.broken:
                upto = ruling.step + 1
                self.found(ruling.obligation, which, run[:upto], first.said[:upto], ruling.broken, how)
                self.found_by.setdefault(ruling.obligation, (which, run[:upto]))
        for name in asked:
            self.seen[name].judged += 1

    def ended(self, which: int, run: Run, told: _Ran, how: str) -> None:
        name = "total" if told.kind == "raised" else "contract"
        upto = len(told.said) + 1
        if not self.seen[name].broken and told.file:
            self.seen[name].where = f"{shown(told.file)}:{told.line}"
        why = f"it raised {told.what}" if name == "total" else told.what
        self.found(name, which, run[:upto], told.said, why, how)

    def agreement(
        self, which: int, run: Run, side: tuple[tuple[str, int, str], bool], beginning: list[tuple[str, int, str]]
    ) -> None:
        call, let = side
        seen = self.seen[AGREE]
        seen.judged += call[0] != "acquire"
        if let:
            beginning.append(call)
        for holder, granter in disagreements(beginning):
            may = f"{holder[2]} is let {holder[0]}"
            why = f"{may}, and at the same instant {granter[2]} would be granted the key"
            both: Run = (*run, holder)
            self.found(AGREE, which, both, (), why, "shortest", instead=granter)

    def found(
        self, name: str, which: int, run: Run, said: Sequence[object], why: str, how: str, instead: Call | None = None
    ) -> None:
        if self.seen[name].broken:
            return  # runs come the shortest first
        notes = [answer(one) for one in said]
        steps = [
            Step(words(call, which), note="" if len(call) == 2 else (notes[i] if i < len(notes) else ""))
            for i, call in enumerate(run)
        ]
        if instead is not None:
            steps[-1] = attrs.evolve(steps[-1], note="True")
            steps.append(Step(f"or else {words(instead, which)}", note="granted"))
        self.seen[name].broken.append((Counterexample({}, tuple(steps), why, how), {}))

    def shrink(self, name: str) -> None:
        """Leave out calls of the run that breaks an obligation, as long as it stays broken."""
        which, run = self.found_by[name]
        smaller = True
        while smaller and not self.session.late:
            smaller, tried = False, [run[:i] + run[i + 1 :] for i in range(len(run))]
            for i, told, _ in self.session.drive([self.question(which, one) for one in tried]):
                if not isinstance(told, _Ran):
                    return
                for ruling in Rules(SECONDS).rulings(tried[i], told.said):
                    if ruling.obligation == name and ruling.broken:
                        run, smaller, upto = tried[i][: ruling.step + 1], True, ruling.step + 1
                        self.seen[name].broken.clear()
                        self.found(name, which, run, told.said[:upto], ruling.broken, "shrunk")
                        break
                if smaller:
                    break

    def race(self) -> None:
        """A second acquire at every line of a first one, on a fresh key and on one of which the lease has ended."""
        if self.stopped:
            return
        for expired in (False, True):
            for _, first, _ in self.session.drive([["race", BASE, expired]]):
                if isinstance(first, Outcome):
                    self.cut(f"{first.said} in an acquire that another came into")
                    return
                if isinstance(first, _Raced):
                    self.raced(first, expired)

    def raced(self, told: _Raced, expired: bool) -> None:
        seen = self.seen[UNIQUE]
        where = "on a key whose lease has ended" if expired else "on a key that nobody holds"
        for line, one, two in told.met:
            if isinstance(one, str) or isinstance(two, str):
                seen.spoiled += 1
                continue
            seen.judged += one is not None or two is not None
            if one is not None and two is not None and not seen.broken:
                name = "/".join(BASE)
                why = f"two acquires at once, {where}, were both granted"
                steps = (
                    Step(f"acquire({name}, ada) comes to line {line} and is held up there"),
                    Step(f"acquire({name}, ben)", note=answer(two)),
                    Step("the first one goes on", note=answer(one)),
                )
                seen.broken.append((Counterexample({}, steps, why, "shortest"), {"line": line}))


def _examine(session: Session, asked: Asked, length: int, walk: int) -> Mapping[str, Seen]:
    done = _Examination(session)
    try:
        _put_all(done, asked, length, walk)
    except KeyboardInterrupt:  # every run is asked about all of them, and none is finished before the last
        interrupt(done.seen)
    return done.seen


def _put_all(done: _Examination, asked: Asked, length: int, walk: int) -> None:
    done.race()
    for size in range(1, length + 1):
        for other in range(len(OTHERS)) if size <= 3 else (0,):
            done.put([(other, run) for run in runs(size)], "shortest")
    known = set(done.found_by)
    done.put(list(longer(asked.seed, walk)), "first found")
    for name in sorted(set(done.found_by) - known):
        done.shrink(name)


def judge(
    target: str,
    *,
    package: str | None = None,
    seed: int = 0,
    python: str | None = None,
    time_limit: float = 600.0,
    time_limit_per_story: float = 10.0,
    memory_limit: int = 4 << 30,
    subject: str | None = None,
    promises: Collection[str] | None = None,
    only: Collection[str] | None = None,
    length: int = 5,
    walk: int = 300,
    progress: Progress = silent,
) -> list[Finding]:
    """What a policy keeps of what a lease owes; see :func:`meshspec.roles.known.judge`.

    All runs of up to ``length`` calls are made, and ``walk`` longer ones; ``time_limit_per_story`` is for one run.
    """
    asked = Asked(
        target,
        package,
        seed,
        python,
        time_limit,
        time_limit_per_story,
        memory_limit,
        subject,
        promises,
        only,
        progress,
    )
    read = reader(_Ran | _Raced | _Memory | _Replaced)
    return judged(ROLE, asked, "lease_host", read, lambda session, asked: _examine(session, asked, length, walk))
