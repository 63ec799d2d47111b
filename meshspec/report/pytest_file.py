"""A bundle as a test to paste into a repository: plain Python against the model's own methods.

It fails while the property is false at the end of the path, and passes once it is mended: then the property is true
there, or a step of the path is not possible any more.
"""

from __future__ import annotations

import builtins
import keyword
import re
import sys
import textwrap
from collections.abc import Collection, Iterator, Sequence
from enum import Enum
from types import ModuleType
from typing import Any

from meshspec.backends.layout import Layout
from meshspec.engines.check import Answered
from meshspec.engines.rerun import Refuted, Taken
from meshspec.expr.text import value_text
from meshspec.lang.lift import Lifted
from meshspec.report.bundled import FORMAT, VERSION, Bundle
from meshspec.report.text import clean, lines_of
from meshspec.sorts import Sort

_WIDTH = 100
_INDENT = "    "


class _NoName(Exception):
    """Something that a file elsewhere cannot name: a class made inside a function, or typed into a shell."""


def test(bundle: Bundle, name: str) -> str | None:
    """The test, to be kept as ``test_NAME.py``; ``None`` where no other file can import what it is about."""
    try:
        if bundle.of == "policy":
            from meshspec.report.policy_test import policy_test  # of a story, and not of a model

            return policy_test(bundle, name)
        return "\n".join(_Writer(bundle, name).lines()) + "\n" if bundle.run is not None else None
    except _NoName:
        return None


def head(bundle: Bundle, name: str, ends: str) -> list[str]:
    """The first lines of a test: what is wrong, told as every report tells it, and how to see it again."""
    finding = bundle.finding
    argument = lines_of(Answered(finding, (finding,)), _WIDTH - 4)
    lines = [
        f"{bundle.property} of {bundle.subject} is violated.",
        "",
        *(f"{_INDENT}{line}".rstrip() for line in argument),
        "",
        *(line for part in ends.splitlines() for line in textwrap.wrap(part, _WIDTH)),
        "",
        f"Run again by: meshspec replay {name}.json",
        *([f"Found by: {bundle.command}"] if bundle.command else []),
    ]
    return [f"# {FORMAT} {VERSION}: written by meshspec, to be run by pytest", f'"""{doc(lines)}', '"""']


def doc(lines: Sequence[str]) -> str:
    """Lines as they may stand in a docstring, whatever is in them."""
    return "\n".join(clean(line).replace("\\", "\\\\").replace('"""', '\\"\\"\\"') for line in lines)


def literal(text: str) -> str:
    """A string as Python reads it, in ASCII and on one line."""
    quoted = ascii(text)
    return f'"{quoted[1:-1]}"' if quoted[0] == "'" and '"' not in quoted else quoted


def plain_name(name: str) -> bool:
    return name.isidentifier() and not keyword.iskeyword(name)


def slug(name: str) -> str:
    return re.sub(r"\W+", "_", name).strip("_").lower() or "it"


