"""The door for notebooks: ask about a model, and what comes back shows itself.

``from meshspec import notebook as nb``, then ``nb.check(Charging)``, ``nb.graph(Charging)``, ``nb.walk(Charging)``.
Each takes a model class, or an instance with its constants chosen, and ``scope={"Job": 3}`` (or the sort itself as a
key); a sort that is not named has two members. What ``[tool.meshspec]`` asks for counts where a call says nothing
else. Every result shows itself at the end of a cell and has ``to_dataframe()``; ``nb.figure`` draws a table.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import attrs

from meshspec.backends.certificate import certified
from meshspec.config import REQUIRED, Config, load
from meshspec.engines.check import DEFAULT_ENGINES, Settings, scope_of, without
from meshspec.engines.limits import MUTANTS, Driving, Limits, Options, memory
from meshspec.engines.walk import Walk
from meshspec.errors import UsageError
from meshspec.lang.fences import watching
from meshspec.lang.lift import LiftedModel
from meshspec.lang.places import number_cells
from meshspec.notebook.walker import Walker
from meshspec.report.agreement import Agreement
from meshspec.report.agreement import agreement as compared
from meshspec.report.checked import Checked, checked
from meshspec.report.figures import figure
from meshspec.report.judged import Judged
from meshspec.sorts import Sort
from meshspec.targets import Target, target_of, usual_sizes
from meshspec.waivers import Waivers, today

if TYPE_CHECKING:
    from meshspec.engines.coverage import Coverage
    from meshspec.engines.graph import Graph
    from meshspec.engines.mutation import MutationReport

__all__ = [
    "Walker", "agreement", "check", "coverage", "drive", "explore", "figure", "graph", "judge", "live", "model",
    "mutate", "prove", "simulate", "walk",
]  # fmt: skip

Scope = Mapping[Any, int]

NAMELESS = "no command reaches a model that stands in no file: begin its cell with %%writefile NAME.py, and import it"

GRAPH_STATES = 3000
"""The most states of a graph for which no other bound is given: it is there to be looked at."""


def _name_cells() -> None:
    """Have messages say ``In[3]:12`` of what was typed into a cell, and not the file that IPython makes up for it."""
    shell: Any = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    numbers = getattr(getattr(shell, "compile", None), "_filename_map", None)
    if isinstance(numbers, dict):
        number_cells(cast("dict[str, object]", numbers))


_name_cells()

# -- asking ----------------------------------------------------------------------------------------------------


def check(
    model: Any,
    *,
    scope: Scope | None = None,
    engines: Sequence[str] | None = None,
    without: Sequence[str] | None = None,
    require: str | None = None,
    max_states: int | None = None,
    max_memory: str | None = None,
    seed: int | None = None,
) -> Checked:
    """All that can be said of a model: explored, asked what must come about, proved; as ``meshspec check`` does.

    `engines` are some of explore, live, prove and simulate; `without` names faults to take away; `require` is
    ``exhaustive`` or ``proved``. Raises :class:`UsageError` for what there is not, and
    :class:`meshspec.errors.ModelError` for a model that cannot be read.
    """
    asked = load()
    mutants = MUTANTS if engines is None and asked.engines is None else 0
    settings = attrs.evolve(_settings(asked, require, max_states, max_memory, seed), mutants=mutants)
    chosen = _first(engines, asked.engines, DEFAULT_ENGINES)
    return _answered(model, scope, tuple(chosen), without, settings, asked)


def explore(model: Any, *, scope: Scope | None = None, **more: Any) -> Checked:
    """Every state that can be reached in a scope; `more` as for :func:`check`."""
    return check(model, scope=scope, engines=("explore",), **more)


def live(model: Any, *, scope: Scope | None = None, **more: Any) -> Checked:
    """What must come about, under the fairness that is stated; `more` as for :func:`check`."""
    return check(model, scope=scope, engines=("live",), **more)


def prove(model: Any, *, scope: Scope | None = None, **more: Any) -> Checked:
    """What holds for every size; `more` as for :func:`check`."""
    return check(model, scope=scope, engines=("prove",), **more)


def simulate(model: Any, *, scope: Scope | None = None, **more: Any) -> Checked:
    """What seeded random walks meet; `more` as for :func:`check`."""
    return check(model, scope=scope, engines=("simulate",), **more)


def judge(
    policy: str | type,
    *,
    role: str,
    seed: int = 0,
    prefix: int | None = None,
    only: Sequence[str] | None = None,
) -> Judged:
    """What a policy keeps of its role's obligations, as ``meshspec check POLICY --role ROLE`` finds.

    `policy` is ``module:attr``, ``path.py:attr``, the name of a shipped adapter, or a class that can be imported; it
    is made and run in processes of its own. `prefix` bounds the steps before the loop of a breaker's story; none is
    the shortest. With `only` nothing but these obligations is asked. Raises :class:`UsageError` for what there is
    not, and for a class that was typed into a cell.
    """
    from meshspec.adapters import judge as judged
    from meshspec.roles.breaker import Bound

    target = policy if isinstance(policy, str) else f"{policy.__module__}:{policy.__qualname__}"
    if target.startswith("__main__:"):
        raise UsageError(f"{target} stands in a cell: begin it with %%writefile NAME.py, and judge 'NAME.py:CLASS'")
    if role != "breaker" and prefix is not None:
        raise UsageError(f"prefix is of a breaker's stories, and this is the role {role}: leave it out")
    more: dict[str, Any] = {"bound": Bound(prefix=prefix or 0)} if role == "breaker" else {}
    return Judged.of_findings(target, role, judged(target, role=role, seed=seed, only=only, **more))


def drive(
    model: Any,
    *,
    scope: Scope | None = None,
    against: object = None,
    examples: int = 100,
    steps: int = 50,
    seed: int | None = None,
    without: Sequence[str] | None = None,
) -> Checked:
    """What Hypothesis breaks, and shrinks; `against` is an implementation to be driven beside the model.

    That is a module, an object or a class with three functions: ``start()`` gives a system, ``step(system, name,
    arguments)`` has it do an action, ``observe(system)`` maps variables to the values it shows.
    """
    from meshspec.engines.beside import implementation

    asked = load()
    named = getattr(against, "__name__", type(against).__name__)
    beside = implementation(against, named) if against is not None else None
    settings = Settings(seed=_first(seed, asked.seed, 0), driving=Driving(examples, steps, beside))
    return _answered(model, scope, ("drive",), without, settings, asked)


def agreement(found: Checked) -> Agreement:
    """What each engine said of each property in a check, side by side, and whether they contradict each other."""
    return compared(found)


@watching()
def model(model: Any) -> LiftedModel:
    """A model as it was read, to be shown: what it holds, what its actions ask and do, what it claims."""
    return certified(model)


@watching()
def graph(model: Any, *, scope: Scope | None = None, max_states: int | None = None) -> Graph:
    """Every state of a scope and every step between them; drawn where there are at most sixty states.

    With no `max_states` it is cut off at :data:`GRAPH_STATES`, whatever the project allows a check.
    """
    from meshspec.engines.graph import build

    lifted, sizes, limits, _ = _read(model, scope, load(), _first(max_states, GRAPH_STATES))
    return build(lifted, sizes, limits)


@watching()
def coverage(model: Any, *, scope: Scope | None = None, max_states: int | None = None) -> Coverage:
    """What is tried at all in a scope: actions, guards, antecedents, witnesses, values."""
    from meshspec.engines.coverage import coverage as covered

    lifted, sizes, limits, name = _read(model, scope, load(), max_states)
    return covered(lifted, sizes, limits, name=name)


@watching()
def mutate(
    model: Any,
    *,
    scope: Scope | None = None,
    cap: int | None = None,
    seed: int | None = None,
    max_states: int | None = None,
) -> MutationReport:
    """Which small changes of a model its claims notice: the kill matrix.

    With `cap`, a sample of so many, drawn with `seed`.
    """
    from meshspec.engines.mutate import mutate as run_mutants

    asked = load()
    if cap is not None and cap < 1:
        raise UsageError(f"cap={cap}: try at least one mutant")
    lifted, sizes, limits, name = _read(model, scope, asked, max_states)
    return run_mutants(lifted, sizes, limits, name=name, cap=cap, seed=_first(seed, asked.seed, 0))


# -- what was asked --------------------------------------------------------------------------------------------


@watching()
def _answered(
    model: Any,
    scope: Scope | None,
    engines: tuple[str, ...],
    taken: Sequence[str] | None,
    settings: Settings,
    asked: Config,
) -> Checked:
    """The check itself, with what the project waives, and a word to those whose model no command line reaches."""
    target, lifted = _target(model)
    faults = tuple(taken) if taken is not None else _faults(lifted, asked)
    sizes = _scope(lifted, scope, asked)
    found = checked(target, scope=sizes, engines=engines, settings=settings, without=faults)
    waived = Waivers([one for one in asked.waivers if one.model == lifted.name], today())
    answered = [*waived.apply(found.answered), *waived.last()]
    notes = [*found.notes, *waived.notes(), *([] if target.name else [NAMELESS])]
    return attrs.evolve(found, answered=tuple(answered), notes=tuple(notes))


def _target(model: Any) -> tuple[Target, LiftedModel]:
    target = model if isinstance(model, Target) else target_of(model)
    return target, certified(target.model)


def _faults(lifted: LiftedModel, asked: Config) -> tuple[str, ...]:
    """The faults that the project takes away, of those that this model has."""
    has = {one.name for one in lifted.actions if one.method.kind == "fault"}
    return tuple(name for name in asked.without or () if name in has)


def _first(*given: Any) -> Any:
    """The first that is given at all."""
    return next((one for one in given if one is not None), None)


def _settings(
    asked: Config, require: str | None, max_states: int | None, max_memory: str | None, seed: int | None
) -> Settings:
    required = _first(require, asked.require)
    if required is not None and required not in REQUIRED:
        raise UsageError(f"require={required!r}: write {' or '.join(map(repr, REQUIRED))}")
    return Settings(
        _limits(asked, max_states, max_memory),
        seed=_first(seed, asked.seed, 0),
        require=REQUIRED.get(required) if required is not None else None,
        options=Options(symmetry=_first(asked.symmetry, True), workers=_first(asked.workers, 1)),
    )


def _limits(asked: Config, max_states: int | None, max_memory: str | None = None) -> Limits:
    usual = Limits()
    held = _first(max_memory, asked.max_memory)
    return Limits(
        _first(max_states, asked.max_states, usual.max_states),
        memory(held) if held is not None else usual.max_memory,
    )


def _scope(lifted: LiftedModel, given: Scope | None, asked: Config) -> dict[str, int]:
    """Sizes by name: what the call says, then what the project says of sorts that this model has, then evidence."""
    has = {sort.__name__ for sort in lifted.sorts}
    named = {name: size for name, size in (asked.scope or {}).items() if name in has}
    called = {key if isinstance(key, str) else key.__name__: size for key, size in (given or {}).items()}
    return usual_sizes(lifted) | named | called


def _read(
    model: Any, scope: Scope | None, asked: Config, max_states: int | None
) -> tuple[LiftedModel, dict[type[Sort], int], Limits, str]:
    """The model without the faults that the project takes away, its sizes, bounds, and its name."""
    target, whole = _target(model)
    lifted = without(whole, _faults(whole, asked))
    return (
        lifted,
        scope_of(lifted, _scope(lifted, scope, asked)),
        _limits(asked, max_states),
        target.name or whole.name,
    )


# -- walking by hand -------------------------------------------------------------------------------------------


@watching()
def walk(model: Any, *, scope: Scope | None = None, start: int = 1) -> Walker:
    """Walk a model by hand from its initial state numbered `start`, counted from 1. A walk checks nothing."""
    lifted, sizes, _, _ = _read(model, scope, load(), None)
    return Walker(Walk(lifted, sizes)).reset(start)
