"""The tracer: runs a body once for every combination of answers to the questions it asks.

Reading a bool, an enum or an optional splits at once and yields the real Python value; two sort members are
decided equal or different when the second is seen, and are then the same or different objects; only ints stay
symbolic and split when compared. What a body asks and what it ends in make a decision tree.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from enum import Enum
from typing import Any, NoReturn, TypeVar

import attrs

from meshspec.errors import Blocked, LiftError, ModelError, Where
from meshspec.expr.build import FALSE, TRUE, disj, equal, quantify, same_keys
from meshspec.expr.handles import Int, Member, integer, is_int, node_of
from meshspec.expr.nodes import (
    BOOL,
    INT,
    Absent,
    BoolType,
    Cell,
    Const,
    EnumType,
    IntType,
    Name,
    Node,
    Op,
    Quantifier,
    SortType,
    Symbol,
    Type,
)
from meshspec.expr.text import text, value_text
from meshspec.expr.walk import substitute
from meshspec.lang.containers import Fresh
from meshspec.lang.declare import Parameter
from meshspec.lang.outcomes import Asked, Tree, Update, Write, WriteAll, expression, leaves, tree_of
from meshspec.lang.places import call_site, where_now
from meshspec.lang.words import choice_name
from meshspec.sorts import Range, Sort

_L = TypeVar("_L")
MAX_RUNS = 1024
MAX_QUESTIONS = 128


class Level:
    """One method run or one quantifier body: its answers so far and the members it has seen."""

    def __init__(self, prefix: list[tuple[Node, int, Where | None]], bound: Name | None) -> None:
        self.prefix = prefix
        self.bound = bound
        self.taken: list[Asked] = []
        self.known: dict[Node, object] = {}
        self.members: list[Member] = []
        self.antecedents: dict[str, Node] = {}


@attrs.frozen
class _Case:
    """What a quantifier's body came to in one run; ``node`` is missing where an ``each`` gave ``None``."""

    node: Node | None
    antecedents: tuple[tuple[str, Node], ...]


@attrs.frozen(eq=False)
class Whole:
    """What a lifted ``each`` yields, to be assigned to a map."""

    sort: type[Sort]
    bound: Name
    tree: Tree[_Case]
    tracer: Tracer

    def __getattr__(self, name: str) -> NoReturn:
        self._only_assigned()

    def __getitem__(self, key: object) -> NoReturn:
        self._only_assigned()

    def _only_assigned(self) -> NoReturn:
        self.tracer.refuse(f"each({self.sort.__name__}, ...) is assigned to a map and nothing else: read the map")


