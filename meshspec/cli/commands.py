"""The commands and their options."""

from __future__ import annotations

from typing import Annotated

from cyclopts import App, Parameter

from meshspec import __version__
from meshspec.cli import runs
from meshspec.cli.claims import claims
from meshspec.cli.options import (
    Allow,
    Json,
    MaxMemory,
    MaxStates,
    Require,
    Scope,
    Seed,
    Without,
    names,
    settings_of,
    sizes_of,
)
from meshspec.cli.targets import shipped_evidence, shipped_models
from meshspec.engines.check import ENGINES, Settings
from meshspec.errors import UsageError
from meshspec.roles.breaker import Bound

app = App(
    name="meshspec",
    help="State, check and break reliability guarantees for AI-agent orchestration.",
    version=__version__,
    suppress_keyboard_interrupt=False,  # Ctrl-C is an answer of ours: UNDETERMINED
)
app.command(claims)


@app.command
def check(
    *targets: str,
    scope: Scope = (),
    engine: Annotated[str | None, Parameter(help="Only these: explore, prove, simulate (comma-separated).")] = None,
    require: Require = None,
    without: Without = (),
    max_states: MaxStates = 1_000_000,
    max_memory: MaxMemory = "4G",
    seed: Seed = 0,
    json: Json = None,
    allow_undetermined: Allow = False,
    role: Annotated[str | None, Parameter(help="Judge a policy in this role: breaker.")] = None,
    with_: Annotated[str | None, Parameter("--with", help="A package the policy needs: NAME==VERSION.")] = None,
    prefix: Annotated[int, Parameter(help="How many steps may come before the loop of a story: 0 to 3.")] = 3,
    story_limit: Annotated[float, Parameter(help="Seconds after which a policy is taken to hang in a story.")] = 10.0,
) -> int:
    """Check models or policies: explore a scope, prove for every size, judge in a role.

    A target is a shipped name, path.py, path.py:Model or module:Model. Without one, everything shipped is checked.
    """
    settings = settings_of(max_states, max_memory, seed, require)
    report = runs.Report(seed=seed, json=json, allow_undetermined=allow_undetermined)
    if role is not None:
        if scope or engine or without:
            raise UsageError("--scope, --engine and --without are for models; a policy in a --role has none of them")
        if story_limit <= 0:
            raise UsageError(f"--story-limit {story_limit}: give a number of seconds above zero")
        if not 0 <= prefix <= 3:
            raise UsageError(f"--prefix {prefix}: a story has 0 to 3 steps before its loop")
        asked = runs.Judging(role, with_, Bound(prefix=prefix), story_limit)
        return runs.judge_policies(targets, asked, settings, report)
    if with_ is not None:
        raise UsageError("--with installs a package for a policy: name a --role")
    if not targets:
        if scope or engine or without:
            raise UsageError("--scope, --engine and --without are for a target: name one")
        return runs.check_shipped(settings, report)
    engines = _engines(engine)
    return runs.check_models(targets, sizes_of(scope), engines, names(without), settings, report)


def _engines(given: str | None) -> tuple[str, ...]:
    engines = ("explore", "prove") if given is None else tuple(dict.fromkeys(given.split(",")))
    for engine in engines:
        if engine not in ENGINES:
            raise UsageError(f"there is no engine {engine!r}; the engines are {', '.join(ENGINES)}")
    return engines


@app.command
def explore(
    target: str,
    *,
    scope: Scope = (),
    without: Without = (),
    max_states: MaxStates = 1_000_000,
    max_memory: MaxMemory = "4G",
    json: Json = None,
    allow_undetermined: Allow = False,
) -> int:
    """Visit every state that can be reached in a scope."""
    settings = settings_of(max_states, max_memory, 0, None)
    report = runs.Report(json=json, allow_undetermined=allow_undetermined)
    return runs.check_models((target,), sizes_of(scope), ("explore",), names(without), settings, report)


@app.command
def prove(target: str, *, without: Without = (), json: Json = None, allow_undetermined: Allow = False) -> int:
    """Prove what is inductive, with the model's lemmas, for any number of members of every sort."""
    report = runs.Report(json=json, allow_undetermined=allow_undetermined)
    return runs.check_models((target,), {}, ("prove",), names(without), Settings(), report)


@app.command
def simulate(
    target: str,
    *,
    scope: Scope = (),
    without: Without = (),
    seed: Seed = 0,
    walks: Annotated[int, Parameter(help="How many random walks.")] = 200,
    steps: Annotated[int, Parameter(help="How long each may be.")] = 100,
    json: Json = None,
    allow_undetermined: Allow = False,
) -> int:
    """Walk at random from an initial state, seeded, and shrink what is refuted."""
    report = runs.Report(seed=seed, json=json, allow_undetermined=allow_undetermined)
    settings = Settings(seed=seed, walks=walks, steps=steps)
    return runs.check_models((target,), sizes_of(scope), ("simulate",), names(without), settings, report)


@app.command(name="list")
def list_() -> int:
    """What is shipped: models and incidents, evidence, engines, policies that can be judged."""
    report = runs.Report()
    report.say("models and incidents:")
    for name, cls in shipped_models().items():
        report.say(f"  {name:<24} {runs.first_line(cls)}")
    report.say("evidence:")
    for name, held in shipped_evidence().items():
        report.say(f"  {name:<24} {held.model.__name__}: {', '.join(held.promises)}")
    report.say(f"engines: {', '.join(ENGINES)}")
    runs.list_policies(report)
    return 0
