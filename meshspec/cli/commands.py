"""The commands and their options."""

from __future__ import annotations

import math
from typing import Annotated

import attrs
from cyclopts import App, Parameter

from meshspec import __version__
from meshspec.cli import configured, runs
from meshspec.cli.options import (
    NOWHERE,
    MaxMemory,
    MaxStates,
    Outputs,
    Require,
    Scope,
    Seed,
    Symmetry,
    Without,
    Workers,
    names,
    options_of,
    settings_of,
    sizes_of,
)
from meshspec.engines.check import DEFAULT_ENGINES, ENGINES, Settings
from meshspec.engines.limits import MUTANTS
from meshspec.errors import UsageError
from meshspec.targets import shipped_evidence, shipped_models

STORY_LIMIT = 10.0  # where nothing is said
MOST_WALKED = 10**9

app = App(
    name="meshspec",
    help="State, check and break reliability guarantees for AI-agent orchestration.",
    version=__version__,
    suppress_keyboard_interrupt=False,  # Ctrl-C is an answer of ours: UNDETERMINED
    config=(configured.fill,),
)
# Named and not imported: a command pays for what it runs.
app.command("meshspec.cli.claims:claims")
app.command("meshspec.cli.coverage:coverage")
app.command("meshspec.cli.diff:diff")
app.command("meshspec.cli.drive:drive")
app.command("meshspec.cli.explain:explain")
app.command("meshspec.cli.explore:explore")
app.command("meshspec.cli.live:live")
app.command("meshspec.cli.mutate:mutate")
app.command("meshspec.cli.new:new")
app.command("meshspec.cli.prove:prove")
app.command("meshspec.cli.refine:refine")
app.command("meshspec.cli.replay:replay")
app.command("meshspec.cli.show:show")
app.command("meshspec.cli.step:step")


@app.command
def check(
    *targets: str,
    scope: Scope = (),
    engine: Annotated[
        str | None, Parameter(help="Only these, comma-separated: drive, explore, live, prove, simulate.")
    ] = None,
    require: Require = None,
    without: Without = (),
    max_states: MaxStates = 1_000_000,
    max_memory: MaxMemory = "4G",
    symmetry: Symmetry = "on",
    workers: Workers = 1,
    seed: Seed = 0,
    outputs: Outputs = NOWHERE,
    role: Annotated[
        str | None, Parameter(help="Judge a policy in this role: breaker, identity, ledger, lease.")
    ] = None,
    promises: Annotated[
        bool, Parameter(negative="", help="Ask of a policy only what it promises itself, in PROMISES.")
    ] = False,
    with_: Annotated[str | None, Parameter("--with", help="A package the policy needs: NAME==VERSION.")] = None,
    prefix: Annotated[
        int | None, Parameter(help="Of a breaker: how many steps may come before the loop of a story, 0 to 3 (3).")
    ] = None,
    story_limit: Annotated[
        float, Parameter(help="Seconds after which a policy is taken to hang in what it is asked.")
    ] = STORY_LIMIT,
) -> int:
    """Check models or policies: explore a scope, prove for every size, judge in a role.

    A target is a shipped name, path.py, path.py:Model or module:Model. Without one, everything shipped is checked.
    """
    settings = settings_of(max_states, max_memory, seed, require)
    tried = MUTANTS if engine is None else 0
    settings = attrs.evolve(settings, options=options_of(symmetry, workers), mutants=tried)
    report = runs.Report(seed=seed, outputs=outputs)
    if role is not None:
        if scope or engine or without:
            raise UsageError("--scope, --engine and --without are for models; a policy in a --role has none of them")
        if not 0 < story_limit < math.inf:
            raise UsageError(f"--story-limit {story_limit}: give a number of seconds above zero")
        from meshspec.roles.known import refuse_unknown

        refuse_unknown(role)
        if prefix is not None and role != "breaker":
            raise UsageError(f"--prefix is for the stories of a breaker; a policy in the role {role} is told none")
        if prefix is not None and not 0 <= prefix <= 3:
            raise UsageError(f"--prefix {prefix}: a story has 0 to 3 steps before its loop")
        asked = runs.Judging(role, with_, prefix, story_limit, promises)
        return runs.judge_policies(targets, asked, settings, report)
    if with_ is not None:
        raise UsageError("--with installs a package for a policy: name a --role")
    if promises:
        raise UsageError("--promises narrows what a policy is asked: name a --role")
    if prefix is not None or story_limit != STORY_LIMIT:
        raise UsageError("--prefix and --story-limit are for a policy that is judged: name a --role")
    if not targets:
        if scope or engine or without:
            raise UsageError("--scope, --engine and --without are for a target: name one")
        return runs.check_shipped(settings, report)
    engines = _engines(engine)
    return runs.check_models(targets, sizes_of(scope), engines, names(without), settings, report)


def _engines(given: str | None) -> tuple[str, ...]:
    engines = DEFAULT_ENGINES if given is None else tuple(dict.fromkeys(given.split(",")))
    for engine in engines:
        if engine not in ENGINES:
            raise UsageError(f"there is no engine {engine!r}; the engines are {', '.join(ENGINES)}")
    return engines


@app.command
def simulate(
    target: str,
    *,
    scope: Scope = (),
    without: Without = (),
    seed: Seed = 0,
    walks: Annotated[int, Parameter(help="How many random walks.")] = 200,
    steps: Annotated[int, Parameter(help="How long each may be.")] = 100,
    outputs: Outputs = NOWHERE,
) -> int:
    """Walk at random from an initial state, seeded, and shrink what is refuted."""
    for option, given in (("--walks", walks), ("--steps", steps)):
        if given > MOST_WALKED:
            raise UsageError(f"{option} {given}: that would not come to an end; give at most {MOST_WALKED:,}")
    report = runs.Report(seed=seed, outputs=outputs)
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
