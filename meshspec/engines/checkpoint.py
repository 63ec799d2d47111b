"""Checkpoints: an exploration that was interrupted, in a file from which it goes on.

A checkpoint has what every finished layer came to. Going on means taking those layers in again, without a step, and
then stepping the last one; a layer that was under way is begun again. :mod:`meshspec.engines.keeping` does it so::

    about = described(layout, symmetry, {"partial order": "off"})
    refuse_unwritable(path)                            # before an hour has gone into a search
    for layer in load(path, about, layout) or (): ...  # None: there is no such file yet
    save(path, about, layers)                          # when pace.due(time.monotonic()), when cut, on Ctrl-C
    discard(path)                                      # when the search is complete

The file: a line with the format's version; what is explored; for each layer its counts and its states; a SHA-256 of
all that. It is written beside its name and then moved there, so that a crash leaves the old one.

Sound when the file is one that :func:`save` wrote: the checksum tells damage, and what is read is of the shape and
within the types and Ranges of the model, but a file made up by someone who can write it is believed.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import struct
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, BinaryIO, NoReturn, TypeVar, cast

import attrs
import msgspec

from meshspec.backends.layout import Layout, State
from meshspec.backends.serial import MOST_STATES, Chunk, Malformed, Unpacker, packed
from meshspec.backends.symmetry import Symmetry
from meshspec.errors import UsageError
from meshspec.expr.nodes import Node
from meshspec.expr.text import value_text
from meshspec.expr.walk import fold
from meshspec.lang.outcomes import leaves

MAGIC = b"meshspec checkpoint 1\n"
_LENGTH = struct.Struct("<Q")
_CHECKSUM = 32

_T = TypeVar("_T")


@attrs.frozen
class Layer:
    """What a search found at one depth, once every state of the depth before was stepped.

    Attributes:
        states: the new states in order, of each orbit one, some at a time.
        count: how many states they stand for.
        taken: how often each ground action was taken to get here.
        stuck: indexes, in the layer before, of states without any step.
        deadlocks: how many states those stand for.
        raising: indexes, in the layer before, of states from which an action raises.
        outside: states in which a Range is left, with the indexes, in the layer before, of what leads there.
        closed: how many states those stand for.
    """

    states: Iterable[Sequence[State]]
    count: int
    taken: Sequence[int]
    stuck: Sequence[int] = ()
    deadlocks: int = 0
    raising: Sequence[int] = ()
    outside: Mapping[State, Sequence[int]] = attrs.field(factory=dict[State, Sequence[int]])
    closed: int = 0


class _Head(msgspec.Struct, array_like=True, frozen=True):
    """A layer without its states. Counts are hexadecimal: they have no bound, and ints of msgpack have one."""

    count: str
    taken: list[str]
    stuck: list[int]
    deadlocks: str
    raising: list[int]
    outside: list[Chunk]
    sources: list[list[int]]
    closed: str
    chunks: int


# -- what is explored ------------------------------------------------------------------------------------------


def described(layout: Layout, symmetry: Symmetry | None, options: Mapping[str, str]) -> dict[str, str]:
    """What must be the same for an exploration to go on, in words; `options` are those that change what is found."""
    model = layout.model
    plain = {name: getattr(model.instance, name, None) for name in model.declared.constants}
    shown = [f"{name}={value_text(value)}" for name, value in plain.items() if isinstance(value, (int, str, Enum))]
    permuted = ", ".join(sort.__name__ for sort in symmetry.sorts) if symmetry is not None else ""
    return {
        "model": model.name,
        "constants": ", ".join(shown) or "none",
        "scope": ", ".join(f"{name}={size}" for name, size in layout.scope_names.items()) or "none",
        "symmetry": f"on for {permuted}" if permuted else "off",
        **options,
        "text": _text(layout),
    }


def _text(layout: Layout) -> str:
    """A digest of what the model means: its variables, tables and initial values, and every method as lifted."""
    model = layout.model
    variables = [
        (v.symbol, v.initial, v.range and v.range.of(model.instance), v.constant) for v in model.declared.variables
    ]
    methods = [
        (one.name, one.method.kind, [(p.name, p.type) for p in one.parameters], list(leaves(one.raw)))
        for one in (*model.actions, *model.claims)
    ]
    arguments = [(lifted.name, values) for lifted, values in layout.ground_actions()]
    return _Digest().of([variables, list(layout.tables.items()), methods, arguments])


class _Digest:
    """A digest of things made of plain values, tuples, lists, enums, classes, expressions and attrs classes."""

    def __init__(self) -> None:
        self.memo: dict[Node, str] = {}

    def of(self, part: object) -> str:
        if isinstance(part, Node):
            return fold(part, self._node, self.memo)
        if isinstance(part, (tuple, list)):
            return _hash("sequence", *map(self.of, cast("Sequence[object]", part)))
        if isinstance(part, Enum):
            return _hash("enum", type(part).__qualname__, part.name)
        if isinstance(part, type):
            return _hash("class", part.__qualname__)
        if attrs.has(kind := type(part)):
            return _hash(kind.__name__, *self._fields(part))
        return _hash(kind.__name__, repr(part))

    def _node(self, node: Node, below: tuple[str, ...]) -> str:
        return _hash(type(node).__name__, *self._fields(node, {"keys", "args", "body", "bound"}), *below)

    def _fields(self, part: object, without: frozenset[str] | set[str] = frozenset()) -> Iterator[str]:
        for field in attrs.fields(cast("Any", type(part))):
            if field.eq and field.name not in without:
                yield self.of(getattr(part, field.name))


def _hash(*parts: str) -> str:
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


# -- writing ---------------------------------------------------------------------------------------------------


def refuse_unwritable(path: Path) -> None:
    """Raises :class:`UsageError` where no checkpoint can be written."""
    try:
        if path.exists() and not path.is_file():
            raise OSError("it is no file")
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}."):
            pass
    except OSError as error:
        _cannot(path, "written", error)


def _cannot(path: Path, what: str, error: OSError) -> NoReturn:
    why = error.strerror or str(error)
    raise UsageError(f"--checkpoint {path} cannot be {what} ({why}): name a file in a folder of yours") from error


def save(path: Path, about: Mapping[str, str], layers: Iterable[Layer]) -> None:
    """Write a checkpoint in place of the old one; whatever happens, the file is either of the two, whole.

    Raises :class:`UsageError` where it cannot be written.
    """
    temporary: Path | None = None
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.", suffix=".tmp")
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            _write(file, about, layers)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
        temporary = None
    except OSError as error:
        _cannot(path, "written", error)
    finally:
        if temporary is not None:
            with contextlib.suppress(OSError):  # what is being raised says more
                temporary.unlink()


def discard(path: Path) -> None:
    """Remove a checkpoint from which nothing is left to go on with, if there is one."""
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        _cannot(path, "removed", error)


def _write(file: BinaryIO, about: Mapping[str, str], layers: Iterable[Layer]) -> None:
    checksum = hashlib.sha256()

    def put(part: bytes) -> None:
        checksum.update(part)
        file.write(part)

    def frame(part: object) -> None:
        payload = msgspec.msgpack.encode(part)
        put(_LENGTH.pack(len(payload)))
        put(payload)

    put(MAGIC)
    frame(dict(about))
    for layer in layers:
        outside = list(layer.outside)
        chunks = [chunk for states in layer.states for chunk in packed(states)]
        frame(
            _Head(
                f"{int(layer.count):x}",
                [f"{int(times):x}" for times in layer.taken],
                list(map(int, layer.stuck)),
                f"{int(layer.deadlocks):x}",
                list(map(int, layer.raising)),
                list(packed(outside)),
                [list(map(int, layer.outside[state])) for state in outside],
                f"{int(layer.closed):x}",
                len(chunks),
            )
        )
        for chunk in chunks:
            frame(chunk)
    file.write(checksum.digest())


# -- reading ---------------------------------------------------------------------------------------------------


def load(path: Path, about: Mapping[str, str], layout: Layout) -> list[Layer] | None:
    """The layers of a checkpoint, or ``None`` where there is no such file.

    Raises :class:`UsageError` for a file that is cut short, damaged, no checkpoint or one of another exploration, and
    where it cannot be read. States are taken apart when a layer's are asked for, which may raise it too.
    """
    try:
        if path.exists() and not path.is_file():
            raise OSError("it is no file")
        data = memoryview(path.read_bytes())
    except FileNotFoundError:
        return None
    except OSError as error:
        _cannot(path, "read", error)
    return _Reader(path, data, layout).layers(about)


class _Reader:
    """Takes a file apart, believing nothing."""

    def __init__(self, path: Path, data: memoryview, layout: Layout) -> None:
        self.path, self.data, self.at = path, data, len(MAGIC)
        self.actions = len(layout.ground_actions())
        self.inside, self.anywhere = Unpacker(layout, ranged=True), Unpacker(layout, ranged=False)

    def refuse(self, why: str = "it is malformed") -> NoReturn:
        raise UsageError(f"--checkpoint {self.path}: {why}; delete the file to begin anew, or name another")

    def layers(self, about: Mapping[str, str]) -> list[Layer]:
        begin = bytes(self.data[: len(MAGIC)])
        if not MAGIC.startswith(begin):
            ours = begin.startswith(MAGIC.rpartition(b" ")[0])
            self.refuse("it is of another version of meshspec" if ours else "it is no checkpoint of meshspec")
        end = len(self.data) - _CHECKSUM
        if end < self.at or hashlib.sha256(self.data[:end]).digest() != bytes(self.data[end:]):
            self.refuse("it is cut short or damaged")
        self.data = self.data[:end]
        self.same(self.frame(dict[str, str]), about)
        found, before = list[Layer](), 0
        while self.at < end:
            layer, before = self.layer(before)
            found.append(layer)
        return found

    def same(self, held: Mapping[str, str], about: Mapping[str, str]) -> None:
        for name in dict.fromkeys((*about, *held)):
            its, mine = held.get(name, "not known"), about.get(name, "not known")
            if its != mine and name == "text":
                self.refuse("it is of another exploration: the model was changed since")
            if its != mine:
                self.refuse(f"it is of another exploration: {name} there is {its}, here {mine}")

    def frame(self, kind: type[_T]) -> _T:
        begin = self.at + _LENGTH.size
        if begin > len(self.data):
            self.refuse()
        (length,) = _LENGTH.unpack(self.data[self.at : begin])
        self.at = begin + length
        if self.at > len(self.data):
            self.refuse()
        try:
            return msgspec.msgpack.decode(self.data[begin : self.at], type=kind)
        except msgspec.DecodeError:
            self.refuse()

    def layer(self, before: int) -> tuple[Layer, int]:
        """The next layer, after one that holds `before` states, and how many states it holds itself."""
        head = self.frame(_Head)
        chunks = [self.frame(Chunk) for _ in range(head.chunks)]
        outside = [state for chunk in head.outside for state in self.states(self.anywhere, chunk)]
        indexes = [*head.stuck, *head.raising, *(at for sources in head.sources for at in sources)]
        fits = (
            len(head.sources) == len(outside) == len(set(outside))
            and all(0 <= at < before for at in indexes)
            and all(0 < chunk.size <= MOST_STATES for chunk in chunks)
            and len(head.taken) == self.actions
        )
        if not fits:
            self.refuse()
        return (
            Layer(
                _States(self, chunks),
                self.number(head.count),
                tuple(map(self.number, head.taken)),
                head.stuck,
                self.number(head.deadlocks),
                head.raising,
                dict(zip(outside, head.sources, strict=True)),
                self.number(head.closed),
            ),
            sum(chunk.size for chunk in chunks),
        )

    def number(self, digits: str) -> int:
        if not digits or set(digits) - set("0123456789abcdef"):
            self.refuse()
        return int(digits, 16)

    def states(self, unpacker: Unpacker, chunk: Chunk) -> list[State]:
        try:
            return unpacker(chunk)
        except Malformed:
            self.refuse("it has what is no state of the model")


@attrs.frozen
class _States:
    """The states of a layer in a file, taken apart each time they are asked for."""

    reader: _Reader
    chunks: Sequence[Chunk]

    def __iter__(self) -> Iterator[Sequence[State]]:
        return (self.reader.states(self.reader.inside, chunk) for chunk in self.chunks)


# -- when to write ---------------------------------------------------------------------------------------------


@attrs.define
class Pace:
    """When to write again, so that at most a twentieth of the time goes into it; times are in seconds.

    >>> pace = Pace(began=0.0)
    >>> pace.due(59.0), pace.due(61.0)
    (False, True)
    >>> pace.wrote(61.0, 71.0)
    >>> pace.due(270.0), pace.due(272.0)
    (False, True)
    """

    began: float
    least: float = 60.0

    def due(self, now: float) -> bool:
        return now - self.began >= self.least

    def wrote(self, begin: float, end: float) -> None:
        self.began, self.least = end, max(60.0, 20 * (end - begin))
