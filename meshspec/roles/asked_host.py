"""The child's side of a role whose policies are asked questions: load the policy, ask, say what it answered.

Loaded by path by the child of such a role (:mod:`meshspec.roles.identity_host`, :mod:`meshspec.roles.lease_host`),
with the interpreter of the environment the policy lives in. Standard library only; Python 3.9 and later. Loading, the
limits, the watch over what is written and replaced, and how values are shown are those of
:mod:`meshspec.roles.host`, whose first comment tells of the descriptors and of the first line of the protocol. Every
further line is a list of questions, each a list; each is answered, in order, by one line, a list.
"""

from __future__ import annotations

import contextlib
import importlib.util
import json
import locale
import mmap
import os
import sys
import tempfile
import threading
from types import ModuleType
from typing import Any, Callable  # noqa: UP035  # collections.abc.Callable[...] is no type before 3.9.2


def near(name: str) -> ModuleType:
    """A file of this folder, imported by its path."""
    known = f"_meshspec_{name}"
    if known not in sys.modules:
        file = os.path.join(os.path.dirname(os.path.abspath(__file__)), f"{name}.py")  # noqa: PTH100, PTH118, PTH120
        spec = importlib.util.spec_from_file_location(known, file)
        assert spec is not None and spec.loader is not None
        sys.modules[known] = module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    return sys.modules[known]


host: Any = near("host")
fence: Any = near("fence")


def ours() -> set[str]:
    """The files that are the check's own."""
    return {os.path.abspath(__file__), str(host.__file__), str(sys.modules["__main__"].__file__)}  # noqa: PTH100


def named(given: object) -> str:
    return str(host._line(str(getattr(given, "__name__", "") or host._name(given))))


def checked(
    role: str, methods: tuple[str, ...], make: Callable[[], Any], given: Callable[..., Any], signature: str
) -> dict[str, Any]:
    """Make one policy and see that it has the methods of its role. Raises ``host.Refused``."""
    file, line = host._lines(given)
    try:
        policy = make()
        found = {name: getattr(policy, name, None) for name in methods}
    except BaseException as error:
        at = host._place(error, file)
        at = at if at[0] and at[0] not in ours() else (file, line)
        made = f"; the role {role} makes it as {named(given)}{signature}" if signature != "()" else ""
        raise host.Refused("model", f"cannot be made: {host._told(error)}{made}", *at) from error
    what = host._name(policy)
    for name, method in found.items():
        if not callable(method):
            message = f"{what} has no method {name}: the role {role} needs {', '.join(methods)}"
            raise host.Refused("model", message, file, line)
        waits = [kind for kind, test in host._WAITS if test(method)]
        if waits:
            message = f"{what}.{name} is {waits[0]}: the role {role} calls it and takes what it returns"
            at = host._lines(method)
            raise host.Refused("model", message, *(at if at[0] else (file, line)))
    if not file:
        file, line = host._lines(policy.__class__)
    written, first = host._lines(found[methods[0]])
    about = {"name": named(given), "file": file or written, "line": line or first}
    return {**about, "observe": first if written == about["file"] else about["line"]}


def serve(
    role: str,
    methods: tuple[str, ...],
    made: Callable[..., Any],
    answer: Callable[..., Any],
    signature: str = "()",
) -> None:
    """Speak the protocol until the parent hangs up.

    ``made(given)`` makes a policy of what was loaded, as `signature` says; ``answer(make, question, at, file)``
    answers one question, and calls ``at(n)`` before the n-th thing that it asks of the policy.
    """
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
    with contextlib.suppress(locale.Error):  # a locale that this system has not
        locale.setlocale(locale.LC_ALL, "")
    with open(asked["progress"], "r+b") as kept:  # noqa: PTH123
        progress = memoryview(mmap.mmap(kept.fileno(), 4 * len(host.CELLS))).cast("i")
    host._limit(asked["memory"])
    where, us = asked["target"].rpartition(":")[0], os.getpid()
    own = os.path.dirname(os.path.realpath(where)) if where.endswith(".py") else os.getcwd()  # noqa: PTH109, PTH120
    fence.watch([own, tempfile.gettempdir()], progress)
    names = host._names() + [(module, dict(vars(module)), list(vars(module).values())) for module in _ours()]
    try:
        given = host._load(asked["target"], names)
        about = checked(role, methods, lambda: made(given), given, signature)
        if changed := host._replaced(names):
            message = f"it replaces {changed}, which everything runs on"
            raise host.Refused("model", message, about["file"], about["line"])
    except host.Refused as refused:
        reply(refused.told)
        return
    replaced, at = host._replaced, (about["file"], about["observe"])
    reply(about)

    def now_at(step: int) -> None:
        progress[0] = step

    for line in requests:
        for question in json.loads(line):
            progress[0], progress[1] = 0, 1
            told = answer(lambda: made(given), question, now_at, about["file"])
            progress[1] = 0
            if changed := replaced(names):
                told = ["replaced", f"it replaces {changed}, which everything runs on", *at]
            if os.getpid() != us:  # a copy that the policy made of its own process
                os._exit(0)
            if (left := threading.active_count() - 1) > progress[4]:
                progress[4], progress[7] = left, -left
            reply(told)
    os._exit(0)  # no farewell from what the policy left running


def _ours() -> list[ModuleType]:
    """Our own modules that the check runs on, beside those that the host names."""
    mine = [module for name, module in sys.modules.items() if name.startswith("_meshspec_")]
    return [sys.modules["__main__"], sys.modules[__name__], *mine]
