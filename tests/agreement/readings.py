"""One method of a model on one state, read in every way: CPython, its tree, its paths, generated Python, Z3, packed.

CPython is the reference for the first ones; what steps a packed state is held against generated Python.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs

from meshspec.backends import evaluate as interpreter
from meshspec.backends import native
from meshspec.backends.after import after
from meshspec.backends.generated import Generator
from meshspec.backends.layout import Key, Layout, State, Values
from meshspec.backends.solver import AtScope, Sat, Solver
from meshspec.backends.tuples import TupleSpace
from meshspec.errors import Disagreement
from meshspec.expr.nodes import INT, Absent, Cell, Name, Node
from meshspec.expr.text import value_text
from meshspec.expr.walk import free_names
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.outcomes import Blocks, Does, Outcome, Raises, Says, Split, WriteAll
from meshspec.sorts import Sort
from tests.agreement.packed import SPACES, PackedReading

READINGS = ("tree", "paths", "generated", "Z3", *SPACES)
SOLVED = 0.25
"""The share of what is asked of Z3 on a state that is given to it."""
PACKED = 10
"""States drawn within their bounds, for the packed spaces alone."""
INTS = (*range(-3, 6), 2**63 + 1, -(2**63))


def random_values(layout: Layout, rnd: random.Random) -> dict[Key, object]:
    """Any state, reachable or not, mostly inside its Ranges."""
    values: dict[Key, object] = {}
    for cell in layout.cells:
        symbol, bounds = cell.variable.symbol, cell.variable.range
        if symbol.optional and rnd.random() < 0.3:
            values[cell.key] = None
        elif symbol.type != INT:
            values[cell.key] = rnd.choice(layout.values(symbol.type))
        else:
            inside = bounds is not None and rnd.random() < 0.7
            values[cell.key] = rnd.choice(bounds.of(layout.model.instance) if bounds and inside else INTS)
    return values


def nodes_of(outcome: Outcome) -> Iterator[Node]:
    """The expressions in a leaf."""
    if isinstance(outcome, Says):
        yield outcome.value
    if isinstance(outcome, Does):
        for update in outcome.updates:
            for write in update.writes:
                yield from (write.value, write.absent, *(() if isinstance(write, WriteAll) else write.keys))


def looked_at(lifted: Lifted, layout: Layout, values: Values, names: Mapping[str, Any]) -> frozenset[str]:
    """The names that matter on the path that a state takes."""
    tree, nodes = lifted.tree, list[Node]()
    while isinstance(tree, Split):
        nodes.append(tree.question)
        tree = tree.below[tree.options.index(interpreter.evaluate(tree.question, layout, values, names))]
    nodes += nodes_of(tree.value)
    return frozenset(name.name for node in nodes for name in free_names(node))


def spare(lifted: Lifted, layout: Layout, values: Values, arguments: tuple[Any, ...]) -> bool:
    """Whether this is a repetition: a choice not at its first value, and no matter on this path."""
    _, picked = lifted.assembled(arguments)
    others = {
        p.name for p, value in zip(lifted.choices, picked, strict=True) if value != layout.arguments((p,))[0][0]
    }
    return bool(others) and bool(others - looked_at(lifted, layout, values, names_of(lifted, arguments)))


def names_of(lifted: Lifted, arguments: tuple[Any, ...]) -> dict[str, Any]:
    return {p.name: value for p, value in zip(lifted.parameters, arguments, strict=True)}


class SolverReading:
    """Z3 at a scope: a state and arguments are pinned, and what the solver makes of every path is read off."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.terms = AtScope(layout.sizes)
        self.solver = Solver(self.terms)

    def _literal(self, value: object) -> Any:
        return self.terms.literal(self.layout.encode_value(value))

    def _pinned(self, values: Values) -> Iterator[Any]:
        held = {cell.key: (cell.variable.symbol, values[cell.key]) for cell in self.layout.cells}
        for variable in self.layout.model.declared.variables:
            if variable.constant:
                every = self.layout.tables[variable.symbol.name]
                keys = [Name(f"key{i}", type) for i, type in enumerate(variable.symbol.keys)]
                places = [tuple(map(self.layout.encode_value, at)) for at in self._keys(keys)]
                for at, value in zip(places, every, strict=True):
                    yield self.terms.ground(variable.symbol, at) == self.terms.literal(value)
        for (_, keys_), (symbol, value) in held.items():
            at = tuple(int(self.layout.encode_value(key)) for key in keys_)
            if symbol.optional:
                gone = self.terms.ground(symbol, at, absent=True)
                yield gone if value is None else self.terms.no(gone)
            if value is not None:
                yield self.terms.ground(symbol, at) == self._literal(value)

    def _keys(self, names: list[Name]) -> list[tuple[Any, ...]]:
        result: list[tuple[Any, ...]] = [()]
        for name in names:
            result = [(*head, value) for head in result for value in self.layout.values(name.type)]
        return result

    def run(self, lifted: Lifted, values: Values, arguments: tuple[Any, ...]) -> native.Native:
        """What Z3 makes of the method; raises :class:`Disagreement` unless exactly one path fits."""
        names = [Name(p.name, p.type) for p in lifted.parameters]
        conditions = [[self.terms.term(node) for node in path.condition] for path in lifted.paths]
        pairs = [(self.terms.term(n), self._literal(v)) for n, v in zip(names, arguments, strict=True)]
        with self.solver.within():
            for term in (*self._pinned(values), *(constant == value for constant, value in pairs)):
                self.solver.add(term)
            reply = self.solver.check()
            if not isinstance(reply, Sat):
                raise Disagreement(f"{lifted.name}: a pinned state is {reply}")
        true = self.terms.z3.is_true
        fitting = [
            path.outcome
            for path, terms in zip(lifted.paths, conditions, strict=True)
            if all(true(reply.model.eval(term, model_completion=True)) for term in terms)
        ]
        if len(fitting) != 1:
            raise Disagreement(f"{lifted.name}: {len(fitting)} paths fit one state in Z3; exactly one must")
        return self._outcome(fitting[0], reply.model, pairs)

    def _outcome(self, outcome: Outcome, model: Any, pairs: list[tuple[Any, Any]]) -> native.Native:
        if isinstance(outcome, (Blocks, Raises)):
            return outcome
        if isinstance(outcome, Says):
            both = outcome.response
            sides = [bool(self.terms.value(model, side)) for side in both or ()]
            pair = (sides[0], sides[1]) if sides else None
            return native.Value(bool(self.terms.value(model, outcome.value)), pair)
        made: dict[Key, object] = {}
        for variable in self.layout.model.declared.variables:
            symbol = variable.symbol
            if variable.constant:
                continue
            keys = [Name(f"key{i}'", type) for i, type in enumerate(symbol.keys)]
            value = self.terms.term(after(Cell(symbol, tuple(keys)), outcome.updates))
            gone = self.terms.term(after(Absent(symbol, tuple(keys)), outcome.updates)) if symbol.optional else None
            for at in self._keys(keys):
                here = [(self.terms.term(k), self._literal(v)) for k, v in zip(keys, at, strict=True)]
                if gone is not None and self.terms.z3.is_true(self._eval(model, gone, here)):
                    made[symbol.name, at] = None
                    continue
                found = self._eval(model, value, here)
                z3 = self.terms.z3
                encoded = bool(z3.is_true(found)) if z3.is_bool(found) else int(found.as_long())
                made[symbol.name, at] = self.layout.decode_value(encoded, symbol.type)
        return native.Next(made)

    def _eval(self, model: Any, term: Any, here: list[tuple[Any, Any]]) -> Any:
        return model.eval(self.terms.z3.substitute(term, *here) if here else term, model_completion=True)

    def claim(self, lifted: Lifted, values: Values, arguments: tuple[Any, ...]) -> bool:
        """A claim's one expression, as Z3 reads it."""
        with self.solver.within():
            term = self.terms.term(lifted.claim)
            pairs = zip(lifted.parameters, arguments, strict=True)
            for pin in self._pinned(values):
                self.solver.add(pin)
            for parameter, value in pairs:
                self.solver.add(self.terms.term(Name(parameter.name, parameter.type)) == self._literal(value))
            self.solver.add(term)
            return isinstance(self.solver.check(), Sat)


