"""Anything of ours as HTML for a notebook: who draws what.

Objects name no report: they are found here by their class, so that an engine stays below what shows it.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from typing import Any, cast

from meshspec.errors import UsageError
from meshspec.lang.declare import is_model
from meshspec.report.html_parts import Html, page

_HERE = "meshspec.report.html_"

VIEWS: Mapping[str, str] = {
    "meshspec.answer.Counterexample": "findings:counterexample",
    "meshspec.answer.Finding": "findings:finding_page",
    "meshspec.engines.check.Answered": "findings:answered_page",
    "meshspec.report.checked.Checked": "findings:checked",
    "meshspec.report.judged.Judged": "findings:judged",
    "meshspec.lang.lift.LiftedModel": "tables:model",
    "meshspec.engines.mutation.MutationReport": "tables:mutation",
    "meshspec.engines.coverage.Coverage": "tables:coverage",
    "meshspec.report.agreement.Agreement": "tables:agreement",
    "meshspec.engines.graph.Graph": "graphs:states",
    "meshspec.engines.walk.Walk": "graphs:walk",
    "meshspec.topology.Topology": "graphs:topology",
}


def found(views: Mapping[str, str], thing: object, within: str) -> Callable[[Any], Any]:
    """The function that shows an object; raises :class:`UsageError` for what none of them shows."""
    for cls in type(thing).__mro__:
        if name := views.get(f"{cls.__module__}.{cls.__qualname__}"):
            module, _, function = name.partition(":")
            return cast("Callable[[Any], Any]", getattr(importlib.import_module(within + module), function))
    raise UsageError(f"a {type(thing).__name__} has no such view; those that have one are {', '.join(sorted(views))}")


def html(thing: object) -> str:
    """The object as HTML with its styles; raises :class:`UsageError` for what has no view."""
    if is_model(type(thing)):
        from meshspec.report.html_tables import instance

        return page(instance(thing))
    return page(cast(Html, found(VIEWS, thing, _HERE)(thing)))
