"""Wrong branches: two different children of one split swapped, and whether that changes what a method does."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from meshspec.backends import evaluate as interpreter
from meshspec.backends import native
from meshspec.backends.after import after
from meshspec.backends.certificate import certify
from meshspec.backends.layout import Layout, Values
from meshspec.backends.solver import AtScope, Sat, Solver, Unknown
from meshspec.errors import CertificateError
from meshspec.expr.build import const, disj, equal, less, negate, operate
from meshspec.expr.nodes import Absent, Cell, Name, Node, Symbol
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.outcomes import Does, Outcome, Raises, Says, Split, Tree, expression, merged


def swapped(tree: Tree[Outcome]) -> Iterator[Tree[Outcome]]:
    """For every split with two different children, the tree in which the first two such are swapped."""
    if not isinstance(tree, Split):
        return
    below = tree.below
    other = next((i for i, child in enumerate(below) if child != below[0]), None)
    if other is not None:
        swap = list(below)
        swap[0], swap[other] = below[other], below[0]
        yield attrs.evolve(tree, below=tuple(swap))
    for number, child in enumerate(below):
        for wrong in swapped(child):
            yield attrs.evolve(tree, below=(*below[:number], wrong, *below[number + 1 :]))


def mutants(lifted: Lifted) -> Iterator[Lifted]:
    """The method with one wrong branch, for each branch that could be."""
    for raw in swapped(lifted.raw):
        yield attrs.evolve(lifted, raw=raw, tree=merged(raw))


def alone(model: LiftedModel, lifted: Lifted) -> LiftedModel:
    """The model with this one method."""
    if lifted.method.kind in ("action", "fault"):
        return attrs.evolve(model, actions=(lifted,), claims=())
    return attrs.evolve(model, actions=(), claims=(lifted,))


STUMBLES = (AssertionError, KeyError, TypeError, ValueError)
"""What comes of reading ``None`` as a value, as a wrong branch may: the certificate stops, if not in its words."""


def refused(model: LiftedModel, lifted: Lifted, random_states: int) -> bool:
    """Whether the certificate lets the method not pass."""
    try:
        certify(alone(model, lifted), random_states=random_states)
    except (CertificateError, *STUMBLES):
        return True
    return False


class Difference:
    """A state on which two readings of one method differ, found by the solver; a proof that there is none."""

    def __init__(self, layout: Layout, one: Lifted, other: Lifted) -> None:
        self.layout, self.one, self.other = layout, one, other
        self.errors: list[str] = []

    def find(self) -> tuple[Values, tuple[object, ...]] | None:
        terms = AtScope(self.layout.sizes)
        solver = Solver(terms)
        parameters = [Name(p.name, p.type) for p in self.one.parameters]
        inside: list[Node] = []
        for parameter, name in zip(self.one.parameters, parameters, strict=True):
            if parameter.range is not None:
                bounds = parameter.range.of(self.layout.model.instance)
                inside += [less(const(bounds[0]), name, or_equal=True), less(name, const(bounds[-1]), or_equal=True)]
        for cell in self.layout.cells:
            at = tuple(int(self.layout.encode_value(key)) for key in cell.keys)
            terms.ground(cell.variable.symbol, at)
        for variable in self.layout.model.declared.variables:
            if variable.constant:
                self._pin(terms, solver, variable.symbol)
        for node in (*inside, self._differ()):
            solver.add(terms.term(node))
        reply = solver.check()
        if isinstance(reply, Unknown):
            raise AssertionError(f"{self.one.name}: {reply.reason}")
        if not isinstance(reply, Sat):
            return None
        values = {
            cell.key: terms.value_of_cell(
                reply.model, cell.variable.symbol, tuple(int(self.layout.encode_value(key)) for key in cell.keys)
            )
            for cell in self.layout.cells
        }
        return values, tuple(terms.value(reply.model, name) for name in parameters)

    def _pin(self, terms: AtScope, solver: Solver, symbol: Symbol) -> None:
        places: list[tuple[int, ...]] = [()]
        for type in symbol.keys:
            places = [(*head, at) for head in places for at in range(len(self.layout.values(type)))]
        for at, held in zip(places, self.layout.tables[symbol.name], strict=True):
            solver.add(terms.ground(symbol, at) == terms.literal(held))

    def _differ(self) -> Node:
        kinds = [expression(lifted.tree, self._kind) for lifted in (self.one, self.other)]
        cases = [negate(equal(*kinds))]
        if self.one.method.kind not in ("action", "fault"):
            cases.append(negate(equal(self.one.claim, self.other.claim)))
            return disj(*cases)
        for variable in self.layout.model.declared.variables:
            if variable.constant:
                continue
            symbol = variable.symbol
            keys = tuple(Name(f"key{i}'", type) for i, type in enumerate(symbol.keys))
            values = [self._after(lifted, Cell(symbol, keys)) for lifted in (self.one, self.other)]
            case = negate(equal(*values))
            if symbol.optional:
                gone = [self._after(lifted, Absent(symbol, keys)) for lifted in (self.one, self.other)]
                both = operate("and", (negate(gone[0]), negate(gone[1]), case))
                case = disj(negate(equal(*gone)), both)
            cases.append(case)
        return disj(*cases)

    def _kind(self, leaf: Outcome) -> Node:
        if isinstance(leaf, Raises):
            self.errors = list(dict.fromkeys((*self.errors, leaf.error)))
            return const(2 + self.errors.index(leaf.error))
        return const(int(isinstance(leaf, (Does, Says))))

    def _after(self, lifted: Lifted, cell: Node) -> Node:
        return expression(lifted.tree, lambda leaf: after(cell, leaf.updates if isinstance(leaf, Does) else ()))

    def is_one(self, values: Values, arguments: tuple[object, ...]) -> bool:
        """Whether CPython agrees with the first reading on this state and not with the second."""
        reference = native.run(self.layout, self.one, values, arguments)
        names = {p.name: value for p, value in zip(self.one.parameters, arguments, strict=True)}
        read = [
            interpreter.apply(
                interpreter.reached(lifted.tree, self.layout, values, names), self.layout, values, names
            )
            for lifted in (self.one, self.other)
        ]
        return read[0] == reference != read[1]


@attrs.define
class Tally:
    """Wrong branches by what became of them; ``missed`` names those that no check noticed."""

    caught: int = 0
    equivalent: int = 0
    missed: list[str] = attrs.field(factory=list[str])

    def plant(self, model: LiftedModel, layout: Layout, lifted: Lifted, wrong: Lifted) -> None:
        if refused(model, wrong, 40):
            self.caught += 1
            return
        for sizes in (layout.sizes, dict.fromkeys(layout.sizes, 1)):
            difference = Difference(Layout(model, sizes), lifted, wrong)
            found = difference.find()
            if found is not None:
                if not difference.is_one(*found):
                    raise AssertionError(f"{lifted.name}: the solver's difference is none on CPython: {found}")
                if refused(model, wrong, 200):  # as many as an engine has tried
                    self.caught += 1
                else:
                    self.missed.append(f"{lifted.method.where} {lifted.name}: {found}")
                return
        self.equivalent += 1
