"""The role `identity`: what is owed by whatever gives an effect its name.

The contract is one method, ``key(effect)``, which gives a hashable value; equal keys mean one effect. A policy may
refuse an effect by raising an error: that is no answer and no breach, and is counted. It is shown every pair of
:mod:`meshspec.roles.pairs`, then pairs of which the arguments are wrapped in others, drawn with the seed; each in two
processes with different hash seeds, locales and time zones, with mappings and sets filled in either order.

Soundness: VIOLATED comes with the pair of effects, and the keys that they got. Completeness: HOLDS is *tested*, for
the pairs counted. Misses: what only other types of values, other versions of Python or a running system would show.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

import attrs
import msgspec

from meshspec.answer import Counterexample, Finding, Step
from meshspec.progress import Progress, silent
from meshspec.roles import pairs
from meshspec.roles.asked import SURROUNDINGS, Asked, Seen, Session, interrupt, judged, reader
from meshspec.roles.effects import Effect
from meshspec.roles.hosted import shown
from meshspec.roles.identity_words import words
from meshspec.roles.owed import Owed, Role
from meshspec.roles.protocol import Outcome
from meshspec.roles.wraps import wrapped

DIFFER, AGREE, SCOPES = "different-effects-differ", "equal-effects-agree", "scopes-tool-tenant-session"

ROLE = Role(
    name="identity",
    contract="key(effect) gives a hashable value, equal for one effect and for no two; or raises, which refuses it",
    obligations=(
        Owed(
            "different-effects-differ",
            "two effects that whoever receives them can tell apart get two keys",
            ("EL-NO-FALSE-SUPPRESS", "EL-DISTINCT"),
            "A payment is taken for the one before it and never made; the ledger reports it as done.",
        ),
        Owed(
            "equal-effects-agree",
            "one effect gets one key: in whatever order it was filled in, in every process and after every restart",
            ("EL-CONTENT-ADDR", "EL-MISS"),
            "A retry after a restart gets another key, and the payment is made twice.",
        ),
        Owed(
            "scopes-tool-tenant-session",
            "the same arguments for another tool, tenant or session are another effect",
            ("EL-TENANT",),
            "One customer's order is suppressed because another customer ordered the same.",
        ),
    ),
    reference="meshspec.policies.identity:CanonicalIdentity",
    incidents={
        DIFFER: "meshspec.roles.identity_incidents:TextOfArguments",
        AGREE: "meshspec.roles.identity_incidents:ArgumentsAsTheyCame",
        SCOPES: "meshspec.roles.identity_incidents:ForgetsWhose",
    },
    conduct={
        "total": "it gives a key or refuses, and raises nothing that tells of a slip",
        "contract": "its key is hashable, == on it says True or False, and the effect is left as it was",
        "deterministic": "it gives the same effect the same key again, whatever it was asked in between",
    },
    unit="pairs",
    where="meshspec/roles/identity.py",
)

PARTS = ("tool", "tenant", "session")


class _Key(msgspec.Struct, array_like=True, tag="key", forbid_unknown_fields=True):
    shown: str
    written: str | None


class _Refused(msgspec.Struct, array_like=True, tag="refused", forbid_unknown_fields=True):
    said: str


class _Slip(msgspec.Struct, array_like=True, tag="slip", forbid_unknown_fields=True):
    said: str
    file: str
    line: int


class _Nonsense(msgspec.Struct, array_like=True, tag="nonsense", forbid_unknown_fields=True):
    said: str


class _Asked(msgspec.Struct, array_like=True, tag="asked", forbid_unknown_fields=True):
    one: _Key | _Refused | _Slip | _Nonsense
    other: _Key | _Refused | _Slip | _Nonsense
    same: bool | None
    again: bool
    agrees: bool | None
    turned: _Key | _Refused | _Slip | _Nonsense
    kept: bool


class _Memory(msgspec.Struct, array_like=True, tag="memory", forbid_unknown_fields=True):
    pass


class _Replaced(msgspec.Struct, array_like=True, tag="replaced", forbid_unknown_fields=True):
    said: str
    file: str
    line: int


@attrs.frozen
class Ask:
    """A pair that is put to the policy: where it stands in the catalogue, and in what its arguments are wrapped."""

    pair: pairs.Pair
    number: int
    wraps: tuple[int, ...] = ()

    @property
    def question(self) -> tuple[object, ...]:
        return (self.pair.topic, self.number, list(self.wraps))

    @property
    def parts(self) -> tuple[str, ...]:
        """In which of tool, tenant and session the two differ."""
        return tuple(part for part in PARTS if getattr(self.pair.one, part) != getattr(self.pair.other, part))

    @property
    def obligation(self) -> str:
        if self.pair.relation == pairs.AGREE:
            return AGREE
        return SCOPES if self.parts and self.pair.topic == "scopes" else DIFFER

    @property
    def name(self) -> str:
        return self.pair.name + (", wrapped" if self.wraps else "")

    def words(self, which: int) -> str:
        effect = (self.pair.one, self.pair.other)[which]
        return words(effect._replace(arguments=wrapped(effect.arguments, self.wraps)))


def every_pair() -> Iterator[Ask]:
    """The catalogue, under the conventions that it has unless one says otherwise."""
    for topic in pairs.TOPICS:
        for number, pair in enumerate(pairs.catalogue(Effect, (topic,))):
            for one in pairs.judged([pair], {}):
                yield Ask(one, number)


def wrapped_pairs(seed: int, walk: int) -> Iterator[Ask]:
    """Pairs with their arguments wrapped up to three times over, drawn with the seed."""
    chance, known = random.Random(f"{seed} identity"), list(every_pair())
    for _ in range(walk):
        wraps = tuple(chance.randrange(4) for _ in range(chance.randint(1, 3)))
        yield attrs.evolve(chance.choice(known), wraps=wraps)


@attrs.define
class _Examination:
    """What has been seen so far, by obligation and rule."""

    session: Session
    seen: dict[str, Seen] = attrs.field(factory=lambda: {name: Seen() for name in ROLE.names})
    listed: dict[str, list[dict[str, Any]]] = attrs.field(factory=lambda: {name: [] for name in ROLE.names})
    unscoped: set[str] = attrs.field(factory=set[str])
    opaque: int = 0

    def group(self, name: str, asks: Sequence[Ask]) -> None:
        """Ask the pairs of one obligation; what cuts them short leaves the other obligations theirs."""
        met = 0
        for i, first, other in self.session.drive([ask.question for ask in asks]):
            if isinstance(first, Outcome):
                at = f"in call {first.step}" if first.step else "while it was being made"
                self.cut(name, f"{first.said} {at} of the pair {asks[i].name!r}")
                return
            met += 1
            self.note(asks[i], first, other)
        if met < len(asks):
            self.cut(name, "the time limit was reached")

    def cut(self, name: str, why: str) -> None:
        for one in {name, AGREE, *ROLE.conduct}:
            self.seen[one].cut = self.seen[one].cut or why

    def note(self, ask: Ask, first: Any, other: Any) -> None:
        """What two processes made of one pair, or one, and None."""
        both = [told for told in (first, other) if told is not None]
        for told in both:
            if isinstance(told, _Memory):
                self.cut(ask.obligation, f"it ran into the memory limit on the pair {ask.name!r}")
                return
            if isinstance(told, _Replaced):
                self.misconduct("contract", ask, told.said, (), told)
                return
        for told in both:
            self.conduct(ask, told)
        sides = [side for told in both for side in (told.one, told.other)]
        keys = any(isinstance(side, _Key) for side in sides)
        refused = all(isinstance(side, _Refused) for side in sides)
        self.seen["total"].judged += 1  # to refuse is no slip; the other rules are about keys
        self.seen["contract"].judged += keys or any(isinstance(side, _Nonsense) for side in sides)
        self.seen["deterministic"].judged += keys
        for name in ("contract", "deterministic"):
            self.seen[name].refused += refused
            self.seen[name].spoiled += not keys and not refused
        self.agreement(ask, both)
        kept = [told for told in both if told.same is not None]
        if ask.obligation == AGREE:
            self.pair(ask, first, broken=[t for t in kept if not t.same], judged=bool(kept))
            return
        self.pair(ask, first, broken=[t for t in kept if t.same], judged=bool(kept))

    def pair(self, ask: Ask, first: _Asked, *, broken: list[_Asked], judged: bool) -> None:
        name = ask.obligation
        if name == DIFFER and ask.parts and self.unscoped.intersection(ask.parts):
            name = SCOPES  # a policy that reads no tenant cannot confuse one tenant's name with another's
        seen = self.seen[name]
        if not judged:
            slipped = any(isinstance(side, _Slip | _Nonsense) for side in (first.one, first.other))
            seen.spoiled += slipped
            seen.refused += not slipped
            return
        seen.judged += 1
        if broken:
            sides = _sides(ask, broken[0])
            why = f"one effect, and {_two(sides)}" if name == AGREE else "two effects, and one key"
            self.broken(name, ask, f"{why}: {ask.pair.why}", sides)
            if ask.pair.topic == "scopes" and len(ask.parts) == 1:
                self.unscoped.update(ask.parts)

    def broken(self, name: str, ask: Ask, why: str, sides: Sequence[tuple[str, str]], how: str = "") -> None:
        told = ask.name + how
        entry = {"pair": told, "why": why, "effects": [w for w, _ in sides], "keys": [s for _, s in sides]}
        if any((known["pair"], known["why"]) == (told, why) for known in self.listed[name]):
            return
        self.listed[name].append(entry)
        steps = tuple(Step(what, note=said) for what, said in sides)
        self.seen[name].broken.append((Counterexample({}, steps, why, "simplest of the catalogue"), {}))
        self.seen[name].broken.sort(key=lambda one: _simple(one[0]))

    def conduct(self, ask: Ask, told: _Asked) -> None:
        for side, which in ((told.one, 0), (told.other, 1)):
            if isinstance(side, _Slip):
                self.misconduct("total", ask, f"it raised {side.said}", (which,), side)
            elif isinstance(side, _Nonsense):
                self.misconduct("contract", ask, side.said, (which,))
        if not told.kept:
            self.misconduct("contract", ask, "it changes the effect that it is asked about", (0, 1))
        if not told.again:
            why = "asked again about the same effect, it answered otherwise"
            self.misconduct("deterministic", ask, why, (0, 0))

    def misconduct(
        self, name: str, ask: Ask, why: str, which: tuple[int, ...], at: _Slip | _Replaced | None = None
    ) -> None:
        seen = self.seen[name]
        if not seen.broken:
            steps = tuple(Step(ask.words(i)) for i in which)
            seen.broken.append((Counterexample({}, steps, why, "first found"), {}))
            if at is not None and at.file:
                seen.where = f"{shown(at.file)}:{at.line}"

    def agreement(self, ask: Ask, both: Sequence[_Asked]) -> None:
        """Every effect is owed one key: filled in either order, and from process to process."""
        seen = self.seen[AGREE]
        for told in both:
            if told.agrees is False and isinstance(told.one, _Key) and isinstance(told.turned, _Key):
                sides = [(ask.words(0), f"key {told.one.shown}"), (ANEW, f"key {told.turned.shown}")]
                self.broken(AGREE, ask, f"one effect, and {_two(sides)}: it depends on how it was made", sides, AGAIN)
        seen.judged += both[0].agrees is not None
        if len(both) < 2:
            return
        first, other = both
        for which, here, there in ((0, first.one, other.one), (1, first.other, other.other)):
            if not (isinstance(here, _Key) and isinstance(there, _Key)):
                continue
            if here.written is None or there.written is None:
                self.opaque += 1
                continue
            seen.judged += 1
            if here.written != there.written:
                sides = [
                    (ask.words(which), f"key {here.shown}"),
                    (f"the same in {_elsewhere()}", f"key {there.shown}"),
                ]
                self.broken(AGREE, ask, f"one effect, and {_two(sides)}: it depends on the process", sides, THERE)


AGAIN, THERE = " (made again)", " (in another process)"
ANEW = "the same, made anew and filled in the other order"


def _two(sides: Sequence[tuple[str, str]]) -> str:
    """Two keys; where they look the same, why they are two."""
    alike = sides[0][1] == sides[1][1]  # addresses are not shown
    return "two keys" + " that print alike (an address or an identity is in them)" * alike


def _elsewhere() -> str:
    differs = ", ".join(f"{name}={value}" for name, value in SURROUNDINGS[1])
    return f"a process with PYTHONHASHSEED=2, {differs}"


def _simple(path: Counterexample) -> tuple[bool, bool, int]:
    """How simple a pair is: those that differ in a value come before those that only a number of repeats does."""
    told = [step.action for step in path.steps]
    return any("occurrence" in one for one in told), told[1].startswith("the same"), sum(map(len, told))


def _sides(ask: Ask, told: _Asked) -> list[tuple[str, str]]:
    sides, named = (told.one, told.other), [ask.words(0), ask.words(1)]
    named[1] = "the same, made in another way" if named[0] == named[1] else named[1]
    return [(named[i], f"key {side.shown}" if isinstance(side, _Key) else "") for i, side in enumerate(sides)]


def _examine(session: Session, asked: Asked, walk: int) -> Mapping[str, Seen]:
    done, whole = _Examination(session), set[str]()
    try:
        _ask_all(done, asked, walk, whole)
    except KeyboardInterrupt:
        interrupt(done.seen, whole)
    for name in ROLE.conduct:  # what ended in an error breaks `total`, and leaves the others what was judged
        done.seen[name].spoiled *= not done.seen[name].judged
    for name in (DIFFER, AGREE, SCOPES):
        done.seen[name].facts["pairs"] = done.listed[name]
    return done.seen


def _ask_all(done: _Examination, asked: Asked, walk: int, whole: set[str]) -> None:
    """Ask every pair; the obligations of which all was asked are taken down as `whole`."""
    known = list(every_pair())
    wanted = (SCOPES, DIFFER, AGREE)  # scopes first: what reads no tenant is known by then
    for name in wanted:
        done.group(name, [ask for ask in known if ask.obligation == name])
    longer = list(wrapped_pairs(asked.seed, walk))
    for name in wanted:
        if not done.seen[name].broken and not done.seen[name].cut:
            done.group(name, [ask for ask in longer if ask.obligation == name])
        if name != AGREE:  # which every pair is asked about
            whole.add(name)
    seen = done.seen[AGREE]
    if done.opaque and not seen.broken and not seen.cut:
        seen.cut = f"{done.opaque:,} keys are objects that cannot be compared from one process to another"
        seen.settles = "keys of plain values: text, bytes, numbers, tuples of them"


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
    walk: int = 200,
    progress: Progress = silent,
) -> list[Finding]:
    """What a policy keeps of what an identity owes; see :func:`meshspec.roles.known.judge`.

    ``walk`` is the number of wrapped pairs, ``time_limit_per_story`` the seconds for one pair.
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
    read = reader(_Asked | _Memory | _Replaced)
    return judged(ROLE, asked, "identity_host", read, lambda session, asked: _examine(session, asked, walk))
