"""What a module of the exported subset of TLA+ says of states and steps, worked out from its text alone.

What TLC refuses is refused: a step says once of every variable what it becomes, values of different kinds are not
compared, and the second operand of ``\\div`` and ``%`` is positive.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs

from tests.report.tla_reader import Expr, Parser

State = Mapping[str, Any]


class Fun(dict[Any, Any]):
    """A function of TLA+, which is a value."""

    def __hash__(self) -> int:  # type: ignore[override]  # never changed once made
        return hash(frozenset(self.items()))


@attrs.frozen
class ModelValue:
    name: str


@attrs.frozen
class Functions:
    """All functions from a set into another, which may be infinite."""

    domain: frozenset[Any]
    into: Any


@attrs.frozen
class Either:
    """The union of sets of which one is not written out."""

    sets: tuple[Any, ...]


INTEGERS = object()


class Module:
    """A module with its constants: what is true of states, and which states follow."""

    def __init__(self, text: str, cfg: str) -> None:
        self.parsed = Parser(text)
        self.values: dict[str, Any] = {}
        listed = re.search(r"^CONSTANTS\n((?:  .*\n)+)", cfg, re.MULTILINE)
        for line in listed[1].splitlines() if listed else ():
            name, value = (part.strip() for part in line.split(" = "))
            members = re.fullmatch(r"\{(.*)\}", value)
            self.values[name] = frozenset(map(ModelValue, members[1].split(", "))) if members else ModelValue(value)
        if set(self.values) != set(self.parsed.constants):
            raise SyntaxError(f"constants {self.parsed.constants} are given {sorted(self.values)}")
        self.invariants = re.findall(r"\w+", "".join(re.findall(r"^INVARIANTS\n((?:  \w+\n)+)", cfg, re.MULTILINE)))
        self.properties = re.findall(r"\w+", "".join(re.findall(r"^PROPERTIES\n((?:  \w+\n)+)", cfg, re.MULTILINE)))
        if not all(self.value(assumed, {}, {}) for assumed in self.parsed.assumed):
            raise SyntaxError("the constants are not what is assumed of them")

    # -- values ------------------------------------------------------------------------------------------------

    def value(self, expr: Expr, at: State, names: Mapping[str, Any]) -> Any:
        def of(part: Expr) -> Any:
            return self.value(part, at, names)

        match expr:
            case ("value", value):
                return value
            case ("()", inner):
                return of(inner)
            case ("name", name):
                return self._named(name, at, names)
            case ("call", name, *given):
                return self.called(name, [of(part) for part in given], at)
            case ("/\\", *parts):
                return all(_truth(of(part)) for part in parts)
            case ("\\/", *parts):
                return any(_truth(of(part)) for part in parts)
            case ("=>", left, right):
                return not _truth(of(left)) or _truth(of(right))
            case ("unary ~", part):
                return not _truth(of(part))
            case ("unary -", part):
                return -_number(of(part))
            case ("=" | "#" as op, left, right):
                return _same(of(left), of(right)) is (op == "=")
            case ("<" | "<=" | ">" | "+" | "-" | "*" | "%" | "\\div" | ".." as op, left, right):
                return _arithmetic(op, _number(of(left)), _number(of(right)))
            case ("\\in", left, right):
                return _within(of(left), of(right))
            case ("\\union", left, right):
                both: tuple[Any, Any] = of(left), of(right)
                return both[0] | both[1] if all(isinstance(s, frozenset) for s in both) else Either(both)
            case ("\\", left, right):
                return of(left) - of(right)
            case ("\\X", ("\\X", *sets), last):  # a product of three sets is a set of triples
                return of(("\\X", *sets, last))
            case ("\\X", *sets):
                return frozenset(itertools.product(*map(of, sets)))
            case ("IF", condition, then, otherwise):
                return of(then) if _truth(of(condition)) else of(otherwise)
            case ("CASE", arms):
                return of(next(result for condition, result in arms if _truth(of(condition))))
            case ("\\A" | "\\E" | "CHOOSE" | "filter" | "function" as word, bounds, body):
                return self._bound(word, bounds, body, at, names)
            case ("LET", name, value, body):
                return self.value(body, at, {**names, name: of(value)})
            case ("at", function, *keys):
                return of(function)[_key([of(key) for key in keys])]
            case ("set", *parts):
                return frozenset(map(of, parts))
            case ("functions", domain, into):
                return Functions(of(domain), of(into))
            case ("EXCEPT", start, changes):
                made = Fun(of(start))
                for keys, result in changes:
                    key = _key([of(part) for part in keys])
                    if key not in made:
                        raise ValueError(f"EXCEPT at {key}, which is not in the domain")
                    made[key] = of(result)
                return made
            case ("ENABLED", ("name", "Next")):
                return next(self.steps(at), None) is not None
            case _:
                raise SyntaxError(f"this is no value: {expr}")

    def _named(self, name: str, at: State, names: Mapping[str, Any]) -> Any:
        if name in names:
            return names[name]
        if name in self.parsed.variables:
            return at[name]
        if name in self.values:
            return self.values[name]
        return INTEGERS if name == "Int" else self.called(name, [], at)

    def called(self, name: str, given: list[Any], at: State) -> Any:
        if name in ("Cardinality", "IsFiniteSet"):
            return len(given[0]) if name == "Cardinality" else isinstance(given[0], frozenset)
        definition = self.parsed.definitions[name]
        return self.value(definition.body, at, dict(zip(definition.parameters, given, strict=True)))

    def _ways(self, bounds: tuple[tuple[str, Expr], ...], at: State, names: Mapping[str, Any]) -> Iterator[Any]:
        sets = [sorted(self.value(among, at, names), key=repr) for _, among in bounds]
        for values in itertools.product(*sets):
            yield values, {**names, **dict(zip((name for name, _ in bounds), values, strict=True))}

    def _bound(self, word: str, bounds: Any, body: Expr, at: State, names: Mapping[str, Any]) -> Any:
        ways = self._ways(bounds, at, names)
        if word == "function":
            return Fun({_key(values): self.value(body, at, inner) for values, inner in ways})
        holding = (_key(values) for values, inner in ways if _truth(self.value(body, at, inner)))
        if word == "filter":
            return frozenset(holding)
        if word == "CHOOSE":
            return next(holding)
        nothing = object()
        if word == "\\E":
            return next(holding, nothing) is not nothing
        return all(_truth(self.value(body, at, inner)) for _, inner in self._ways(bounds, at, names))

    # -- states ------------------------------------------------------------------------------------------------

    def holds(self, name: str, at: State) -> bool:
        return _truth(self.called(name, [], at))

    def starts(self) -> Iterator[State]:
        body = self.parsed.definitions["Init"].body
        for start in self._becomes(body, {}, {}, {}, lambda e: e[1] if e[0] == "name" else ""):
            yield self._whole(start)

    def steps(self, at: State) -> Iterator[State]:
        body = self.parsed.definitions["Next"].body
        for after in self._becomes(body, at, {}, {}, lambda e: e[1][1] if e[0] == "'" else ""):
            yield self._whole(after)

    def _whole(self, found: State) -> State:
        if set(found) != set(self.parsed.variables):
            raise SyntaxError(f"nothing is said of {set(self.parsed.variables) - set(found)}")
        return found

    def _becomes(
        self, expr: Expr, at: State, names: Mapping[str, Any], so_far: State, target: Callable[[Expr], str]
    ) -> Iterator[State]:
        """Every way to give variables values that makes the expression true."""
        match expr:
            case ("()", inner):
                yield from self._becomes(inner, at, names, so_far, target)
            case ("/\\", first, *rest):
                for found in self._becomes(first, at, names, so_far, target):
                    yield from self._becomes(("/\\", *rest), at, names, found, target) if rest else (found,)
            case ("\\/", *parts):
                for part in parts:
                    yield from self._becomes(part, at, names, so_far, target)
            case ("IF", condition, then, otherwise):
                branch = then if _truth(self.value(condition, at, names)) else otherwise
                yield from self._becomes(branch, at, names, so_far, target)
            case ("\\E", bounds, body):
                for _, inner in self._ways(bounds, at, names):
                    yield from self._becomes(body, at, inner, so_far, target)
            case ("UNCHANGED", ("tuple", *parts)):
                yield {**so_far, **self._fresh({part[1]: at[part[1]] for part in parts}, so_far)}
            case ("=" | "\\in" as op, left, right) if name := (target(left) if left[0] in ("name", "'") else ""):
                value = self.value(right, at, names)
                for one in [value] if op == "=" else sorted(_members(value), key=repr):
                    yield {**so_far, **self._fresh({name: one}, so_far)}
            case ("name" | "call", name, *given) if name in self.parsed.definitions:
                definition = self.parsed.definitions[name]
                values = [self.value(part, at, names) for part in given]
                inner = dict(zip(definition.parameters, values, strict=True))
                yield from self._becomes(definition.body, at, inner, so_far, target)
            case _:
                if _truth(self.value(expr, at, names)):
                    yield so_far

    @staticmethod
    def _fresh(more: dict[str, Any], so_far: State) -> dict[str, Any]:
        if more.keys() & so_far.keys():
            raise SyntaxError(f"{more.keys() & so_far.keys()} is given a value twice")
        return more


def _truth(value: Any) -> bool:
    if not isinstance(value, bool):
        raise TypeError(f"{value!r} is no truth value")
    return value


def _number(value: Any) -> int:
    if type(value) is not int:
        raise TypeError(f"{value!r} is no number")
    return value


def _same(left: Any, right: Any) -> bool:
    kinds: tuple[Any, Any] = left.__class__, right.__class__
    if ModelValue not in kinds and kinds[0] is not kinds[1]:
        raise TypeError(f"{left!r} and {right!r} cannot be compared")
    return kinds[0] is kinds[1] and bool(left == right)


def _arithmetic(op: str, x: int, y: int) -> Any:
    if op in ("%", "\\div") and y <= 0:
        raise ValueError(f"{x} {op} {y}: the divisor must be positive")
    match op:
        case "<" | "<=" | ">":
            return x < y if op == "<" else x <= y if op == "<=" else x > y
        case "..":
            return frozenset(range(x, y + 1))
        case "%" | "\\div":
            return x - y * (x // y) if op == "%" else x // y
        case _:
            return x + y if op == "+" else x - y if op == "-" else x * y


def _key(values: Any) -> Any:
    return values[0] if len(values) == 1 else tuple(values)


def _within(value: Any, among: Any) -> bool:
    if among is INTEGERS:
        return type(value) is int
    if isinstance(among, Either):
        return any(_within(value, one) for one in among.sets)
    if isinstance(among, Functions):
        fits = isinstance(value, Fun) and value.keys() == among.domain
        return fits and all(_within(one, among.into) for one in value.values())
    return any(type(one) is type(value) and one == value for one in among)


def _members(among: Any) -> list[Any]:
    if isinstance(among, Functions):
        domain = sorted(among.domain, key=repr)
        ways = itertools.product(*(_members(among.into) for _ in domain))
        return [Fun(zip(domain, values, strict=True)) for values in ways]
    return list(among)
