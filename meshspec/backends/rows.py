"""Rows: what each ground action does to a packed state, as conditions on its fields and new contents for them.

A row is taken from the states in its ``boxes`` that keep its ``guards``; the rows of a ground action are disjoint and
together exactly its condition. What a row writes fits the fields it is written to, which is proved from the row's own
conditions; where it is not, the row is split, and the part that leaves a Range is an *odd* row, like one that raises.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import attrs

from meshspec.backends.layout import Layout
from meshspec.backends.lowering import (
    FEW,
    MAX_TABLE,
    Answers,
    Form,
    Forms,
    Ground,
    Grounder,
    Term,
    answers_of,
    choice_in,
    known,
    looked_at,
    made,
    replaced,
)
from meshspec.backends.packing import Packing
from meshspec.errors import UsageError
from meshspec.lang.lift import Lifted
from meshspec.lang.outcomes import Blocks, Does, Leaf, Outcome, Split, Tree, Write, WriteAll

MAX_ROWS = 4096
_MAX_REGIONS = 16 * MAX_ROWS
_MAX_WORK = 1 << 18  # entries of tables, as often as they are looked at


@attrs.frozen
class Guard:
    """``terms <= bound``."""

    terms: tuple[Term, ...]
    bound: int


@attrs.frozen
class Region:
    """Some states: those with codes of the ``boxes`` (a bit for each code) that keep the guards."""

    boxes: Mapping[int, int]
    guards: tuple[Guard, ...] = ()


@attrs.frozen
class Row:
    """One way in which a ground action is taken: the codes that cells get, or ``odd``: it leads to no state.

    ``leaves`` is the cell whose Range, declared or inferred, is left; -1 where the action raises.
    """

    action: int
    region: Region
    writes: tuple[tuple[int, Form], ...] = ()
    odd: bool = False
    leaves: int = -1


class Lowering:
    """The rows of one layout in one packing.

    Raises :class:`meshspec.errors.UsageError` for a ground action that takes more than 4,096 rows.
    """

    def __init__(self, layout: Layout, packing: Packing) -> None:
        self.layout, self.packing = layout, packing
        self.grounder, self.forms = Grounder(layout), Forms(packing)
        self.rows: list[Row] = []
        self._answers: dict[Split[Outcome], Answers] = {}
        self._here: tuple[Lifted, int] | None = None
        self._before, self._regions = 0, 0
        for number, (lifted, arguments) in enumerate(layout.ground_actions()):
            self._here = lifted, number
            self._before, self._regions = len(self.rows), 0
            encoded = [layout.encode_value(value) for value in arguments]
            names = {p.name: int(value) for p, value in zip(lifted.parameters, encoded, strict=True)}
            _, picked = lifted.assembled(arguments)
            spare = frozenset(
                p.name for p, v in zip(lifted.choices, picked, strict=True) if v != layout.arguments((p,))[0][0]
            )
            self._tree(lifted.tree, names, spare, Region({}))

    # -- paths ---------------------------------------------------------------------------------------------------

    def _tree(self, tree: Tree[Outcome], names: Mapping[str, int], spare: frozenset[str], region: Region) -> None:
        """Every path from here; `spare` are choices not at their first value that no question asked about.

        A path that never looks at a choice is one step and not one for each value.
        """
        if isinstance(tree, Leaf):
            self._leaf(tree.value, names, spare, region)
            return
        answers, asked = self._answers.get(tree) or self._answers.setdefault(tree, answers_of(tree))
        spare -= asked
        for question, child in answers:
            if child != Leaf(Blocks()):
                for here in self.assume(self.grounder.ground(question, names), True, region):
                    self._tree(child, names, spare, here)

    def _leaf(self, outcome: Outcome, names: Mapping[str, int], spare: frozenset[str], region: Region) -> None:
        if spare - looked_at(outcome) or isinstance(outcome, Blocks):
            return
        if not isinstance(outcome, Does):
            self._row(region, (), odd=True)
            return
        found: list[tuple[Region, dict[int, tuple[Ground, Ground]]]] = [(region, {})]
        for update in outcome.updates:
            for write in update.writes:
                found = [
                    (after, {**writes, **more})
                    for before, writes in found
                    for after, more in self._written(update.symbol.name, write, names, before)
                ]
        for here, writes in found:
            self._write(here, sorted(writes.items()), ())

    def _written(
        self, name: str, write: Write | WriteAll, names: Mapping[str, int], region: Region
    ) -> Iterator[tuple[Region, dict[int, tuple[Ground, Ground]]]]:
        """The cells that one write sets, each with its value and with when it is absent; keys tell regions apart."""
        base = self.layout.base[name]
        if isinstance(write, WriteAll):
            cells: dict[int, tuple[Ground, Ground]] = {}
            for place in range(self.grounder.sizes[name][0]):
                here = {**names, write.bound.name: place}
                cells[base + place] = (
                    self.grounder.ground(write.value, here),
                    self.grounder.ground(write.absent, here),
                )
            yield region, cells
            return
        value, absent = self.grounder.ground(write.value, names), self.grounder.ground(write.absent, names)
        places = [(region, 0)]
        for key, size in zip(write.keys, self.grounder.sizes[name], strict=True):
            ground = self.grounder.ground(key, names)
            places = [
                (after, place * size + one)
                for before, place in places
                for one in range(size)
                for after in self.assume(made("==", (ground, known(one))), True, before)
            ]
        for after, place in places:
            yield after, {base + place: (value, absent)}

    def _write(
        self, region: Region, left: Sequence[tuple[int, tuple[Ground, Ground]]], done: tuple[tuple[int, Form], ...]
    ) -> None:
        """Turn values into forms, one cell after the other, and see to it that each fits its field."""
        if not left:
            self._row(region, done)
            return
        (cell, (value, absent)), *rest = left
        field = self.packing.fields[cell]
        for here in self.assume(absent, True, region):
            self._write(here, rest, (*done, (cell, Form(field.size))))
        for here in self.assume(absent, False, region):
            for form, inside in self._valued(value, here):
                code = form.plus(Form(-field.lo))
                fitting = self._limited(self._limited([inside], code, 1, field.size - 1), code, -1, 0)
                for good in fitting:
                    same = code == Form(0, (Term((cell,), 1),))
                    self._write(good, rest, done if same else (*done, (cell, code)))
                for odd in self._limited([inside], code, -1, -field.size):
                    self._row(odd, (), odd=True, leaves=cell)
                for odd in self._limited([inside], code, 1, -1):
                    self._row(odd, (), odd=True, leaves=cell)

    def _limited(self, regions: list[Region], form: Form, factor: int, bound: int) -> list[Region]:
        """The parts of the regions in which ``factor * form <= bound``."""
        return [kept for region in regions for kept in self._guarded(region, Form(0).plus(form, factor), bound)]

    def _row(self, region: Region, writes: tuple[tuple[int, Form], ...], odd: bool = False, leaves: int = -1) -> None:
        assert self._here is not None
        if len(self.rows) - self._before >= MAX_ROWS:
            self._too_many()
        self.rows.append(Row(self._here[1], region, writes, odd, leaves))

    def _too_many(self) -> None:
        assert self._here is not None
        lifted = self._here[0]
        raise UsageError(
            f"{lifted.method.where}: {lifted.name} takes too many rows at this scope (more than {MAX_ROWS:,} for one "
            "combination of arguments, or as much in tables): narrower Ranges, or fewer variables in one expression"
        )

    # -- conditions ----------------------------------------------------------------------------------------------

    def assume(self, ground: Ground, want: bool, region: Region) -> list[Region]:
        """The part of a region in which a condition is true, or false: disjoint regions."""
        ground = self._fixed(ground, region)
        self._regions += 1
        if self._regions > _MAX_REGIONS or self.forms.work > _MAX_WORK:
            self._too_many()
        if ground.known:
            return [region] if bool(ground.at) is want else []
        if ground.op == "not":
            return self.assume(ground.args[0], not want, region)
        if ground.op == ("and" if want else "or"):
            regions = [region]
            for arg in ground.args:
                regions = [after for before in regions for after in self.assume(arg, want, before)]
            return regions
        cells = self.forms.support(ground)
        if len(cells) == 1 and self._narrow(cells[0]):
            table = self.forms.table(ground).table
            return self._boxed(region, cells[0], sum(1 << code for code, v in enumerate(table) if bool(v) is want))
        if ground.op in ("and", "or"):
            return self._several(ground, want, region)
        if ground.op in ("==", "<", "<="):
            return self._compared(ground, want, region)
        return self._tabled(ground, want, region)

    def _several(self, ground: Ground, want: bool, region: Region) -> list[Region]:
        """Some argument is `want`: for an ``or``, one that is true; for an ``and``, one that is false."""
        if self.forms.small(ground, FEW):
            return self._tabled(ground, want, region)
        total = Form(0)
        for arg in ground.args:
            part = self.forms.form(arg)
            if part is None:
                break
            total = total.plus(part)
        else:
            form, bound = (Form(0).plus(total, -1), -1) if want else (total, len(ground.args) - 1)
            return self._guarded(region, form, bound)
        found: list[Region] = []
        others = [region]
        for arg in ground.args:
            found += [here for other in others for here in self.assume(arg, want, other)]
            others = [here for other in others for here in self.assume(arg, not want, other)]
        return found

    def _compared(self, ground: Ground, want: bool, region: Region) -> list[Region]:
        left, right = (self.forms.form(arg) for arg in ground.args)
        difference = None if left is None or right is None else left.plus(right, -1)
        linear = difference is not None and not any(term.table for term in difference.terms)
        if difference is None or (self.forms.small(ground, FEW) and not (linear and ground.op != "==")):
            return self._tabled(ground, want, region)
        back = Form(0).plus(difference, -1)
        if ground.op != "==":
            last = -1 if ground.op == "<" else 0
            return self._guarded(region, difference, last) if want else self._guarded(region, back, -last - 1)
        if not want:
            return [*self._guarded(region, difference, -1), *self._guarded(region, back, -1)]
        return [both for one in self._guarded(region, difference, 0) for both in self._guarded(one, back, 0)]

    def _tabled(self, ground: Ground, want: bool, region: Region) -> list[Region]:
        if self.forms.tabled(ground):
            term = self.forms.table(ground)
            return self._guarded(region, Form(0, (term.times(-1 if want else 1),)), -1 if want else 0)
        return [after for part, before in self._split(ground, region) for after in self.assume(part, want, before)]

    def _valued(self, ground: Ground, region: Region) -> list[tuple[Form, Region]]:
        """The value of an expression as a form, in each part of a region."""
        ground = self._fixed(ground, region)
        form = self.forms.form(ground)
        if form is not None:
            return [(form, region)]
        return [found for part, here in self._split(ground, region) for found in self._valued(part, here)]

    def _split(self, ground: Ground, region: Region) -> Iterator[tuple[Ground, Region]]:
        """A simpler expression in each of several regions: by a condition in it, by a key, or by a cell's value."""
        choice = choice_in(ground)
        if choice is not None and choice.op == "ite":
            condition, *branches = choice.args
            for branch, want in zip(branches, (True, False), strict=True):
                for here in self.assume(condition, want, region):
                    yield replaced(ground, {choice: branch}), here
            return
        if choice is not None:
            index, *entries = choice.args
            for place, entry in enumerate(entries):
                for here in self.assume(made("==", (index, known(place))), True, region):
                    yield replaced(ground, {choice: entry}), here
            return
        narrow = [cell for cell in self.forms.support(ground) if self._narrow(cell)]
        if not narrow:
            self._too_many()
        cell = min(narrow, key=lambda one: (self._box(region, one).bit_count(), one))
        for code in range(self.forms.codes(cell)):
            for here in self._boxed(region, cell, 1 << code):
                yield self._fixed(ground, here), here

    # -- regions -------------------------------------------------------------------------------------------------

    def _narrow(self, cell: int) -> bool:
        return self.forms.codes(cell) <= MAX_TABLE

    def _box(self, region: Region, cell: int) -> int:
        found = region.boxes.get(cell)
        return (1 << self.forms.codes(cell)) - 1 if found is None else found

    def _fixed(self, ground: Ground, region: Region) -> Ground:
        by: dict[Ground, Ground] = {}
        for cell in self.forms.support(ground):
            box = region.boxes.get(cell, 0)
            if box.bit_count() == 1:
                value = self.forms.value(cell, box.bit_length() - 1)
                by[Ground("cell", cell)] = known(value)
                by[Ground("absent", cell)] = known(value is None)
        return replaced(ground, by) if by else ground

    def _boxed(self, region: Region, cell: int, codes: int) -> list[Region]:
        before = self._box(region, cell)
        after = before & codes
        if after == before:
            return [region]
        return self._feasible(Region({**region.boxes, cell: after}, region.guards)) if after else []

    def _feasible(self, region: Region) -> list[Region]:
        """The region without guards that its boxes keep anyhow, if there is anything in it."""
        kept: list[Guard] = []
        for guard in region.guards:
            least, most = self._ends(guard.terms, region)
            if least > guard.bound:
                return []
            if most > guard.bound:
                kept.append(guard)
        return [region if len(kept) == len(region.guards) else Region(region.boxes, tuple(kept))]

    def _guarded(self, region: Region, form: Form, bound: int) -> list[Region]:
        """The part of a region in which a form is at most `bound`."""
        guard = Guard(form.terms, bound - form.constant)
        if len(form.terms) == 1 and len(form.terms[0].cells) == 1 and self._narrow(form.terms[0].cells[0]):
            (term,) = form.terms
            entries = term.table or tuple(term.coefficient * c for c in range(self.forms.codes(term.cells[0])))
            return self._boxed(region, term.cells[0], sum(1 << c for c, v in enumerate(entries) if v <= guard.bound))
        least, most = self._spanned(form.terms, region)
        if least > guard.bound:
            return []
        if most <= guard.bound:
            return [region]
        return [Region(region.boxes, (*region.guards, guard))]

    def _spanned(self, terms: Sequence[Term], region: Region) -> tuple[int, int]:
        """The least and the most that terms come to, by the boxes alone and by what each guard says of them."""
        least, most = self._ends(terms, region)
        form = Form(0, tuple(terms))
        for guard in region.guards:
            other = Form(0, guard.terms)
            most = min(most, guard.bound + self._ends(form.plus(other, -1).terms, region)[1])
            least = max(least, self._ends(form.plus(other).terms, region)[0] - guard.bound)
        return least, most

    def _ends(self, terms: Sequence[Term], region: Region) -> tuple[int, int]:
        least = most = 0
        for term in terms:
            low, high = self._term(term, region)
            least, most = least + low, most + high
        return least, most

    def _term(self, term: Term, region: Region) -> tuple[int, int]:
        if not term.table:
            (cell,) = term.cells
            box = region.boxes.get(cell)
            first, last = (
                (0, self.forms.codes(cell) - 1)
                if box is None
                else ((box & -box).bit_length() - 1, box.bit_length() - 1)
            )
            ends = term.coefficient * first, term.coefficient * last
            return min(ends), max(ends)
        places = [0]
        for cell in term.cells:
            codes, box = self.forms.codes(cell), self._box(region, cell)
            places = [place * codes + code for place in places for code in range(codes) if box >> code & 1]
        self.forms.work += len(places)
        entries = [term.table[place] for place in places]
        return min(entries), max(entries)
