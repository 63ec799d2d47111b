"""``[tool.meshspec]`` of a pyproject.toml: what a project asks of every check, whichever door it comes in by.

The file is the nearest pyproject.toml with such a table, from the present folder upward to the first folder that
holds ``.git``. What is given at the door itself (a command line) comes before what stands here. Whatever does not
read as it should is a :class:`UsageError` with the file and the key: a bound that is misspelt is a bound that is not
kept.
"""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Callable, Collection, Mapping
from datetime import date
from pathlib import Path
from types import MappingProxyType
from typing import Any, cast

import attrs

from meshspec.answer import Answer, Strength, Waiver
from meshspec.engines.check import ENGINES
from meshspec.engines.limits import LEAST_MEMORY, memory
from meshspec.errors import UsageError
from meshspec.lang.places import here

NAME = "pyproject.toml"
LARGEST = 1 << 20
"""How many bytes such a file may have."""

_MOST_DOTS = 1000  # of a line: the time that a dotted key takes grows with the square of its parts

REQUIRED = {"proved": Strength.EVERY_SIZE, "exhaustive": Strength.EXHAUSTIVE}
"""What ``require`` may be, and the strength that it means."""


@attrs.frozen
class Config:
    """What a project asks for; ``None`` where it asks nothing, and the door's own default counts.

    Attributes:
        file: where it was read, as messages name it; empty where there is none.
        scope: sizes of sorts, by name.
        engines: which engines `check` runs.
        require: ``proved`` or ``exhaustive``: what is weaker is undetermined.
        max_states, max_memory: bounds of a search; memory as it is written (``4G``).
        without: declared faults that are taken away.
        out: the folder that what is found is written to; of a file that was loaded, as seen from the present folder.
        waivers: in the order in which they stand.
    """

    file: str = ""
    scope: Mapping[str, int] | None = None
    engines: tuple[str, ...] | None = None
    require: str | None = None
    max_states: int | None = None
    max_memory: str | None = None
    seed: int | None = None
    symmetry: bool | None = None
    workers: int | None = None
    allow_undetermined: bool | None = None
    without: tuple[str, ...] | None = None
    out: str | None = None
    waivers: tuple[Waiver, ...] = ()

    def told(self, keys: Collection[str], part: Mapping[str, Any] = MappingProxyType({})) -> str:
        """One line for a report: what was taken from here, in the order of the keys; empty where nothing was.

        ``keys`` are those that were of use, ``part`` what of a value was, where it was not all of it.
        """
        used = {key: part.get(key, self.value(key)) for key in KEYS if key in keys}
        said = [f"{key} {_text(value)}" for key, value in used.items() if value is not None]
        return f"from {self.file}: {', '.join(said)}" if said else ""

    def value(self, key: str) -> Any:
        """What a key, as it is written, is set to; ``None`` where it is not, or has no such key."""
        return getattr(self, key.replace("-", "_"), None) if key in KEYS and key != "waivers" else None


NO_CONFIG = Config()


def find(folder: Path | None = None) -> Path | None:
    """The nearest pyproject.toml with a ``[tool.meshspec]``, from a folder (the present one) upward.

    The search ends at the first folder that holds ``.git``, and at the root. Raises :class:`UsageError` for a file on
    the way that cannot be read: it may hold the bounds that were meant.
    """
    if folder is None and not here():
        raise UsageError("the present folder is gone: change to one that is there")
    start = (folder or Path(here())).resolve()
    for above in (start, *start.parents):
        path = above / NAME
        if path.is_file() and _table(path, _loaded(path)) is not None:
            return path
        if (above / ".git").exists():
            return None
    return None


def load(path: Path | None = None, folder: Path | None = None) -> Config:
    """The configuration in a file, or in the nearest one (:func:`find`); :data:`NO_CONFIG` where there is none.

    Raises :class:`UsageError` for a file that cannot be read or that says what it may not, and for one that was named
    and has no ``[tool.meshspec]``.
    """
    chosen = path or find(folder)
    if chosen is None:
        return NO_CONFIG
    text = _loaded(chosen)
    table = _table(chosen, text)
    if table is None:
        raise UsageError(f"{chosen}: it has no [tool.meshspec]; leave --config out, or write one")
    config = read(table, _shown(chosen), text)
    if config.out is None:
        return config
    return attrs.evolve(config, out=_shown(chosen.parent / config.out))  # a folder is named from where the file lies


