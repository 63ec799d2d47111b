"""The files of a bundle: written in one step each, over none that is not ours; read without believing them.

A file that is read may be truncated, somebody else's, or made to do harm. It is bounded in size, decoded strictly,
and what is wrong with it is said with its line or its place in it. Nothing in it is executed or imported.
"""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NoReturn, cast

import attrs
import msgspec

from meshspec.errors import UsageError
from meshspec.report import files
from meshspec.report.bundled import FORMAT, VERSION, Bundle, Change, Move, Tale

LARGEST = 1 << 24
"""How many bytes a file of a bundle may have; those that are written have a few thousand."""

_LOOKED_AT = 4096
_LONGEST = 80
_NESTED = 40  # levels; a bundle has seven
_OURS = ("format", "version")
_KEPT = ("states", "run")  # of a bundle, what its JSON does not hold


# -- writing ---------------------------------------------------------------------------------------------------


def write(bundle: Bundle, folder: Path) -> list[Path]:
    """Write every file of a bundle; see :meth:`Bundle.write`."""
    try:
        return _write(bundle, folder)
    except OSError as error:
        raise UsageError(f"no bundle can be written into {folder}: {error.strerror}; name another folder") from None


def _write(bundle: Bundle, folder: Path) -> list[Path]:
    made: dict[str, str] = {}
    name = name_of(bundle, folder)
    made[f"{name}.json"] = json.dumps(object_of(bundle), indent=1, ensure_ascii=True) + "\n"
    if bundle.of == "policy" or bundle.run is not None:
        from meshspec.report import itf, mermaid, pytest_file  # only what is written needs them

        if bundle.run is not None:
            made[f"{name}.itf.json"] = itf.text(itf.trace(bundle, bundle.run))
        if (test := pytest_file.test(bundle, name)) is not None:
            made[f"test_{name}.py"] = test
        made[f"{name}.mmd"] = mermaid.diagram(bundle)
    paths = {folder / file: content for file, content in made.items()}
    _make(folder)
    for path in paths:
        _refuse_foreign(path)
    for path, content in paths.items():
        files.write(path, content)
    return list(paths)


def refuse_unwritable_folder(folder: Path) -> None:
    """Raise :class:`UsageError`, before anything runs, for a folder that no bundle could be written into."""
    try:
        there = next((parent for parent in (folder, *folder.absolute().parents) if parent.exists()), Path("/"))
        if not there.is_dir():
            raise UsageError(f"{there} is a file and no folder: name another folder for bundles")
        files.try_folder(there)
    except OSError as error:
        raise UsageError(f"no bundle can be written into {folder}: {error.strerror}; name another folder") from None


def _make(folder: Path) -> None:
    refuse_unwritable_folder(folder)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"the folder {folder} cannot be made: {error.strerror}; name another one") from None


def _refuse_foreign(path: Path) -> None:
    if path.exists() and not _is_ours(path):
        raise UsageError(
            f"{path} is there already and is no file of a bundle, so it is not overwritten: "
            "move it away, or name another folder"
        )


