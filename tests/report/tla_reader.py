"""A grammar of its own for the subset of TLA+ that is exported; it knows nothing of models.

What TLA+ refuses is refused: a list of conjuncts ends where something stands at its column or left of it, ``/\\`` and
``\\/`` do not mix without parentheses, a name is defined once and never hidden.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NoReturn

import attrs

Expr = tuple[Any, ...]
"""An operator and its parts."""

TOKEN = re.compile(
    r"(?P<space>\s+)|(?P<comment>\\\*[^\n]*)|(?P<string>\"[^\"]*\")|(?P<number>\d+)|(?P<line>----+|====+)"
    r"|(?P<name>\w*[A-Za-z]\w*)"
    r"|(?P<op>/\\|\\/|\\in\b|\\A|\\E|\\union|\\div|\\X|\|->|==|=>|<>|~>|<<|>>|<=|->|\.\.|\[\]|\]_|_|[-+*%<>=#~()\[\]{},:!'\\])"
)
LEVELS: tuple[tuple[str, ...], ...] = (
    ("=>", "~>"),
    ("/\\", "\\/"),
    ("=", "#", "<", "<=", ">", "\\in"),
    ("\\union", "\\X", "\\"),
    ("..",),
    ("+", "-"),
    ("*", "%", "\\div"),
)


@attrs.frozen
class Token:
    kind: str
    text: str
    line: int
    column: int


@attrs.frozen
class Definition:
    parameters: tuple[str, ...]
    body: Expr


def tokens(text: str) -> list[Token]:
    found: list[Token] = []
    place = 0
    while place < len(text):
        match = TOKEN.match(text, place)
        if match is None:
            raise SyntaxError(f"not TLA+: {text[place : place + 40]!r}")
        line, column = text.count("\n", 0, place), place - text.rfind("\n", 0, place) - 1
        if match.lastgroup not in ("space", "comment"):
            found.append(Token(str(match.lastgroup), match.group(), line, column))
        place = match.end()
    return found


def _primed(of: Expr) -> Expr:
    return ("'", of)


class Parser:
    """One module."""

    def __init__(self, text: str) -> None:
        self.tokens = tokens(text)
        self.place = 0
        self.left = [-1]  # columns that what is read must stand to the right of
        self.constants: list[str] = []
        self.variables: list[str] = []
        self.definitions: dict[str, Definition] = {}
        self.assumed: list[Expr] = []
        self.known: set[str] = {"Cardinality", "IsFiniteSet", "Permutations", "Int"}
        self.bound: list[str] = []
        self.recursive: set[str] = set()
        self._module()

    # -- tokens ------------------------------------------------------------------------------------------------

    def peek(self, ahead: int = 0) -> str:
        at = self.place + ahead
        if at >= len(self.tokens) or self.tokens[at].column <= self.left[-1]:
            return ""
        return self.tokens[at].text

    def take(self, wanted: str = "") -> Token:
        found = self.peek()
        if not found or (wanted and found != wanted):
            self.fail(f"expected {wanted or 'something'}")
        self.place += 1
        return self.tokens[self.place - 1]

    def fail(self, why: str) -> NoReturn:
        at = self.tokens[min(self.place, len(self.tokens) - 1)]
        raise SyntaxError(f"line {at.line + 1}, column {at.column + 1}: {why}, not {at.text!r}")

    def name(self) -> str:
        token = self.take()
        if token.kind != "name":
            self.fail("expected a name")
        return token.text

    def names(self) -> list[str]:
        found = [self.name()]
        while self.peek() == ",":
            self.take()
            found.append(self.name())
        return found

    def new(self, name: str) -> str:
        if name in self.known or name in self.bound:
            self.fail(f"{name} has a meaning already")
        return name

    # -- the module --------------------------------------------------------------------------------------------

    def _module(self) -> None:
        if self.take().kind != "line":
            self.fail("expected ----")
        self.take("MODULE")
        self.name()
        self.take()
        self.take("EXTENDS")
        self.names()
        while self.tokens[self.place].kind != "line":
            self._unit()

    def _unit(self) -> None:
        word = self.peek()
        if word in ("CONSTANTS", "VARIABLES"):
            self.take()
            kept = self.constants if word == "CONSTANTS" else self.variables
            for name in self.names():
                kept.append(self.new(name))
                self.known.add(name)
        elif word == "ASSUME":
            self.take()
            self.assumed.append(self.expression())
        elif word == "RECURSIVE":
            self.take()
            name = self.new(self.name())
            self.known.add(name)
            self.recursive.add(name)
            for expected in "(_,_)":
                self.place += self.tokens[self.place].text == expected or self.fail(f"expected {expected}")
        else:
            self._definition()

    def _definition(self) -> None:
        name = self.name()
        if name not in self.recursive:
            self.new(name)
        parameters: list[str] = []
        if self.peek() == "(":
            self.take()
            parameters = [self.new(one) for one in self.names()]
            self.take(")")
        self.take("==")
        self.bound += parameters
        self.definitions[name] = Definition(tuple(parameters), self.expression())
        del self.bound[len(self.bound) - len(parameters) :]
        self.known.add(name)

    # -- expressions -------------------------------------------------------------------------------------------

    def expression(self, level: int = 0) -> Expr:
        if level == len(LEVELS):
            return self._unary()
        if self.peek() in ("/\\", "\\/"):
            return self._list()
        found = self.expression(level + 1)
        used = ""
        while (op := self.peek()) in LEVELS[level]:
            if used and (op != used or LEVELS[level][0] in ("=>", "=")):
                self.fail(f"{op} after {used} needs parentheses")
            used = self.take().text
            found = (op, found, self.expression(level + 1))
        return found

    def _list(self) -> Expr:
        op, column = self.peek(), self.tokens[self.place].column
        parts: list[Expr] = []
        while self.peek() == op and self.tokens[self.place].column == column:
            self.take()
            self.left.append(column)
            parts.append(self.expression())
            self.left.pop()
        return (op, *parts)

    def _unary(self) -> Expr:
        if self.peek() in ("~", "-", "[]", "<>"):
            op = self.take().text
            if op == "[]" and self.peek() == "[":
                self.take()
                step = self.expression()
                self.take("]_")
                return ("box", step, self._primary())
            return (f"unary {op}", self._unary())
        if self.peek() in ("UNCHANGED", "ENABLED"):
            return (self.take().text, self._unary())
        found: Expr = self._primary()
        while self.peek() in ("[", "'"):
            if self.take().text == "'":
                found = _primed(found)
                continue
            keys = [self.expression()]
            while self.peek() == ",":
                self.take()
                keys.append(self.expression())
            self.take("]")
            found = ("at", found, *keys)
        return found

    def _primary(self) -> Expr:
        token = self.take()
        match token.text:
            case "(":
                found = self._inside(")")
                return ("()", found)
            case "{":
                return self._set()
            case "[":
                return self._function()
            case "<<":
                return ("tuple", *self._several(">>"))
            case "IF":
                condition = self.expression()
                self.take("THEN")
                then = self.expression()
                self.take("ELSE")
                return ("IF", condition, then, self.expression())
            case "CASE":
                return self._case()
            case "\\A" | "\\E":
                return self._quantified(token.text)
            case "CHOOSE":
                return self._quantified("CHOOSE")
            case "LET":
                name = self.new(self.name())
                self.take("==")
                value = self.expression()
                self.take("IN")
                return self._with([name], lambda: ("LET", name, value, self.expression()))
            case _:
                return self._word(token)

    def _word(self, token: Token) -> Expr:
        if token.kind == "number":
            return ("value", int(token.text))
        if token.kind == "string":
            return ("value", token.text[1:-1])
        if token.text in ("TRUE", "FALSE"):
            return ("value", token.text == "TRUE")
        if token.kind != "name":
            self.fail("expected an expression")
        if token.text.startswith(("WF_", "SF_")):
            self.take("(")
            return (token.text[:2], self._inside(")"))
        if token.text == "BOOLEAN":
            return ("value", frozenset({True, False}))
        if token.text not in self.known and token.text not in self.bound:
            self.fail(f"{token.text} has no meaning")
        if self.peek() == "(":
            self.take()
            return ("call", token.text, *self._several(")"))
        return ("name", token.text)

    def _inside(self, end: str) -> Expr:
        found = self.expression()
        self.take(end)
        return found

    def _several(self, end: str) -> list[Expr]:
        found: list[Expr] = []
        while self.peek() != end:
            found.append(self.expression())
            if self.peek() == ",":
                self.take()
        self.take(end)
        return found

    def _with(self, names: list[str], read: Callable[[], Expr]) -> Expr:
        self.bound += [self.new(name) for name in names]
        found = read()
        del self.bound[len(self.bound) - len(names) :]
        return found

    def _bounds(self) -> list[tuple[str, Expr]]:
        found: list[tuple[str, Expr]] = []
        while True:
            name = self.name()
            self.take("\\in")
            found.append((name, self.expression(3)))
            if self.peek() != ",":
                return found
            self.take()

    def _quantified(self, word: str) -> Expr:
        bounds = self._bounds()
        self.take(":")
        return self._with([name for name, _ in bounds], lambda: (word, tuple(bounds), self.expression()))

    def _set(self) -> Expr:
        if self.tokens[self.place].kind == "name" and self.peek(1) == "\\in":
            bounds = self._bounds()
            self.take(":")
            return self._with([name for name, _ in bounds], lambda: ("filter", tuple(bounds), self._inside("}")))
        return ("set", *self._several("}"))

    def _function(self) -> Expr:
        if self.tokens[self.place].kind == "name" and self.peek(1) == "\\in":
            bounds = self._bounds()
            self.take("|->")
            return self._with([name for name, _ in bounds], lambda: ("function", tuple(bounds), self._inside("]")))
        start = self.expression()
        if self.peek() == "->":
            self.take()
            return ("functions", start, self._inside("]"))
        self.take("EXCEPT")
        changes: list[tuple[tuple[Expr, ...], Expr]] = []
        while True:
            self.take("!")
            self.take("[")
            at = tuple(self._several("]"))
            self.take("=")
            changes.append((at, self.expression()))
            if self.take().text == "]":
                return ("EXCEPT", start, tuple(changes))

    def _case(self) -> Expr:
        arms: list[tuple[Expr, Expr]] = []
        while True:
            condition = self.expression()
            self.take("->")
            arms.append((condition, self.expression()))
            if self.peek() != "[]":
                return ("CASE", tuple(arms))
            self.take()