def read(table: Mapping[str, Any], file: str = NAME, text: str = "") -> Config:
    """A ``[tool.meshspec]`` as a configuration; `text`, the whole file, gives waivers their lines."""
    made: dict[str, Any] = {}
    for key, value in table.items():
        if key not in KEYS:
            near = difflib.get_close_matches(key.replace("_", "-"), KEYS, 1)
            hint = f"did you mean {near[0]!r}?" if near else f"the keys are {', '.join(KEYS)}"
            raise UsageError(f"{file}: [tool.meshspec] has no key {key!r}: {hint}")
        if key == "waivers":
            made[key] = _waivers(value, file, text)
            continue
        try:
            made[key.replace("-", "_")] = KEYS[key](value)
        except _Unfit as error:
            raise UsageError(f"{file}: [tool.meshspec] {key} = {_toml(value)}: {error}") from None
    return Config(file=file, **made)


# -- one reader a key ------------------------------------------------------------------------------------------


class _Unfit(Exception):
    """What to write instead of a value."""


def _scope(value: object) -> Mapping[str, int]:
    if isinstance(value, str):
        parts = [part.strip().partition("=") for part in value.split(",")]
        if any(not size.strip().isdecimal() or len(size) > 12 for _, _, size in parts):
            raise _Unfit('write sizes of sorts, "Effect=3,Worker=2" or { Effect = 3 }')
        sizes: dict[object, object] = {name.strip(): int(size) for name, _, size in parts}
        if len(sizes) < len(parts):
            raise _Unfit("a sort has one size")
    elif isinstance(value, dict):
        sizes = cast("dict[object, object]", value)
    else:
        raise _Unfit("write a table of sizes, { Effect = 3 }")
    for name, size in sizes.items():
        if not isinstance(name, str) or not name.isidentifier():
            raise _Unfit(f"{name!r} is no name of a sort")
        if type(size) is not int or not 1 <= size < 10**12:
            raise _Unfit(f"the size of {name} must be a whole number of at least 1")
    return cast("dict[str, int]", sizes)


def _names(what: str, known: tuple[str, ...] = ()) -> Callable[[object], tuple[str, ...]]:
    def of(value: object) -> tuple[str, ...]:
        given = [value] if isinstance(value, str) else value
        if not isinstance(given, list) or not given:
            raise _Unfit(f"write a list of {what}")
        for name in cast("list[object]", given):
            if not isinstance(name, str) or not name:
                raise _Unfit(f"write a list of {what}, each in quotes")
            if known and name not in known:
                near = difflib.get_close_matches(name, known, 1)
                raise _Unfit(f"did you mean {near[0]!r}?" if near else f"the {what} are {', '.join(known)}")
        return tuple(dict.fromkeys(cast("list[str]", given)))

    return of


def _require(value: object) -> str:
    if not isinstance(value, str) or value not in REQUIRED:
        raise _Unfit(f"write {' or '.join(REQUIRED)}")
    return value


def _number(least: int | None) -> Callable[[object], int]:
    def of(value: object) -> int:
        if type(value) is not int or (least is not None and value < least) or abs(value) >= 1 << 63:
            raise _Unfit("write a whole number" + ("" if least is None else f" of at least {least}"))
        return value

    return of


def _memory(value: object) -> str:
    value = str(value) if type(value) is int else value
    try:
        if not isinstance(value, str) or memory(value) < LEAST_MEMORY:
            raise UsageError("")
    except UsageError:
        raise _Unfit('write an amount of memory, "4G", "500M" or a number of bytes, 1M or more') from None
    return value


def _switch(value: object) -> bool:
    if value in ("on", "off"):
        return value == "on"
    if not isinstance(value, bool):
        raise _Unfit("write true or false")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise _Unfit("write true or false")
    return value


def _folder(value: object) -> str:
    if not isinstance(value, str) or not value.strip() or "\0" in value:
        raise _Unfit("write the name of a folder, in quotes")
    return value


def _never(value: object) -> None:
    raise AssertionError(f"waivers are read apart, not as {value!r}")


KEYS: Mapping[str, Callable[[object], object]] = {
    "scope": _scope,
    "engines": _names("engines", ENGINES),
    "require": _require,
    "max-states": _number(1),
    "max-memory": _memory,
    "seed": _number(None),
    "symmetry": _switch,
    "workers": _number(1),
    "allow-undetermined": _flag,
    "without": _names("faults"),
    "out": _folder,
    "waivers": _never,
}
"""The keys, as they are written, and what reads each."""

WAIVER = ("model", "property", "owner", "reason", "expires")
EXCUSED = ("VIOLATED", "UNDETERMINED", "VACUOUS")
"""What a waiver's ``answer`` may be: the one that it excuses, the first where nothing is said."""


