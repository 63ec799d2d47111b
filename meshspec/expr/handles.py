"""Handles: what a lifted body holds in its hands where CPython would hold an int or a member of a sort.

A handle stands for an expression. Comparing one asks the reader that runs the body and yields a real ``bool``;
arithmetic yields a new handle; anything with no symbolic meaning is refused at once, in the author's terms.
Booleans, enum members and ``None`` never have handles: the reader splits on them and hands out the real value.
"""

from __future__ import annotations

from collections.abc import Callable
from numbers import Number
from typing import Any, NoReturn, Protocol

from meshspec.errors import LiftError
from meshspec.expr.build import ZERO, arith, const, equal, less
from meshspec.expr.nodes import Const, Node, Operator, SortType
from meshspec.expr.text import is_huge, text
from meshspec.sorts import Sort


class Reader(Protocol):
    """Who runs a body symbolically."""

    def decide(self, question: Node, /) -> bool:
        """The answer for this run; every answer gets a run of its own."""
        ...

    def refuse(self, message: str, /) -> NoReturn:
        """Stop lifting with the author's file and line."""
        ...


_readers: list[Reader] = []


def reading(reader: Reader) -> None:
    """Make `reader` the one that handles ask, until :func:`done`."""
    _readers.append(reader)


def done() -> None:
    _readers.pop()


def reader() -> Reader | None:
    """Who is reading a body now, or ``None`` when CPython runs it as it stands."""
    return _readers[-1] if _readers else None


def _refuse(message: str) -> NoReturn:
    if not _readers:
        raise LiftError(f"a symbolic value was kept after its model had been read: {message}")
    _readers[-1].refuse(message)


class Handle:
    """The ancestor of the two kinds of handle; it refuses what neither can do."""

    __slots__ = ("node",)

    def __init__(self, node: Node) -> None:
        self.node = node

    def __repr__(self) -> str:
        if not _readers:
            return f"<{text(self.node)}>"
        _refuse(f"{text(self.node)} is not yet a value, so it cannot be formatted: keep messages out of actions")

    __str__ = __repr__

    def __format__(self, spec: str) -> str:
        return repr(self)

    def __iter__(self) -> NoReturn:
        _refuse(f"{text(self.node)} cannot be iterated: it is one value")

    def __copy__(self) -> Handle:
        return self

    def __deepcopy__(self, memo: object) -> Handle:
        return self

    def __reduce_ex__(self, protocol: object) -> NoReturn:
        _refuse(f"{text(self.node)} is not yet a value and cannot be pickled")


class Int(Handle):
    """A symbolic integer."""

    __slots__ = ()

    @property  # type: ignore[misc]  # so that isinstance(x, int) and `case int():` say what they say natively
    def __class__(self) -> type[int]:  # type: ignore[override]
        return int

    def __hash__(self) -> int:
        _refuse(
            f"{text(self.node)} is not yet a value, so it cannot be hashed (a set, a dict key, `in {{...}}`): "
            "compare with ==, or write `in (a, b)`, or use a Map"
        )

    def __bool__(self) -> bool:
        return not ask(equal(self.node, ZERO))

    def __index__(self) -> int:
        _refuse(
            f"{text(self.node)} is not yet a value: it cannot index a list, bound a range or a slice; "
            "use a Map, or forall/exists/count/total"
        )

    def __int__(self) -> int:
        _refuse(f"int({text(self.node)}) is already an int: drop the call")

    def __float__(self) -> float:
        _refuse(f"float({text(self.node)}): models have integers only")

    def __neg__(self) -> int:
        return integer(arith("-", ZERO, self.node))

    def __pos__(self) -> Int:
        return self

    def __abs__(self) -> int:
        return as_int(self) if ask(less(ZERO, self.node, or_equal=True)) else -self

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __getattr__(self, name: str) -> NoReturn:
        if name.startswith("__") and not hasattr(int, name):
            raise AttributeError(name)  # somebody probes for a protocol that ints do not have either
        _refuse(f"{name} of {text(self.node)} has no reading in a model: write it with + - * // %")


def as_int(handle: Int) -> int:
    """The same handle under the type that an author's annotation gives it."""
    return handle  # type: ignore[return-value]  # an int to the author


def integer(node: Node) -> int:
    """What a body gets for an integer expression: the number where it is known, else a handle."""
    if isinstance(node, Const):
        return node.value  # type: ignore[return-value]  # only called on integer expressions
    return as_int(Int(node))


