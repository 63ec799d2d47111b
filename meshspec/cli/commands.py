"""The commands and their options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from cyclopts import App, Parameter

from meshspec import __version__
from meshspec.answer import Strength
from meshspec.cli import runs
from meshspec.cli.claims import claims
from meshspec.cli.targets import shipped_evidence, shipped_models
from meshspec.engines.check import ENGINES, Settings
from meshspec.engines.limits import Limits, memory
from meshspec.errors import UsageError
from meshspec.roles.breaker import Bound

app = App(
    name="meshspec",
    help="State, check and break reliability guarantees for AI-agent orchestration.",
    version=__version__,
    suppress_keyboard_interrupt=False,  # Ctrl-C is an answer of ours: UNDETERMINED
)
app.command(claims)

Scope = Annotated[
    tuple[str, ...],
    Parameter("--scope", help="Sizes of sorts: Effect=3 or Effect=3,Worker=2.", negative=""),
]
MaxStates = Annotated[int, Parameter("--max-states", help="Distinct states after which a search is cut off.")]
MaxMemory = Annotated[str, Parameter("--max-memory", help="Memory after which a search is cut off: 4G, 500M.")]
Seed = Annotated[int, Parameter("--seed", help="Seed of random walks; the same seed gives the same result.")]
Json = Annotated[Path | None, Parameter("--json", help="Write the report to this file as JSON.")]
Require = Annotated[str | None, Parameter("--require", help="Call anything weaker undetermined: exhaustive, proved.")]
Allow = Annotated[bool, Parameter("--allow-undetermined", negative="", help="Exit 0 where only that is left.")]
Without = Annotated[
    tuple[str, ...],
    Parameter("--without", help="Take declared faults away: crash or crash,lose_reply.", negative=""),
]


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
    settings = _settings(max_states, max_memory, seed, require)
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
    return runs.check_models(targets, _sizes(scope), engines, _names(without), settings, report)


def _engines(given: str | None) -> tuple[str, ...]:
    engines = ("explore", "prove") if given is None else tuple(dict.fromkeys(given.split(",")))
    for engine in engines:
        if engine not in ENGINES:
            raise UsageError(f"there is no engine {engine!r}; the engines are {', '.join(ENGINES)}")
    return engines


def _names(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in given for name in part.split(",")))


def _settings(max_states: int, max_memory: str, seed: int, require: str | None) -> Settings:
    strengths = {"proved": Strength.EVERY_SIZE, "exhaustive": Strength.EXHAUSTIVE, None: None}
    if require not in strengths:
        raise UsageError(f"--require {require}: write exhaustive or proved")
    return Settings(Limits(max_states, memory(max_memory)), seed=seed, require=strengths[require])


def _sizes(scope: tuple[str, ...]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for part in (part for given in scope for part in given.split(",")):
        name, sign, size = part.partition("=")
        if not sign or not name or not size.isdecimal():
            raise UsageError(f"--scope {part}: write Sort=size, for instance --scope Effect=3")
        if len(size) > 12:
            raise UsageError(f"--scope {part}: that is more than any scope can be")
        if sizes.setdefault(name, int(size)) != int(size):
            raise UsageError(f"--scope gives {name} two sizes, {sizes[name]} and {size}")
    return sizes


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
    settings = _settings(max_states, max_memory, 0, None)
    report = runs.Report(json=json, allow_undetermined=allow_undetermined)
    return runs.check_models((target,), _sizes(scope), ("explore",), _names(without), settings, report)


@app.command
def prove(target: str, *, without: Without = (), json: Json = None, allow_undetermined: Allow = False) -> int:
    """Prove what is inductive, with the model's lemmas, for any number of members of every sort."""
    report = runs.Report(json=json, allow_undetermined=allow_undetermined)
    return runs.check_models((target,), {}, ("prove",), _names(without), Settings(), report)


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
    return runs.check_models((target,), _sizes(scope), ("simulate",), _names(without), settings, report)


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
