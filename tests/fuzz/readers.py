"""The readers, each a function of bytes that comes back or raises :class:`MeshspecError`, and files to begin from.

Those of what people hand to each other (reports, bundles, settings) stand in ``tests/fuzz/handed.py``.

A reader that has a writer beside it also holds what was read against it: read again, it must be the same.
"""

from __future__ import annotations

import hashlib
import importlib.machinery
import json
import os
import struct
import sys
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast
from unittest import mock

import pytest

from meshspec import claims, pytest_plugin, targets
from meshspec.backends import certified_cache
from meshspec.cli import options
from meshspec.engines import checkpoint
from meshspec.errors import UsageError
from meshspec.lang import loading
from meshspec.roles import environments, protocol
from meshspec.roles.story import SHAPES, Story, length, unroll
from tests.engines.test_checkpoint import ABOUT, LAYERS, LAYOUT, plainly
from tests.fuzz import handed
from tests.fuzz.fence import folder
from tests.fuzz.reader import Reader, written
from tests.test_claims import SMALL

# -- the registry of claims ------------------------------------------------------------------------------------


def _claims(data: bytes) -> object:
    registry = claims.parse(data)
    claims.table(registry.rows)
    claims.summary(registry)
    return registry


# -- checkpoints -----------------------------------------------------------------------------------------------


def _checkpoint_bytes() -> bytes:
    path = folder() / "written.checkpoint"
    checkpoint.save(path, ABOUT, LAYERS)
    return path.read_bytes()


def _checkpoint(data: bytes) -> object:
    layers = checkpoint.load(written(data, "a.checkpoint"), ABOUT, LAYOUT)
    assert layers is not None
    read = plainly(layers)
    checkpoint.save(folder() / "again.checkpoint", ABOUT, layers)
    again = checkpoint.load(folder() / "again.checkpoint", ABOUT, LAYOUT)
    assert again is not None and plainly(again) == read, "a checkpoint written from what was read reads otherwise"
    return read


def _checkpoint_resealed(data: bytes) -> object:
    """With a checksum that is right, so that what is behind it is reached."""
    return _checkpoint(data + hashlib.sha256(data).digest())


# -- certificates ----------------------------------------------------------------------------------------------

_RECORD: Mapping[str, object] = {"model": "M", "seed": 0, "methods": [{"name": "go", "sizes": [["Effect", 2]]}]}
_KEY = "0" * 64


@contextmanager
def _kept_in(place: Path) -> Generator[None, None, None]:
    before = os.environ.get("MESHSPEC_CACHE")
    os.environ["MESHSPEC_CACHE"] = str(place)
    try:
        yield
    finally:
        os.environ.pop("MESHSPEC_CACHE")
        if before is not None:
            os.environ["MESHSPEC_CACHE"] = before


def _certificate_bytes() -> bytes:
    with _kept_in(folder() / "written"):
        certified_cache.remember(_KEY, _RECORD)
    return (folder() / "written" / f"{_KEY}.certificate.json").read_bytes()


def _certificate(data: bytes) -> object:
    written(data, f"{_KEY}.certificate.json")
    with _kept_in(folder()):
        found = certified_cache.recall(_KEY)
    assert found is None or isinstance(found, dict)
    return found


def _certificate_resealed(data: bytes) -> object:
    """With a checksum that is right, where there can be one."""
    try:
        body: Any = json.loads(data)
        body["checksum"] = certified_cache.checksum({key: body[key] for key in body if key != "checksum"})
        data = json.dumps(body).encode()
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError):
        pass
    return _certificate(data)


# -- what a policy's process says ------------------------------------------------------------------------------

_STORY = Story((), (0, 5))


def _first_line(data: bytes) -> object:
    try:
        return protocol.loaded(data)
    except protocol.Spoiled:
        return None


def _story_line(data: bytes) -> object:
    try:
        told = protocol.outcome(data, length(_STORY))
    except protocol.Spoiled:
        return None
    assert 0 <= told.step <= length(_STORY) and told.word in {"done", "trip", "raised", "nonsense", "memory"}
    return told


def _story(data: bytes) -> object:
    """A story as it goes to the child: what comes out there is the same story."""
    numbers = struct.unpack(f"<{len(data[:7])}B", data[:7])
    prefix, loop = tuple(numbers[:3]), tuple(number % len(SHAPES) for number in (numbers[3:6] or (0,)))
    story = Story(tuple(n % len(SHAPES) for n in prefix), loop, bool(numbers[6:] and numbers[6] % 2))
    sent: list[Any] = json.loads(json.dumps(story))
    assert list(unroll(Story(*sent))) == list(unroll(story)) and len(list(unroll(story))) == length(story)
    return story


# -- words on a command line, or in a file that stands for one ----------------------------------------------------


def _words(data: bytes) -> list[str]:
    return os.fsdecode(data).split("\0")


