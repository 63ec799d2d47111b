"""Symmetry: which permutations of members map a model onto itself, and one state for each orbit under them.

A sort has nothing but equality, so every permutation of its members is an automorphism of the state graph, unless a
constant table or the initial values tell them apart; both are looked at, and no method may name a member.

Where every entry belongs to at most one member of a sort and holds none, the members own columns, and sorting the
columns is canonical. Otherwise all permutations are tried and the least image is canonical, as long as they are few.
A group of the second kind changes all columns of the first alike, so the two go together: the canonical form is the
least of the images with their columns sorted (tests compare it with all permutations, one by one).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import Any, cast

import attrs

from meshspec.backends.layout import CellAt, Layout, State
from meshspec.expr.nodes import Const, IntType, Node, SortType
from meshspec.expr.text import value_text
from meshspec.expr.walk import fold
from meshspec.lang.lift import Lifted
from meshspec.lang.outcomes import leaves
from meshspec.sorts import Sort, is_sort

MAX_PERMUTED = 4
"""The most members of a sort whose permutations are tried one by one."""

MAX_IMAGES = 576
"""The most permutations, of all such sorts together: those of two sorts of four."""

MAX_ENTRIES = 2_000_000
"""The most entries of all images together."""


@attrs.frozen
class Image:
    """What one permutation makes of a state: entry ``i`` is entry ``cells[i]`` of the old one, relabelled.

    ``labels[i]`` maps the position of a member that the entry holds; ``None`` where it holds no member.
    """

    cells: tuple[int, ...]
    labels: tuple[tuple[int, ...] | None, ...]


@attrs.frozen(eq=False)
class Symmetry:
    """A group of permutations: all those of ``columns``, times the ``images`` (the identity is not listed).

    ``columns`` has an entry for each sort whose members own columns: for each member, its cells, in one order for all
    members. No cell is in the columns of two sorts; an image may move entries within each column. The canonical form
    of a state is the least, over the identity and all images, of the image with its columns sorted.

    ``sorts`` are those whose members are permuted; ``left_out`` are those whose are not, each with the reason.
    """

    layout: Layout
    columns: tuple[tuple[tuple[int, ...], ...], ...]
    images: tuple[Image, ...]
    sorts: tuple[type[Sort], ...] = ()
    left_out: Mapping[str, str] = attrs.field(factory=dict[str, str])

    def canonical(self) -> Callable[[State], State]:
        """A function from a state to the one that stands for its orbit; ``None`` counts as less than any value."""
        return _Writer(self).canonical()

    def orbit_size(self) -> Callable[[State], int]:
        """A function from a state to the number of states in its orbit."""
        return _Writer(self).orbit_size()

    def alike(self, lifted: Lifted, arguments: Sequence[Any]) -> Hashable:
        """The same for two combinations of arguments exactly when some permutation maps one to the other.

        What is true for one of them in some reachable state is then true for the other in some reachable state.
        """
        met: dict[type[Sort], list[Sort]] = {sort: [] for sort in self.sorts}

        def name(value: Any) -> Hashable:
            if isinstance(value, tuple):
                return tuple(map(name, cast("tuple[object, ...]", value)))
            if isinstance(value, Sort) and type(value) in met:
                order = met[type(value)]
                if value not in order:
                    order.append(value)
                return order.index(value)
            return cast("Hashable", value)

        return name(lifted.assembled(arguments))


def symmetry_of(layout: Layout) -> Symmetry | str:
    """The symmetry of a layout, or why there is none that is sound and small enough to use.

    Sound when the lifted model is certified: a body that told members apart by anything but equality would have been
    refused when it was lifted.
    """
    if not layout.sizes:
        return "the model has no sort"
    several = [sort for sort, size in layout.sizes.items() if size > 1]
    if not several:
        return "every sort has one member"
    left_out = {sort.__name__: why for sort in several if (why := _told_apart(layout, sort))}
    placed = [sort for sort in several if sort.__name__ not in left_out and any(_uses(layout, sort))]
    if not placed and not left_out:
        return "no variable has a member as its key or its value"
    owners = _owners(layout, placed)
    permuted = _few_enough(layout, [sort for sort in placed if sort not in owners], left_out)
    if not owners and not permuted:
        return "; ".join(f"{name}: {why}" for name, why in left_out.items())
    columns = tuple(_columns(layout, sort) for sort in owners)
    return Symmetry(layout, columns, tuple(_images(layout, permuted)), (*owners, *permuted), left_out)


# -- what tells members apart ----------------------------------------------------------------------------------


def _told_apart(layout: Layout, sort: type[Sort]) -> str:
    """What tells the members of a sort apart, in words; empty when nothing does."""
    for lifted in (*layout.model.actions, *layout.model.claims):
        if any(isinstance(value, Sort) or type(value) is SortType for value in _literals(lifted)):
            return f"{lifted.name} names a member"
    for variable in layout.model.declared.variables:
        symbol, held = variable.symbol, variable.symbol.type == SortType(sort)
        if variable.constant:
            if not _even(layout, sort, symbol.keys, layout.tables[symbol.name], held):
                return f"the constant table {symbol.name} tells its members apart"
        elif held and not any(map(is_sort, variable.initial)):
            named = [value for value in variable.initial if isinstance(value, sort)]
            if named and {*range(layout.sizes[sort])} - {value.index for value in named}:
                start = f"any_of({sort.__name__})"
                return f"{symbol.name} starts as {value_text(named[0])}; {start} would start as each of its members"
    return ""


def _literals(lifted: Lifted) -> Iterator[object]:
    """Every literal in a method and its type; an answer that a question may have counts as one."""
    seen: dict[Node, bool] = {}
    for condition, outcome in leaves(lifted.raw):
        for node in (*condition, *_nodes(outcome)):
            fold(node, lambda _node, _below: True, seen)
    for node in seen:
        if isinstance(node, Const):
            yield from (node.value, node.type)


def _nodes(part: object) -> Iterator[Node]:
    """The expressions in an outcome, whatever its parts are called."""
    if isinstance(part, Node):
        yield part
    elif isinstance(part, tuple):
        for one in cast("tuple[object, ...]", part):
            yield from _nodes(one)
    elif attrs.has(kind := type(part)):
        for field in attrs.fields(cast("Any", kind)):
            yield from _nodes(getattr(part, field.name))


def _even(layout: Layout, sort: type[Sort], keys: Sequence[Any], table: Sequence[Any], held: bool) -> bool:
    """Whether a table is the same after any exchange of two neighbours, and so after any permutation."""
    places = list(itertools.product(*(layout.values(key) for key in keys)))
    value = dict(zip(places, table, strict=True))
    for one in range(layout.sizes[sort] - 1):
        exchange = {sort(one): sort(one + 1), sort(one + 1): sort(one)}
        labels = {one: one + 1, one + 1: one}
        for place in places:
            there = value[tuple(exchange.get(key, key) if isinstance(key, Sort) else key for key in place)]
            if there != (labels.get(value[place], value[place]) if held else value[place]):
                return False
    return True


# -- who owns columns, whose permutations are tried ------------------------------------------------------------


def _uses(layout: Layout, sort: type[Sort]) -> Iterator[CellAt]:
    """The cells that a member of the sort is a key of, or that hold one."""
    for cell in layout.cells:
        if SortType(sort) in (*cell.variable.symbol.keys, cell.variable.symbol.type):
            yield cell


def _why_no_columns(layout: Layout, sort: type[Sort]) -> str:
    """Why the members of a sort do not own columns, whatever other sorts do; empty when they do."""
    for cell in _uses(layout, sort):
        symbol = cell.variable.symbol
        if symbol.type == SortType(sort):
            return f"{symbol.name} holds one"
        if symbol.keys.count(SortType(sort)) > 1:
            return f"two are keys of {symbol.name}"
    return ""


def _owners(layout: Layout, sorts: Sequence[type[Sort]]) -> list[type[Sort]]:
    """The sorts whose members own columns, larger ones first; of two that share a variable only one does."""
    found: list[type[Sort]] = []
    taken: set[str] = set()
    for sort in sorted(sorts, key=lambda one: -layout.sizes[one]):
        mine = {cell.variable.symbol.name for cell in _uses(layout, sort)}
        if not _why_no_columns(layout, sort) and not mine & taken:
            found.append(sort)
            taken |= mine
    return found


def _few_enough(layout: Layout, sorts: Sequence[type[Sort]], left_out: dict[str, str]) -> list[type[Sort]]:
    """The sorts whose permutations are few enough to be tried, larger ones first; the others are left out."""
    found: list[type[Sort]] = []
    images = 1
    for sort in sorted(sorts, key=lambda one: -layout.sizes[one]):
        size = layout.sizes[sort]
        why = _why_no_columns(layout, sort) or "a larger sort owns them"
        if size > MAX_PERMUTED:
            left_out[sort.__name__] = (
                f"its members own no columns ({why}) and it has {size} of them: up to {MAX_PERMUTED} can be permuted"
            )
        elif (many := images * math.factorial(size)) > MAX_IMAGES or many * len(layout.cells) > MAX_ENTRIES:
            left_out[sort.__name__] = (
                f"its members own no columns ({why}), and with it there would be {many:,} permutations of "
                f"{len(layout.cells):,} entries to try: up to {MAX_IMAGES}, and {MAX_ENTRIES:,} entries in all"
            )
        else:
            found.append(sort)
            images = many
    return found


def _columns(layout: Layout, sort: type[Sort]) -> tuple[tuple[int, ...], ...]:
    """For each member the cells that it is a key of, in the order of the layout."""
    found: list[list[int]] = [[] for _ in range(layout.sizes[sort])]
    for place, cell in enumerate(layout.cells):
        for key in cell.keys:
            if isinstance(key, sort):
                found[key.index].append(place)
    return tuple(map(tuple, found))


def _images(layout: Layout, sorts: Sequence[type[Sort]]) -> Iterator[Image]:
    """What each permutation of the members of `sorts` but the identity makes of a state."""
    ways = [list(itertools.permutations(range(layout.sizes[sort]))) for sort in sorts]
    for chosen in itertools.islice(itertools.product(*ways), 1, None):
        labels = dict(zip(sorts, chosen, strict=True))
        old = {sort(label[at]): sort(at) for sort, label in labels.items() for at in range(len(label))}
        cells: list[int] = []
        held: list[tuple[int, ...] | None] = []
        for cell in layout.cells:
            name, keys = cell.key
            cells.append(layout.index[name, tuple(old.get(k, k) if isinstance(k, Sort) else k for k in keys)])
            type = cell.variable.symbol.type
            held.append(labels.get(type.cls) if isinstance(type, SortType) else None)
        yield Image(tuple(cells), tuple(held))


# -- the functions on tuples -----------------------------------------------------------------------------------


class _Writer:
    """Writes functions on states. In them entry ``i`` is ``c<i>``, and an optional one is held so that it compares.

    An absent entry is -1 (so that -1 is also where a table of labels holds the label for it), an int that may be
    absent is an empty tuple or a tuple with the int.
    """

    def __init__(self, symmetry: Symmetry) -> None:
        self.symmetry = symmetry
        symbols = [cell.variable.symbol for cell in symmetry.layout.cells]
        self.optional = [place for place, symbol in enumerate(symbols) if symbol.optional]
        self.ints = {place for place in self.optional if isinstance(symbols[place].type, IntType)}
        self.names = [f"c{place}" for place in range(len(symbols))]
        self.given: dict[str, Any] = {}

    def canonical(self) -> Callable[[State], State]:
        if not self.symmetry.images:
            return self._function([*self._opened(), *self._sorted(), f"return {_tuple(self._closed())}"])
        unfold = self._function([*self._opened(), f"return {_tuple(self._unfolded())}"])
        close = self._function([f"{_tuple(self.names)} = s", f"return {_tuple(self._closed())}"])
        each = self._each()
        return lambda state: close(min(each(unfold(state))))

    def orbit_size(self) -> Callable[[State], int]:
        counted = self._function([f"{_tuple(self.names)} = s", f"return {self._arrangements()}"])
        if not self.symmetry.images:
            return counted
        unfold = self._function([*self._opened(), f"return {_tuple(self._unfolded())}"])
        each = self._each()
        return lambda state: len(set(each(unfold(state)))) * counted(state)

    def _each(self) -> Callable[[tuple[Any, ...]], Iterator[tuple[Any, ...]]]:
        """From an unfolded state to all its images, the identity among them, with their columns sorted."""
        own = tuple(range(len(self.names)))
        getters = [_getter(own), *(_getter(self._places(image)) for image in self.symmetry.images)]
        if not self.symmetry.columns:
            return lambda unfolded: (get(unfolded) for get in getters)
        sort = self._function([f"{_tuple(self.names)} = s", *self._sorted(), f"return {_tuple(self.names)}"])
        return lambda unfolded: (sort(get(unfolded)) for get in getters)

    def _unfolded(self) -> list[str]:
        """A state, and after it every entry that holds a member under every relabelling that an image makes of it."""
        found = list(self.names)
        self.place: dict[tuple[int, tuple[int, ...]], int] = {}
        for image in self.symmetry.images:
            for cell, labels in zip(image.cells, image.labels, strict=True):
                if labels is not None and (cell, labels) not in self.place:
                    self.place[cell, labels] = len(found)
                    found.append(f"{self._held((*labels, -1))}[c{cell}]")
        return found

    def _places(self, image: Image) -> tuple[int, ...]:
        """Where the entries of an image are in an unfolded state."""
        pairs = zip(image.cells, image.labels, strict=True)
        return tuple(cell if labels is None else self.place[cell, labels] for cell, labels in pairs)

    def _held(self, table: tuple[int, ...]) -> str:
        name = "table_" + "_".join(map(str, table[:-1]))
        self.given[name] = table
        return name

    def _opened(self) -> list[str]:
        lines = [f"{_tuple(self.names)} = s"]
        for place in self.optional:
            gone, here = ("()", f"(c{place},)") if place in self.ints else ("-1", f"c{place}")
            lines.append(f"c{place} = {gone} if c{place} is None else {here}")
        return lines

    def _closed(self) -> list[str]:
        closed = list(self.names)
        for place in self.optional:
            closed[place] = f"c{place}[0] if c{place} else None" if place in self.ints else ""
            closed[place] = closed[place] or f"None if c{place} < 0 else c{place}"
        return closed

    def _sorted(self) -> list[str]:
        """Sort the columns of each sort; a column of one entry is that entry."""
        lines: list[str] = []
        for columns in self.symmetry.columns:
            parts = _tuple(self._column(cells) for cells in columns)
            lines.append(f"{parts} = sorted({parts})")
        return lines

    def _column(self, cells: Sequence[int]) -> str:
        return f"c{cells[0]}" if len(cells) == 1 else _tuple(f"c{cell}" for cell in cells)

    def _arrangements(self) -> str:
        """In how many ways the columns can be arranged."""
        self.given["arrangements"] = _arrangements
        sorts = (_tuple(self._column(cells) for cells in columns) for columns in self.symmetry.columns)
        return " * ".join(f"arrangements({columns})" for columns in sorts) or "1"

    def _function(self, lines: Sequence[str]) -> Callable[[Any], Any]:
        scope: dict[str, Any] = dict(self.given)
        text = "\n    ".join(["def made(s):", *lines])
        exec(compile(text, "<generated symmetry>", "exec"), scope)  # our own text
        return cast("Callable[[Any], Any]", scope["made"])


def _tuple(parts: Iterable[str]) -> str:
    return "(" + "".join(f"{part}, " for part in parts) + ")"


def _getter(places: tuple[int, ...]) -> Callable[[tuple[Any, ...]], tuple[Any, ...]]:
    if len(places) == 1:
        return lambda unfolded: (unfolded[places[0]],)
    return cast("Callable[[tuple[Any, ...]], tuple[Any, ...]]", itemgetter(*places))


def _arrangements(columns: tuple[Hashable, ...]) -> int:
    """How many different sequences the columns can be put in.

    >>> _arrangements(((0, False), (1, False), (0, False)))
    3
    """
    ways = math.factorial(len(columns))
    if len(different := set(columns)) < len(columns):
        for one in different:
            ways //= math.factorial(columns.count(one))
    return ways
