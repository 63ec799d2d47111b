"""What the tests of displays show: the README's models, one of everything that shows itself, HTML read as text."""

from __future__ import annotations

import functools
import re
import tempfile
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from types import ModuleType
from typing import Any

from meshspec.backends.certificate import certified
from meshspec.engines import coverage, graph, mutate, walk
from meshspec.engines.check import scope_of
from meshspec.lang.loading import load_file
from meshspec.report.agreement import agreement
from meshspec.report.checked import Checked, checked
from meshspec.sorts import Sort
from meshspec.topology import Topology
from tests.readme import BLOCK, README

_FOLDER = tempfile.TemporaryDirectory()  # until the tests end: mutants are made of the sources
EVERY_ENGINE = ("explore", "live", "prove", "simulate")


@functools.cache
def shown_in_readme(name: str) -> ModuleType:
    """A file that the README shows, loaded."""
    note = f"file: {name}"
    body = next(m["body"] for m in BLOCK.finditer(README.read_text(encoding="utf-8")) if m["note"] == note)
    path = Path(_FOLDER.name) / name
    path.write_text(body, encoding="utf-8")
    return load_file(path)


def charging() -> Any:
    return shown_in_readme("charging.py").Charging


def desk() -> Any:
    return shown_in_readme("desk.py").Desk


@functools.cache
def refuted() -> Checked:
    """A check of all engines that finds a counterexample, a proof and what is not proved."""
    return checked(charging(), engines=EVERY_ENGINE)


def sizes(model: Any, **asked: int) -> dict[type[Sort], int]:
    return scope_of(certified(model), asked)


MESH = (
    [
        {"name": "planner", "kind": "agent", "owner": "platform"},
        {"name": "ledger", "kind": "service", "owner": "payments"},
        {"name": "queue", "kind": "service", "owner": "platform"},
        {"name": "auditor", "kind": "agent", "owner": "risk"},
    ],
    [
        ("planner", "ledger", "depends-on"),
        ("planner", "auditor", "delegates-to"),
        ("auditor", "ledger", "depends-on"),
        ("ledger", "queue", "depends-on"),
        ("queue", "ledger", "depends-on"),
    ],
)


@functools.cache
def everything() -> dict[str, Any]:
    """One of everything that shows itself, by what it is."""
    found, model = refuted(), charging()
    walked = walk.Walk(certified(model), sizes(model))
    for action in ("charge(job0)", "crash", "charge(job0)"):
        walked.take(action)
    violated = found.of("charged_at_most_once")
    return {
        "a check": found,
        "an answer": violated,
        "a finding": violated.answer,
        "a counterexample": violated.answer.counterexample,
        "an agreement": agreement(found),
        "a model": certified(model),
        "a state": model(),
        "a kill matrix": mutate.mutate(certified(model), sizes(model), name="charging.py"),
        "a coverage": coverage.coverage(certified(model), sizes(model)),
        "a state graph": graph.build(certified(model), sizes(model)),
        "a walk": walked,
        "a topology": Topology(*MESH),
    }


class _Reader(HTMLParser):
    """HTML as text: what is hidden from readers is left out, items of numbered lists have their numbers."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.hidden = 0
        self.open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        hides = tag in ("style", "svg") or given.get("aria-hidden") == "true"
        self.open.append((tag, hides))
        self.hidden += hides
        unnumbered = "ms-unnumbered" in (given.get("class") or "")
        if tag == "li" and "value" in given and not unnumbered:
            self.parts.append(f" {given['value']}. ")
        elif tag not in ("span", "code", "abbr"):
            self.parts.append(" ")

    def handle_endtag(self, tag: str) -> None:
        opened, hides = self.open.pop()
        assert opened == tag, f"<{opened}> is closed by </{tag}>"
        self.hidden -= hides
        if tag not in ("span", "code", "abbr"):
            self.parts.append(" ")

    def handle_data(self, data: str) -> None:
        if not self.hidden:
            self.parts.append(data)


def words(text: str) -> str:
    """Text with one blank between any two words."""
    return " ".join(text.split())


def read(html: str) -> str:
    """What a reader reads; fails for HTML that is not well-formed."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    assert not reader.open, f"never closed: {reader.open}"
    return words("".join(reader.parts))


def rules(html: str) -> Iterator[tuple[str, str]]:
    """The selectors and declarations of the styles, those inside @media as well."""
    (css,) = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    for selectors, body in re.findall(r"([^{}]+)\{([^{}]*)\}", re.sub(r"@media[^{]*\{", "", css)):
        for selector in selectors.split(","):
            yield selector.strip(" }\n"), body