def waiver(entry: Mapping[str, Any], where: str) -> Waiver:
    """One ``[[tool.meshspec.waivers]]``; raises :class:`UsageError` for what is missing, empty, unknown or no day.

    ``answer`` alone may be missing.
    """
    for key in entry:
        if key not in (*WAIVER, "answer"):
            raise UsageError(f"{where}: a waiver has no {key!r}; it has {', '.join(WAIVER)} and answer")
    for key in WAIVER:
        if key not in entry:
            raise UsageError(f"{where}: a waiver needs {key!r}; it has {', '.join(entry) or 'nothing'}")
        value = entry[key]
        if key == "expires":
            if type(value) is not date:
                raise UsageError(f"{where}: expires = {value!r}: write a day without quotes, expires = 2027-01-31")
        elif not isinstance(value, str) or not value.strip():
            raise UsageError(f"{where}: {key} = {value!r}: write a text that says something, in quotes")
    excused = entry.get("answer", EXCUSED[0])
    if excused not in EXCUSED:
        raise UsageError(f"{where}: answer = {excused!r}: it excuses one answer, {', '.join(EXCUSED)}, in quotes")
    return Waiver(**{key: entry[key] for key in WAIVER}, where=where, answer=Answer(excused))


_HEAD = re.compile(r"^\s*\[\[\s*tool\s*\.\s*meshspec\s*\.\s*waivers\s*\]\]", re.MULTILINE)


def _waivers(value: object, file: str, text: str) -> tuple[Waiver, ...]:
    entries = cast("list[object]", value) if isinstance(value, list) else [None]
    if not all(isinstance(entry, dict) for entry in entries):
        raise UsageError(f"{file}: write each waiver as a table of its own, [[tool.meshspec.waivers]]")
    lines = [text.count("\n", 0, match.end()) + 1 for match in _HEAD.finditer(text)]
    if len(lines) != len(entries):  # written in another way: then no line is told, rather than a wrong one
        lines = [0] * len(entries)
    return tuple(
        waiver(cast("dict[str, Any]", entry), f"{file}:{line}" if line else file)
        for entry, line in zip(entries, lines, strict=True)
    )


# -- the file --------------------------------------------------------------------------------------------------


def _loaded(path: Path) -> str:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
        if len(data) > LARGEST:
            raise UsageError(f"{_shown(path)}: it is larger than {LARGEST:,} bytes, and is not read")
        return data.decode("utf-8")
    except OSError as error:
        raise UsageError(f"{_shown(path)} cannot be read: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{_shown(path)}: it is no UTF-8 ({error.reason} at byte {error.start})") from None


def _table(path: Path, text: str) -> Mapping[str, Any] | None:
    """The ``[tool.meshspec]`` of a file's text; ``None`` where it has none."""
    if text.startswith("\ufeff"):
        raise UsageError(f"{_shown(path)}: it begins with a byte order mark, which TOML has not: save it without")
    if any(line.count(".") > _MOST_DOTS for line in text.split("\n")):
        raise UsageError(f"{_shown(path)}: a line of it has more than {_MOST_DOTS} dots, and it is not read")
    try:
        told = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{_shown(path)}: it is no TOML: {error}") from None
    except (RecursionError, ValueError):  # nested without end; a number of thousands of digits
        raise UsageError(
            f"{_shown(path)}: it is no TOML that can be read: nested too deeply, or a huge number"
        ) from None
    tool = told.get("tool")
    table = cast("dict[str, Any]", tool).get("meshspec") if isinstance(tool, dict) else None
    if table is not None and not isinstance(table, dict):
        raise UsageError(f"{_shown(path)}: tool.meshspec must be a table, [tool.meshspec]")
    return cast("dict[str, Any] | None", table)


def _shown(path: Path) -> str:
    """The file as messages name it: relative where it lies at or below the present folder."""
    try:
        return str(path.resolve().relative_to(Path(here() or os.sep).resolve()))
    except ValueError:
        return str(path)


def _toml(value: object) -> str:
    said = repr(value)
    return said if len(said) <= 80 else f"{said[:77]}..."


def _text(value: object) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    if isinstance(value, Mapping):
        return ",".join(f"{name}={size}" for name, size in cast("Mapping[str, int]", value).items())
    return ",".join(cast("tuple[str, ...]", value)) if isinstance(value, tuple) else str(value)


def of_no_model(scope: Mapping[str, int], sorts: Collection[str], file: str) -> list[str]:
    """What to tell of sizes for which no model that was checked has a sort: they may be of another, or misspelt."""
    told: list[str] = []
    for name, size in scope.items():
        if sorts and name not in sorts:
            close = difflib.get_close_matches(name, sorted(sorts), 3, 0.6)
            hint = f"did you mean {' or '.join(close)}?" if close else f"there are {', '.join(sorted(sorts))}"
            told.append(f"scope {name}={size} of {file}: no model that was checked has such a sort; {hint}")
    return told