class Tracer:
    """The :class:`meshspec.expr.handles.Reader` of one method."""

    def __init__(self, may_write: bool, taken: frozenset[str] = frozenset()) -> None:
        self.may_write = may_write
        self.taken = taken
        self.error: LiftError | None = None
        self.levels: list[Level] = []
        self.store: dict[Symbol, tuple[Write | WriteAll, ...]] = {}
        self.choices: list[Parameter] = []
        self.all_choices: dict[str, Parameter] = {}
        self.reads: dict[Node, None] = {}
        self.sorts: dict[type[Sort], None] = {}
        self.runs = 0
        self.asked: Counter[Where | None] = Counter()
        self.entering: Where | None = None  # the method, while its arguments are made

    # -- refusals ----------------------------------------------------------------------------------------------

    def refuse(self, message: str, /, where: Where | None = None) -> NoReturn:
        """Stop lifting; remembered, so that an ``except`` in the body cannot swallow it."""
        error = LiftError(message, where or where_now())
        self.error = self.error or error
        raise error

    # -- running every case ------------------------------------------------------------------------------------

    def cases(self, body: Callable[[], _L], bound: Name | None = None) -> Tree[_L]:
        """Run `body` once per combination of answers and return its decision tree."""
        found: list[tuple[list[Asked], _L]] = []
        before, choices = self.store, self.choices
        prefix: list[tuple[Node, int, Where | None]] = []
        while True:
            level = Level(prefix, bound)
            self.levels.append(level)
            self.store = dict(before)
            self.choices = list(choices)
            try:
                leaf = body()
            finally:
                self.levels.pop()
            if self.error is not None:
                raise self.error
            self._count_run()
            if len(level.taken) < len(prefix):
                asked, _, _, place = found[-1][0][len(level.taken)]
                self.not_deterministic(f"it asked for {text(asked)} and now it does not", place)
            found.append((level.taken, leaf))
            rest = list(level.taken)
            while rest and rest[-1][2] + 1 == len(rest[-1][1]):
                rest.pop()
            if not rest:
                break
            prefix = [(question, index, place) for question, _, index, place in rest]
            question, index, place = prefix[-1]
            prefix[-1] = (question, index + 1, place)
        self.store, self.choices = before, choices
        return tree_of(found)

    def _count_run(self) -> None:
        self.runs += 1
        if self.runs > MAX_RUNS:
            place, times = self.asked.most_common(1)[0]
            raise LiftError(
                f"more than {MAX_RUNS} cases; the question asked most often is here ({times} times). "
                "Use forall/exists/count/total over a sort instead of separate tests, or split the action",
                place,
            )

    def not_deterministic(self, how: str, where: Where | None = None) -> NoReturn:
        self.refuse(
            f"the body is not deterministic: run again with the same answers, {how} "
            "(hidden state, a clock, random numbers?)",
            where,
        )

    def ask(self, question: Node, options: tuple[object, ...]) -> Any:
        """The answer of this run to a question; each other option gets a run of its own later."""
        for level in self.levels:
            if question in level.known:
                return level.known[question]
        level = self.levels[-1]
        position = len(level.taken)
        if position < len(level.prefix):
            expected, index, place = level.prefix[position]
            if expected != question:
                self.not_deterministic(f"it asked for {text(expected)} and now for {text(question)}")
        else:
            place, index = self.entering or where_now(), 0
            self.asked[place] += 1
        if position >= MAX_QUESTIONS:
            self.refuse(
                f"one run asks more than {MAX_QUESTIONS} questions, the last of them here: bound the recursion or "
                "the loop by a constant, or write 0 <= i < n instead of `in range(n)`",
                place,
            )
        level.taken.append((question, options, index, place))
        level.known[question] = options[index]
        return options[index]

    def decide(self, question: Node, /) -> bool:
        if isinstance(question, Const):
            return bool(question.value)
        if isinstance(question, Op) and question.op == "not":
            return not self.decide(question.args[0])
        if isinstance(question, Op) and question.op in ("and", "or"):
            stop = question.op == "or"
            return stop if any(self.decide(part) is stop for part in question.args) else not stop
        return bool(self.ask(question, (True, False)))

    # -- values ------------------------------------------------------------------------------------------------

    def value(self, node: Node, absent: Node = FALSE) -> Any:
        """What the body gets for an expression: the real value where it is finite, a handle where it is not."""
        if not any(level.bound for level in self.levels):
            self.reads.update(((node, None),) if absent == FALSE else ((node, None), (absent, None)))
        if self.decide(absent):
            return None
        match node.type:
            case BoolType():
                return self.decide(node)
            case EnumType(cls):
                return node.value if isinstance(node, Const) else self.ask(node, tuple(cls))
            case IntType():
                return integer(node)
            case SortType():
                return self.member(node)

    def member(self, node: Node) -> Member:
        """The canonical handle: the same object for every member that this run takes to be equal."""
        seen = [m for level in self.levels for m in level.members if m.node.type == node.type]
        for handle in seen:
            if handle.node == node:
                return handle
        for handle in seen:
            if self.decide(equal(node, handle.node)):
                return handle
        handle = Member(node)
        self.levels[-1].members.append(handle)
        return handle

    def fits(self, value: object, type: Type) -> bool:
        match type:
            case IntType():
                return value.__class__ is int  # what a handle says of itself, too
            case SortType(cls):
                return isinstance(value, Member) and value.sort is cls
            case BoolType():
                return isinstance(value, bool)
            case EnumType(enum):
                return isinstance(value, enum)

    # -- state -------------------------------------------------------------------------------------------------

    def read(self, symbol: Symbol, keys: tuple[Node, ...]) -> Any:
        """The entry as this run has it: its own last write to an equal key, else the state before."""
        for write in reversed(self.store.get(symbol, ())):
            if isinstance(write, WriteAll):
                here = {write.bound: keys[0]}
                return self.value(substitute(write.value, here), substitute(write.absent, here))
            if self.decide(same_keys(keys, write.keys)):
                return self.value(write.value, write.absent)
        return self.value(Cell(symbol, keys), Absent(symbol, keys) if symbol.optional else FALSE)

    def write(self, symbol: Symbol, keys: tuple[Node, ...], value: object) -> None:
        self._writable(symbol)
        if value is None and symbol.optional:
            made = Write(keys, Cell(symbol, keys), TRUE)
        elif not self.fits(value, symbol.type):
            hint = " (a bool is not an int here)" if isinstance(value, bool) else ""
            hint = f"; it may not be None unless declared `{symbol.type} | None`" if value is None else hint
            self.refuse(f"{symbol.name} is {symbol.type}; {_shown(value)} is not one{hint}")
        else:
            made = Write(keys, node_of(value))
        earlier = [w for w in self.store.get(symbol, ()) if isinstance(w, WriteAll) or w.keys != keys]
        self.store[symbol] = (*earlier, made)

    def write_all(self, symbol: Symbol, whole: object, present: object) -> None:
        """``self.m = each(S, ...)``; anything else that is assigned to a map is refused."""
        if whole is present:
            return
        self._writable(symbol)
        how = f"each({symbol.keys[0]}, lambda k: ...)"
        over = symbol.keys[0] if len(symbol.keys) == 1 else None
        if isinstance(whole, Fresh) and isinstance(over, EnumType) and set(whole.entries) == set(over.cls):
            for key, value in whole.entries.items():  # an each over an enum: its entries, one by one
                self.write(symbol, (node_of(key),), value)
            return
        if not isinstance(whole, Whole):
            self.refuse(f"{symbol.name} is a whole map, and maps are not copied: assign {how}")
        if len(symbol.keys) != 1 or symbol.keys[0] != SortType(whole.sort):
            self.refuse(f"{symbol.name} is not a map over {whole.sort.__name__}: assign {how}")
        bound = whole.bound

        def entry(case: _Case) -> Node:
            leaf = case.node
            if leaf is None and symbol.optional:
                return Cell(symbol, (bound,))
            if leaf is None or leaf.type != symbol.type:
                self.refuse(f"{symbol.name} holds {symbol.type}; {text(leaf) if leaf else 'None'} is not one")
            return leaf

        made = expression(whole.tree, entry)
        absent = expression(whole.tree, lambda case: TRUE if case.node is None else FALSE)
        self.store[symbol] = (WriteAll(bound, made, absent),)

    def _writable(self, symbol: Symbol) -> None:
        if any(level.bound for level in self.levels):
            self.refuse(f"{symbol.name} is assigned inside a quantifier: its body may only read")
        if not self.may_write:
            self.refuse(f"{symbol.name} is assigned in a claim: claims only read")

    def updates(self) -> tuple[Update, ...]:
        """What this run wrote, without writes that change nothing."""
        made: list[Update] = []
        for symbol, writes in self.store.items():
            kept = writes
            if (
                len(writes) == 1
                and isinstance(writes[0], Write)
                and writes[0].absent == FALSE
                and not symbol.optional
            ):
                kept = () if writes[0].value == Cell(symbol, writes[0].keys) else writes
            if kept:
                made.append(Update(symbol, kept))
        return tuple(sorted(made, key=lambda update: update.symbol.name))

    # -- the words ---------------------------------------------------------------------------------------------

    def require(self, condition: object, because: str, /) -> None:
        if any(level.bound for level in self.levels):
            self.refuse("require inside a quantifier: its body may only read")
        if not isinstance(condition, bool):
            self.refuse(f"require needs a bool, not {_shown(condition)}: compare it with something")
        if not self.may_write:
            self.refuse("require in a claim: a claim returns its value")
        if self.store:
            names = ", ".join(sorted(symbol.name for symbol in self.store))
            self.refuse(f"require comes before the first assignment; {names} is assigned already")
        if not condition:
            raise Blocked(because)

    def antecedent(self, holds: bool, /) -> None:
        site = call_site()
        found = self.levels[-1].antecedents
        found[site] = disj(found.get(site, FALSE), TRUE if holds else FALSE)

    def choose(self, values: type[Sort] | type[Enum] | range, /) -> Any:
        if any(level.bound for level in self.levels):
            self.refuse("choose inside a quantifier: its body may only read")
        if isinstance(values, range):
            if values.step != 1 or not values:
                self.refuse(f"choose({values}) needs a range of step one that is not empty")
            type_: Type = INT
            bounds: Range | None = Range(values[0], values[-1])
            name = choice_name(len(self.choices) + 1, values)
        else:
            if issubclass(values, Sort):
                self.sorts[values] = None
            type_ = SortType(values) if issubclass(values, Sort) else EnumType(values)
            bounds, name = None, f"choice{len(self.choices) + 1}({values.__name__})"
        parameter = Parameter(name, type_, bounds)
        self.choices.append(parameter)
        self.all_choices[name] = parameter
        return self.value(Name(name, type_))

    def quantified(self, word: str, over: type[Sort], body: Callable[[Any], object], /) -> Any:
        self.sorts[over] = None
        depth = sum(1 for level in self.levels if level.bound)
        called = f"{over.__name__[0].lower()}{over.__name__[1:]}_{depth}"
        while called in self.taken:  # a parameter of the method has that name
            called += "_"
        bound = Name(called, SortType(over))

        def run() -> _Case:
            try:
                result = body(self.member(bound))
            except Blocked:
                self.refuse("require inside a quantifier: its body may only read")
            except (ModelError, KeyboardInterrupt):
                raise
            except BaseException as error:  # whatever it is, it would be raised for some members and not for others
                if self.error is not None:
                    raise self.error from None
                self.refuse(f"a quantifier's body may not raise; this one raises {type(error).__name__}: {error}")
            wanted = {"total": INT}.get(word, BOOL)
            if word != "each" and not self.fits(result, wanted):
                self.refuse(f"the body of {word} must return {wanted}, not {_shown(result)}")
            if word == "each" and not (result is None or is_int(result) or isinstance(result, (Enum, Member))):
                self.refuse(f"the body of each must return a value of the model, not {_shown(result)}")
            node = None if result is None else node_of(result)
            return _Case(node, tuple(sorted(self.levels[-1].antecedents.items(), key=lambda item: item[0])))

        tree = self.cases(run, bound)
        outer = self.levels[-1].antecedents
        for site in sorted({site for _, case in leaves(tree) for site, _ in case.antecedents}):
            holds = expression(tree, lambda case: dict(case.antecedents).get(site, FALSE))  # noqa: B023  # used at once
            outer[site] = disj(outer.get(site, FALSE), quantify("exists", bound, holds))
        if word == "each":
            return Whole(over, bound, tree, self)
        kind: Quantifier = word  # type: ignore[assignment]  # the four other words are the four quantifiers
        found = quantify(kind, bound, expression(tree, lambda case: case.node or FALSE))
        return self.decide(found) if kind in ("forall", "exists") else integer(found)


def _shown(value: object) -> str:
    if isinstance(value, (Int, Member)):
        return text(value.node)
    return "a whole map" if isinstance(value, Whole) else value_text(value)
