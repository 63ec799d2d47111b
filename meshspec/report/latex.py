r"""A lifted model as a LaTeX document: sorts, variables, actions as guarded assignments, claims as formulas.

It needs amsmath and no other package, keeps the order of the file, and compiles as it stands; without its first and
last lines it is a fragment for another document. Names and texts are escaped (:mod:`meshspec.expr.latex`).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from meshspec.expr.build import FALSE, TRUE
from meshspec.expr.latex import cell, kind, latex, lines, name, prose, value, word
from meshspec.expr.nodes import Node
from meshspec.lang.declare import Parameter, Variable
from meshspec.lang.fairness import NO_FAIRNESS, fairness_of
from meshspec.lang.lift import Lifted, LiftedModel
from meshspec.lang.outcomes import Blocks, Does, Raises, Update, WriteAll
from meshspec.lang.response import response_of
from meshspec.sorts import is_sort

BEGIN = [r"\documentclass{article}", r"\usepackage{amsmath}", r"\allowdisplaybreaks", r"\begin{document}"]
END = [r"\end{document}"]


def document(model: LiftedModel) -> list[str]:
    """The lines of the document."""
    about = (model.declared.cls.__doc__ or "").strip().partition("\n")[0]
    made = [*BEGIN, rf"\section*{{{prose(model.name)}}}", *([prose(about)] if about else [])]
    made += _part("For any number of", [word(sort.__name__) for sort in model.sorts])
    tables = {v.path[0] for v in model.declared.variables if v.constant}
    constants = [one for one in model.declared.constants if one not in tables]
    made += _part("Constants", [f"{name(one)} = {value(getattr(model.instance, one))}" for one in constants])
    made += _part("Variables", [_variable(v, model) for v in model.declared.variables if not v.constant])
    made += _part("Actions", [line for lifted in model.actions for line in _action(lifted, model)])
    made += _part("Claims", [line for lifted in model.claims for line in _claim(lifted, model)])
    return [*made, *END]


def _part(title: str, formulas: Sequence[str]) -> list[str]:
    if not formulas:
        return []
    body = [f"  & {formula}" + r" \\" * (at < len(formulas) - 1) for at, formula in enumerate(formulas)]
    return ["", rf"\paragraph{{{prose(title)}}}", r"\begin{align*}", *body, r"\end{align*}"]


def _said(text: str) -> str:
    return rf"\text{{{prose(text)}}}"


def _set(bounds: range) -> str:
    return rf"\{{{bounds[0]}, \dots, {bounds[-1]}\}}"


def _variable(variable: Variable, model: LiftedModel) -> str:
    symbol = variable.symbol
    values = kind(symbol.type) if variable.range is None else _set(variable.range.of(model.instance))
    values += r" \cup \{\bot\}" if symbol.optional else ""
    keys = r" \times ".join(map(kind, symbol.keys))
    starts = [
        rf"{_said('any ')} {word(start.__name__)}" if is_sort(start) else value(start) for start in variable.initial
    ]
    arrow = rf"{keys} \to " if keys else ""
    return rf"{name(symbol.name)} : {arrow}{values}, \quad {_said('at first ')} {_said(' or ').join(starts)}"


def _parameters(lifted: Lifted, model: LiftedModel) -> list[str]:
    def domain(p: Parameter) -> str:
        return kind(p.type) if p.range is None else _set(p.range.of(model.instance))

    return [rf"{name(p.name)} \in {domain(p)}" for p in lifted.parameters]


def _action(lifted: Lifted, model: LiftedModel) -> Iterator[str]:
    parameters = _parameters(lifted, model)
    yield rf"{_said(lifted.method.kind + ' ')} {name(lifted.name)}" + (
        f"({', '.join(parameters)})" if parameters else ""
    )
    for path in lifted.paths:
        if isinstance(path.outcome, Blocks):
            continue
        first, *others = [_conjunct(node) for node in path.condition] or [word("true")]
        yield rf"\quad {_said('when ')} {first}"
        yield from (rf"\quad\quad {{}}\land {other}" for other in others)
        done = [line for update in _updates(path.outcome) for line in _updated(update)]
        if isinstance(path.outcome, Raises):
            done = [_said(f"it raises {path.outcome.error}")]
        yield from (rf"\quad\quad\quad {line}" for line in done or [_said("nothing changes")])


def _conjunct(node: Node) -> str:
    said = latex(node)
    return f"({said})" if r" \lor " in said else said


def _updates(outcome: object) -> tuple[Update, ...]:
    return outcome.updates if isinstance(outcome, Does) else ()


def _updated(update: Update) -> Iterator[str]:
    for write in update.writes:
        held = latex(write.value)
        if write.absent == TRUE:
            held = value(None)
        elif write.absent != FALSE:
            held = rf"{_said('if ')} {latex(write.absent)} {_said(' then ')} \bot {_said(' else ')} {held}"
        if isinstance(write, WriteAll):
            bound = name(write.bound.name)
            every = rf"\forall {bound} \in {kind(write.bound.type)} :\ "
            yield f"{every}{cell(update.symbol.name, (bound,))} := {held}"
        else:
            yield f"{cell(update.symbol.name, tuple(map(latex, write.keys)))} := {held}"


def _claim(lifted: Lifted, model: LiftedModel) -> Iterator[str]:
    yield rf"{_said(lifted.method.kind + ' ')} {name(lifted.name)}"
    every = "".join(rf"\forall {parameter} :\ " for parameter in _parameters(lifted, model))
    sides = response_of(lifted.raw)
    first, *others = lines(lifted.claim)
    if sides is not None:
        first, others = _conjunct(sides[0]), [rf"{_said('leads to ')} {_conjunct(sides[1])}"]
    yield rf"\quad {every}{first}"
    yield from (rf"\quad\quad {other}" for other in others)
    if (fair := str(fairness_of(lifted.method))) != NO_FAIRNESS:
        yield rf"\quad {_said(fair)}"
