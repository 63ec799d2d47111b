"""A lifted model in words: what it holds, what its actions ask and do, what it claims."""

from __future__ import annotations

from collections.abc import Iterator

from meshspec.expr.build import FALSE, TRUE
from meshspec.expr.nodes import Node
from meshspec.expr.text import cell_text, text, value_text
from meshspec.lang.declare import Parameter, Variable
from meshspec.lang.fairness import NO_FAIRNESS, fairness_of
from meshspec.lang.lift import Lifted, LiftedModel, Path
from meshspec.lang.outcomes import Blocks, Does, Raises, Update, WriteAll
from meshspec.lang.response import response_of
from meshspec.sorts import is_sort


def described(model: LiftedModel) -> list[str]:
    """The model, line by line."""
    about = (model.declared.cls.__doc__ or "").strip().partition("\n")[0]
    lines = [f"{model.name}: {about}" if about else model.name]
    lines += _part("for any number of", [sort.__name__ for sort in model.sorts])
    lines += _part("constants", [f"{name} = {value_text(getattr(model.instance, name))}" for name in _plain(model)])
    lines += _part("variables", [_variable(v, model) for v in model.declared.variables if not v.constant])
    for kind, methods in (("actions", model.actions), ("claims", model.claims)):
        body = [line for lifted in methods for line in (_action if kind == "actions" else _claim)(lifted, model)]
        lines += _part(kind, body)
    return lines


def _part(title: str, lines: list[str]) -> list[str]:
    return ["", f"{title}:", *(f"  {line}" for line in lines)] if lines else []


def _plain(model: LiftedModel) -> list[str]:
    tables = {v.path[0] for v in model.declared.variables if v.constant}
    return [name for name in model.declared.constants if name not in tables]


def _variable(variable: Variable, model: LiftedModel) -> str:
    symbol = variable.symbol
    kind = str(symbol.type)
    if variable.range is not None:
        bounds = variable.range.of(model.instance)
        kind += f" in {bounds[0]}..{bounds[-1]}"
    starts = [f"any {value.__name__}" if is_sort(value) else value_text(value) for value in variable.initial]
    optional = " or None" if symbol.optional else ""
    return f"{cell_text(symbol.name, tuple(map(str, symbol.keys)))}: {kind}{optional}, at first {' or '.join(starts)}"


def _head(lifted: Lifted, model: LiftedModel) -> str:
    def told(p: Parameter) -> str:
        bounds = f" in {p.range.of(model.instance)}".replace("range", "") if p.range is not None else ""
        return f"{p.name}: {p.type}{bounds}"

    return f"{lifted.name}({', '.join(map(told, lifted.parameters))})" if lifted.parameters else lifted.name


def _action(lifted: Lifted, model: LiftedModel) -> Iterator[str]:
    yield f"{lifted.method.kind} {_head(lifted, model)}"
    if first := lifted.method.doc.partition("\n")[0]:
        yield f"  {first}"
    for path in lifted.paths:
        if not isinstance(path.outcome, Blocks):
            yield f"  when {' and '.join(_conjunct(node) for node in path.condition) or 'always'}"
            yield from (f"    {line}" for line in _done(path))


def _conjunct(node: Node) -> str:
    said = text(node)
    return f"({said})" if " or " in said else said


def _done(path: Path) -> list[str]:
    if isinstance(path.outcome, Raises):
        return [f"it raises {path.outcome.error}, which is VIOLATED"]
    updates = path.outcome.updates if isinstance(path.outcome, Does) else ()
    return [line for update in updates for line in _updated(update)] or ["nothing changes"]


def _updated(update: Update) -> Iterator[str]:
    for write in update.writes:
        value = text(write.value)
        if write.absent != FALSE:
            value = "None" if write.absent == TRUE else f"None if {text(write.absent)} else {value}"
        if isinstance(write, WriteAll):
            every = f"for every {write.bound.type} {write.bound.name}"
            yield f"{update.symbol.name}[{write.bound.name}] becomes {value}, {every}"
        else:
            yield f"{cell_text(update.symbol.name, tuple(map(text, write.keys)))} becomes {value}"


def claims_said(model: LiftedModel) -> dict[tuple[str, str], str]:
    """What each claim says in one line, by its kind and name."""
    return {(c.method.kind, c.name): " ".join(line.strip() for line in _claim(c, model)) for c in model.claims}


def _claim(lifted: Lifted, model: LiftedModel) -> Iterator[str]:
    yield f"{lifted.method.kind} {_head(lifted, model)}"
    sides = response_of(lifted.raw)
    said = text(lifted.claim) if sides is None else f"{text(sides[0])} leads to {text(sides[1])}"
    fair = str(fairness_of(lifted.method))
    yield f"  {said}" + (f", {fair}" if fair != NO_FAIRNESS else "")