class _Writer:
    def __init__(self, bundle: Bundle, name: str) -> None:
        assert bundle.run is not None
        self.bundle, self.name, self.run = bundle, name, bundle.run
        self.layout: Layout = bundle.run.layout
        self.names = Imports(bundle.target, type(self.layout.model.instance))
        self.members: dict[str, str] = {}
        self.helpers: dict[str, None] = {}

    # -- values ------------------------------------------------------------------------------------------------

    def value(self, given: object) -> str:
        """A value as the test writes it; a member of a sort is a variable that is made first."""
        if isinstance(given, Sort):
            variable = repr(given) if repr(given).isidentifier() else f"member{len(self.members)}"
            held = f"{self.names.of(type(given))}({given.index})"
            variable = next((name for name, made in self.members.items() if made == held), variable)
            self.members[variable] = held
            return variable
        if isinstance(given, Enum):
            cls = self.names.of(type(given))
            plain = plain_name(given.name) and getattr(type(given), given.name, None) is given
            return f"{cls}.{given.name}" if plain else f"{cls}[{literal(given.name)}]"
        if isinstance(given, tuple):
            inside = [self.value(part) for part in given]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            return f"({', '.join(inside)}{',' if len(inside) == 1 else ''})"
        return value_text(given)

    def values(self, given: Sequence[object]) -> str:
        return ", ".join(map(self.value, given))

    def method(self, lifted: Lifted) -> str:
        return attribute("model", lifted.name)

    def action(self, taken: Taken) -> tuple[str, str]:
        """The method that takes a step, and its arguments."""
        method = self.method(taken.lifted)
        if taken.asked:
            self.helpers["picking"] = None
            method = f"picking({method}, {self.values(taken.asked)})"
        return method, self.values(taken.lifted.assembled(taken.arguments)[0])

    # -- the file ----------------------------------------------------------------------------------------------

    def lines(self) -> Iterator[str]:
        start = list(self._start())
        loop = self.bundle.loop is not None
        steps = [] if loop else list(self._steps())
        claim = list(self._lasso() if loop else self._claim())
        model = self._model()
        sizes = ", ".join(f"{self.names.of(sort)}: {size}" for sort, size in self.layout.sizes.items())
        words = [*(["Blocked"] if steps or loop else []), *(["scope"] if sizes else [])]
        imports = self.names.lines(self.helpers, words)
        end = "it passes once a step of it is not possible any more (Blocked), or the property is true at its end."
        yield from head(self.bundle, self.name, f"It goes that path on CPython, step by step; {end}")
        yield ""
        yield from imports
        yield ""
        yield f"CLAUSE = {literal(self.bundle.failed)}"
        yield ""
        yield ""
        yield f"def test_{slug(self.bundle.property)}() -> None:"
        yield from (f"{_INDENT}{variable} = {held}" for variable, held in sorted(self.members.items()))
        inner = _INDENT * 2 if sizes else _INDENT
        if sizes:
            yield f"{_INDENT}with scope({{{sizes}}}):"
        yield f"{inner}model = {model}"
        yield from (f"{inner}{line}" for line in start)
        if steps:
            yield f"{inner}try:"
            yield from (f"{inner}{_INDENT}{line}" for line in steps)
            yield f"{inner}except Blocked:"
            yield f"{inner}{_INDENT}return  # mended: a step of the path is not possible any more"
        yield from (f"{inner}{line}" for line in claim)

    def _model(self) -> str:
        model, made = self.names.model()
        if made:
            self.helpers["deepcopy"] = None
            return f"deepcopy({model})"
        return f"{model}()"

    def _start(self) -> Iterator[str]:
        """What is otherwise at the start than where a new model is."""
        fresh = _fresh(self.layout)
        for cell in self.layout.cells:
            value = self.run.start[cell.key]
            if fresh[cell.key] != value or type(fresh[cell.key]) is not type(value):
                place = attribute("model", cell.variable.symbol.name)
                keys = f"[{self.values(cell.keys)}]" if cell.keys else ""
                yield f"{place}{keys} = {self.value(value)}"

    def _steps(self) -> Iterator[str]:
        for number, taken in enumerate(self.run.taken, 1):
            method, arguments = self.action(taken)
            changed = ", ".join(f"{name} {old} -> {new}" for name, (old, new) in taken.changes.items())
            if taken.note and number == len(self.run.taken):
                yield "try:"
                yield f"{_INDENT}{method}({arguments})"
                yield "except Exception as error:"
                yield f"{_INDENT}raise AssertionError(CLAUSE) from error"
                continue
            yield from commented(f"{method}({arguments})", changed)

    def _claim(self) -> Iterator[str]:
        """What is false at the end of the path."""
        refuted = self.run.refuted
        assert refuted is not None
        match self.bundle.kind:
            case "total":
                return
            case "range":
                yield from self._range(refuted)
            case "terminal":
                self.helpers["stuck"] = None
                without = f", without={tuple(self.bundle.without)!r}" if self.bundle.without else ""
                yield f"assert {self._call(refuted)} or not stuck(model{without}), CLAUSE"
            case _:
                if "its body raises" in self.bundle.failed:
                    yield "try:"
                    kept = self.bundle.kind in ("sometimes", "eventually")  # then a claim may be false in a state
                    yield f"{_INDENT}{'' if kept else 'kept = '}{self._call(refuted)}"
                    yield "except Exception as error:"
                    yield f"{_INDENT}raise AssertionError(CLAUSE) from error"
                    yield from () if kept else ("assert kept, CLAUSE",)
                else:
                    yield f"assert {self._call(refuted)}, CLAUSE"

    def _call(self, refuted: Refuted) -> str:
        assert refuted.claim is not None
        own, _ = refuted.claim.assembled(refuted.arguments)
        return f"{self.method(refuted.claim)}({self.values(own)})"

    def _range(self, refuted: Refuted) -> Iterator[str]:
        cell = refuted.cell
        assert cell is not None and cell.variable.range is not None
        bounds = cell.variable.range.of(self.layout.model.instance)
        keys = f"[{self.values(cell.keys)}]" if cell.keys else ""
        yield f"value = {attribute('model', cell.variable.symbol.name)}{keys}"
        absent = "value is None or " if cell.variable.symbol.optional else ""
        yield f"assert {absent}{bounds[0]} <= value <= {bounds[-1]}, CLAUSE  # the Range as it stood"

    def _lasso(self) -> Iterator[str]:
        """A run that goes on for ever."""
        self.helpers["comes_about"] = None
        refuted, loop = self.run.refuted, self.bundle.loop
        assert refuted is not None and refuted.claim is not None and loop is not None
        parts = [("stem", self.run.taken[:loop]), ("loop", self.run.taken[loop:])]
        for name, part in parts if parts[1][1] else parts[:1]:
            if not part:
                yield f"{name} = []  # from the start:"
                continue
            yield f"{name} = ["
            for taken in part:
                method, arguments = self.action(taken)
                changed = ", ".join(f"{cell} {old} -> {new}" for cell, (old, new) in taken.changes.items())
                inside = f"({method}, {arguments})," if arguments else f"({method},),"
                yield from (f"{_INDENT}{line}" for line in commented(inside, changed))
            yield "]" if name == "loop" else f"]  # then {'for ever:' if parts[1][1] else 'nothing more, for ever'}"
        own, _ = refuted.claim.assembled(refuted.arguments)
        given = "".join(f", {self.value(one)}" for one in own)
        without = f", without={tuple(self.bundle.without)!r}" if self.bundle.without else ""
        yield "try:"
        yield f"{_INDENT}kept = comes_about("
        given += ", stem=stem" + (", loop=loop" if parts[1][1] else "")
        yield f"{_INDENT * 2}model, {literal(refuted.claim.name)}{given}{without}"
        yield f"{_INDENT})"
        yield "except Blocked:"
        yield f"{_INDENT}return  # mended: a step of the path is not possible any more"
        yield "assert kept, CLAUSE"


