r"""Expressions in the notation of mathematics, for LaTeX with amsmath and nothing else.

Every name stands in ``\mathit`` or ``\mathrm`` with all that TeX would act on escaped, so that no name of a model can
end a group or begin a command. What is not printable ASCII is written by its code point: a document in which it is
missing would say something else.
"""

from __future__ import annotations

from enum import Enum
from functools import lru_cache

from meshspec.expr.nodes import (
    Absent,
    BoolType,
    Cell,
    Const,
    EnumType,
    IntType,
    Name,
    Node,
    Op,
    Quant,
    SortType,
    Type,
)
from meshspec.expr.text import value_text

_TIGHTNESS = {"or": 1, "and": 2, "not": 3, "==": 4, "<": 4, "<=": 4, "+": 5, "-": 5, "*": 6, "%": 6}
_SIGNS = {
    "or": r"\lor",
    "and": r"\land",
    "==": "=",
    "<": "<",
    "<=": r"\leq",
    "+": "+",
    "-": "-",
    "*": r"\cdot",
    "%": r"\bmod",
}
_OPPOSITE = {"==": r"\neq", "<": r"\geq", "<=": ">"}
_SPECIAL = {
    "\\": r"\backslash ",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "^": r"\wedge ",
    "~": r"\sim ",
    "'": r"^{\prime}",
    " ": r"\ ",
}


def escaped(text: str) -> str:
    r"""A name or a value inside of a formula.

    >>> print(escaped("a_b{'"), escaped("\u03c3"))
    a\_b\{^{\prime} U{+}03C3
    """
    return "".join(_SPECIAL.get(c, c) if " " <= c <= "~" else f"U{{+}}{ord(c):04X}" for c in text)


def prose(text: str) -> str:
    r"""Text outside of formulas, escaped.

    >>> prose("50% of a_b, \\end{x}")
    '50\\% of a\\_b, $\\backslash $end\\{x\\}'
    """
    plain = {c: f"${code}$" if c in "\\^~" else code for c, code in _SPECIAL.items() if c not in "' "}
    plain.update({"<": "$<$", ">": "$>$", "|": "$|$", "`": "'", '"': "''"})
    return "".join(plain.get(c, c) if " " <= c <= "~" else f"U+{ord(c):04X}" for c in text)


def name(text: str) -> str:
    """The name of a variable, an action, a parameter."""
    return rf"\mathit{{{escaped(text)}}}"


def word(text: str) -> str:
    """A value or a type: what does not vary."""
    return rf"\mathrm{{{escaped(text)}}}"


def value(held: object) -> str:
    """A value: truth, a number, a member, or nothing."""
    if held is None:
        return r"\bot"
    if isinstance(held, bool):
        return word("true" if held else "false")
    if isinstance(held, int) and not isinstance(held, Enum):
        return str(held)
    return word(value_text(held))


def kind(type: Type) -> str:
    """The set of values of a type."""
    match type:
        case BoolType():
            return word("bool")
        case IntType():
            return word("int")
        case EnumType(cls) | SortType(cls):
            return word(cls.__name__)


def cell(symbol: str, keys: tuple[str, ...]) -> str:
    """A variable at keys that are formulas already."""
    return name(symbol) + (f"[{', '.join(keys)}]" if keys else "")


@lru_cache(maxsize=1 << 14)
def latex(node: Node) -> str:
    r"""The expression as a formula, to stand in math mode.

    >>> from meshspec.expr.nodes import BOOL
    >>> latex(Op("not", (Name("up", BOOL),), BOOL))
    '\\lnot \\mathit{up}'
    """
    match node:
        case Const(held):
            return value(held)
        case Name(text):
            return name(text)
        case Cell(symbol, keys):
            return cell(symbol.name, tuple(map(latex, keys)))
        case Absent(symbol, keys):
            return cell(symbol.name, tuple(map(latex, keys))) + r" = \bot"
        case Quant(quantifier, bound, body):
            over = rf"{name(bound.name)} \in {kind(bound.type)}"
            if quantifier == "count":
                return rf"\#\{{{over} : {latex(body)}\}}"
            if quantifier == "total":
                return rf"\sum_{{{over}}} {_inner(body, 6)}"
            return rf"(\{quantifier} {over} :\ {latex(body)})"
        case Op("ite", (condition, then, otherwise)):
            return (
                rf"(\text{{if }} {latex(condition)} \text{{ then }} {latex(then)} \text{{ else }} {latex(otherwise)})"
            )
        case Op("//", (left, right)):
            return rf"\lfloor {_inner(left, 6)} / {_inner(right, 7)} \rfloor"
        case Op("not", (Op(op, (left, right)),)) if op in _OPPOSITE:
            return f"{_inner(left, 5)} {_OPPOSITE[op]} {_inner(right, 5)}"
        case Op("not", (Absent(symbol, keys),)):
            return cell(symbol.name, tuple(map(latex, keys))) + r" \neq \bot"
        case Op("not", (arg,)):
            return rf"\lnot {_inner(arg, 3)}"
        case Op(op, args):
            level = _TIGHTNESS[op]
            return f" {_SIGNS[op]} ".join(_inner(arg, level + (level >= 4)) for arg in args)


def _inner(node: Node, level: int) -> str:
    match node:
        case Op(op):
            tightness = _TIGHTNESS.get(op, 9)
        case Absent():
            tightness = 4
        case Quant("total") | Const(int(), IntType()):  # a minus sign, or a sum that takes in what follows
            tightness = 5 if isinstance(node, Quant) or latex(node).startswith("-") else 9
        case _:
            tightness = 9
    return f"({latex(node)})" if tightness < level else latex(node)


def lines(node: Node) -> list[str]:
    """The formula, one line for each part of a conjunction or disjunction."""
    match node:
        case Op("and" | "or" as op, args):
            first, *others = [_inner(arg, _TIGHTNESS[op]) for arg in args]
            return [first, *(f"{{}}{_SIGNS[op]} {other}" for other in others)]
        case _:
            return [latex(node)]
