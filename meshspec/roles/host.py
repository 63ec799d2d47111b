"""The child's side: load somebody's policy, show it stories, say what it did.

Run by path (``python host.py``) with the interpreter of the environment the policy lives in, which need not have
meshspec. Standard library only; Python 3.9 and later. What the policy prints goes to standard error, what it reads
is empty; the protocol has descriptors of its own, made before the policy is loaded.

The protocol is JSON, one value a line. The first line in says what to load::

    {"target": "guard.py:Guard", "path": ["/first", "/on", "/sys.path"], "append": ["/last"],
     "progress": "/a/file", "memory": 4294967296, "zone": "a TZ, where the clocks are to be ours"}

and is answered by ``{"name": "Guard", "file": "guard.py", "line": 3, "observe": 12, "offers": ["reset"]}`` or by
``{"refused": "usage" | "model", "message": ..., "file": ..., "line": ...}``. Every further line is a list of stories,
each the fields of :class:`meshspec.roles.story.Story`, and of drills (see :mod:`meshspec.roles.drill`), each
``{"stories", "calls", "operations"}``; each is answered, in order, by one line::

    ["done", steps]                             it never tripped
    ["trip", step, reason]                      the first step (from 1) after which it tripped
    ["raised", step, message, file, line]       it raised; step 0: while it was made
    ["nonsense", step, what it answered]        neither CONTINUE nor TRIP(reason)
    ["memory", step]                            it ran into the memory limit
    ["drilled", answers, said, file, line]      of a drill; said is what it raised, or answered that is no decision

Each story meets a fresh policy. The file ``progress`` holds native 32-bit integers: the step at hand and 1 while a
story is going on, so that the parent knows where a policy that never came back was; then how often it wanted to
write outside its own folder, to signal another process, and how many threads it left (:data:`CELLS`); then the same
three negated, so that what wrote over them is found out.

A policy that replaces what everything in its process runs on (a built-in function, the protocol's own) raised, at
that step. What it may write is watched by CPython's audit events; C code that writes by itself is not observed.
"""

from __future__ import annotations

import builtins
import importlib
import importlib.util
import inspect
import json
import mmap
import operator
import os
import re
import reprlib
import sys
import tempfile
import threading
import traceback
from types import ModuleType, TracebackType
from typing import Any, Callable  # noqa: UP035  # collections.abc.Callable[...] is no type before 3.9.2

CELLS = ("step", "going on", "writes", "signals", "threads", "-writes", "-signals", "-threads")
LARGEST_FILE = 1 << 30


class Refused(Exception):
    """The policy cannot be loaded; the arguments are those of the protocol's line."""

    def __init__(self, kind: str, message: str, file: str = "", line: int = 0) -> None:
        super().__init__(message)
        self.told = {"refused": kind, "message": message, "file": file, "line": line}


def _from_file(name: str, file: str) -> ModuleType:
    """Import a file by its path; it is registered under `name`, so that dataclasses in it work."""
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise Refused("usage", f"{file} is not a Python file")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _beside(name: str) -> Any:
    folder = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120
    return _from_file(f"_meshspec_{name}", os.path.join(folder, f"{name}.py"))  # noqa: PTH118


story, fence, clocks, drill = _beside("story"), _beside("fence"), _beside("clocks"), _beside("drill")


def _place(error: BaseException, prefer: str = "") -> tuple[str, int]:
    """The file and line to show: the deepest one in `prefer`, else the deepest that is not ours."""
    if isinstance(error, SyntaxError) and error.filename:
        return error.filename, error.lineno or 0
    frames = [(frame.filename, frame.lineno or 0) for frame in traceback.extract_tb(_skip_ours(error.__traceback__))]
    frames = [frame for frame in frames if not frame[0].startswith("<frozen")]
    chosen = [frame for frame in frames if prefer and os.path.realpath(frame[0]) == prefer] or frames
    return chosen[-1] if chosen else ("", 0)


