"""The child's side: load somebody's policy, show it stories, say what it did.

Run by path (``python host.py``) with the interpreter of the environment the policy lives in, which need not have
meshspec. Standard library only; Python 3.9 and later. What the policy prints goes to standard error, what it reads
is empty; the protocol has descriptors of its own, made before the policy is loaded.

The protocol is JSON, one value a line. The first line in says what to load::

    {"target": "guard.py:Guard", "path": ["/first", "/on", "/sys.path"], "append": ["/last"],
     "progress": "/a/file", "memory": 4294967296}

and is answered by ``{"name": "Guard", "file": "guard.py", "line": 3, "observe": 12}`` or by
``{"refused": "usage" | "model", "message": ..., "file": ..., "line": ...}``. Every further line is a list of stories,
each the fields of :class:`meshspec.roles.story.Story`; each story is answered, in order, by one line::

    ["done", steps]                             it never tripped
    ["trip", step, reason]                      the first step (from 1) after which it tripped
    ["raised", step, message, file, line]       it raised; step 0: while it was made
    ["nonsense", step, what it answered]        neither CONTINUE nor TRIP(reason)
    ["memory", step]                            it ran into the memory limit

Each story meets a fresh policy. The step at hand is kept in the file ``progress`` (two native 32-bit integers: step,
1 while a story is going on), so that the parent knows where a policy that never came back was.
"""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import mmap
import os
import re
import sys
import traceback
from types import ModuleType, TracebackType
from typing import Any, Callable  # noqa: UP035  # collections.abc.Callable[...] is no type before 3.9.2


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


story = _from_file("_meshspec_story", os.path.join(os.path.dirname(os.path.abspath(__file__)), "story.py"))  # noqa: PTH100, PTH118, PTH120


def _place(error: BaseException, prefer: str = "") -> tuple[str, int]:
    """The file and line to show: the deepest one in `prefer`, else the deepest that is not ours."""
    if isinstance(error, SyntaxError) and error.filename:
        return error.filename, error.lineno or 0
    frames = [(frame.filename, frame.lineno or 0) for frame in traceback.extract_tb(_skip_ours(error.__traceback__))]
    frames = [frame for frame in frames if not frame[0].startswith("<frozen")]
    chosen = [frame for frame in frames if prefer and os.path.realpath(frame[0]) == prefer] or frames
    return chosen[-1] if chosen else ("", 0)


def _skip_ours(trace: TracebackType | None) -> TracebackType | None:
    while trace is not None and trace.tb_frame.f_code.co_filename in (__file__, story.__file__):
        trace = trace.tb_next
    return trace


def _told(error: BaseException) -> str:
    """The error on one line, even when it cannot be shown."""
    try:
        said = str(error)
    except BaseException:
        said = "(its message cannot be shown)"
    return _line(f"{type(error).__name__}: {said}").rstrip(": ")


def _line(text: str, most: int = 300) -> str:
    """On one line, not too long, and fit to be printed anywhere."""
    return " ".join(text.split())[:most].encode("utf-8", "backslashreplace").decode()


_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def _shown(value: object) -> str:
    try:
        return _line(_ADDRESS.sub("", repr(value)), 200)  # an address is another one in every run
    except BaseException:
        return f"an object of type {type(value).__name__} whose repr raises"


def _load(target: str) -> Callable[[], Any]:
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


def _checked(make: Callable[[], Any]) -> dict[str, Any]:
    """Make one policy and see that it has the role's method."""
    file, line = _lines(make)
    try:
        policy = make()
        observe = getattr(policy, "observe", None)
    except BaseException as error:
        at = _place(error, file)
        raise Refused("model", f"cannot be made: {_told(error)}", *(at if at[0] else (file, line))) from error
    if not callable(observe):
        what = type(policy).__name__
        raise Refused("model", f"{what} has no method observe(step): the role breaker needs one", file, line)
    observed, observe_line = _lines(observe)
    if not file:
        file, line = _lines(policy.__class__)
    return {
        "name": getattr(make, "__name__", type(policy).__name__),
        "file": file or observed,
        "line": line or observe_line,
        "observe": observe_line if observed == file else line,
    }


def _trip(answer: Any) -> str | None:
    """The reason of a TRIP, None for anything else."""
    if isinstance(answer, str):
        return "" if answer == "TRIP" else None
    if not isinstance(answer, tuple) or len(answer) != 2:  # pyright: ignore[reportUnknownArgumentType]
        return None
    word, reason = answer  # pyright: ignore[reportUnknownVariableType]
    return _line(reason) if word == "TRIP" and isinstance(reason, str) else None


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
            if isinstance(answer, str) and answer == "CONTINUE":
                continue
            reason = _trip(answer)
            return ["nonsense", step, _shown(answer)] if reason is None else ["trip", step, reason]
    except MemoryError:
        return ["memory", step]
    except BaseException as error:
        return ["raised", step, _told(error), *_place(error, file)]
    return ["done", step]


def _limit_memory(most: int) -> None:
    try:
        import resource
    except ImportError:  # not on this system
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    resource.setrlimit(resource.RLIMIT_AS, (most if hard < 0 else min(most, hard), hard))


def main() -> None:
    """Speak the protocol until the parent hangs up."""
    replies = os.fdopen(os.dup(1), "wb", buffering=0)
    requests = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)

    def reply(value: object) -> None:
        replies.write(json.dumps(value, separators=(",", ":")).encode() + b"\n")

    asked = json.loads(requests.readline())
    sys.path[:] = [*(asked["path"] or sys.path[1:]), *asked["append"]]
    sys.argv[:] = [""]
    with open(asked["progress"], "r+b") as kept:  # noqa: PTH123
        progress = memoryview(mmap.mmap(kept.fileno(), 8)).cast("i")
    _limit_memory(asked["memory"])
    try:
        make = _load(asked["target"])
        about = _checked(make)
    except Refused as refused:
        reply(refused.told)
        return
    reply(about)
    for line in requests:
        for fields in json.loads(line):
            progress[1] = 1
            ended = _run(make, story.Story(*fields), about["file"], progress)
            progress[1] = 0
            reply(ended)
    os._exit(0)  # no farewell from what the policy left running


if __name__ == "__main__":
    main()
