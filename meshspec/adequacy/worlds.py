"""The same question in other processes: other hash seeds, locales, zones, interpreters, and orders of everything."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import attrs

from meshspec.adequacy import bookings, host
from meshspec.adequacy.function import Function, Said
from meshspec.roles import effects, pairs

LOCALES = ("C", "C.UTF-8", "de_DE.UTF-8", "tr_TR.UTF-8")
"""What is asked for; what a machine has not is told as not there. In Turkish, I and i are two letters."""
HASH_SEEDS = (0, 1, 2, 3)
_ZONES = ("UTC0", "JST-9")
TIME_LIMIT = 60.0


@attrs.frozen
class World:
    """The conditions of one process."""

    python: str
    hash_seed: int
    locale: str
    zone: str
    turned: bool
    backwards: bool
    moved: bool = False

    @property
    def text(self) -> str:
        parts = [f"PYTHONHASHSEED={self.hash_seed}", f"LC_ALL={self.locale}", f"TZ={self.zone}"]
        parts += ["mappings filled backwards"] if self.turned else []
        parts += ["the last input asked first"] if self.backwards else []
        parts += [f"working folder and HOME {host.MOVED}"] if self.moved else []
        return ", ".join(parts)

    @property
    def environment(self) -> dict[str, str]:
        return {
            "PYTHONHASHSEED": str(self.hash_seed),
            "LC_ALL": self.locale,
            "TZ": self.zone,
            "PYTHONUTF8": "0",
            "PYTHONCOERCECLOCALE": "0",
        }


@attrs.frozen
class Told:
    """What came out of one world: an entry for each input, or why there is none (``missing``)."""

    world: World
    version: str
    said: tuple[Said, ...] = ()
    missing: str = ""
    no_locale: bool = False

    @property
    def text(self) -> str:
        return f"Python {self.version}, {self.world.text}"


def worlds(
    pythons: Sequence[str], hash_seeds: Sequence[int], locales: Sequence[str], *, turned: bool, moved: bool = False
) -> tuple[World, ...]:
    """As many as the longest of these needs, each hash seed and each locale in one for each interpreter."""
    found: list[World] = []
    for python in pythons:
        for number in range(max(len(hash_seeds), len(locales))):
            seed, spoken = hash_seeds[number % len(hash_seeds)], locales[number % len(locales)]
            odd = number % 2 == 1
            found.append(World(python, seed, spoken, _ZONES[odd], odd and turned, odd, odd and moved))
    return tuple(found)


def visit(function: Function, inputs: Sequence[bytes], all_: Sequence[World], limit: float) -> Iterator[Told]:
    """What the function says in each world. One whose locale is not there is visited in C, and told.

    Nothing may be concluded from an entry with ``missing``.
    """
    for world in all_:
        told = _visited(function, inputs, world, limit)
        if told.no_locale:
            yield told
            told = _visited(function, inputs, attrs.evolve(world, locale="C"), limit)
        yield told


def _visited(function: Function, inputs: Sequence[bytes], world: World, limit: float) -> Told:
    job = {
        "path": _path(world.python),
        "function": function.found,
        "effects": effects.__file__,
        "pairs": pairs.__file__,
        "bookings": bookings.__file__,
        "inputs": list(inputs),
        "turned": world.turned,
        "backwards": world.backwards,
        "moved": world.moved,
    }
    try:
        done = subprocess.run(
            [world.python, host.__file__],
            input=pickle.dumps(job, host.PROTOCOL),
            capture_output=True,
            env={**os.environ, **world.environment},
            timeout=limit,
            check=False,
        )
    except OSError as error:
        return Told(world, "?", missing=f"{world.python} could not be started ({error.strerror})")
    except subprocess.TimeoutExpired:
        return Told(world, "?", missing=f"no answer within {limit:g} s")
    if done.returncode:
        last = done.stderr.decode(errors="replace").strip().splitlines()[-1:] or ["nothing more is known"]
        return Told(world, "?", missing=f"it ended with {done.returncode} ({last[0][:200]})")
    return _read(world, done.stdout)


def _read(world: World, data: bytes) -> Told:
    try:
        answer = cast("dict[str, Any]", pickle.loads(data))
        version = str(answer["version"])
        if not answer["locale"]:
            return Told(world, version, missing=f"there is no locale {world.locale}", no_locale=world.locale != "C")
        if "missing" in answer:
            return Told(world, version, missing=str(answer["missing"]))
        return Told(world, version, tuple(_said(kind, value) for kind, value in answer["said"]))
    except Exception as error:
        return Told(world, "?", missing=f"its answer cannot be read ({host.told(error)})")


def _said(kind: str, value: object) -> Said:
    if kind != "value":
        return Said(cast(Any, kind), value)
    try:
        return Said("value", pickle.loads(cast(bytes, value)))
    except Exception as error:
        return Said("opaque", host.told(error))


def _path(python: str) -> list[str]:
    """Where this process finds modules; without what belongs to an interpreter, which another one has of its own."""
    own = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    own |= {Path(sysconfig.get_path("platstdlib")) / "lib-dynload"}
    entries = [str(Path(entry).absolute()) for entry in sys.path]
    if python == sys.executable:
        return entries
    return [entry for entry in entries if Path(entry).resolve() not in own and not entry.endswith(".zip")]
