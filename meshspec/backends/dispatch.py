"""Dispatch: rows as arrays for the kernel, and an index that leaves few rows to be tried in a state.

A group of rows is looked up by the contents of a few fields: its entry lists the rows whose boxes allow them. Which
fields, is decided greedily by how many rows they are expected to rule out.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs

from meshspec.backends.compiled import ACTION_BITS, CONDITIONS, MOVES, ODD
from meshspec.backends.lowering import Form, Term
from meshspec.backends.packing import Field, Packing
from meshspec.backends.rows import Row
from meshspec.errors import UsageError

INDEX_BITS = 10
WINDOWS = 3
_GROUP_COST = 1.5  # looking a group up costs about as much as trying one and a half rows
_WORTH = 0.12  # rows that a further field of a group must rule out
_ALL = (1 << 64) - 1
_FAR = 1 << 62  # no sum comes so far


@attrs.frozen(eq=False)
class Tables:
    """Flat arrays that the kernel reads: uint32 for places, uint64 for bits, int64 for numbers.

    ``groups``: where its windows begin and end, where its entries begin in ``starts``. ``windows``: word, shift,
    mask, place. ``starts``: for each entry of each group where its rows are in ``listing``, which has their places
    in ``rows``. ``rows``: mask, constant, keep, set and add, of each word, and a head. ``parts``: where the checks,
    guards and moves of each row begin and end. ``checks``: word, shift, mask and the set of allowed codes.
    ``guards``: a sum and its bounds. ``sums``: where their terms begin and end. ``moves``: word, shift, constant, and
    the same. ``terms``: word, shift, mask. ``coefficients``: one for each term, and ``-1``, or where to look up in
    ``tables``, after terms with ``-2`` that add to the place.
    """

    groups: Any
    windows: Any
    starts: Any
    listing: Any
    rows: Any
    parts: Any
    checks: Any
    guards: Any
    sums: Any
    moves: Any
    terms: Any
    coefficients: Any
    tables: Any


@attrs.frozen
class _Group:
    cells: tuple[int, ...]
    rows: tuple[int, ...]


def tables_of(rows: Sequence[Row], packing: Packing) -> Tables:
    """The arrays of these rows."""
    return _Writer(packing).tables(rows)


def _share(row: Row, cell: int, codes: int) -> float:
    """The part of a field's codes that a row allows."""
    box = row.region.boxes.get(cell)
    return 1.0 if box is None else box.bit_count() / codes


