"""The child's side of the role `ledger`: the process of which all processes of the drills are born.

Run by path, in the environment of whoever's policy it is; standard library only, Python 3.9 and later. It loads the
policy's module and makes no policy itself. For every job, a line of JSON, it forks; the copy has a session of its
own, connects to the socket that the job names, says who it is, waits for ``go``, makes the policy and lives the life.
It answers with lines of JSON, ``call`` being the number of a call, from 1, and 0 the making of the policy::

    ["born", life, process]
    ["answer", call, word, shown]
    ["raised", call, error]            what `perform` raised came out as it was
    ["slip", call, error, file, line]  something else came out
    ["nonsense", call, shown]          what is no answer of a ledger
    ["copy"]                           a copy that the policy made of its process came back from `run`; it ends there
    ["end", lifetime, keyed]           the life is over; what the policy says of lifetimes, and whether it takes keys

A fork is a fresh process as far as the contract goes: nothing of an earlier life is in it, only the imported module.
A module that starts threads when it is imported has them in no life, and may hang there, which is UNDETERMINED.
"""

from __future__ import annotations

import contextlib
import importlib
import importlib.util
import inspect
import json
import mmap
import os
import select
import signal
import socket
import sys
import tempfile
import threading
import time
from typing import Any, Callable  # noqa: UP035  # collections.abc.Callable[...] is no type before 3.9.2


def above(name: str) -> Any:
    """A file of the folder above, imported by its path."""
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120
    spec = importlib.util.spec_from_file_location(f"_meshspec_{name}", os.path.join(folder, f"{name}.py"))  # noqa: PTH118
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


host, effects, fence = above("host"), above("effects"), above("fence")

COPIES = 0.25
"""Seconds that a life waits, at its end, for copies of its process that are still at work."""
WORDS = ("DONE", "DUPLICATE", "FAILED", "UNKNOWN", "PENDING", "CONFLICT")


def takes(function: Any, name: str) -> bool:
    """Whether a function has a parameter of that name."""
    try:
        return name in inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False


def made(given: Any, store: str, lifetime: float) -> Any:
    return given(store, lifetime=lifetime) if takes(given, "lifetime") else given(store)


def value_of(name: str) -> Any:
    if name == "a list that holds itself":
        ring: list[Any] = []
        ring.append(ring)
        return ring
    return {"a receipt": "receipt 1", "None": None}[name] if name != "an object" else object()


def error_of(name: str) -> BaseException:
    if name == "CancelledError":
        import asyncio

        return asyncio.CancelledError("the task was cancelled")
    said = {
        "RuntimeError": RuntimeError("the response could not be read"),
        "ConnectionError": ConnectionError("the connection was lost"),
        "ConnectionRefusedError": ConnectionRefusedError("nobody listens there"),
        "TimeoutError": TimeoutError("no response in time"),
        "KeyboardInterrupt": KeyboardInterrupt(),
        "SystemExit": SystemExit(1),
    }
    return said[name]


