"""Models that are wrong, each with the change that mends it: what bundles are made of and tested on."""

from __future__ import annotations

import builtins
import contextlib
import functools
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import attrs

from meshspec.answer import Answer
from meshspec.engines.check import Settings
from meshspec.engines.limits import Limits
from meshspec.report.bundle import Bundle, bundle_of
from meshspec.report.checked import checked
from meshspec.targets import resolve

WORDS = """\
from enum import Enum
from typing import Annotated

from meshspec import (
    Map, Range, SetOf, Sort, action, always, any_of, choose, count, each, eventually, exists, fault, implies,
    leads_to, model, require, sometimes, terminal, var,
)


class Job(Sort): ...


"""

CHARGING = (
    WORDS
    + """\
@model
class Charging:
    in_hand: Map[Job, bool] = var(False)
    noted: Map[Job, bool] = var(False)
    charges: Map[Job, Annotated[int, Range(0, 2)]] = var(0)

    @action
    def charge(self, j: Job) -> None:
        require(not self.in_hand[j] and not self.noted[j])
        self.charges[j] = min(self.charges[j] + 1, 2)
        self.in_hand[j] = True

    @action
    def note(self, j: Job) -> None:
        require(self.in_hand[j])
        self.in_hand[j] = False
        self.noted[j] = True

    @fault
    def crash(self) -> None:
        self.in_hand = each(Job, lambda j: False)

    @always
    def charged_at_most_once(self, j: Job) -> bool:
        return self.charges[j] <= 1
"""
)

COUNTER = (
    WORDS
    + """\
@model
class Counter:
    limit: int = 3
    number: Annotated[int, Range(0, 3)] = var(0)

    @action
    def grow(self) -> None:
        require(self.number <= self.limit)
        self.number += 1

    @always
    def small(self) -> bool:
        return self.number <= 1


generous = Counter(limit=3)
"""
)

DIVIDER = (
    WORDS
    + """\
@model
class Divider:
    parts: Annotated[int, Range(0, 3)] = var(2)

    @action
    def lose(self) -> None:
        require(self.parts > 0)
        self.parts -= 1

    @action
    def divide(self) -> None:
        self.parts = min(6 // self.parts, 3)

    @always
    def fair(self) -> bool:
        return 6 // self.parts <= 6

    @sometimes
    def shared(self) -> bool:
        return 6 // self.parts == 6

    @eventually
    def once(self) -> bool:
        return 6 // self.parts == 3
"""
)

DESK = (
    WORDS
    + """\
class Tray(Sort): ...


@model
class Desk:
    handed_in: Map[Job, bool] = var(False)
    lies_in: Map[Job, Tray | None] = var(None)
    read: Map[Job, bool] = var(False)

    @action
    def hand_in(self, d: Job) -> None:
        require(not self.handed_in[d])
        self.handed_in[d] = True
        self.lies_in[d] = choose(Tray)

    @action
    def read_it(self, d: Job) -> None:
        require(self.handed_in[d] and not self.read[d])
        self.read[d] = True

    @action
    def shuffle(self, d: Job) -> None:
        require(self.handed_in[d])
        self.lies_in[d] = choose(Tray)

    @eventually
    def what_is_handed_in_is_read(self, d: Job) -> bool:
        return leads_to(self.handed_in[d], self.read[d])
"""
)

GATE = (
    WORDS
    + """\
@model
class Gate:
    open: bool = var(False)
    through: Map[Job, bool] = var(False)

    @action
    def enter(self, j: Job) -> None:
        require(self.open and not self.through[j])
        self.through[j] = True

    @fault
    def fall_shut(self) -> None:
        require(self.open)
        self.open = False

    @terminal
    def everybody_is_through(self) -> bool:
        return not exists(Job, lambda j: not self.through[j])

    @eventually
    def somebody_gets_through(self) -> bool:
        return exists(Job, lambda j: self.through[j])
"""
)

SHARED = """\
from meshspec import Sort


class Worker(Sort): ...
"""

EVERYTHING = (
    WORDS
    + """\
from shared_sorts import Worker


class Phase(Enum):
    IDLE = 0
    BUSY = 1


@model
class Lamp:
    on: bool = var(False)

    def switch(self) -> None:
        self.on = not self.on

    @always
    def is_one(self) -> bool:
        return self.on or not self.on


@model
class Everything:
    start: Worker = var(any_of(Worker))
    level: int = var(any_of(0, 1))
    phase: Map[Worker, Phase] = var(Phase.IDLE)
    helps: Map[Worker, Worker | None] = var(None)
    seen: SetOf[Job] = var()
    did: Map[tuple[Worker, Phase], bool] = var(False)
    lamp: Lamp = var()

    @action
    def begin(self, workers: Annotated[tuple[Worker, ...], Range(0, 2)], p: Phase) -> None:
        require(len(workers) == 2 and p is Phase.BUSY and self.level == 1)
        for w in workers:
            self.phase[w] = p
            self.did[w, p] = True

    @action
    def help(self, w: Worker, n: Annotated[int, Range(-1, 1)], sure: bool) -> None:
        require(self.phase[w] is Phase.BUSY and w != self.start and n == -1 and sure)
        self.helps[w] = choose(Worker)
        self.level = choose(range(4, 6))
        self.lamp.switch()

    @action
    def see(self, j: Job) -> None:
        require(self.level == 5 and j not in self.seen)
        self.seen.add(j)

    @always
    def never_seen_by_two(self, a: Worker, p: Phase, j: Job) -> bool:
        return not (j in self.seen and self.did[a, p] and self.helps[a] == self.start and self.lamp.on)
"""
)


