"""The child's side: what a function makes of the same things in a process of its own, and under what conditions.

Run by path (``python host.py``) with any interpreter of 3.9 or later; standard library only. One pickled job comes
in on standard input, one pickled answer goes out on what was standard output; what the function prints goes to
standard error. A job is a dictionary::

    {"path": [...], "function": ("file", path, attribute) | ("module", name, attribute) | ("pickled", bytes),
     "effects": "effects.py", "pairs": "pairs.py", "bookings": "bookings.py", "inputs": [bytes, ...],
     "turned": False, "backwards": False, "moved": False}

``turned`` fills every mapping in the opposite order first, ``backwards`` asks for the last input first, ``moved``
goes to the root folder, and calls it HOME, before the function is loaded. The answer
has ``version``, ``locale`` and ``said``, one entry for each input in the order given: ``("value", pickled)``,
``("opaque", text)`` for a value that cannot be pickled, ``("refused", text)`` for a :class:`TypeError` or a
:class:`ValueError`, ``("raised", text)`` for any other exception and an exit, ``("unread", text)`` for an input
that cannot be had there; or it has ``missing``: why the function could not be loaded.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import io
import locale
import os
import pickle
import sys
from collections.abc import Mapping
from types import ModuleType
from typing import Any, Callable, cast  # noqa: UP035  # collections.abc.Callable[...] is no type before 3.9.2

PROTOCOL = 4
MOVED = "/"
_BY_PATH = {
    "meshspec.roles.effects": "effects",
    "meshspec.roles.pairs": "pairs",
    "meshspec.adequacy.bookings": "bookings",
}


def ask(function: Callable[[Any], object], given: object) -> tuple[str, object]:
    """What the function says: ``value``, ``refused`` or ``raised``, and the value or a text."""
    try:
        value = function(given)
        if inspect.iscoroutine(value):
            value.close()  # nobody will wait for it
        return "value", value
    except (TypeError, ValueError) as error:
        return "refused", told(error)
    except (Exception, SystemExit) as error:  # to end the process is no answer; Ctrl-C is meant for who asks
        return "raised", told(error)


def told(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


def reached(module: object, attribute: str) -> Callable[[Any], object]:
    """The function of this name: in a class it is that of a fresh instance, and a class is asked for its `key`.

    Raises :class:`AttributeError` where there is no such name and :class:`TypeError` for what cannot be called.
    """
    found: Any = module
    for part in attribute.split("."):
        if inspect.isclass(found) and inspect.isfunction(inspect.getattr_static(found, part, None)):
            found = found()
        found = getattr(found, part)
    if inspect.isclass(found) and hasattr(found, "key"):
        found = found()
    if not callable(found) and hasattr(found, "key"):
        found = found.key
    if not callable(found):
        raise TypeError(f"{attribute} is a {type(found).__name__}, which nobody can call")
    return cast("Callable[[Any], object]", found)


def turned(value: object) -> object:
    """The same value, every mapping in it filled in the opposite order."""
    if type(value) is dict:
        entries = cast("dict[object, object]", value)
        return {key: turned(item) for key, item in reversed(list(entries.items()))}
    if type(value) is list:
        return [turned(item) for item in cast("list[object]", value)]
    if isinstance(value, tuple):  # a named one too, which knows how it is made
        make = cast("Callable[[object], object]", getattr(cast(object, value), "_make", tuple))
        return make([turned(item) for item in cast("tuple[object, ...]", value)])
    return value


def load(name: str, path: str) -> ModuleType:
    """The file as a module of this name."""
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise ImportError(f"{path} is no file that Python can import")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


class _Reader(pickle.Unpickler):
    """Reads what meshspec's effects and pairs are made of where there is no meshspec."""

    def __init__(self, data: bytes, job: Mapping[str, Any]) -> None:
        super().__init__(io.BytesIO(data))
        self.job = job

    def find_class(self, module: str, name: str) -> Any:
        if module in _BY_PATH and module not in sys.modules:
            plain = _BY_PATH[module]
            return getattr(sys.modules.get(plain) or load(plain, self.job[plain]), name)
        return super().find_class(module, name)


def _function(job: Mapping[str, Any]) -> Callable[[Any], object]:
    kind, *rest = job["function"]
    if kind == "pickled":
        return cast("Callable[[Any], object]", _Reader(rest[0], job).load())
    if kind == "file":
        name = os.path.splitext(os.path.basename(rest[0]))[0]  # noqa: PTH119, PTH122  # as Python itself names it
        sys.path.insert(0, os.path.dirname(rest[0]))  # noqa: PTH120
        return reached(load(name, rest[0]), rest[1])
    return reached(importlib.import_module(rest[0]), rest[1])


def _said(function: Callable[[Any], object], data: bytes, job: Mapping[str, Any]) -> tuple[str, object]:
    try:
        given: object = _Reader(data, job).load()
    except Exception as error:
        return "unread", told(error)
    kind, value = ask(function, turned(given) if job["turned"] else given)
    if kind != "value":
        return kind, value
    try:
        return "value", pickle.dumps(value, PROTOCOL)
    except Exception as error:
        return "opaque", told(error)


def answer(job: Mapping[str, Any]) -> dict[str, object]:
    """What came of a job."""
    version = ".".join(map(str, sys.version_info[:3]))
    try:
        spoken = locale.setlocale(locale.LC_ALL, "")
    except locale.Error:
        return {"version": version, "locale": ""}
    sys.path.extend(entry for entry in job["path"] if entry not in sys.path)
    if job["moved"]:
        sys.path[:] = map(os.path.abspath, sys.path)  # which lets what is no path alone
        os.environ["HOME"] = MOVED
        os.chdir(MOVED)
    try:
        function = _function(job)
    except Exception as error:
        return {"version": version, "locale": spoken, "missing": told(error)}
    inputs: list[bytes] = job["inputs"]
    order = range(len(inputs))
    said: dict[int, tuple[str, object]] = {}
    for number in reversed(order) if job["backwards"] else order:
        said[number] = _said(function, inputs[number], job)
    return {"version": version, "locale": spoken, "said": [said[number] for number in order]}


def main() -> None:
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    job = pickle.load(sys.stdin.buffer)
    pickle.dump(answer(job), out, PROTOCOL)
    out.close()


if __name__ == "__main__":
    sys.path.pop(0)  # this file's folder, which is nobody's to import from
    main()
