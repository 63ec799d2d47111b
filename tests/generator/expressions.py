"""Expressions of generated models: text of the wanted type, over what a body may read."""

from __future__ import annotations

import re
from collections.abc import Callable

from tests.generator.world import ENUMS, Body, Held, World

COMPARISONS = ("<", "<=", ">", ">=", "==", "!=")


class Expressions:
    """Writes expressions over one world; `body` says what is known where they stand."""

    def __init__(self, world: World) -> None:
        self.world = world

    # -- keys, and members of sorts and enums ------------------------------------------------------------------

    def member(self, body: Body, sort: str) -> str | None:
        """A member of a sort that is at hand, or ``None``; sometimes one that the state holds."""
        names = body.called(sort)
        kept = [one for one in self.world.of(sort) if all(key in body.names.values() for key in one.keys)]
        if kept and (not names or body.chance(0.4)) and body.spend(2):
            return self.read(body, body.rnd.choice(kept))
        return body.rnd.choice(names) if names else None

    def key(self, body: Body, type: str) -> str | None:
        if type in self.world.sorts:
            return self.member(body, type)
        return self.truth(body, 0) if type == "bool" else self.choice(body, type)

    def at(self, body: Body, one: Held) -> str | None:
        """The keys at which a variable is read or written, in brackets; empty for a scalar."""
        if not one.keys:
            return ""
        keys = [self.key(body, key) for key in one.keys]
        given = [key for key in keys if key is not None]
        return f"[{', '.join(given)}]" if len(given) == len(keys) else None

    def read(self, body: Body, one: Held) -> str | None:
        at = self.at(body, one)
        return None if at is None else f"self.{one.path}{at}"

    def some(self, body: Body, among: list[Held]) -> str | None:
        return self.read(body, body.rnd.choice(among)) if among else None

    def choice(self, body: Body, enum: str) -> str:
        """A value of an enum."""
        literal = f"{enum}.{body.rnd.choice(ENUMS[enum])}"
        names = body.called(enum)
        if names and body.chance(0.4):
            return body.rnd.choice(names)
        if body.chance(0.3) and body.spend(1.6):
            return self.some(body, self.world.of(enum)) or literal
        if body.chance(0.15) and body.questions > 2 and body.spend(1):
            return f"({literal} if {self.truth(body, 0)} else {enum}.{body.rnd.choice(ENUMS[enum])})"
        return literal

    # -- booleans ----------------------------------------------------------------------------------------------

    def truth(self, body: Body, depth: int) -> str:
        """A bool; `depth` bounds how deep connectives nest."""
        if depth > 0 and body.questions >= 2 and body.chance(0.7):
            return self._connected(body, depth)
        for _ in range(12):
            made = body.rnd.choice(self._atoms())(body)
            if made is not None:
                return made
        return body.rnd.choice(body.called("bool") or ["True", "False", "(self.limit > 1)"])

    def _connected(self, body: Body, depth: int) -> str:
        def part() -> str:
            return self.truth(body, depth - 1)

        match body.rnd.randrange(9):
            case 0 | 1:
                return f"({part()} and {part()})"
            case 2 | 3:
                return f"({part()} or {part()})"
            case 4:
                return f"(not {part()})"
            case 5:
                return f"implies({part()}, {part()})" if body.claim else f"({part()} == {part()})"
            case 6:
                return f"({part()} if {part()} else {part()})"
            case 7:
                return f"any(({part()}, {part()}))"
            case _:
                return f"({part()} != {part()})"

    def _flag(self, body: Body) -> str | None:
        return self.some(body, self.world.of("bool")) if body.spend(1) else None

    def _argument(self, body: Body) -> str | None:
        names = body.called("bool")
        return body.rnd.choice(names) if names and body.spend(0.5) else None

    def _enum(self, body: Body) -> str | None:
        enum = body.rnd.choice(self.world.enums)
        among: list[Held | str] = [*self.world.of(enum), *body.called(enum)]
        if not among or not body.spend(1.6):
            return None
        one = body.rnd.choice(among)
        read = self.read(body, one) if isinstance(one, Held) else one
        if read is None:
            return None
        literals = [f"{enum}.{name}" for name in ENUMS[enum]]
        literal = body.rnd.choice(literals)
        match body.rnd.randrange(6):
            case 0:
                return f"({read} == {literal})"
            case 1:
                return f"({read} is {literal})"
            case 2:
                return f"({read} in ({literal}, {body.rnd.choice(literals)}))"
            case 3:
                return f"({read} != {self.choice(body, enum)})"
            case 4 if enum == "Phase":
                return f"{read}.final"
            case 4 if enum == "Level":
                return f"({read} < {literal})"
            case _:
                return f"({read} is not {literal})"

    def _compared(self, body: Body) -> str | None:
        if not body.spend(1):
            return None
        left = next(filter(self._moves, (self.number(body, 1) for _ in range(3))), None)
        if left is None:
            return None
        if body.chance(0.25) and body.spend(1):
            return f"({body.rnd.randrange(-1, 2)} {body.rnd.choice(('<', '<='))} {left} <= {self.number(body, 0)})"
        if body.chance(0.12) and body.spend(1):
            return f"({left} in (0, {body.rnd.randrange(1, 4)}))"
        return f"({left} {body.rnd.choice(COMPARISONS)} {self.number(body, 0)})"

    @staticmethod
    def _moves(number: str) -> bool:
        """Whether it is more than a literal or a constant."""
        return number.replace("self.limit", "").strip("()-+* 0123456789") != ""

    def _same_member(self, body: Body) -> str | None:
        sort = body.rnd.choice(self.world.sorts)
        left, right = self.member(body, sort), self.member(body, sort)
        if left is None or right is None or left == right or not body.spend(1):
            return None
        return f"({left} {body.rnd.choice(('==', '!='))} {right})"

    def _absent(self, body: Body) -> str | None:
        among = [one for one in self.world.held if one.optional]
        read = self.some(body, among) if body.spend(1) else None
        return None if read is None else f"({read} is {body.rnd.choice(('', 'not '))}None)"

    def _present(self, body: Body) -> str | None:
        """An optional that is looked at where it is there."""
        among = [one for one in self.world.held if one.optional]
        if not among or not body.spend(2):
            return None
        one = body.rnd.choice(among)
        read = self.read(body, one)
        if read is None:
            return None
        name = body.name("held")
        with body.within(**{name: one.type}):
            if one.type == "int":
                inside = f"{name} {body.rnd.choice(COMPARISONS)} {self.number(body, 0)}"
            elif one.type in self.world.sorts:
                keyed = [m for m in self.world.of("bool") if m.keys == (one.type,)]
                others = [n for n in body.called(one.type) if n != name]
                if not keyed:
                    inside = f"{name} == {body.rnd.choice(others)}" if others else "True"
                else:
                    inside = f"self.{body.rnd.choice(keyed).path}[{name}]"
            else:
                inside = f"{name} is {one.type}.{body.rnd.choice(ENUMS[one.type])}"
        if body.chance(0.5):
            return f"(({name} := {read}) is None or {inside})"
        return f"(({name} := {read}) is not None and {inside})"

    def _inside(self, body: Body) -> str | None:
        sets = [one for one in self.world.held if one.is_set]
        if not sets or not body.spend(1):
            return None
        one = body.rnd.choice(sets)
        member = self.member(body, one.keys[0])
        return None if member is None else f"({member} {body.rnd.choice(('in', 'not in'))} self.{one.path})"

    def _quantified(self, body: Body) -> str | None:
        if body.quantifiers >= 2 or body.questions < 2 or not body.spend(0.5):
            return None
        over = body.rnd.choice(self.world.sorts) if body.chance(0.85) else body.rnd.choice(self.world.enums)
        return f"{body.rnd.choice(('forall', 'exists'))}({over}, {self.over(body, over, self._small)})"

    def over(self, body: Body, over: str, inside: Callable[[Body], str]) -> str:
        """A lambda over the members of a sort or an enum."""
        name = body.name("x")
        questions = body.questions
        if over in self.world.enums:
            body.questions = min(questions, 1.0)  # each member of an enum asks anew
        body.quantifiers += 1
        with body.within(**{name: over}):
            made = f"lambda {name}: {inside(body)}"
        body.quantifiers -= 1
        if over in self.world.enums:
            body.questions = questions - (min(questions, 1.0) - body.questions) * len(ENUMS[over])
        return made

    def _small(self, body: Body) -> str:
        return self.truth(body, 1)

    def _asked(self, body: Body) -> str | None:
        """A plain method of the model that says yes or no."""
        if not self.world.tests or body.quantifiers or not body.spend(2.5):
            return None
        name, types = body.rnd.choice(self.world.tests)
        given = [self.key(body, type) for type in types]
        return None if None in given else f"self.{name}({', '.join(one for one in given if one)})"

    def _any_of_an_enum(self, body: Body) -> str | None:
        for one in self.world.of("bool"):
            if len(one.keys) == 1 and one.keys[0] in self.world.enums and body.spend(len(ENUMS[one.keys[0]])):
                name = body.name("k")
                return f"{body.rnd.choice(('any', 'all'))}(self.{one.path}[{name}] for {name} in {one.keys[0]})"
        return None

    def _atoms(self) -> tuple[Callable[[Body], str | None], ...]:
        return (
            self._flag,
            self._flag,
            self._argument,
            self._enum,
            self._enum,
            self._compared,
            self._compared,
            self._same_member,
            self._same_member,
            self._absent,
            self._present,
            self._present,
            self._inside,
            self._quantified,
            self._quantified,
            self._asked,
            self._any_of_an_enum,
        )

    # -- integers ----------------------------------------------------------------------------------------------

    def number(self, body: Body, depth: int) -> str:
        """An int, of no known bounds."""
        if depth > 0 and body.chance(0.5):
            made = self._computed(body, depth)
            if made is not None:
                return made
        return self._leaf(body)

    def _leaf(self, body: Body) -> str:
        names, roll = body.called("int"), body.rnd.random()
        if names and roll < 0.4:
            return body.rnd.choice(names)
        if roll < 0.85:
            return self.some(body, self.world.of("int")) or "1"
        return str(body.rnd.randrange(0, 4))

    def _computed(self, body: Body, depth: int) -> str | None:
        def part() -> str:
            return self.number(body, depth - 1)

        match body.rnd.randrange(13):
            case 0:
                return f"({part()} + {part()})"
            case 1:
                return f"({part()} - {part()})"
            case 2:
                return f"({part()} * {part()})"
            case 3:
                return f"({part()} {body.rnd.choice(('//', '%'))} {body.rnd.choice((2, 3, -2))})"
            case 4:
                return f"(-{part()})"
            case 5 if body.spend(1):
                return f"{body.rnd.choice(('min', 'max'))}({part()}, {part()})"
            case 6 if body.spend(1):
                return f"abs({part()} - {part()})"
            case 7 if body.questions > 2 and body.spend(1):
                return f"({part()} if {self.truth(body, 0)} else {part()})"
            case 8 if body.spend(2):
                return f"clip({part()}, {body.rnd.randrange(1, 3)})"
            case 9 if (read := self.some(body, self.world.of("Phase"))) is not None and body.spend(1.6):
                table = ", ".join(f"Phase.{name}: {body.rnd.randrange(3)}" for name in ENUMS["Phase"])
                return f"{{{table}}}[{read}]"
            case 10 if (read := self.some(body, self.world.of("bool"))) is not None and body.spend(1):
                return f"int({read})"
            case 11 | 12:
                return self.aggregate(body)
            case _:
                return None

    def aggregate(self, body: Body) -> str | None:
        if body.quantifiers >= 2 or body.questions < 1:
            return None
        over = body.rnd.choice(self.world.sorts) if body.chance(0.85) else body.rnd.choice(self.world.enums)
        for _ in range(5):
            name = f"x{body.fresh + 1}"
            if body.chance(0.5):
                made = f"count({over}, {self.over(body, over, self._small)})"
            else:
                made = f"total({over}, {self.over(body, over, lambda inner: self.number(inner, 0))})"
            if re.search(rf"(v|m)\d+\[[^\]]*\b{name}\b|\b{name}\b (not )?in self", made):
                return made  # it depends on the member
        return None

    def bounded(self, body: Body, top: int) -> str:
        """An int between 0 and `top`."""
        match body.rnd.randrange(8):
            case 0 | 1:
                return str(body.rnd.randrange(top + 1))
            case 2 if body.spend(1):
                return f"min(abs({self.number(body, 0)}), {top})"
            case 3 if body.spend(1):
                return f"max(0, {top} - {self.number(body, 0)} % {top + 1})"
            case 4 if body.spend(2):
                return f"clip({self.number(body, 1)}, {top})"
            case 5 if body.questions > 2 and body.spend(1):
                return f"({top} if {self.truth(body, 0)} else {body.rnd.randrange(top + 1)})"
            case 6:
                return f"({self.number(body, 1)} // 2) % {top + 1}"
            case _:
                return f"({self.number(body, 1)}) % {top + 1}"