def _sizes(data: bytes) -> object:
    sizes = options.sizes_of(tuple(_words(data)))
    text = ",".join(f"{name}={size}" for name, size in sizes.items())
    assert options.sizes_of((text,) if text else ()) == sizes, "a scope written from what was read reads otherwise"
    return sizes


def _settings(data: bytes) -> object:
    memory, require, *rest = [*_words(data), "", ""]
    return options.settings_of(1, memory, 0, require or None), options.names(tuple(rest))


def _package(data: bytes) -> object:
    name, version = environments.parse(os.fsdecode(data))
    assert environments.parse(f"{name}=={version}") == (name, version)
    assert "/" not in name + version and not (name + version).startswith((".", "-"))
    return name, version


def _target(data: bytes) -> object:
    """What a name means; nothing is imported for it but what is shipped, for a name could mean anything here."""
    text = os.fsdecode(data)
    with (
        mock.patch.object(targets, "load_module", _no_module),
        mock.patch.object(targets, "load_file", _no_file),
        mock.patch.object(targets, "shipped_modules", _none_shipped),
    ):
        return targets.resolve(text)


_HERE = sys.modules[type(LAYOUT.model.instance).__module__]


def _no_module(name: str) -> ModuleType:
    if name == "here":
        return _HERE
    raise UsageError(f"there is no module {name[:50]!r}")


_load_file = loading.load_file


def _no_file(path: Path) -> ModuleType:
    return _load_file(path)


def _none_shipped(_: str) -> Sequence[ModuleType]:
    return (_HERE,)


# -- Python files, as text ---------------------------------------------------------------------------------------

_PYTHON = b"""from meshspec import *


@model
class Counter:
    number: int = var(0)


EVIDENCE: object = evidence(Counter)
"""


def _python(data: bytes) -> object:
    """A model file that is compiled and not run."""
    path = written(data, "model.py")

    def compiled(self: importlib.machinery.SourceFileLoader, module: ModuleType) -> None:
        self.get_code(module.__name__)

    before = set(sys.modules)
    try:
        with (
            mock.patch.object(importlib.machinery.SourceFileLoader, "exec_module", compiled),
            mock.patch.object(sys, "dont_write_bytecode", True),
        ):
            return loading.load_file(path)
    finally:
        for name in set(sys.modules) - before:
            del sys.modules[name]


def _sign(data: bytes) -> object:
    """Whether pytest finds that a file states evidence."""
    parent: Any = _PARENT
    with mock.patch.object(pytest.Module, "from_parent", _collected):
        return cast(object, pytest_plugin.pytest_collect_file(written(data, "evidence.py"), parent))


def _nothing(_: object) -> tuple[str, ...]:
    return ()


_PARENT = SimpleNamespace(config=SimpleNamespace(getini=_nothing), session=SimpleNamespace(isinitpath=_nothing))


def _collected(parent: object, path: Path) -> Path:
    return path


def _readers() -> tuple[Reader, ...]:
    kept, certificate = _checkpoint_bytes(), _certificate_bytes()
    host = [
        b'{"name": "Guard", "file": "guard.py", "line": 3, "observe": 12}',
        b'{"refused": "usage", "message": "there is no module x", "file": "", "line": 0}',
        b'{"refused": "model", "message": "it cannot be loaded", "file": "guard.py", "line": 7}',
    ]
    told = [
        b'["done", 54]', b'["trip",4,"four equal calls"]', b'["raised",0,"ValueError: x","guard.py",9]',
        b'["nonsense",1,"None"]', b'["memory",1]',
    ]  # fmt: skip
    return (
        *handed.readers(),
        Reader("claims", _claims, (SMALL.encode(),)),
        Reader("checkpoint", _checkpoint, (kept,), sealed=True),
        Reader("checkpoint-resealed", _checkpoint_resealed, (kept[:-32],)),
        Reader("certificate", _certificate, (certificate,)),
        Reader("certificate-resealed", _certificate_resealed, (certificate,)),
        Reader("host-first-line", _first_line, tuple(host)),
        Reader("host-story-line", _story_line, tuple(told)),
        Reader("story", _story, (bytes(7), b"\1\2\3\4\5\6\7")),
        Reader("scope", _sizes, (b"Effect=3", b"Effect=3,Worker=2\0Other=1")),
        Reader("settings", _settings, (b"4G\0proved\0crash,lose", b"500M", b"1000000\0exhaustive")),
        Reader("package", _package, (b"Agent_Loop.Guard==0.1.1", b"pybreaker==1.4.1")),
        Reader("target", _target, (b"here:Mixed", b"Mixed")),
        Reader("python", _python, (_PYTHON,)),
        Reader("evidence-sign", _sign, (_PYTHON,)),
    )


READERS: Mapping[str, Reader] = {reader.name: reader for reader in _readers()}

for _reader in READERS.values():  # what is imported or made on first use is, before there is a fence
    for _seed in _reader.seeds:
        _reader.read(_seed)