def _is_ours(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return FORMAT.encode() in file.read(_LOOKED_AT)


def name_of(bundle: Bundle, folder: Path) -> str:
    """The name of a bundle's files: the model's and the property's, fit for any file system and for an import.

    It ends in a part of a digest where it would be too long, not tell two properties apart, or be the name of
    another bundle in the folder.
    """
    said = f"{bundle.subject} {bundle.property}"
    slug = re.sub(r"[^A-Za-z0-9]+", "_", said).strip("_").lower()
    apart = f"{slug[:_LONGEST].rstrip('_')}_{_digest(bundle)}".lstrip("_")
    if len(slug) > _LONGEST or not slug or re.search(r"[^\w .:/-]", said, re.ASCII):
        return apart
    there = folder / f"{slug}.json"
    if not there.exists():
        return slug
    try:
        other = read(there)
    except UsageError:
        return slug if _is_ours(there) else apart  # a broken one of ours is written anew
    return slug if _identity(other) == _identity(bundle) else apart


def _identity(bundle: Bundle) -> tuple[object, ...]:
    return bundle.target, bundle.subject, bundle.property, tuple(bundle.without), tuple(bundle.constants.items())


def _digest(bundle: Bundle) -> str:
    return hashlib.sha256(repr(_identity(bundle)).encode("utf-8", "backslashreplace")).hexdigest()[:8]


def object_of(bundle: Bundle) -> dict[str, Any]:
    """A bundle as its JSON (``bundle-schema.json`` beside this file)."""
    whole = attrs.asdict(bundle, filter=lambda attribute, _: attribute.name not in _KEPT)
    return {"format": FORMAT, "version": VERSION, **cast("dict[str, Any]", _plain(whole))}


def _plain(value: object) -> object:
    if isinstance(value, Mapping):
        return {str(key): _plain(one) for key, one in cast("Mapping[object, object]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_plain(one) for one in cast("Iterable[object]", value)]
    return value


# -- reading ---------------------------------------------------------------------------------------------------


def read(path: Path) -> Bundle:
    """The one bundle that a file or a folder holds.

    `path` is a bundle's JSON, its trace (``.itf.json``), its test or its diagram, for which the JSON beside it is
    read, or a folder. Raises :class:`UsageError` for what is no bundle, and for a folder that holds several.
    """
    found = read_all(path)
    if len(found) > 1:
        names = ", ".join(name for name, _ in found)
        raise UsageError(f"{path} holds {len(found)} bundles ({names}): name one of these files")
    return found[0][1]


def read_all(path: Path) -> list[tuple[str, Bundle]]:
    """Every bundle that a file or a folder holds, each with the name of its file, in the order of names."""
    try:
        if path.is_dir():
            listed = sorted(file for file in path.iterdir() if file.suffix == ".json" and not _is_trace(file))
            found = [(str(file), _read(file)) for file in listed if _is_ours(file)]
            if not found:
                raise UsageError(f"{path} holds no bundle: a bundle's JSON is made by --out")
            return found
        return [(str(path), _read(_json_of(path)))]
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from None
    except ValueError as error:  # a name that none can have
        raise UsageError(f"{path} is no name of a file: {error}") from None


def _is_trace(path: Path) -> bool:
    return path.name.endswith(".itf.json")


def _json_of(path: Path) -> Path:
    if path.suffix == ".py" and path.name.startswith("test_"):
        return path.with_name(path.stem.removeprefix("test_") + ".json")
    if path.suffix == ".mmd":
        return path.with_suffix(".json")
    if path.suffix != ".json":
        raise UsageError(f"{path} is no bundle: name its .json, its .itf.json, its test_*.py or the folder")
    return path


def _read(path: Path) -> Bundle:
    told = load(path)
    if _is_trace(path) or "vars" in told:
        from meshspec.report import itf  # which needs this file

        return itf.read(told, str(path))
    return bundle_from(told, str(path))


def load(path: Path) -> dict[str, Any]:
    """The JSON object in a file; raises :class:`UsageError` with the line for what is none."""
    kind = path.stat().st_mode if path.exists() else 0
    if not stat.S_ISREG(kind):
        raise UsageError(f"{path} does not exist" if not kind else f"{path} is no regular file")
    with path.open("rb") as file:
        data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise UsageError(f"{path} has more than {LARGEST:,} bytes: no bundle is as long")
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(f"{path} is not text in UTF-8 (byte {error.start})") from None
    _refuse_nesting(text, str(path))
    try:
        told: object = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number, parse_float=_no_float)
    except json.JSONDecodeError as error:
        end = " (it ends too early: is it cut off?)" if error.pos >= len(text.rstrip()) else ""
        raise UsageError(f"{path}:{error.lineno}: {error.msg}{end}") from None
    except _Wrong as error:
        raise UsageError(f"{path}: {error}") from None
    except (ValueError, RecursionError) as error:  # an int of too many digits
        raise UsageError(f"{path} cannot be read: {error}") from None
    if not isinstance(told, dict):
        raise UsageError(f"{path} is no bundle: it is JSON, and not an object")
    return cast("dict[str, Any]", told)


class _Wrong(Exception):
    pass


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        twice = next(name for name, _ in pairs if name in seen or seen.add(name))  # type: ignore[func-returns-value]
        raise _Wrong(f"the key {twice[:60]!r} is there twice in one object")
    return found


def _no_number(name: str) -> NoReturn:
    raise _Wrong(f"{name} is no number of JSON")


def _no_float(digits: str) -> NoReturn:
    raise _Wrong(f"{digits[:40]} is no integer, and a bundle has no other numbers")


_BRACKETS = re.compile(r'"(?:[^"\\]|\\.)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)  # a string may never end


def _refuse_nesting(text: str, where: str) -> None:
    """Refuse what is nested deeper than a bundle is, before a parser follows it there."""
    depth = 0
    for found in _BRACKETS.finditer(text):
        depth += {"[": 1, "{": 1, "]": -1, "}": -1}.get(found[0], 0)
        if depth > _NESTED:
            line = text.count("\n", 0, found.start()) + 1
            raise UsageError(f"{where}:{line}: it is nested more than {_NESTED} levels deep: this is no bundle")


def bundle_from(told: Mapping[str, Any], where: str) -> Bundle:
    """A bundle from its JSON; raises :class:`UsageError` with the place in it of what is wrong."""
    if told.get("format") != FORMAT:
        raise UsageError(f'{where} is no bundle: its "format" is not "{FORMAT}"')
    if told.get("version") != VERSION or isinstance(told.get("version"), bool):
        raise UsageError(f"{where} is a bundle of version {told.get('version')!r}; this meshspec reads {VERSION}")
    bundle = converted({name: value for name, value in told.items() if name not in _OURS}, where)
    if bundle.command and not _is_command(bundle.command):  # it is shown, to be copied
        raise UsageError(f"{where}: {bundle.command[:60]!r} is no command of meshspec - at `$.command`")
    return bundle


def _is_command(text: str) -> bool:
    try:
        words = shlex.split(text)
    except ValueError:
        return False
    return words[:1] == ["meshspec"] and shlex.join(words) == text


_PARTS: dict[type, dict[str, type]] = {Bundle: {"steps": Move, "tale": Tale}, Move: {"changes": Change}}


def converted(told: Mapping[str, Any], where: str) -> Bundle:
    """The object as a bundle: every name in it known, none missing, and every value of its type."""
    _refuse_unknown(told, Bundle, "$", where)
    if missing := [name for name in attrs.fields_dict(Bundle) if name not in (*told, *_KEPT)]:
        raise UsageError(f"{where}: {missing[0]!r} is missing - at `$`")
    try:
        return msgspec.convert(told, Bundle, strict=True)
    except msgspec.ValidationError as error:
        raise UsageError(f"{where}: {error}") from None
    except (ValueError, RecursionError, OverflowError) as error:
        raise UsageError(f"{where} cannot be read: {error}") from None


def _refuse_unknown(told: object, cls: type, at: str, where: str) -> None:
    """Refuse names that a bundle does not have: one that is misspelt would go unread."""
    if not isinstance(told, Mapping):
        return
    given = cast("Mapping[str, object]", told)
    known = [name for name in attrs.fields_dict(cls) if name not in _KEPT]
    for name in given:
        if name not in known:
            raise UsageError(f"{where}: {name[:60]!r} is nothing that a bundle has - at `{at}`")
    for name, part in _PARTS.get(cls, {}).items():
        inner = given.get(name)
        if isinstance(inner, list):
            for number, one in enumerate(cast("list[object]", inner)):
                _refuse_unknown(one, part, f"{at}.{name}[{number}]", where)
        elif isinstance(inner, Mapping) and part is Change:
            for key, one in cast("Mapping[str, object]", inner).items():
                _refuse_unknown(one, part, f"{at}.{name}[{key[:60]!r}]", where)
        elif part is not Change and name in given:
            _refuse_unknown(given[name], part, f"{at}.{name}", where)
