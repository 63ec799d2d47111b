"""Bodies of generated actions and helper methods: guards first, then statements."""

from __future__ import annotations

from collections.abc import Callable

from tests.generator.expressions import Expressions
from tests.generator.world import ENUMS, Body, Held, World

Lines = list[str]


def indented(lines: Lines) -> Lines:
    return [f"    {line}" for line in lines]


class Statements:
    """Writes statements over one world."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.say = Expressions(world)

    # -- values ------------------------------------------------------------------------------------------------

    def value(self, body: Body, one: Held) -> str | None:
        """A value that the variable may hold; an int sometimes leaves its Range."""
        if one.optional and body.chance(0.35):
            return "None"
        if one.type == "bool":
            return self.say.truth(body, 1) if body.chance(0.7) else body.rnd.choice(("True", "False"))
        if one.type in self.world.enums:
            return self.say.choice(body, one.type)
        if one.type in self.world.sorts:
            return self.say.member(body, one.type)
        return self.say.bounded(body, 2 if one.top is None else one.top)

    # -- statements --------------------------------------------------------------------------------------------

    def block(self, body: Body, depth: int, length: int) -> Lines:
        lines: Lines = []
        for _ in range(length):
            lines += self.one(body, depth)
        return lines

    def one(self, body: Body, depth: int) -> Lines:
        for _ in range(12):
            deep = depth > 0 and body.questions >= 1 and body.chance(0.75)
            made = body.rnd.choice(self._deep() if deep else self._plain())(body, depth)
            if made:
                return made
        return ["pass"]

    def _target(self, body: Body, among: list[Held]) -> tuple[Held, str] | None:
        if not among:
            return None
        one = body.rnd.choice(among)
        target = self.say.read(body, one)
        return None if target is None else (one, target)

    def _assign(self, body: Body, depth: int) -> Lines:
        found = self._target(body, [one for one in self.world.variables if not one.is_set])
        if found is None:
            return []
        one, target = found
        value = self.value(body, one)
        return [] if value is None else [f"{target} = {value}"]

    def _advance(self, body: Body, depth: int) -> Lines:
        """From each value of a variable to its next."""
        among = [one for one in self.world.variables if not one.is_set and not one.optional]
        found = self._target(body, [one for one in among if one.type not in self.world.sorts])
        if found is None or "(" in found[1]:
            return []
        one, target = found
        if one.type == "int":
            return [f"{target} = ({target} + {body.rnd.randrange(1, 3)}) % {3 if one.top is None else one.top + 1}"]
        if not body.spend(1.6):
            return []
        if one.type == "bool":
            return [f"{target} = not {target}"]
        names = ENUMS[one.type]
        following = [f"{one.type}.{a}: {one.type}.{b}" for a, b in zip(names, (*names[1:], names[0]), strict=True)]
        return [f"{target} = {{{', '.join(following)}}}[{target}]"]

    def _swapped(self, body: Body, depth: int) -> Lines:
        """Two variables at once: the right sides are read before either is written."""
        flags = [one for one in self.world.variables if one.type == "bool" and not one.keys and not one.optional]
        if len(flags) < 2 or not body.spend(2):
            return []
        left, right = body.rnd.sample(flags, 2)
        return [f"self.{left.path}, self.{right.path} = self.{right.path}, self.{left.path}"]

    def _augmented(self, body: Body, depth: int) -> Lines:
        ints = [one for one in self.world.variables if one.type == "int" and not one.optional and one.top is not None]
        found = self._target(body, ints)
        if found is None or "(" in found[1] or not body.spend(1):
            return []
        one, target = found
        if body.chance(0.5):
            return [f"if {target} < {one.top}:", f"    {target} += 1"]
        if body.chance(0.6):
            return [f"{target} -= min({target}, 1)"]
        return [f"{target} {body.rnd.choice(('%=', '//='))} 2"]

    def _over(self, body: Body, depth: int) -> Lines:
        """One more than before, whatever the Range says."""
        ints = [one for one in self.world.variables if one.type == "int" and not one.optional and one.top is not None]
        found = self._target(body, ints)
        return [f"{found[1]} = {found[1]} + 1"] if found is not None and body.chance(0.3) else []

    def _divided(self, body: Body, depth: int) -> Lines:
        """A division that raises where its divisor is zero."""
        ints = [one for one in self.world.variables if one.type == "int" and not one.optional]
        found = self._target(body, ints)
        if found is None or not body.chance(0.6) or not body.spend(1):
            return []
        one, target = found
        made = f"{self.say.number(body, 0)} {body.rnd.choice(('//', '%'))} {self.say.number(body, 0)}"
        if body.chance(0.4):
            return ["try:", f"    {target} = ({made}) % 2", "except ZeroDivisionError:", f"    {target} = 1"]
        return [f"{target} = ({made}) % {2 if one.top is None else one.top + 1}"]

    def _member_of_a_set(self, body: Body, depth: int) -> Lines:
        sets = [one for one in self.world.variables if one.is_set]
        if not sets:
            return []
        one = body.rnd.choice(sets)
        member = self.say.member(body, one.keys[0])
        return [] if member is None else [f"self.{one.path}.{body.rnd.choice(('add', 'discard'))}({member})"]

    def _whole(self, body: Body, depth: int) -> Lines:
        maps = [one for one in self.world.variables if len(one.keys) == 1 and one.own and not one.is_set]
        maps = [one for one in maps if one.keys[0] != "bool"]
        if not maps or not body.spend(1):
            return []
        one = body.rnd.choice(maps)

        def inside(inner: Body) -> str:
            mine = list(inner.names)[-1]
            others = [name for name in inner.called(one.keys[0]) if name != mine]
            if (
                not one.optional and others and inner.chance(0.5)
            ):  # what another entry was before, not what it becomes
                return f"self.{one.path}[{inner.rnd.choice(others)}]"
            value = self.value(inner, one)
            if value is None:
                value = "None" if one.optional else inner.called(one.type)[0] if inner.called(one.type) else ""
            if one.type in self.world.sorts and one.optional and inner.called(one.type) and inner.chance(0.7):
                return f"{inner.rnd.choice(inner.called(one.type))} if {self.say.truth(inner, 0)} else None"
            return value or f"self.{one.path}[{mine}]"

        return [f"self.{one.path} = each({one.keys[0]}, {self.say.over(body, one.keys[0], inside)})"]

    def _called(self, body: Body, depth: int) -> Lines:
        if not self.world.moves or not body.spend(1.5):
            return []
        name, types = body.rnd.choice(self.world.moves)
        given = [self.say.key(body, type) for type in types]
        return [] if None in given else [f"self.{name}({', '.join(one for one in given if one)})"]

    def _if(self, body: Body, depth: int) -> Lines:
        lines = [f"if {self.say.truth(body, 1)}:", *indented(self.block(body, depth - 1, 1))]
        if body.questions >= 1 and body.chance(0.7):
            lines += [f"elif {self.say.truth(body, 0)}:", *indented(self.block(body, depth - 1, 1))]
        if body.chance(0.5):
            lines += ["else:", *indented(self.block(body, depth - 1, 1))]
        return lines

    def _early(self, body: Body, depth: int) -> Lines:
        lines = [f"if {self.say.truth(body, 0)}:"]
        lines += indented([*(self.one(body, 0) if body.chance(0.6) else []), "return"])
        return lines

    def _match(self, body: Body, depth: int) -> Lines:
        enum = body.rnd.choice(self.world.enums)
        subject = self.say.some(body, self.world.of(enum))
        if subject is None or not body.spend(1.6):
            return []
        names = list(ENUMS[enum])
        body.rnd.shuffle(names)
        lines = [f"match {subject}:"]
        guard = ""
        if body.questions >= 1 and body.chance(0.25):
            guard = f" if {self.say.truth(body, 0)}"
        if len(names) == 3 and body.chance(0.4):
            lines += [f"    case {enum}.{names[0]} | {enum}.{names[1]}{guard}:"]
        else:
            lines += [f"    case {enum}.{names[0]}{guard}:"]
        lines += indented(indented(self.block(body, depth - 1, 1)))
        if body.chance(0.6):
            lines += ["    case _:", *indented(indented(self.block(body, depth - 1, 1)))]
        else:
            lines += [f"    case {enum}.{names[-1]}:", *indented(indented(self.block(body, depth - 1, 1)))]
        return lines

    def _match_flag(self, body: Body, depth: int) -> Lines:
        subject = self.say.some(body, self.world.of("bool"))
        if subject is None or not body.spend(1):
            return []
        lines = [f"match {subject}:", "    case True:", *indented(indented(self.block(body, depth - 1, 1)))]
        return [*lines, "    case False:", *indented(indented(self.block(body, depth - 1, 1)))]

    def _match_none(self, body: Body, depth: int) -> Lines:
        """An optional: what it holds is used where it holds something."""
        among = [one for one in self.world.held if one.optional]
        one = body.rnd.choice(among) if among else None
        subject = None if one is None else self.say.read(body, one)
        if one is None or subject is None or not body.spend(2):
            return []
        name = body.name("got")
        lines = [f"match {subject}:", "    case None:", *indented(indented(self.block(body, depth - 1, 1)))]
        with body.within(**{name: one.type}):
            keyed = [m for m in self.world.variables if m.keys == (one.type,) and not m.is_set]
            inside = self.block(body, depth - 1, 1)
            if keyed and body.chance(0.8):
                target = body.rnd.choice(keyed)
                value = self.value(body, target)
                inside = inside if value is None else [f"self.{target.path}[{name}] = {value}"]
        return [*lines, f"    case {name}:", *indented(indented(inside))]

    def _walrus(self, body: Body, depth: int) -> Lines:
        name = body.name("n")
        made = self.say.number(body, 1)
        if not body.spend(1):
            return []
        lines = [f"if ({name} := {made}) {body.rnd.choice(('<', '<=', '>'))} {body.rnd.randrange(3)}:"]
        with body.within(**{name: "int"}):
            lines += indented(self.block(body, depth - 1, 1))
        return lines

    def _loop(self, body: Body, depth: int) -> Lines:
        """A loop over an enum: an ordinary one."""
        maps = [one for one in self.world.variables if len(one.keys) == 1 and one.keys[0] in self.world.enums]
        maps = [one for one in maps if not one.optional]
        if not maps:
            return []
        one = body.rnd.choice(maps)
        name = body.name("k")
        questions, body.questions = body.questions, 0.0
        value = self.value(body, one)
        body.questions = questions
        return [] if value is None else [f"for {name} in {one.keys[0]}:", f"    self.{one.path}[{name}] = {value}"]

    def _plain(self) -> tuple[Callable[[Body, int], Lines], ...]:
        return (
            self._assign,
            self._assign,
            self._assign,
            self._advance,
            self._advance,
            self._advance,
            self._augmented,
            self._augmented,
            self._over,
            self._divided,
            self._member_of_a_set,
            self._whole,
            self._whole,
            self._swapped,
            self._loop,
        )

    def _deep(self) -> tuple[Callable[[Body, int], Lines], ...]:
        return (
            self._if,
            self._if,
            self._if,
            self._early,
            self._match,
            self._match,
            self._match,
            self._match_flag,
            self._match_none,
            self._match_none,
            self._walrus,
            self._called,
            self._called,
        )

    # -- whole bodies ------------------------------------------------------------------------------------------

    def guards(self, body: Body) -> Lines:
        lines: Lines = []
        if body.chance(0.75):
            lines.append(f"require({self.say.truth(body, 1 if body.chance(0.3) else 0)})")
        if body.chance(0.12) and body.questions >= 2:
            lines.append(f'require({self.say.truth(body, 0)}, "not yet")')
        if body.chance(0.08) and body.questions >= 2:
            lines += [f"if {self.say.truth(body, 0)}:", f"    require({self.say.truth(body, 0)})"]
        if body.chance(0.06) and body.questions >= 1:
            lines.append(f"assert {self.say.truth(body, 0)}")
        if body.chance(0.04) and body.questions >= 1:
            lines += [f"if {self.say.truth(body, 0)}:", '    raise ValueError("no such case")']
        return lines

    def choices(self, body: Body) -> Lines:
        """Hidden parameters: bound to names that what follows may use."""
        lines: Lines = []
        for _ in range(body.rnd.choice((0, 0, 0, 0, 1, 1, 2))):
            roll, name = body.rnd.random(), body.name("pick")
            if roll < 0.5:
                type = body.rnd.choice(self.world.sorts)
                lines.append(f"{name}: {type} = choose({type})")
            elif roll < 0.75:
                type = body.rnd.choice(self.world.enums)
                lines.append(f"{name}: {type} = choose({type})")
            else:
                type = "int"
                lines.append(f"{name}: int = choose(range({body.rnd.randrange(2)}, 3))")
            body.names[name] = type
        return lines

    def action(self, body: Body) -> Lines:
        late = body.chance(0.5)
        lines = [] if late else self.choices(body)
        lines += self.guards(body)
        lines += self.choices(body) if late else []
        return lines + self.block(body, 2, body.rnd.choice((1, 2, 2, 3)))
