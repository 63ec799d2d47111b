"""Generated Python: a lifted model at a scope as straight-line functions on tuples.

Conditions over arguments are folded away, entries of maps are tuple positions, and a key known only in a state is
an index computed there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, cast

import attrs

from meshspec.backends.layout import Layout, State
from meshspec.errors import UsageError
from meshspec.expr.build import fold_ints
from meshspec.expr.nodes import Absent, Cell, Const, Name, Node, Op, Quant, SortType
from meshspec.expr.walk import free_names
from meshspec.lang.containers import order_of
from meshspec.lang.lift import Lifted
from meshspec.lang.outcomes import Does, Leaf, Outcome, Raises, Tree, WriteAll

_UNKNOWN: Any = object()
MAX_PIECES = 1_000_000

Successor = tuple[int, State | None, str]
"""A ground action's number, the state it leads to, or ``None`` and the error it raises."""


@attrs.frozen
class Code:
    """A piece of Python, and its value where it is known already."""

    text: str
    value: Any = _UNKNOWN

    @property
    def known(self) -> bool:
        return self.value is not _UNKNOWN


def _literal(value: Any) -> Code:
    return Code(repr(value) if not isinstance(value, int) or value >= 0 else f"({value})", value)


class Generator:
    """Writes the functions for one layout. The state in generated code is the tuple ``s``."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.constants: dict[str, Any] = {}
        self.written = 0

    # -- expressions -------------------------------------------------------------------------------------------

    def code(self, node: Node, names: Mapping[str, Code]) -> Code:
        """The expression as Python; raises :class:`UsageError` where a scope makes too much of it."""
        self.written += 1
        if self.written > MAX_PIECES:
            sizes = ",".join(f"{name}={size}" for name, size in self.layout.scope_names.items())
            raise UsageError(
                f"--scope {sizes} makes more code of {self.layout.model.name} than can be built "
                f"({MAX_PIECES:,} pieces): take a smaller scope"
            )
        match node:
            case Const(value):
                return _literal(self.layout.encode_value(value))
            case Name(name):
                return names[name]
            case Cell(symbol, keys):
                return self._cell(symbol.name, [self.code(key, names) for key in keys])
            case Absent(symbol, keys):
                cell = self._cell(symbol.name, [self.code(key, names) for key in keys])
                return _literal(cell.value is None) if cell.known else Code(f"({cell.text} is None)")
            case Quant(kind, bound, body):
                each = [self.code(body, {**names, bound.name: _literal(m)}) for m in self._positions(bound)]
                if kind in ("forall", "exists"):
                    return _junction("and" if kind == "forall" else "or", each)
                return Code("(0 + " + " + ".join(part.text for part in each) + ")")
            case Op("and" | "or" as op, args):
                return _junction(op, [self.code(arg, names) for arg in args])
            case Op("not", (arg,)):
                inner = self.code(arg, names)
                return _literal(not inner.value) if inner.known else Code(f"(not {inner.text})")
            case Op("ite", (condition, then, otherwise)):
                test = self.code(condition, names)
                if test.known:
                    return self.code(then if test.value else otherwise, names)
                left, right = self.code(then, names), self.code(otherwise, names)
                return Code(f"({left.text} if {test.text} else {right.text})")
            case Op(op, (left_node, right_node)):
                left, right = self.code(left_node, names), self.code(right_node, names)
                if left.known and right.known:
                    return _literal(_fold(op, left.value, right.value))
                return Code(f"({left.text} {op} {right.text})")
            case _:
                raise AssertionError(f"not an expression: {node!r}")

    def _positions(self, bound: Name) -> range:
        assert isinstance(bound.type, SortType)
        return range(self.layout.sizes[bound.type.cls])

    def _cell(self, name: str, keys: list[Code]) -> Code:
        where = self._position(name, keys)
        table = self.layout.tables.get(name)
        if table is not None:
            if where.known:
                return _literal(table[where.value])
            held = f"table_{len(self.constants)}"
            held = next((k for k, v in self.constants.items() if v is table), held)
            self.constants[held] = table
            return Code(f"{held}[{where.text}]")
        base = self.layout.base[name]
        return Code(f"s[{base + where.value}]" if where.known else f"s[{base} + {where.text}]")

    def _position(self, name: str, keys: list[Code]) -> Code:
        """The place of an entry among the entries of its variable."""
        symbol = next(v.symbol for v in self.layout.model.declared.variables if v.symbol.name == name)
        place = Code("0", 0)
        for key, type in zip(keys, symbol.keys, strict=True):
            size = len(self.layout.values(type))
            if place.known and key.known:
                place = _literal(place.value * size + int(key.value))
            elif place.known and place.value == 0:
                place = key
            else:
                place = Code(f"({place.text} * {size} + {key.text})")
        return place

    # -- actions -----------------------------------------------------------------------------------------------

    def successors(self) -> Callable[[State], list[Successor]]:
        """A function from a state to all its successors, in the order of ground actions."""
        lines = ["def successors(s):", "    out = []"]
        for number, (lifted, arguments) in enumerate(self.layout.ground_actions()):
            names = self.names(lifted, arguments)
            _, picked = lifted.assembled(arguments)
            spare = {
                p.name
                for p, value in zip(lifted.choices, picked, strict=True)
                if value != self.layout.arguments((p,))[0][0]
            }
            self._tree(lifted.tree, number, names, spare, 1, lines)
        lines.append("    return out")
        return cast("Callable[[State], list[Successor]]", self._compile(lines, "successors"))

    def names(self, lifted: Lifted, arguments: tuple[Any, ...]) -> dict[str, Code]:
        encoded = [_literal(self.layout.encode_value(value)) for value in arguments]
        return {p.name: code for p, code in zip(lifted.parameters, encoded, strict=True)}

    def _tree(
        self,
        tree: Tree[Outcome],
        number: int,
        names: Mapping[str, Code],
        spare: set[str],
        depth: int,
        lines: list[str],
    ) -> None:
        """Nested tests; `spare` holds choices not at their first value and not looked at so far.

        A path that never looks at a choice is one transition and not one for each value, so it is written for
        the first value only.
        """
        indent = "    " * depth
        if isinstance(tree, Leaf):
            self._leaf(tree.value, number, names, spare, indent, lines)
            return
        spare = spare and spare - {name.name for name in free_names(tree.question)}
        question = self.code(tree.question, names)
        if question.known:
            chosen = tree.below[[_encoded(option) for option in tree.options].index(question.value)]
            self._tree(chosen, number, names, spare, depth, lines)
            return
        told: list[tuple[object, list[str]]] = []
        for option, child in zip(tree.options, tree.below, strict=True):
            below: list[str] = []
            self._tree(child, number, names, spare, depth + 1, below)
            if below:  # an answer that leads to no step is not asked for
                told.append((option, below))
        for position, (option, below) in enumerate(told):
            if len(told) == len(tree.options) > 1 and position == len(told) - 1:
                lines.append(f"{indent}else:")
            else:
                lines.append(f"{indent}{'elif' if position else 'if'} {_asked(question.text, option)}:")
            lines += below

    def _leaf(
        self, outcome: Outcome, number: int, names: Mapping[str, Code], spare: set[str], indent: str, lines: list[str]
    ) -> None:
        if spare and spare - names_in(outcome):
            return
        if isinstance(outcome, Raises):
            lines.append(f"{indent}out.append(({number}, None, {outcome.error!r}))")
        elif isinstance(outcome, Does):
            lines.append(f"{indent}t = list(s)")
            for update in outcome.updates:
                base = self.layout.base[update.symbol.name]
                for write in update.writes:
                    if isinstance(write, WriteAll):
                        for position in self._positions(write.bound):
                            here = {**names, write.bound.name: _literal(position)}
                            lines.append(
                                f"{indent}t[{base + position}] = {self._value(write.value, write.absent, here)}"
                            )
                    else:
                        place = self._position(update.symbol.name, [self.code(key, names) for key in write.keys])
                        at = f"{base + place.value}" if place.known else f"{base} + {place.text}"
                        lines.append(f"{indent}t[{at}] = {self._value(write.value, write.absent, names)}")
            lines.append(f"{indent}out.append(({number}, tuple(t), ''))")

    def _value(self, value: Node, absent: Node, names: Mapping[str, Code]) -> str:
        gone = self.code(absent, names)
        if gone.known:
            return "None" if gone.value else self.code(value, names).text
        return f"None if {gone.text} else {self.code(value, names).text}"

    # -- claims ------------------------------------------------------------------------------------------------

    def first_failure(self, node: Node, argument_names: list[dict[str, Code]]) -> Callable[[State], int]:
        """A function from a state to the first combination of arguments for which `node` is false, or -1."""
        lines = ["def first_failure(s):"]
        for number, names in enumerate(argument_names):
            code = self.code(node, names)
            if not (code.known and code.value):
                lines.append(f"    if not {code.text}: return {number}")
        lines.append("    return -1")
        return cast("Callable[[State], int]", self._compile(lines, "first_failure"))

    def out_of_range(self) -> Callable[[State], list[int]]:
        """A function from a state to the cells that have left their Range."""
        lines = ["def out_of_range(s):", "    out = []"]
        for position, cell in enumerate(self.layout.cells):
            if cell.variable.range is not None:
                bounds = cell.variable.range.of(self.layout.model.instance)
                inside = f"{bounds[0]} <= s[{position}] <= {bounds[-1]}"
                maybe = f"s[{position}] is None or " if cell.variable.symbol.optional else ""
                lines.append(f"    if not ({maybe}{inside}): out.append({position})")
        lines.append("    return out")
        return cast("Callable[[State], list[int]]", self._compile(lines, "out_of_range"))

    def _compile(self, lines: list[str], name: str) -> object:
        scope: dict[str, Any] = dict(self.constants)
        exec(compile("\n".join(lines), f"<generated {name}>", "exec"), scope)  # our own text
        return scope[name]


def _asked(question: str, option: object) -> str:
    if isinstance(option, bool):
        return question if option else f"not {question}"
    return f"{question} == {_encoded(option)!r}"


def _encoded(option: object) -> object:
    return option if isinstance(option, bool) else order_of(option)


def _junction(op: str, each: list[Code]) -> Code:
    absorbing = op == "or"
    open_parts: list[str] = []
    for part in each:
        if part.known and bool(part.value) is absorbing:
            return _literal(absorbing)
        if not part.known:
            open_parts.append(part.text)
    if not open_parts:
        return _literal(not absorbing)
    return Code(open_parts[0] if len(open_parts) == 1 else "(" + f" {op} ".join(open_parts) + ")")


def _fold(op: Any, x: Any, y: Any) -> Any:
    match op:
        case "==":
            return x == y
        case "<":
            return x < y
        case "<=":
            return x <= y
        case _:
            return fold_ints(op, x, y)


def names_in(outcome: Outcome) -> set[str]:
    """The names that what is done depends on."""
    if not isinstance(outcome, Does):
        return set()
    found: set[str] = set()
    for update in outcome.updates:
        for write in update.writes:
            nodes = [write.value, write.absent, *(() if isinstance(write, WriteAll) else write.keys)]
            found |= {name.name for node in nodes for name in free_names(node)}
    return found