def _skip_ours(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_frame.f_code.co_filename in (__file__, story.__file__, drill.__file__):
        trace = trace.tb_next
    return trace


def _told(error: BaseException) -> str:
    """The error on one line, even when it cannot be shown."""
    try:
        said = str(error)
    except BaseException:
        said = "(its message cannot be shown)"
    return _line(f"{_name(error)}: {said}").rstrip(": ")


_type_name = type.__dict__["__name__"].__get__


def _name(value: object) -> str:
    """The name of a value's type, whatever its metaclass makes of the question."""
    return _type_name(type(value))  # type: ignore[no-any-return]


def _line(text: str, most: int = 300) -> str:
    """On one line, not too long, and fit to be printed anywhere."""
    return (
        " ".join(str.__getitem__(text, slice(0, 8 * most)).split())[:most]
        .encode("utf-8", "backslashreplace")
        .decode()
    )


_SHORT = reprlib.Repr()  # looks no deeper and no further than can be shown: what is nested may be gigantic
_SHORT.maxlevel = 6
_SHORT.maxlist = _SHORT.maxtuple = _SHORT.maxdict = _SHORT.maxset = _SHORT.maxfrozenset = _SHORT.maxdeque = 40
_SHORT.maxstring = _SHORT.maxlong = _SHORT.maxother = 800
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def _shown(value: object) -> str:
    try:
        if issubclass(type(value), (str, bytes)):  # the beginning of what may be gigantic
            base: Any = str if issubclass(type(value), str) else bytes
            value = base.__getitem__(value, slice(0, 400))
        return _line(_ADDRESS.sub("", _SHORT.repr(value)), 200)  # an address is another one in every run
    except BaseException:
        return f"an object of type {_name(value)} whose repr raises"


def _load(target: str, names: _Names) -> Callable[[], Any]:
    """The class or factory that `target` names: ``module:attr`` or ``path.py:attr``."""
    where, colon, attr = target.rpartition(":")
    if not colon or not where or not attr:
        raise Refused("usage", f"{target!r} is not module:attr or path.py:attr")
    try:
        if where.endswith(".py"):
            file = os.path.realpath(where)
            if not os.path.isfile(file):  # noqa: PTH113
                raise Refused("usage", f"there is no file {where}")
            sys.path.append(os.path.dirname(file))  # noqa: PTH120  # last: a file may be named like a package
            module = _from_file("_meshspec_policy", file)
        else:
            module = importlib.import_module(where)
        if changed := _replaced(names):
            raise Refused("model", f"it replaces {changed}, which everything runs on", module.__file__ or "", 1)
    except Refused:
        raise
    except BaseException as error:
        missing = error.name if isinstance(error, ModuleNotFoundError) else None
        if missing and (where == missing or where.startswith(missing + ".")):
            raise Refused("usage", f"there is no module {where}") from error
        raise Refused("model", f"cannot be loaded: {_told(error)}", *_place(error)) from error
    found: Any = module
    for part in attr.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise Refused("usage", f"{where} has no attribute {attr}") from None
    if not callable(found):
        message = f"{attr} is {_shown(found)}: a policy is a class or a function of no arguments that makes one"
        raise Refused("model", message, module.__file__ or "")
    return found  # type: ignore[no-any-return]


def _lines(thing: object) -> tuple[str, int]:
    """Where a class or function is written, as well as can be known."""
    try:
        thing = inspect.unwrap(thing)  # type: ignore[arg-type]
        return os.path.realpath(inspect.getsourcefile(thing) or ""), inspect.getsourcelines(thing)[1]  # type: ignore[arg-type]
    except (TypeError, OSError, AttributeError):
        return "", 0


_WAITS = (
    ("a coroutine function", inspect.iscoroutinefunction),
    ("an asynchronous generator", inspect.isasyncgenfunction),
    ("a generator", inspect.isgeneratorfunction),
)


def _checked(make: Callable[[], Any]) -> dict[str, Any]:
    """Make one policy and see that it has the role's method."""
    file, line = _lines(make)
    try:
        policy = make()
        observe = getattr(policy, "observe", None)
    except BaseException as error:
        at = _place(error, file)
        raise Refused("model", f"cannot be made: {_told(error)}", *(at if at[0] else (file, line))) from error
    waits = [kind for kind, test in _WAITS if test(observe)]
    if waits:
        what = f"{_name(policy)}.observe is {waits[0]}: the role breaker calls it and takes what it returns"
        raise Refused("model", what, *(_lines(observe) if _lines(observe)[0] else (file, line)))
    if not callable(observe):
        what = _name(policy)
        raise Refused("model", f"{what} has no method observe(step): the role breaker needs one", file, line)
    observed, observe_line = _lines(observe)
    if not file:
        file, line = _lines(policy.__class__)
    return {
        "name": _line(str(getattr(make, "__name__", _name(policy)))),
        "file": file or observed,
        "line": line or observe_line,
        "observe": observe_line if observed == file else line,
        "offers": drill.offers(policy),
    }


def _trip(answer: Any) -> str | None:
    """The reason of a TRIP, None for anything else."""
    if _says(answer, "TRIP"):
        return ""
    base: Any = tuple  # asked as what it really is, and not by methods of its own
    if not issubclass(type(answer), tuple) or base.__len__(answer) != 2:
        return None
    word, reason = base.__getitem__(answer, 0), base.__getitem__(answer, 1)
    return _line(str.__str__(reason)) if _says(word, "TRIP") and issubclass(type(reason), str) else None


def _says(answer: Any, word: str) -> bool:
    """Whether an answer is that word: asked of its real type, and not of what it says of itself."""
    return issubclass(type(answer), str) and str.__eq__(answer, word)


def _run(make: Callable[[], Any], tale: Any, file: str, progress: memoryview) -> list[Any]:
    """Show one story to a fresh policy and say how it ended."""
    step = 0
    progress[0] = 0
    try:
        observe = make().observe
        for call in story.unroll(tale):
            step += 1
            progress[0] = step
            answer = observe(call)
            if (type(answer) is str and answer == "CONTINUE") or _says(answer, "CONTINUE"):
                continue
            reason = _trip(answer)
            return ["nonsense", step, _shown(answer)] if reason is None else ["trip", step, reason]
    except MemoryError:
        return ["memory", step]
    except BaseException as error:
        return ["raised", step, _told(error), *_place(error, file)]
    return ["done", step]


def _word(answer: Any) -> str:
    """CONTINUE, or TRIP with its reason; raises for what is neither."""
    if _says(answer, "CONTINUE"):
        return "CONTINUE"
    reason = _trip(answer)
    if reason is None:
        raise drill.Nonsense(_shown(answer))
    return f"TRIP: {reason}" if reason else "TRIP"


def _drilled(make: Callable[..., Any], asked: Any, file: str, progress: memoryview, time: Any) -> list[Any]:
    """Put one policy, fresh at first, through a drill and say what it answered."""
    told: list[str] = []

    def at(operation: int) -> None:
        progress[0] = operation

    at(0)
    try:
        calls = [call for fields in asked["stories"] for call in story.unroll(story.Story(*fields))]
        calls += [story.Call(*fields) for fields in asked["calls"]]
        drill.Drill(make, calls, time, _word).run(asked["operations"], told, at)
    except MemoryError:
        return ["memory", progress[0]]
    except drill.Nonsense as error:
        return ["drilled", told, f"answered {error}", "", 0]
    except BaseException as error:
        return ["drilled", told, f"raised {_told(error)}", *_place(error, file)]
    return ["drilled", told, "", "", 0]


def _limit(most: int) -> None:
    """Limits on memory, on the size of a file, and no core files."""
    try:
        import resource
    except ImportError:  # not on this system
        return
    for which, limit in (
        (resource.RLIMIT_AS, most),
        (resource.RLIMIT_FSIZE, LARGEST_FILE),
        (resource.RLIMIT_CORE, 0),
    ):
        hard = resource.getrlimit(which)[1]
        resource.setrlimit(which, (limit if hard < 0 else min(limit, hard), hard))


# -- what it runs on ----------------------------------------------------------------------------------------------

_RUNS_ON = (builtins, story, json, json.encoder, sys.modules[__name__])
_Names = list[tuple[ModuleType, dict[str, Any], list[Any]]]


def _names() -> _Names:
    """What this process runs on: modules, their names, and what the names stand for."""
    return [(module, dict(vars(module)), list(vars(module).values())) for module in _RUNS_ON]


def _replaced(names: _Names, _all: Any = all, _map: Any = map, _is: Any = operator.is_, _set: Any = setattr) -> str:
    """What the policy replaced of what its process runs on; it is put back. Uses nothing that can be replaced."""
    found = ""
    for module, held, values in names:
        present = module.__dict__
        if _all(_map(_is, present.values(), values)):
            continue
        for name, value in held.items():
            if name not in present or present[name] is not value:
                _set(module, name, value)
                found = found or module.__name__ + "." + name
    return found


def main() -> None:
    """Speak the protocol until the parent hangs up."""
    replies = os.fdopen(os.dup(1), "wb", buffering=0)
    requests = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)

    def reply(value: object) -> None:
        line = json.dumps(value, separators=(",", ":")).encode() + b"\n"
        try:
            replies.write(line)
        except OSError:  # it closed what we answer on
            os._exit(1)

    asked = json.loads(requests.readline())
    sys.path[:] = [*(asked["path"] or sys.path[1:]), *asked["append"]]
    sys.argv[:] = [""]
    with open(asked["progress"], "r+b") as kept:  # noqa: PTH123
        progress = memoryview(mmap.mmap(kept.fileno(), 4 * len(CELLS))).cast("i")
    _limit(asked["memory"])
    where, us = asked["target"].rpartition(":")[0], os.getpid()
    own = os.path.dirname(os.path.realpath(where)) if where.endswith(".py") else os.getcwd()  # noqa: PTH109, PTH120
    fence.watch([own, tempfile.gettempdir()], progress)
    time = clocks.Clocks()
    if asked.get("zone"):
        clocks.install(time, asked["zone"])
    names = _names()
    try:
        make = _load(asked["target"], names)
        about = _checked(make)
        if changed := _replaced(names):
            raise Refused("model", f"it replaces {changed}, which everything runs on", about["file"], about["line"])
    except Refused as refused:
        reply(refused.told)
        return
    replaced, at = _replaced, (about["file"], about["observe"])
    reply(about)
    for line in requests:
        for fields in json.loads(line):
            progress[1] = 1
            if isinstance(fields, dict):
                ended = _drilled(make, fields, about["file"], progress, time)
            else:
                ended = _run(make, story.Story(*fields), about["file"], progress)
            progress[1] = 0
            if changed := replaced(names):
                ended = ["raised", progress[0], f"it replaces {changed}, which everything runs on", *at]
            if os.getpid() != us:  # a copy that the policy made of its own process
                os._exit(0)
            if (left := threading.active_count() - 1) > progress[4]:
                progress[4], progress[7] = left, -left
            reply(ended)
    os._exit(0)  # no farewell from what the policy left running


if __name__ == "__main__":
    main()
