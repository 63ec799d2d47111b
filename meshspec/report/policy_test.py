"""A policy's bundle as a test to paste: the story, told natively to the policy's own ``observe``."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from meshspec.report.bundled import Bundle, Tale
from meshspec.report.pytest_file import attribute, commented, head, literal, plain_name, slug
from meshspec.roles.breaker import obligations
from meshspec.roles.story import Story, converges, describe

_INDENT = "    "


def policy_test(bundle: Bundle, name: str) -> str | None:
    """The test; ``None`` where there is no story, or the target is none that a file can import."""
    if bundle.tale is None:
        return None
    imports = _imports(bundle.target)
    return "\n".join(_lines(bundle, bundle.tale, name, imports)) + "\n" if imports else None


def _imports(target: str) -> list[str]:
    """How the policy is imported, as ``Policy``."""
    shipped: Any = importlib.import_module("meshspec.adapters")  # a neighbour, found by name
    info = shipped.adapters().get(target)
    if info is not None:
        module = f"meshspec.adapters.{Path(str(info.target).rpartition(':')[0]).stem}"
        return [f"from {module} import Adapter as Policy  # needs {info.package}"]
    where, _, attr = target.rpartition(":")
    if where.endswith(".py"):
        loaded = f"module = near(__file__, {literal(where)})  # from this file's folder upwards"
        return ["from meshspec.report.byhand import near", "", loaded, f"Policy = {attribute('module', attr)}"]
    if where and all(map(plain_name, where.split("."))):
        parts = attr.split(".")
        if len(parts) == 1 and plain_name(attr):
            return [f"from {where} import {attr} as Policy"]
        return [f"import {where}", "", f"Policy = {attribute(where, attr)}"]
    return []


def _lines(bundle: Bundle, tale: Tale, name: str, imports: list[str]) -> Iterator[str]:
    story = Story(tuple(tale.prefix), tuple(tale.loop), tale.one_tool, tale.field, tale.steps)
    what = "The story, told step by step to a fresh policy: it passes once the policy keeps what it owes on it."
    if bundle.property == "deterministic":
        what += "\nIt is told twice in one process; what differs from process to process only `meshspec replay` sees."
    yield from head(bundle, name, what)
    yield ""
    first, *rest = imports
    ours = "from meshspec.roles.story import Story, unroll"
    yield from _sorted(first, ours, rest)
    yield ""
    yield f"CLAUSE = {literal(bundle.failed)}"
    yield from commented(f"STORY = {story!r}", describe(story))
    yield ""
    yield ""
    yield f"def test_{slug(bundle.property)}() -> None:"
    yield from (f"{_INDENT}{line}" for line in _body(bundle, story))


def _sorted(first: str, ours: str, rest: list[str]) -> list[str]:
    if first.startswith("from meshspec"):
        return [*sorted([first, ours]), *rest]
    return [ours, "", first, *rest]


def _body(bundle: Bundle, story: Story) -> Iterator[str]:
    told = [
        "policy, answers = Policy(), []",
        "for step in unroll(STORY):",
        "    answers.append(policy.observe(step))",
    ]
    until = [*told, '    if answers[-1] != "CONTINUE":', "        break"]
    match bundle.property:
        case "total":
            yield "try:"
            yield from (f"{_INDENT}{line}" for line in until)
            yield "except Exception as error:"
            yield f"{_INDENT}raise AssertionError(CLAUSE) from error"
        case "contract":
            yield from until
            within = (
                'answers[-1] in ("CONTINUE", "TRIP") or (type(answers[-1]) is tuple and answers[-1][0] == "TRIP")'
            )
            yield f"assert {within}, CLAUSE"
        case "deterministic":
            yield "every = []"
            yield "for _ in range(2):"
            yield from (f"{_INDENT}{line}" for line in until)
            yield f"{_INDENT}every.append(answers)"
            yield "assert every[0] == every[1], CLAUSE"
        case _:
            owed = next(one for one in obligations() if one.name == bundle.property)
            yield from until
            yield 'tripped = len(answers) if answers[-1] != "CONTINUE" else None'
            if owed.must_trip:
                yield "assert tripped is not None, CLAUSE"
            else:
                if converges(story):
                    yield "if tripped == len(list(unroll(STORY))):  # on the step that is green it stops nothing"
                    yield f"{_INDENT}tripped = None"
                yield "assert tripped is None, CLAUSE"
