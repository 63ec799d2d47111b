"""Helpers of these tests: one method read alone, the line to blame, every state of a small layout."""

from __future__ import annotations

import dis
import inspect
import itertools
from collections.abc import Iterator
from types import CodeType
from typing import Any

from meshspec.backends import native
from meshspec.backends.evaluate import run
from meshspec.backends.generated import Generator
from meshspec.backends.layout import Key, Layout
from meshspec.backends.native import Next, Value
from meshspec.expr.nodes import INT, Absent, Cell
from meshspec.expr.walk import parts
from meshspec.lang.declare import PARTS, Method, declared
from meshspec.lang.lift import LiftedModel, lift_method
from meshspec.lang.outcomes import Blocks, Raises

MOST_STATES = 400
INTS = (-3, -1, 0, 1, 2, 3, 5)


def no_scan(ran: object, known: object) -> None:
    """In place of the scan of the code that ran."""


def method_of(model: type, name: str) -> Method:
    return next(method for method in declared(model).methods if method.name == name)


def only(model: type, name: str) -> LiftedModel:
    """The model with this one method, lifted and not certified."""
    instance, method = model(), method_of(model, name)
    lifted = lift_method(instance, declared(model), method)
    if method.kind in PARTS:
        return LiftedModel(instance, declared(model), (lifted,), ())
    return LiftedModel(instance, declared(model), (), (lifted,))


def marked_line(function: Any, mark: str) -> tuple[int, str]:
    """The line of a body that ends in ``# mark: text``, and that text."""
    lines, first = inspect.getsourcelines(function)
    return next(
        (first + n, line.split(f"# {mark}: ")[1].strip()) for n, line in enumerate(lines) if f"# {mark}: " in line
    )


def _looked_up(code: CodeType) -> set[str]:
    found = {str(i.argval) for i in dis.get_instructions(code) if i.opname in ("LOAD_ATTR", "LOAD_METHOD")}
    return found.union(*(_looked_up(inner) for inner in code.co_consts if isinstance(inner, CodeType)))


def states(layout: Layout, method: Method) -> Iterator[dict[Key, object]]:
    """Every state that differs in what the body looks at; every n-th of them where they are too many."""
    lifted = (*layout.model.actions, *layout.model.claims)[0]
    assert inspect.isfunction(method.function)
    read = _looked_up(method.function.__code__)
    read |= {p.symbol.name for node in lifted.reads for p in parts(node) if isinstance(p, (Cell, Absent))}
    domains: list[tuple[object, ...]] = []
    for position, cell in enumerate(layout.cells):
        symbol = cell.variable.symbol
        every: tuple[object, ...] = (INTS if not symbol.keys else (-1, 0, 1, 4)) if symbol.type == INT else ()
        every = every or layout.values(symbol.type)
        every = (*every, None) if symbol.optional else every
        domains.append(every if symbol.name in read else (every[position % len(every)],))
    number = 1
    for domain in domains:
        number *= len(domain)
    step = number // MOST_STATES + 1
    while step > 1 and any(step % len(domain) == 0 for domain in domains if len(domain) > 1):
        step += 1  # no domain may always be met at the same place
    for chosen in itertools.islice(itertools.product(*domains), 0, None, step):
        yield dict(zip((cell.key for cell in layout.cells), chosen, strict=True))


def disagreements(model: LiftedModel, sizes: dict[Any, int]) -> Iterator[str]:
    """Where CPython, the interpreter and generated Python do not say the same of a model's one method."""
    layout = Layout(model, sizes)
    lifted = (*model.actions, *model.claims)[0]
    every = layout.arguments(lifted.parameters)
    own = [lifted.assembled(arguments)[0] for arguments in every]
    generator = Generator(layout)
    successors = generator.successors()
    names = [generator.names(lifted, arguments) for arguments in every]
    first_failure = generator.first_failure(lifted.claim, names) if model.claims else None
    for values in states(layout, lifted.method):
        outcomes = [native.run(layout, lifted, values, arguments) for arguments in every]
        for arguments, outcome in zip(every, outcomes, strict=True):
            read = run(layout, lifted, values, arguments)
            if read != outcome:
                yield f"{values}, {arguments}: CPython {outcome}, interpreter {read}"
        if first_failure is not None:
            said = first_failure(layout.encode(values))
            true = [isinstance(outcome, Value) and outcome.value for outcome in outcomes]
            if said != (true.index(False) if False in true else -1):
                yield f"{values}: CPython {true}, generated code says {said}"
            continue
        expected = {(a, _reached(layout, o)) for a, o in zip(own, outcomes, strict=True) if o != Blocks()}
        found = {(own[number], state or error) for number, state, error in successors(layout.encode(values))}
        if found != expected:
            yield f"{values}: CPython leads to {expected}, generated code to {found}"


def _reached(layout: Layout, outcome: native.Native) -> object:
    if isinstance(outcome, Next):
        return layout.encode(outcome.values)
    assert isinstance(outcome, Raises)
    return outcome.error
