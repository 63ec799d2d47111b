"""A formula as an author would write it: a ``@lemma`` method to be pasted into the model."""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum

from meshspec.expr.build import negate
from meshspec.expr.nodes import Absent, Cell, Const, EnumType, Name, Node, Op, Quant, SortType
from meshspec.lang.declare import Declared, Parameter

_TIGHTNESS = {"or": 1, "and": 2, "not": 3, "==": 4, "<": 4, "<=": 4, "+": 5, "-": 5, "*": 6, "//": 6, "%": 6}
_OTHERWISE = {"<": ">=", "<=": ">"}
_SWAPPED = {"<": ">", "<=": ">="}


def lemma(name: str, parameters: Sequence[Parameter], literals: Sequence[Node], declared: Declared) -> str:
    """The method that says that one of these literals is true, as an implication where there are several."""
    write = _Writer(frozenset(v.symbol.name for v in declared.variables if v.is_set))
    own = "".join(f", {p.name}: {p.type}" for p in parameters)
    then = _consequents(literals)
    given = [negate(one) for one in literals if one not in then]
    body = " or ".join(write.inner(one, 1) for one in then)
    if given:
        body = f"implies({' and '.join(write.inner(one, 2) for one in given)}, {body})"
    return f"@lemma\ndef {name}(self{own}) -> bool:\n    return {body}"


def _consequents(literals: Sequence[Node]) -> list[Node]:
    """What to put after the arrow: what is the case rather than what is not, and facts rather than numbers."""
    positive = [one for one in literals if not (isinstance(one, Op) and one.op in ("not", "<", "<=", "and"))]
    numbers: list[Node] = [one for one in literals if isinstance(one, Op) and one.op in ("<", "<=")]
    return positive or numbers or [literals[-1]]


class _Writer:
    def __init__(self, sets: frozenset[str]) -> None:
        self.sets = sets

    def inner(self, node: Node, level: int) -> str:
        """The text, in parentheses where what stands around it binds tighter."""
        tightness = _TIGHTNESS.get(node.op, 9) if isinstance(node, Op) else 9
        tightness = 4 if isinstance(node, Absent) or self._is_set(node) else tightness
        said = self.text(node)
        return f"({said})" if tightness < level else said

    def _is_set(self, node: Node) -> bool:
        return isinstance(node, Cell) and node.symbol.name in self.sets

    def text(self, node: Node) -> str:
        match node:
            case Const(value):
                return f"{type(value).__name__}.{value.name}" if isinstance(value, Enum) else repr(value)
            case Name(name):
                return name
            case Cell(symbol, keys):
                if symbol.name in self.sets:
                    return f"{self.text(keys[0])} in self.{symbol.name}"
                return self._entry(symbol.name, keys)
            case Absent(symbol, keys):
                return f"{self._entry(symbol.name, keys)} is None"
            case Quant(kind, bound, body):
                return f"{kind}({bound.type}, lambda {bound.name}: {self.text(body)})"
            case Op("not", (arg,)):
                return self._denied(arg)
            case Op("ite", (condition, then, otherwise)):
                return f"({self.text(then)} if {self.text(condition)} else {self.text(otherwise)})"
            case Op("==", (a, b)):
                return f" {self._same(a)} ".join(self.inner(arg, 5) for arg in (a, b))
            case Op("<" | "<=" as op, (a, b)):
                if isinstance(a, Const):
                    return f"{self.inner(b, 5)} {_SWAPPED[op]} {self.text(a)}"
                return f"{self.inner(a, 5)} {op} {self.inner(b, 5)}"
            case Op(op, args):
                level = _TIGHTNESS[op]
                return f" {op} ".join(self.inner(arg, level + (level >= 4)) for arg in args)

    def _denied(self, arg: Node) -> str:
        match arg:
            case Absent(symbol, keys):
                return f"{self._entry(symbol.name, keys)} is not None"
            case Cell(symbol, keys) if symbol.name in self.sets:
                return f"{self.text(keys[0])} not in self.{symbol.name}"
            case Op("==", (a, b)):
                return f" {'is not' if self._same(a) == 'is' else '!='} ".join(self.inner(one, 5) for one in (a, b))
            case Op("<" | "<=" as op, (a, b)):
                if isinstance(a, Const):
                    return f"{self.inner(b, 5)} {'<=' if op == '<' else '<'} {self.text(a)}"
                return f"{self.inner(a, 5)} {_OTHERWISE[op]} {self.inner(b, 5)}"
            case _:
                return f"not {self.inner(arg, 3)}"

    def _entry(self, name: str, keys: tuple[Node, ...]) -> str:
        return f"self.{name}[{', '.join(self.text(key) for key in keys)}]" if keys else f"self.{name}"

    def _same(self, node: Node) -> str:
        return "is" if isinstance(node.type, (SortType, EnumType)) else "=="