@attrs.frozen
class Case:
    """A model file that breaks a property, and what is replaced in it to mend that."""

    text: str
    property: str
    old: str
    new: str
    target: str = "wrong.py"
    engines: Sequence[str] = ("explore", "live")
    more: Mapping[str, str] = attrs.field(factory=dict[str, str])

    @builtins.property
    def file(self) -> str:
        return self.target.rpartition(":")[0] or self.target

    def write(self, folder: Path, *, mended: bool = False) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        assert self.old in self.text
        text = self.text.replace(self.old, self.new) if mended else self.text
        (folder / self.file).write_text(text, encoding="utf-8")
        for name, content in self.more.items():
            (folder / name).write_text(content, encoding="utf-8")

    def bundle(self) -> Bundle:
        """The bundle of what is wrong with the model in the present folder."""
        settings = Settings(limits=Limits(max_states=3_000))
        told = checked(resolve(self.target), engines=self.engines, settings=settings)
        answer = told.of(self.property).answer
        assert answer.answer is Answer.VIOLATED
        bundle = bundle_of(answer, told.asked)
        assert bundle is not None
        return bundle


CASES = {
    "a step that is not possible any more": Case(
        CHARGING,
        "charged_at_most_once",
        "not self.in_hand[j] and not self.noted[j]",
        "not self.in_hand[j] and not self.noted[j] and self.charges[j] == 0",
    ),
    "a claim that is true at the end": Case(
        COUNTER.replace("class Counter", "class Mild").replace("= Counter(", "= Mild("),
        "small",
        "self.number <= 1",
        "self.number <= 4",
    ),
    "a Range of an instance with its constants chosen": Case(
        COUNTER,
        "number stays in 0..3",
        "self.number += 1",
        "self.number = min(self.number + 1, 3)",
        "wrong.py:generous",
    ),
    "an action that raises": Case(DIVIDER, "no action raises", "6 // self.parts, 3", "6 // max(self.parts, 1), 3"),
    "a claim that raises": Case(
        DIVIDER, "fair", "return 6 // self.parts <= 6", "return 6 // max(self.parts, 1) <= 6"
    ),
    "a witness that raises": Case(DIVIDER, "shared", "6 // self.parts == 6", "6 // max(self.parts, 1) == 6"),
    "a wait that raises": Case(DIVIDER, "once", "6 // self.parts == 3", "6 // max(self.parts, 1) == 3"),
    "a loop that is not fair": Case(
        DESK, "what_is_handed_in_is_read", "@eventually\n", '@eventually(weak=("read_it",))\n', engines=("live",)
    ),
    "a run that ends": Case(
        GATE.replace("class Gate", "class Portal"),
        "somebody_gets_through",
        "open: bool = var(False)",
        "open: bool = var(True)",
        engines=("live",),
    ),
    "an end that may not be": Case(
        GATE, "ends only where it may", "return not exists(Job, lambda j: not self.through[j])", "return True"
    ),
    "everything that a model may hold": Case(
        EVERYTHING,
        "never_seen_by_two",
        "self.lamp.switch()",
        "pass",
        "wrong.py:Everything",
        engines=("explore",),
        more={"shared_sorts.py": SHARED},
    ),
    "a file that no import can name": Case(
        CHARGING.replace("class Charging", "class Billing"),
        "charged_at_most_once",
        "<= 1",
        "<= 2",
        "my-model.1.py",
    ),
}


@attrs.frozen(eq=False)
class Made:
    """The bundle of a case, and its files: their content by name, in the order in which they were written."""

    case: Case
    bundle: Bundle
    files: Mapping[str, bytes]

    def put(self, folder: Path) -> list[Path]:
        """Write the model into a folder, and the bundle into ``out`` there; gives the bundle's files."""
        self.case.write(folder)
        (folder / "out").mkdir(exist_ok=True)
        paths = [folder / "out" / name for name in self.files]
        for path, content in zip(paths, self.files.values(), strict=True):
            path.write_bytes(content)
        return paths


@functools.cache
def made(name: str) -> Made:
    """The bundle of a case: found once, for it takes a while."""
    case, path = CASES[name], list(sys.path)
    try:
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            case.write(Path(folder))
            bundle = case.bundle()
            written = bundle.write(Path("out"))
            return Made(case, bundle, {file.name: file.read_bytes() for file in written})
    finally:
        sys.path[:] = path
        sys.modules.pop("shared_sorts", None)
