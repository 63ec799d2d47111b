"""Who has asked what of a check: the project's file, marks, the suite itself, the command line, in that order.

What is said nearer comes before what is said farther away, and the command line before all. Two things never get
weaker on the way: a required strength, of which the strongest counts, and a scope that the suite itself gives, whose
sorts the model must have.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import attrs
import pytest

from meshspec.errors import UsageError
from meshspec.lang.suite import Suite, names_of, require_of, sizes_of
from meshspec.pytest_plugin.session import Session

if TYPE_CHECKING:
    from meshspec.config import Config
    from meshspec.report.checked import Checked

MARK = "meshspec"
MARKED = ("scope", "engines", "require", "without", "max_states", "seed")
"""What the mark and the fixture take."""


@attrs.frozen
class Layer:
    """What one of them says; ``None`` where it says nothing."""

    scope: Mapping[str, int] = attrs.field(factory=dict[str, int])
    engines: tuple[str, ...] | None = None
    require: str | None = None
    without: tuple[str, ...] | None = None
    max_states: int | None = None
    seed: int | None = None

    def over(self, other: Layer) -> Layer:
        """This one, and the other where this one is silent."""
        strongest = "proved" if "proved" in (self.require, other.require) else self.require or other.require
        return Layer(
            {**other.scope, **self.scope},
            other.engines if self.engines is None else self.engines,
            strongest,
            other.without if self.without is None else self.without,
            other.max_states if self.max_states is None else self.max_states,
            other.seed if self.seed is None else self.seed,
        )


def layer(what: str, given: Mapping[str, Any]) -> Layer:
    """What keywords say; raises :class:`UsageError` for one that there is not, naming those there are."""
    for name in given:
        if name not in MARKED:
            raise UsageError(f"{what} has no {name!r}; it has {', '.join(MARKED)}")
    said = {name: value for name, value in given.items() if value is not None}
    for name in ("max_states", "seed"):
        if name in said and (type(said[name]) is not int or (name == "max_states" and said[name] < 1)):
            raise UsageError(f"{what}: {name}={said[name]!r} is no number that it can be")
    return Layer(
        _named(sizes_of(said.get("scope", {}), None)),
        names_of("engines", said["engines"], None) if "engines" in said else None,
        require_of(said.get("require"), None),
        names_of("without", said["without"], None) if "without" in said else None,
        said.get("max_states"),
        said.get("seed"),
    )


def marked(node: pytest.Item | pytest.Collector) -> Layer:
    """What the marks of a test or suite say, the nearest first; raises :class:`UsageError` for a bad one."""
    found = Layer()
    for mark in node.iter_markers(MARK):  # the nearest comes first
        if mark.args:
            said = ", ".join(map(repr, mark.args))
            raise UsageError(f"@pytest.mark.{MARK}({said}): write keywords, {', '.join(MARKED)}")
        found = found.over(layer(f"@pytest.mark.{MARK}", mark.kwargs))
    return found


def of_suite(suite: Suite) -> Layer:
    return Layer(_named(suite.scope), suite.engines, suite.require, suite.without, suite.max_states, suite.seed)


def _named(scope: Mapping[Any, int]) -> dict[str, int]:
    return {sort.__name__: size for sort, size in scope.items()}


def _of_config(config: Config) -> Layer:
    return Layer(
        dict(config.scope or {}), config.engines, config.require, config.without, config.max_states, config.seed
    )


def _said(session: Session, node: pytest.Item | pytest.Collector, own: Layer) -> Layer:
    return own.over(marked(node)).over(_of_config(session.config))


def engines(
    session: Session, node: pytest.Item | pytest.Collector, own: Layer
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Which engines a check will run, and which faults it takes away."""
    from meshspec.engines.check import DEFAULT_ENGINES

    said = _said(session, node, own)
    return DEFAULT_ENGINES if said.engines is None else said.engines, said.without or ()


def check(session: Session, node: pytest.Item, model: Any, own: Layer) -> Checked:
    """The check of a model as all of them together ask it.

    Sizes count for the sorts that the model has; only what `own` says must all be there. Raises what
    :func:`meshspec.report.checked.checked` does.
    """
    from meshspec.backends.certificate import certified
    from meshspec.engines.check import DEFAULT_ENGINES, Settings, scope_of
    from meshspec.engines.limits import Limits, Options, memory
    from meshspec.report.checked import checked

    config, asked = session.config, session.asked
    said = Layer(require=asked.require).over(_said(session, node, own))
    lifted = certified(model)
    scope_of(lifted, own.scope)
    sorts = {sort.__name__ for sort in lifted.sorts}
    session.used |= {f"scope {name}" for name in asked.scope if name in sorts} | {f"sort {name}" for name in sorts}
    scope = {name: size for name, size in {**said.scope, **asked.scope}.items() if name in sorts}
    usual = Limits()
    limits = Limits(
        said.max_states or usual.max_states,
        usual.max_memory if config.max_memory is None else memory(config.max_memory),
    )
    options = Options(symmetry=config.symmetry is not False, workers=config.workers or 1)
    required = session.required(said.require)
    settings = Settings(limits, seed=said.seed or 0, require=required, options=options)
    return checked(
        model,
        scope=scope,
        engines=DEFAULT_ENGINES if said.engines is None else said.engines,
        settings=settings,
        without=said.without or (),
    )
