"""The options that several commands share, and how their text is read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import attrs
from cyclopts import Parameter

from meshspec.answer import Strength
from meshspec.cli import fenced
from meshspec.engines.check import Settings
from meshspec.engines.limits import LEAST_MEMORY, Limits, Options, memory
from meshspec.errors import UsageError

Scope = Annotated[
    tuple[str, ...],
    Parameter("--scope", help="Sizes of sorts: Effect=3 or Effect=3,Worker=2.", negative=""),
]
MaxStates = Annotated[int, Parameter("--max-states", help="States (orbits) held after which a search is cut off.")]
MaxMemory = Annotated[str, Parameter("--max-memory", help="Memory after which a search is cut off: 4G, 500M.")]
Seed = Annotated[int, Parameter("--seed", help="Seed of random walks; the same seed gives the same result.")]
Require = Annotated[str | None, Parameter("--require", help="Call anything weaker undetermined: exhaustive, proved.")]
Without = Annotated[
    tuple[str, ...],
    Parameter("--without", help="Take declared faults away: crash or crash,lose_reply.", negative=""),
]
Symmetry = Annotated[str, Parameter("--symmetry", help="Visit one state of each orbit, where sound: on or off.")]
Workers = Annotated[int, Parameter("--workers", help="Threads that explore states once they are packed.")]


@Parameter(name="*")
@attrs.frozen
class Outputs:
    """Where a command writes its report beside the terminal, and what its exit code forgives."""

    json: Annotated[Path | None, Parameter(help="Write the report to this file as JSON.")] = None
    junit: Annotated[Path | None, Parameter(help="The same as JUnit XML, a test case for each property.")] = None
    sarif: Annotated[Path | None, Parameter(help="The same as SARIF, for code scanning.")] = None
    markdown: Annotated[Path | None, Parameter(help="The same as a summary in Markdown.")] = None
    github: Annotated[bool, Parameter(negative="", help="Print annotations for GitHub Actions.")] = False
    out: Annotated[Path | None, Parameter(help="Write a bundle for each counterexample into this folder.")] = None
    allow_undetermined: Annotated[bool, Parameter(negative="", help="Exit 0 where only that is left.")] = False
    config: Annotated[Path | None, Parameter(help="Read [tool.meshspec] in this file, not in pyproject.toml.")] = None
    no_config: Annotated[bool, Parameter(negative="", help="Read no [tool.meshspec] at all.")] = False
    time_limit: Annotated[float, Parameter(help="Seconds that one call of a model's code may take; 0: any.")] = 10.0


NOWHERE = Outputs()


def names(given: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for part in given for name in part.split(",")))


def settings_of(max_states: int, max_memory: str, seed: int, require: str | None) -> Settings:
    strengths = {"proved": Strength.EVERY_SIZE, "exhaustive": Strength.EXHAUSTIVE, None: None}
    if require not in strengths:
        raise UsageError(f"--require {require}: write exhaustive or proved")
    limits = Limits(max_states, memory(max_memory))
    if limits.max_memory < LEAST_MEMORY:
        raise UsageError(f"--max-memory {max_memory}: that is too little to hold a state; give 1M or more")
    fenced.memory(limits.max_memory)
    return Settings(limits, seed=seed, require=strengths[require])


def options_of(symmetry: str, workers: int, **more: Any) -> Options:
    if symmetry not in ("on", "off"):
        raise UsageError(f"--symmetry {symmetry}: write on or off")
    return Options(symmetry=symmetry == "on", workers=workers, **more)


def sizes_of(scope: tuple[str, ...]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for part in (part for given in scope for part in given.split(",")):
        name, sign, size = part.partition("=")
        if not sign or not name or not size.isdecimal():
            shown = part if part.isprintable() else repr(part)
            raise UsageError(f"--scope {shown}: write Sort=size, for instance --scope Effect=3")
        if len(size) > 12:
            raise UsageError(f"--scope {part}: that is more than any scope can be")
        if sizes.setdefault(name, int(size)) != int(size):
            raise UsageError(f"--scope gives {name} two sizes, {sizes[name]} and {size}")
    return sizes