class _Writer:
    def __init__(self, packing: Packing) -> None:
        self.packing, self.fields = packing, packing.fields
        self.terms: list[int] = []  # three numbers each
        self.coefficients: list[int] = []  # two numbers each
        self.lookups: list[int] = []
        self.offsets: dict[tuple[int, ...], int] = {}
        self.sums: dict[tuple[Term, ...], int] = {}
        self.spans: list[int] = []  # two numbers each

    def tables(self, rows: Sequence[Row]) -> Tables:
        import numpy as np

        groups = self._groups(rows)
        looked = {r: frozenset(group.cells) for group in groups for r in group.rows}
        stride = 5 * self.packing.words + 1
        heads, windows, starts, listing = list[int](), list[int](), list[int](), list[int]()
        for group in groups:
            mine = self._windows(group.cells)
            heads += len(windows), len(windows) + 4 * len(mine), len(starts)
            for window in mine:
                windows += window
            for entry in self._entries(rows, group, mine):
                starts.append(len(listing))
                listing += [stride * number for number in entry]
            starts.append(len(listing))
        words, parts, checks, guards = list[int](), list[int](), list[int](), list[int]()
        moves = list[int]()
        for number, row in enumerate(rows):
            before = len(checks), len(guards), len(moves)
            self._conditions(row, looked[number], checks, guards)
            words += self._words(row, moves)
            words.append(row.action | 6 * number << ACTION_BITS | ODD * row.odd)
            words[-1] |= CONDITIONS * ((len(checks), len(guards)) != before[:2]) | MOVES * (len(moves) > before[2])
            parts += before[0], len(checks), before[1], len(guards), before[2], len(moves)
        return Tables(
            np.array(heads, dtype=np.uint32),
            np.array(windows, dtype=np.uint64),
            np.array(starts, dtype=np.uint32),
            np.array(listing, dtype=np.uint32),
            np.array(words, dtype=np.uint64),
            np.array(parts, dtype=np.uint32),
            np.array(checks, dtype=np.uint64),
            np.array(guards, dtype=np.int64),
            np.array(self.spans, dtype=np.uint32),
            np.array(moves, dtype=np.int64),
            np.array(self.terms, dtype=np.uint64),
            np.array(self.coefficients, dtype=np.int64),
            np.array(self.lookups, dtype=np.int64),
        )

    # -- the index -------------------------------------------------------------------------------------------------

    def _groups(self, rows: Sequence[Row]) -> list[_Group]:
        left = list(range(len(rows)))
        found: list[_Group] = []
        while left:
            cells, saved = self._best(rows, left)
            mine = [r for r in left if any(c in rows[r].region.boxes for c in cells)]
            if saved < 1.0 or not mine:
                break
            found.append(_Group(cells, tuple(mine)))
            left = [r for r in left if r not in set(mine)]
        return [*found, *([_Group((), tuple(left))] if left else [])]

    def _best(self, rows: Sequence[Row], left: Sequence[int]) -> tuple[tuple[int, ...], float]:
        """Fields to look up by, and how many of the rows they are expected to rule out, its cost taken off."""
        best: tuple[tuple[int, ...], float] = (), 0.0
        for seed in sorted({cell for r in left for cell in rows[r].region.boxes}):
            if self.fields[seed].width > INDEX_BITS:
                continue
            mine = [r for r in left if seed in rows[r].region.boxes]
            cells, saved = self._grown(rows, mine, seed)
            if saved - _GROUP_COST > best[1] + 1e-9:
                best = cells, saved - _GROUP_COST
        return best

    def _grown(self, rows: Sequence[Row], mine: Sequence[int], seed: int) -> tuple[tuple[int, ...], float]:
        cells: tuple[int, ...] = (seed,)
        shares = {r: _share(rows[r], seed, self.fields[seed].codes) for r in mine}
        while True:
            least, chosen = sum(shares.values()) - _WORTH, -1
            for cell in sorted({cell for r in mine for cell in rows[r].region.boxes}.difference(cells)):
                wider = (*cells, cell)
                if sum(self.fields[c].width for c in wider) > INDEX_BITS or len(self._windows(wider)) > WINDOWS:
                    continue
                total = sum(s * _share(rows[r], cell, self.fields[cell].codes) for r, s in shares.items())
                if total < least - 1e-9:
                    least, chosen = total, cell
            if chosen < 0:
                return tuple(sorted(cells)), len(mine) - sum(shares.values())
            cells = (*cells, chosen)
            shares = {r: s * _share(rows[r], chosen, self.fields[chosen].codes) for r, s in shares.items()}

    def _windows(self, cells: Sequence[int]) -> list[tuple[int, int, int, int]]:
        """Word, shift, mask and place in the index of each run of fields that lie side by side."""
        runs: list[list[int]] = []
        for field in sorted((self.fields[cell] for cell in cells), key=lambda f: (f.word, f.shift)):
            if runs and runs[-1][0] == field.word and runs[-1][1] + runs[-1][2] == field.shift:
                runs[-1][2] += field.width
            else:
                runs.append([field.word, field.shift, field.width])
        found: list[tuple[int, int, int, int]] = []
        place = 0
        for word, shift, width in runs:
            found.append((word, shift, (1 << width) - 1, place))
            place += width
        return found

    def _entries(
        self, rows: Sequence[Row], group: _Group, windows: Sequence[tuple[int, int, int, int]]
    ) -> list[list[int]]:
        """The rows of a group at each place of its index: those whose boxes allow the codes that make the place."""
        found: list[list[int]] = [[] for _ in range(1 << sum(self.fields[cell].width for cell in group.cells))]
        begins = [self._begin(windows, self.fields[cell]) for cell in group.cells]
        for number in group.rows:
            places = [0]
            for cell, begin in zip(group.cells, begins, strict=True):
                codes = range(self.fields[cell].codes)
                box = rows[number].region.boxes.get(cell, -1)
                places = [place | code << begin for place in places for code in codes if box >> code & 1]
            for place in places:
                found[place].append(number)
        return found

    def _begin(self, windows: Sequence[tuple[int, int, int, int]], field: Field) -> int:
        """Where a field's bits begin in the index."""
        for word, shift, mask, place in windows:
            if field.word == word and shift <= field.shift < shift + mask.bit_length():
                return place + field.shift - shift
        raise AssertionError("a field of a group is in one of its windows")

    # -- rows ------------------------------------------------------------------------------------------------------

    def _conditions(self, row: Row, looked: frozenset[int], checks: list[int], guards: list[int]) -> None:
        """Checks and guards: what neither the index nor the mask sees to."""
        bounds: dict[int, list[int]] = {}
        for cell, box in sorted(row.region.boxes.items()):
            field = self.fields[cell]
            if cell in looked or box.bit_count() == 1:
                continue
            if field.codes <= 64:
                checks += field.word, field.shift, (1 << field.width) - 1, box
            else:
                table = tuple(int(not box >> code & 1) for code in range(field.codes))
                bounds[self._sum((Term((cell,), 0, table),))] = [-_FAR, 0]
        for guard in row.region.guards:
            turned = guard.terms[0].coefficient < 0 or any(e < 0 for e in guard.terms[0].table)
            terms = tuple(term.times(-1) for term in guard.terms) if turned else guard.terms
            ends = bounds.setdefault(self._sum(terms), [-_FAR, _FAR])
            if turned:
                ends[0] = max(ends[0], -guard.bound)
            else:
                ends[1] = min(ends[1], guard.bound)
        for number, (low, high) in bounds.items():
            guards += number, max(low, -_FAR), min(high, _FAR)

    def _words(self, row: Row, moves: list[int]) -> list[int]:
        """Mask, constant, keep, set and add of every word; what is none of these is a move."""
        count = self.packing.words
        mask, constant, keep = [0] * count, [0] * count, [_ALL] * count
        put, add = [0] * count, [0] * count
        for cell, box in row.region.boxes.items():
            if box.bit_count() == 1:
                field = self.fields[cell]
                mask[field.word] |= ((1 << field.width) - 1) << field.shift
                constant[field.word] |= (box.bit_length() - 1) << field.shift
        for cell, form in row.writes:
            field = self.fields[cell]
            if form.terms == (Term((cell,), 1),):
                add[field.word] += form.constant << field.shift
                continue
            keep[field.word] &= ~(((1 << field.width) - 1) << field.shift) & _ALL
            if form.terms:
                moves += field.word, field.shift, form.constant, *self._terms(form)
            else:
                put[field.word] |= form.constant << field.shift
        return [*mask, *constant, *keep, *put, *(more & _ALL for more in add)]

    def _sum(self, terms: tuple[Term, ...]) -> int:
        if terms not in self.sums:
            self.sums[terms] = len(self.spans) // 2
            self.spans += self._terms(Form(0, terms))
        return self.sums[terms]

    def _terms(self, form: Form) -> tuple[int, int]:
        """Write the terms of a form; where they begin and end."""
        first = len(self.coefficients) // 2
        reach = abs(form.constant) + sum(self._reach(term) for term in form.terms)
        if reach >= _FAR:
            cells = ", ".join(str(self.packing.layout.cells[cell]) for term in form.terms for cell in term.cells)
            raise UsageError(f"a sum over {cells} may leave 64 bits, which rows cannot count with: narrower Ranges")
        for term in form.terms:
            if not term.table:
                self._term(term.cells[0], term.coefficient, -1)
                continue
            if term.table not in self.offsets:
                self.offsets[term.table] = len(self.lookups)
                self.lookups += term.table
            stride = len(term.table)
            for cell in term.cells:
                stride //= self.fields[cell].codes
                self._term(cell, stride, self.offsets[term.table] if cell == term.cells[-1] else -2)
        return first, len(self.coefficients) // 2

    def _reach(self, term: Term) -> int:
        """The most that a term may add or take away."""
        if term.table:
            return max(map(abs, term.table))
        return abs(term.coefficient) * self.fields[term.cells[0]].codes

    def _term(self, cell: int, coefficient: int, where: int) -> None:
        field = self.fields[cell]
        self.terms += field.word, field.shift, (1 << field.width) - 1
        self.coefficients += coefficient, where
