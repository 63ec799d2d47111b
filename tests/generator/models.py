"""Whole model files: declarations, helpers, actions, claims, a nested machine, a subclass that overrides."""

from __future__ import annotations

import random

from tests.generator.expressions import Expressions
from tests.generator.statements import Lines, Statements, indented
from tests.generator.world import Body, Held, World

HEAD = '''"""Generated model {seed}."""

{future}from enum import Enum, IntEnum
from typing import Annotated

from meshspec import (
    Map,
    Range,
    SetOf,
    Sort,
    action,
    always,
    any_of,
    choose,
    count,
    each,
    eventually,
    exists,
    fault,
    forall,
    implies,
    leads_to,
    lemma,
    model,
    require,
    sometimes,
    terminal,
    total,
    var,
)


class Worker(Sort):
    """Who does it."""


class Job(Sort):
    """What is done."""


class Phase(Enum):
    IDLE = 0
    BUSY = 1
    DONE = 2

    @property
    def final(self) -> bool:
        return self is Phase.DONE


class Mode(Enum):
    SLOW = "slow"
    FAST = "fast"


class Level(IntEnum):
    LOW = 10
    HIGH = 20


def clip(value: int, top: int) -> int:
    if value < 0:
        return 0
    return min(value, top)


@model
class Part:
    """A nested machine."""

    open: bool = var(False)
    uses: Annotated[int, Range(0, 2)] = var(0)

    def trip(self, hard: bool) -> None:
        if hard:
            self.open = True
            return
        if self.uses < 2:
            self.uses += 1

    @lemma
    def part_is_used_in_its_range(self) -> bool:
        return 0 <= self.uses <= 2
'''

PARAMETERS = ("Worker", "Worker", "Worker", "Job", "Phase", "Mode", "Level", "bool", "int", "int")