def is_int(value: object) -> bool:
    """Whether a value is an integer for arithmetic and comparison: members of an ``IntEnum`` are."""
    return isinstance(value, int)  # an Int says that it is one


def node_of(value: object) -> Node:
    """The expression for a value that a body computed."""
    if isinstance(value, Handle):
        return value.node
    _refuse_huge(value)
    return const(value)  # type: ignore[arg-type]  # callers have checked the type


def _int_node(value: object) -> Node:
    if type(value) is Int:
        return value.node
    _refuse_huge(value)
    return const(int(value))  # type: ignore[call-overload]  # is_int said so


def _refuse_huge(value: object) -> None:
    if is_huge(value):
        digits = value.bit_length() * 30103 // 100_000 + 1
        _refuse(f"an integer of some {digits:,} digits: a model may have numbers of at most 4,000")


def ask(question: Node) -> bool:
    if not _readers:
        _refuse(text(question))
    return _readers[-1].decide(question)


def _binary(op: str, swapped: bool) -> Callable[[Int, object], Any]:
    def method(self: Int, other: object) -> Any:
        if not is_int(other) and isinstance(other, Number):
            _refuse(f"{text(self.node)} {op} {other}: models have integers only, no floats or fractions")
        if not is_int(other):
            return NotImplemented
        left, right = self.node, _int_node(other)
        if swapped:
            left, right = right, left
        if op in ("//", "%") and ask(equal(right, ZERO)):
            raise ZeroDivisionError("integer division or modulo by zero")
        return integer(arith(_ARITHMETIC[op], left, right))

    return method


def _comparison(op: str) -> Callable[[Int, object], Any]:
    def method(self: Int, other: object) -> Any:
        if not is_int(other) and isinstance(other, Number):
            _refuse(f"{text(self.node)} {op} {other}: models have integers only, no floats or fractions")
        if not is_int(other):
            return False if op == "==" else NotImplemented
        left, right = self.node, _int_node(other)
        if op in (">", ">="):
            left, right = right, left
        return ask(equal(left, right) if op == "==" else less(left, right, or_equal=op in ("<=", ">=")))

    return method


def _unreadable(name: str) -> Callable[..., NoReturn]:
    def method(self: Int, *rest: object) -> NoReturn:
        _refuse(f"{name.strip('_')} on {text(self.node)} has no reading in a model: write it with + - * // %")

    return method


_ARITHMETIC: dict[str, Operator] = {"+": "+", "-": "-", "*": "*", "//": "//", "%": "%"}
for _op, _name in {"+": "add", "-": "sub", "*": "mul", "//": "floordiv", "%": "mod"}.items():
    setattr(Int, f"__{_name}__", _binary(_op, swapped=False))
    setattr(Int, f"__r{_name}__", _binary(_op, swapped=True))
for _op, _name in {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq"}.items():
    setattr(Int, f"__{_name}__", _comparison(_op))
for _name in ("truediv", "pow", "lshift", "rshift", "and", "or", "xor", "divmod"):
    setattr(Int, f"__{_name}__", _unreadable(_name))
    setattr(Int, f"__r{_name}__", _unreadable(_name))
for _name in ("invert", "round", "trunc", "floor", "ceil"):
    setattr(Int, f"__{_name}__", _unreadable(_name))


class Member(Handle):
    """A symbolic member of a sort. Readers keep them canonical: equal members are one object."""

    __slots__ = ()

    @property  # type: ignore[misc]  # so that isinstance(x, Effect) says what it says natively
    def __class__(self) -> type[Sort]:  # type: ignore[override]
        return self.sort

    @property
    def sort(self) -> type[Sort]:
        assert isinstance(self.node.type, SortType)
        return self.node.type.cls

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if isinstance(other, Sort) and not issubclass(type(other), Handle):
            _refuse(f"{other!r} is a particular member: a model may not name one, since they are interchangeable")
        return False

    def __hash__(self) -> int:
        return object.__hash__(self)

    def __getattr__(self, name: str) -> NoReturn:
        _refuse(f"{text(self.node)}.{name}: a member of a sort has nothing but equality")

    def _unordered(self, other: object) -> NoReturn:
        _refuse(f"{text(self.node)} is a member of a sort, and those have no order")

    __lt__ = __le__ = __gt__ = __ge__ = _unordered