@attrs.define
class Compared:
    """What was compared, and every disagreement in words.

    ``by`` counts what each reading was asked: methods with arguments in a state, and of a packed space whole states.
    ``refused`` says why a packed space does not take the model.
    """

    states: int = 0
    runs: int = 0
    solved: int = 0
    by: Counter[str] = attrs.field(factory=Counter[str])
    refused: dict[str, str] = attrs.field(factory=dict[str, str])
    differences: list[str] = attrs.field(factory=list[str])


class Comparison:
    """All readings of one model at one scope."""

    def __init__(self, model: LiftedModel, sizes: Mapping[type[Sort], int], rnd: random.Random) -> None:
        self.layout, self.rnd = Layout(model, sizes), rnd
        generator = Generator(self.layout)
        self.successors = generator.successors()
        self.out_of_range = generator.out_of_range()
        self.claims: list[tuple[Lifted, list[tuple[Any, ...]], Callable[[State], int]]] = []
        for lifted in model.claims:
            arguments = self.layout.arguments(lifted.parameters)
            names = [generator.names(lifted, one) for one in arguments]
            self.claims.append((lifted, arguments, generator.first_failure(lifted.claim, names)))
        self.ground = [(a, args) for a in model.actions for args in self.layout.arguments(a.parameters)]
        self.z3 = SolverReading(self.layout)
        self.result = Compared()

    def differ(self, who: str, lifted: Lifted, values: Values, arguments: tuple[Any, ...], *said: object) -> None:
        shown = {f"{name}{list(map(value_text, keys))}": value_text(value) for (name, keys), value in values.items()}
        self.result.differences.append(
            f"{who}: {lifted.called(arguments)} at {shown}: {' against '.join(map(str, said))}"
        )

    def at(self, values: Values, solve: bool) -> None:
        """Compare everything on one state; Z3 is asked for a share of it."""
        self.result.states += 1
        self._actions(values, solve)
        self._claims(values, solve)
        self._ranges(values)

    def _solves(self, solve: bool) -> bool:
        self.result.runs += 1
        return solve and self.rnd.random() < SOLVED

    def _interpreted(self, lifted: Lifted, values: Values, arguments: tuple[Any, ...], reference: object) -> None:
        names = names_of(lifted, arguments)
        leaf = interpreter.reached(lifted.tree, self.layout, values, names)
        self.result.by["tree"] += 1
        self.result.by["paths"] += 1
        by_tree = interpreter.apply(leaf, self.layout, values, names)
        if by_tree != reference:
            self.differ("tree", lifted, values, arguments, reference, by_tree)
        try:
            by_path: object = interpreter.run(self.layout, lifted, values, arguments)
        except Disagreement as error:
            by_path = error
        if by_path != reference:
            self.differ("paths", lifted, values, arguments, reference, by_path)

    def _solved(self, lifted: Lifted, values: Values, arguments: tuple[Any, ...], reference: object) -> None:
        self.result.solved += 1
        self.result.by["Z3"] += 1
        try:
            by_solver: object = self.z3.run(lifted, values, arguments)
        except Disagreement as error:
            by_solver = error
        if by_solver != reference:
            self.differ("Z3", lifted, values, arguments, reference, by_solver)

    def _actions(self, values: Values, solve: bool) -> None:
        told: dict[int, list[object]] = {}
        for number, state, error in self.successors(self.layout.encode(values)):
            found = Raises(error) if state is None else native.Next(self.layout.decode(state))
            told.setdefault(number, []).append(found)
        for number, (lifted, arguments) in enumerate(self.ground):
            reference = native.run(self.layout, lifted, values, arguments)
            self._interpreted(lifted, values, arguments, reference)
            silent = isinstance(reference, Blocks) or spare(lifted, self.layout, values, arguments)
            expected = [] if silent else [reference]
            self.result.by["generated"] += 1
            if told.pop(number, []) != expected:
                self.differ("generated", lifted, values, arguments, expected, "another step, or as many")
            if self._solves(solve):
                self._solved(lifted, values, arguments, reference)
        for number in told:
            self.result.differences.append(f"generated: a ground action {number} that the model does not have")

    def _claims(self, values: Values, solve: bool) -> None:
        for lifted, every, first_failure in self.claims:
            said: list[bool] = []
            for arguments in every:
                reference = native.run(self.layout, lifted, values, arguments)
                self._interpreted(lifted, values, arguments, reference)
                truth = isinstance(reference, native.Value) and reference.value
                said.append(truth)
                names = names_of(lifted, arguments)
                if bool(interpreter.evaluate(lifted.claim, self.layout, values, names)) != truth:
                    self.differ("tree", lifted, values, arguments, reference, "its one expression says otherwise")
                if self._solves(solve):
                    self._solved(lifted, values, arguments, reference)
                    if self.z3.claim(lifted, values, arguments) != truth:
                        self.differ("Z3", lifted, values, arguments, reference, "the claim's one term says otherwise")
            expected = said.index(False) if False in said else -1
            self.result.by["generated"] += 1
            if first_failure(self.layout.encode(values)) != expected:
                self.differ("generated", lifted, values, every[0], f"the claim fails first at {expected}")

    def _ranges(self, values: Values) -> None:
        expected: list[int] = []
        for position, cell in enumerate(self.layout.cells):
            bounds, value = cell.variable.range, values[cell.key]
            if bounds is not None and value is not None and value not in bounds.of(self.layout.model.instance):
                expected.append(position)
        if self.out_of_range(self.layout.encode(values)) != expected:
            self.result.differences.append(f"generated: the Ranges of {expected} are left")


def compare(
    model: LiftedModel, sizes: Mapping[type[Sort], int], *, seed: int = 0, states: int = 6, solved: int = 2
) -> Compared:
    """Every method with all its arguments, on random states and on a few of the first ones."""
    rnd = random.Random(seed)
    comparison = Comparison(model, sizes, rnd)
    layout = comparison.layout
    tried: list[Values] = [layout.decode(next(layout.initial_states()))]
    tried += [random_values(layout, rnd) for _ in range(states - 1)]
    for number, values in enumerate(tried):
        comparison.at(values, solve=number % max(1, states // max(1, solved)) == 0)
    plain = TupleSpace(layout)
    for name in SPACES:
        reading = PackedReading.of(name, layout, plain)
        if reading.refused:
            comparison.result.refused[name] = reading.refused
            continue
        comparison.result.differences += reading.at([*map(layout.encode, tried), *reading.drawn(rnd, PACKED)])
        comparison.result.by[name] = reading.states
    return comparison.result