class Writer:
    """Writes one model file from one seed."""

    def __init__(self, seed: int, attempt: int = 0) -> None:
        self.rnd = random.Random(f"meshspec model {seed}, attempt {attempt}")
        self.seed = seed
        sorts = ("Worker", "Job") if self.rnd.random() < 0.4 else ("Worker",)
        enums = tuple(
            enum for enum, share in (("Phase", 1), ("Mode", 0.4), ("Level", 0.3)) if self.rnd.random() < share
        )
        self.world = World(sorts, enums)
        self.lines: Lines = []
        self.statements, self.say = Statements(self.world), Expressions(self.world)

    def chance(self, share: float) -> bool:
        return self.rnd.random() < share

    def body(self, questions: float, **names: str) -> Body:
        return Body(self.rnd, questions, dict(names))

    # -- declarations ------------------------------------------------------------------------------------------

    def declare(self, name: str, annotation: str, initial: str, **held: object) -> None:
        self.lines.append(f"    {name}: {annotation} = {initial}")
        self.world.held.append(Held(name, **held))  # type: ignore[arg-type]  # names of its own fields

    def constants(self) -> None:
        self.declare("limit", "int", "2", type="int", constant=True)
        if self.chance(0.3):
            self.declare("strict", "bool", str(self.chance(0.5)), type="bool", constant=True)
        if self.chance(0.2):
            self.declare("habit", "Phase", "Phase.BUSY", type="Phase", constant=True)
        if self.chance(0.25):
            table = "Map(1, {Worker(0): 2})"
            self.declare("weight", "Map[Worker, int]", table, type="int", keys=("Worker",), constant=True)
        if self.chance(0.1):
            table = "Map(False, {Phase.DONE: True})"
            self.declare("ends", "Map[Phase, bool]", table, type="bool", keys=("Phase",), constant=True)

    def scalar(self, name: str) -> None:
        match self.rnd.randrange(11):
            case 0 | 1:
                initial = self.rnd.choice(("False", "True", "any_of(False, True)", "False"))
                self.declare(name, "bool", f"var({initial})", type="bool")
            case 2 | 3:
                enum = self.rnd.choice(self.world.enums)
                initial = {"Phase": "Phase.IDLE", "Mode": "Mode.SLOW", "Level": "Level.HIGH"}[enum]
                initial = f"any_of({enum})" if self.chance(0.15) else initial
                self.declare(name, enum, f"var({initial})", type=enum)
            case 4 | 5:
                top = self.rnd.choice((2, 2, 3))
                bound = "lambda m: m.limit" if top == 2 and self.chance(0.3) else str(top)
                initial = self.rnd.choice(("0", "1", "0", "any_of(0, 2)"))
                self.declare(name, f"Annotated[int, Range(0, {bound})]", f"var({initial})", type="int", top=top)
            case 6:
                initial = self.rnd.choice(("0", "any_of(range(2))"))
                self.declare(name, "int", f"var({initial})", type="int")
            case 7 | 8:
                sort = self.rnd.choice(self.world.sorts)
                initial = f"any_of(None, {sort})" if self.chance(0.2) else "None"
                self.declare(name, f"{sort} | None", f"var({initial})", type=sort, optional=True)
            case 9:
                sort = self.rnd.choice(self.world.sorts)
                self.declare(name, sort, f"var(any_of({sort}))", type=sort)
            case _:
                if self.chance(0.5):
                    self.declare(name, "Phase | None", "var(None)", type="Phase", optional=True)
                else:
                    annotation = "Annotated[int, Range(0, 2)] | None"
                    self.declare(name, annotation, "var(None)", type="int", optional=True, top=2)

    def map(self, name: str) -> None:
        sort = self.rnd.choice(self.world.sorts)
        match self.rnd.randrange(11):
            case 0 | 1:
                self.declare(name, f"Map[{sort}, bool]", "var(False)", type="bool", keys=(sort,))
            case 2:
                annotation = f"Map[{sort}, Annotated[int, Range(0, 2)]]"
                self.declare(name, annotation, "var(0)", type="int", keys=(sort,), top=2)
            case 3:
                self.declare(name, f"Map[{sort}, Phase]", "var(Phase.IDLE)", type="Phase", keys=(sort,))
            case 4:
                annotation = f"Map[{sort}, {self.world.sorts[0]} | None]"
                self.declare(name, annotation, "var(None)", type=self.world.sorts[0], keys=(sort,), optional=True)
            case 5:
                annotation, initial = f"Map[{sort}, Worker]", "var(any_of(Worker))"
                self.declare(name, annotation, initial, type="Worker", keys=(sort,))
            case 6 | 7:
                keys = self.rnd.choice((("Worker", self.world.sorts[-1]), ("Worker", "bool"), ("Phase", "Worker")))
                keys = keys if "Phase" not in keys or self.chance(0.3) else ("Worker", self.world.sorts[-1])
                self.declare(name, f"Map[tuple[{', '.join(keys)}], bool]", "var(False)", type="bool", keys=keys)
            case 8:
                key = self.rnd.choice((*self.world.enums, "bool"))
                self.declare(name, f"Map[{key}, bool]", "var(True)", type="bool", keys=(key,))
            case 9:
                key = self.rnd.choice(("bool", self.world.enums[-1]))
                annotation = f"Map[{key}, Annotated[int, Range(0, 2)]]"
                self.declare(name, annotation, "var(any_of(0, 1))", type="int", keys=(key,), top=2)
            case _:
                self.declare(name, f"SetOf[{sort}]", "var()", type="bool", keys=(sort,), is_set=True)

    def variables(self) -> None:
        for number in range(self.rnd.choice((2, 2, 3, 3))):
            self.scalar(f"v{number}")
        for number in range(self.rnd.choice((1, 1, 2))):
            self.map(f"m{number}")
        if self.chance(0.25):
            self.lines.append("    part: Part = var()")
            self.world.held += [Held("part.open", "bool"), Held("part.uses", "int", top=2)]
            self.world.moves.append(("part.trip", ("bool",)))

    # -- methods -----------------------------------------------------------------------------------------------

    def method(self, mark: str, name: str, parameters: dict[str, str], returns: str, lines: Lines) -> None:
        annotated = "".join(f", {p}: {self.annotation(type)}" for p, type in parameters.items())
        self.lines += ["", *([f"    @{mark}"] if mark else []), f"    def {name}(self{annotated}) -> {returns}:"]
        self.lines += indented(indented(lines or ["pass"]))

    def annotation(self, type: str) -> str:
        if type != "int":
            return type
        return "Annotated[int, Range(0, lambda m: m.limit)]" if self.seed % 7 == 0 else "Annotated[int, Range(-1, 1)]"

    def parameters(self, most: int) -> dict[str, str]:
        usable = [p for p in PARAMETERS if p in ("bool", "int") or p in (*self.world.sorts, *self.world.enums)]
        types = [self.rnd.choice(usable) for _ in range(self.rnd.randrange(most + 1))]
        return {f"{type[0].lower()}{number}": type for number, type in enumerate(types)}

    def helpers(self) -> None:
        if self.chance(0.5):
            parameters = {"w": "Worker"}
            lines = [f"return {self.say.truth(self.body(2, **parameters), 1)}"]
            self.method("", "ready", parameters, "bool", lines)
            self.world.tests.append(("ready", ("Worker",)))
        if self.chance(0.6):
            parameters = {"w": "Worker"} if self.chance(0.6) else {}
            lines = ['"""What an heir may change."""']
            lines += self.statements.block(self.body(1.5, **parameters), 1, 1)
            self.method("", "settle", parameters, "None", lines)
            self.world.moves.append(("settle", tuple(parameters.values())))

    def actions(self) -> list[tuple[str, str, dict[str, str]]]:
        made: list[tuple[str, str, dict[str, str]]] = []
        for number in range(self.rnd.choice((2, 3, 4, 4))):
            mark = "fault" if self.chance(0.2) else "action"
            name, parameters = f"act{number}", self.parameters(2)
            body = self.body(self.rnd.choice((4.0, 5.0, 6.0, 7.0)), **parameters)
            self.method(mark, name, parameters, "None", self.statements.action(body))
            made.append((mark, name, parameters))
        return made

    def claims(self) -> None:
        for number in range(self.rnd.choice((2, 3, 4))):
            kind = self.rnd.choice(("always", "always", "always", "lemma", "lemma", "sometimes"))
            parameters = self.parameters(2 if self.chance(0.3) else 1)
            self.method(kind, f"claim{number}", parameters, "bool", self.claim(self.body(5, **parameters)))
        if self.chance(0.25):
            self.method("terminal", "may_end", {}, "bool", [f"return {self.say.truth(self.body(3), 1)}"])
        if self.chance(0.25):
            parameters = self.parameters(1)
            body = self.body(3, **parameters)
            asked, answered = self.say.truth(body, 1), self.say.truth(body, 1)
            said = f"leads_to({asked}, {answered})" if self.chance(0.6) else answered
            self.method("eventually", "comes", parameters, "bool", [f"return {said}"])

    def claim(self, body: Body) -> Lines:
        body.claim = True
        ints = [one for one in self.world.of("int") if not one.constant and one.top is not None]
        match self.rnd.randrange(6):
            case 0 if ints and (read := self.say.some(body, ints)) is not None:
                return [f"return 0 <= {read} <= 3"]
            case 1:
                name, over = body.name("x"), self.rnd.choice(self.world.sorts)
                with body.within(**{name: over}):
                    first, second = self.say.truth(body, 0), self.say.truth(body, 0)
                return [f"return forall({over}, lambda {name}: implies({first}, {second} or {first}))"]
            case 2 if (made := self.say.aggregate(body)) is not None:
                return [f"return {made} {self.rnd.choice(('<=', '>=', '<'))} {self.say.number(body, 1)}"]
            case 3:
                return [
                    f"if {self.say.truth(body, 1)}:",
                    f"    return {self.say.truth(body, 1)}",
                    f"return {self.say.truth(body, 1)}",
                ]
            case 4:
                return [f"return implies({self.say.truth(body, 1)}, {self.say.truth(body, 2)})"]
            case _:
                return [f"return {self.say.truth(body, 2)}"]

    # -- the file ----------------------------------------------------------------------------------------------

    def heir(self, actions: list[tuple[str, str, dict[str, str]]]) -> None:
        """A subclass: a helper and an action overridden, both asking the parent first, and a variable more."""
        self.lines += ["", "", "@model", "class Heir(Machine):", '    """What an incident is: a subclass."""', ""]
        if self.chance(0.4):
            self.declare("extra", "bool", "var(False)", type="bool")
        else:
            self.lines.pop()
        settle = next((types for name, types in self.world.moves if name == "settle"), None)
        if settle is not None:
            parameters = {"w": "Worker"} if settle else {}
            lines = [f"super().settle({', '.join(parameters)})"]
            lines += self.statements.block(self.body(1, **parameters), 0, 1)
            self.method("", "settle", parameters, "None", lines)
        mark, name, parameters = self.rnd.choice(actions)
        guard = [f"require({self.say.truth(self.body(1, **parameters), 0)})"] if self.chance(0.4) else []
        lines = [*guard, f"super().{name}({', '.join(parameters)})"]
        moves, self.world.moves = self.world.moves, []
        lines += self.statements.block(self.body(1, **parameters), 0, 1)
        self.world.moves = moves
        self.method(mark, name, parameters, "None", lines)
        if self.chance(0.5):
            self.method("always", "kept", {}, "bool", self.claim(self.body(4)))

    def write(self) -> tuple[str, str]:
        """The text of the file, and the name of the model in it."""
        future = "from __future__ import annotations\n\n" if self.chance(0.5) else ""
        self.lines = HEAD.format(seed=self.seed, future=future).splitlines()
        self.lines += ["", "", "@model", "class Machine:", '    """What is checked."""', ""]
        self.constants()
        self.variables()
        self.helpers()
        actions = self.actions()
        self.claims()
        if self.chance(0.35):
            self.heir(actions)
            return "\n".join(self.lines) + "\n", "Heir"
        return "\n".join(self.lines) + "\n", "Machine"

    def sizes(self) -> dict[str, int]:
        workers = self.rnd.choice((1, 2, 2, 2, 2, 3))
        return {"Worker": workers, "Job": self.rnd.choice((1, 2)) if workers < 3 else 1}