def _fresh(layout: Layout) -> Any:
    """The state that a new model is in: the first of every variable's initial values."""
    found: dict[Any, object] = {}
    for cell in layout.cells:
        first: Any = cell.variable.initial[0]
        found[cell.key] = first(0) if isinstance(first, type) and issubclass(first, Sort) else first
    return found


def attribute(thing: str, dotted: str) -> str:
    """``model.breaker.open``; by ``getattr`` where a name is none that can be written so."""
    for part in dotted.split("."):
        thing = f"{thing}.{part}" if plain_name(part) else f"getattr({thing}, {literal(part)})"
    return thing


def commented(code: str, comment: str) -> list[str]:
    """A line with what it does beside it, or above it where there is no room."""
    comment = clean(comment)
    if not comment:
        return [code]
    return [f"{code}  # {comment}"] if len(code) + len(comment) < _WIDTH else [f"# {comment}", code]


class Imports:
    """What a test imports: the model by its target, and the classes that it names."""

    def __init__(self, target: str, cls: type) -> None:
        self.target, self.cls = target, cls
        self.path, colon, self.attr = target.rpartition(":")
        if not colon:
            self.path, self.attr = (target, "") if target.endswith(".py") else ("", "")
        self.of_file = self.path.endswith(".py")
        self.module = sys.modules.get(cls.__module__)
        self.held: dict[type, str] = {}
        self.bound: dict[str, tuple[str, str]] = {}  # of each name of the test the module and the name in it
        if not target or self.module is None or cls.__module__ == "__main__":
            raise _NoName

    def model(self) -> tuple[str, bool]:
        """The model as the test names it, and whether that is an instance."""
        named = self.attr or self.cls.__name__
        value: Any = self._module_of_target()
        for part in named.split("."):
            value = getattr(value, part, None)
        if value is self.cls:
            return self._bind(self._place(self._module_of_target()), named), False
        if type(value) is not self.cls:
            raise _NoName
        return self._bind(self._place(self._module_of_target()), named), True

    def _module_of_target(self) -> ModuleType:
        """The module that the target names: of a file that of its class, for only there is it found by path."""
        assert self.module is not None
        if self.of_file or not self.path:
            return self.module
        named = sys.modules.get(self.path)
        if named is None:
            raise _NoName
        return named

    def of(self, cls: type) -> str:
        """A class as the test names it."""
        if cls not in self.held:
            self.held[cls] = self._found(cls)
        return self.held[cls]

    def _found(self, cls: type) -> str:
        own = self._module_of_target()
        for module in (own, sys.modules.get(cls.__module__)):
            if module is None or module.__name__ == "__main__":
                continue
            named = next((name for name, value in vars(module).items() if value is cls), None)
            if named is not None:
                return self._bind(self._place(module), named)
        raise _NoName

    def _place(self, module: ModuleType) -> str:
        """Where a module is imported from: the path of the target's file, or a name; an empty one for the former."""
        if self.of_file and module is self.module:
            return ""
        if module.__name__.startswith("meshspec_target_"):
            raise _NoName  # another file that was loaded by its path: no name leads to it
        return module.__name__

    def _bind(self, place: str, named: str) -> str:
        last = named.rpartition(".")[2]
        local = last if plain_name(last) and last not in _TAKEN else f"{slug(last)}_"
        while self.bound.get(local, (place, named)) != (place, named):
            local += "_"
        self.bound[local] = (place, named)
        return local

    def lines(self, helpers: Collection[str], words: Sequence[str]) -> list[str]:
        """The import lines, for these helpers and these words of the vocabulary."""
        lines = ["from copy import deepcopy", ""] if "deepcopy" in helpers else []
        places = dict.fromkeys(place for place, _ in self.bound.values())
        late: list[str] = []
        modules: list[str] = []
        for place in places:
            names = [(local, named) for local, (at, named) in self.bound.items() if at == place]
            if place and all(plain_name(named) for _, named in names):
                told = sorted(named if local == named else f"{named} as {local}" for local, named in names)
                (late if self.of_file else modules).append(f"from {place} import {', '.join(told)}")
                continue
            where = "module" if not place else slug(place)
            if place:
                modules.append(f"from importlib import import_module\n\n{where} = import_module({literal(place)})")
            late += [f"{local} = {attribute(where, named)}" for local, named in sorted(names)]
        wanted = sorted({name for name in helpers if name != "deepcopy"} | ({"near"} if "" in places else set()))
        lines += [f"from meshspec import {', '.join(words)}"] if words else []
        lines += [f"from meshspec.report.byhand import {', '.join(wanted)}"] if wanted else []
        lines += ["", *modules] if modules else []
        if "" in places:
            lines += [
                "",
                f"module = near(__file__, {literal(self.path)})  # in a folder above this file, or the present",
            ]
        return lines + late


_TAKEN = {
    "Blocked", "CLAUSE", "comes_about", "deepcopy", "import_module", "kept", "loop", "model", "module", "near",
    "picking", "scope", "stem", "stuck", "value", *dir(builtins),
}  # fmt: skip