def act(world: str, line: str) -> None:
    """The effect: one line more in the world, on the disk before anything else happens."""
    file = os.open(world, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(file, line.encode())
        os.fsync(file)
    finally:
        os.close(file)


def submit(policy: Any, number: int, call: Any, job: Any, file: str) -> list[Any]:
    """One call, and what became of it."""
    own = error_of(call["error"]) if call["error"] else None

    def perform() -> Any:
        if not call["unacted"]:
            act(job["world"], f"{call['effect']}\t{job['life']}.{number}\n")
        time.sleep(call["hold"])
        if call["dies"]:
            os.kill(os.getpid(), signal.SIGKILL)
        if own is not None:
            raise own
        return value_of(call["value"])

    time.sleep(call["after"])
    effect = effects.Effect(**job["effects"][call["effect"]])
    more = {"key": call["key"]} if call["key"] is not None else {}
    try:
        answer = policy.run(effect, perform, **more)
    except BaseException as error:
        if error is own:
            return ["raised", number, type(error).__name__]
        return ["slip", number, host._told(error), *host._place(error, file)]
    if type(answer) in (tuple, list) and len(answer) == 2 and type(answer[0]) is str and answer[0] in WORDS:
        return ["answer", number, answer[0], host._shown(answer[1])]
    return ["nonsense", number, host._shown(answer)]


def live(given: Any, job: Any, file: str, tell: Callable[[list[Any]], None]) -> None:
    """Make the policy and make its calls."""
    try:
        policy = made(given, job["store"], job["lifetime"])
    except BaseException as error:
        tell(["slip", 0, host._told(error), *host._place(error, file)])
        tell(["end", None, False])
        return
    calls: list[tuple[int, Any]] = [(number, job["calls"][number - 1]) for number in range(1, len(job["calls"]) + 1)]
    if job["together"]:
        barrier = threading.Barrier(len(calls))

        def one(number: int, call: Any) -> None:
            barrier.wait()
            tell(submit(policy, number, call, job, file))

        threads = [threading.Thread(target=one, args=each) for each in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    else:
        for number, call in calls:
            tell(submit(policy, number, call, job, file))
    tell(["end", known_lifetime(given, policy), takes(policy.run, "key")])


def known_lifetime(given: Any, policy: Any) -> Any:
    """``"given"``, a number of seconds, ``"never"``, or None where the policy does not say."""
    if takes(given, "lifetime"):
        return "given"
    try:
        lifetime = policy.lifetime
    except BaseException:
        return None
    if lifetime is None:
        return "never"
    return float(lifetime) if type(lifetime) in (int, float) else None


def born(given: Any, job: Any, file: str) -> None:
    """One process of a drill, from its first breath to its last."""
    os.setsid()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    line = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    line.connect(job["socket"])
    lock = threading.Lock()
    us, getpid = os.getpid(), os.getpid
    reading, writing = os.pipe()  # whose end to write to goes on where the process is copied, and in no other program

    def tell(value: Any) -> None:
        copied = getpid() != us
        if value[0] == "end" and not copied:
            with contextlib.suppress(OSError):  # the policy may have closed them
                os.close(writing)
                select.select([reading], [], [], COPIES)
        with lock:
            line.sendall(json.dumps(["copy"] if copied else value).encode() + b"\n")
        if copied:
            os._exit(0)

    tell(["born", job["life"], os.getpid()])
    if line.recv(2) == b"go":
        live(given, job, file, tell)
    os._exit(0)  # no farewell from what the policy left running


def checked(given: Any, store: str) -> dict[str, Any]:
    """Make one policy and see that it has the method of a ledger. Raises ``host.Refused``."""
    file, line = host._lines(given)
    try:
        policy = made(given, store, 30.0)
        run = getattr(policy, "run", None)
    except BaseException as error:
        at = host._place(error, file)
        at = at if at[0] and at[0] != __file__ else (file, line)
        what = f"cannot be made of the path of a folder: {host._told(error)}"
        raise host.Refused("model", what, *at) from error
    name = host._name(policy)
    if not callable(run):
        raise host.Refused(
            "model", f"{name} has no method run(effect, perform): the role ledger needs one", file, line
        )
    written, first = host._lines(run)
    waits = [kind for kind, test in host._WAITS if test(run)]
    if waits:
        what = f"{name}.run is {waits[0]}: the role ledger calls it and takes what it returns"
        raise host.Refused("model", what, *((written, first) if written else (file, line)))
    if not file:
        file, line = host._lines(policy.__class__)
    about = {
        "name": host._line(str(getattr(given, "__name__", name))),
        "file": file or written,
        "line": line or first,
    }
    return {**about, "observe": first if written == about["file"] else about["line"]}


def probed(given: Any) -> Any:
    """What the policy is, tried in a copy of this process, since making one may start threads.

    What was imported by then is imported here as well, if it started none.
    """
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        known, imported = set(sys.modules), list[str]()
        try:
            with tempfile.TemporaryDirectory() as store:
                about = checked(given, store)
            if threading.active_count() == 1:
                imported = [name for name in sys.modules if name not in known]
        except host.Refused as refused:
            about = refused.told
        except BaseException as error:
            about = {**gone(), "message": f"cannot be made: {host._told(error)}"}
        with os.fdopen(writing, "wb") as pipe:
            pipe.write(json.dumps([about, imported]).encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        told: Any = json.loads(pipe.read() or b"[null, null]")
    os.waitpid(process, 0)
    about = told[0] or gone()
    names: list[str] = told[1] or []
    for name in names:  # once, and not again in each process of each drill
        with contextlib.suppress(Exception):  # it is imported where it is needed, or told of there
            importlib.import_module(name)
    return about


def gone() -> dict[str, Any]:
    return {"refused": "model", "message": "its process ended while it was being made", "file": "", "line": 0}


def bury(*_: Any) -> None:
    """The dead are taken down as they die."""
    while True:
        try:
            if os.waitpid(-1, os.WNOHANG)[0] == 0:
                return
        except ChildProcessError:
            return


def main() -> None:
    """Load the policy, say what it is, then bear a process for every job until the parent hangs up."""
    replies = os.fdopen(os.dup(1), "wb", buffering=0)
    requests = os.fdopen(os.dup(0), "rb")
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    asked = json.loads(requests.readline())
    sys.path[:] = [*(asked["path"] or sys.path[1:]), *asked["append"]]
    sys.argv[:] = [""]
    host._limit(asked["memory"])
    where = asked["target"].rpartition(":")[0]
    own = os.path.dirname(os.path.realpath(where)) if where.endswith(".py") else os.getcwd()  # noqa: PTH109, PTH120
    with open(asked["progress"], "r+b") as kept:  # noqa: PTH123
        cells = memoryview(mmap.mmap(kept.fileno(), 4 * len(host.CELLS))).cast("i")  # shared by all that are born
    fence.watch([own, tempfile.gettempdir()], cells)
    given = None
    try:
        given = host._load(asked["target"], host._names())
        about = probed(given)
    except host.Refused as refused:
        about = refused.told
    replies.write(json.dumps(about, separators=(",", ":")).encode() + b"\n")
    replies.close()
    if "refused" in about:
        return
    signal.signal(signal.SIGCHLD, bury)
    for line in requests:
        job = json.loads(line)
        if os.fork() == 0:
            requests.close()
            try:
                born(given, job, about["file"])
            finally:
                os._exit(1)
    os._exit(0)


if __name__ == "__main__":
    main()
