"""``meshspec show``: a model as it was read: in words, as LaTeX or TLA+, or its states as a drawing."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from typing import Annotated, Literal

import attrs
from cyclopts import Parameter

from meshspec.backends.layout import NO_RAISE, range_name
from meshspec.cli import runs
from meshspec.cli.certify import certified
from meshspec.cli.configured import sizes_for
from meshspec.cli.options import Scope, Without, names, sizes_of
from meshspec.engines.check import scope_of, without
from meshspec.engines.explore import ENDS
from meshspec.errors import UsageError
from meshspec.lang.lift import LiftedModel
from meshspec.progress import on_terminal
from meshspec.report import dot, latex, states_mermaid
from meshspec.report.state_graph import state_graph
from meshspec.report.tla import Module
from meshspec.report.words import described
from meshspec.sorts import Sort
from meshspec.targets import resolve

Format = Literal["text", "latex", "mermaid", "dot", "tla", "cfg"]
_FORMATS = (
    "In words, as LaTeX, its states as a Mermaid or Graphviz drawing, as a TLA+ module, or TLC's configuration."
)


def show(
    target: str,
    *,
    format: Annotated[Format, Parameter(help=_FORMATS)] = "text",
    property: Annotated[str, Parameter(help="Of the claims only this one; in a drawing, only what refutes it.")] = "",
    scope: Scope = (),
    without_: Without = (),
) -> int:
    """Print a model as it was read: its variables, its actions with their guards and updates, its claims.

    As latex it is a document that needs amsmath alone, as tla a TLA+ module for any size; cfg is what TLC needs
    beside it, with the sizes of --scope (where nothing is said 2; of a shipped model, those of its evidence).
    As mermaid (up to 60 states) or dot (up to 5,000) it is the states and steps of that scope. It is
    the model that the engines get: certified against CPython.
    """
    model = without(certified(resolve(target).model), names(without_))
    sizes = scope_of(model, sizes_for(model, sizes_of(scope)))
    if property:
        model = _with_only(model, property)
    report = runs.Report()
    for line in _lines(model, sizes, format, property):
        report.say(line)
    return 0


def _lines(model: LiftedModel, sizes: Mapping[type[Sort], int], format: Format, only: str) -> list[str]:
    match format:
        case "text":
            return described(model)
        case "latex":
            return latex.document(model)
        case "mermaid":
            more = f"--format dot, which draws up to {dot.MOST:,}"
            graph = state_graph(model, sizes, states_mermaid.MOST, otherwise=more, only=only, progress=on_terminal())
            return states_mermaid.state_diagram(graph)
        case "dot":
            return dot.dot(state_graph(model, sizes, dot.MOST, only=only, progress=on_terminal()))
        case "tla":
            return Module(model, sizes).tla.splitlines()
        case "cfg":
            return Module(model, sizes).cfg().splitlines()


def _with_only(model: LiftedModel, property: str) -> LiftedModel:
    """The model with one claim, or with none where the property is what nobody writes."""
    ranges = [
        range_name(v, model.instance) for v in model.declared.variables if v.range is not None and not v.constant
    ]
    has = [claim.name for claim in model.claims] + ranges + [NO_RAISE]
    ends = any(claim.method.kind == "terminal" for claim in model.claims)
    if property not in has and not (property == ENDS and ends):
        near = difflib.get_close_matches(property, has, 3, 0.5)
        said = f"did you mean {' or '.join(near)}?" if near else f"it has {', '.join(has)}"
        raise UsageError(f"{model.name} has no property {property!r}; {said}")
    claims = tuple(c for c in model.claims if property in (c.name, ENDS if c.method.kind == "terminal" else c.name))
    return attrs.evolve(model, claims=claims)
