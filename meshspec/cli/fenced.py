"""The command in a child process of its own: what an author's code does to it ends there, and is told.

The child has a process group, no standard input, a limit on memory and no core files; what is written past Python's
own streams is kept apart. Who waits for it is :mod:`meshspec.cli.waiting`.
"""

from __future__ import annotations

import atexit
import contextlib
import errno
import faulthandler
import io
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NoReturn, cast

from meshspec.answer import Finding, exit_code
from meshspec.cli.waiting import DUMP, HANDED_ON, STOPS, USAGE, Parent, Pipes
from meshspec.errors import UsageError
from meshspec.lang.asserting import OPTIMIZED
from meshspec.lang.fences import LIMIT, Fences, present, watching
from meshspec.lang.pulse import Pulse

UNDETERMINED, BUG = 3, 70
_SEARCH, _SPARE = 4 << 30, 2 << 30
_LONG = 1e6
_DESCRIPTORS = 32  # of the pipes, our streams, files that are imported, and a policy's process


def run(command: Callable[[], int], *, reads: bool = False) -> int:
    """The exit code of a command, run behind fences; in this process where the system cannot fork.

    `reads` is for a command that its user types into: it keeps its standard input and its place at the terminal.
    """
    if sys.flags.optimize:
        return _refused(OPTIMIZED)
    if not hasattr(os, "fork") or threading.active_count() > 1:
        with watching() as fences:
            fences.down += ["a process of its own", "no standard input", "a limit on memory"]
            return command()
    for number in range(3):  # a stream that whoever started us closed: no pipe of ours may take its place
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:  # pyright: ignore[reportUnnecessaryComparison]
            stream.flush()
    try:
        _room_for_descriptors()
        pipes, pulse = Pipes(), Pulse()
    except OSError as error:
        if error.errno in (errno.EMFILE, errno.ENFILE):
            return _refused(f"too few file descriptors: at least {_DESCRIPTORS} must be free (see ulimit -n)")
        return _refused(f"the system does not give what the process of the check needs: {error.strerror}")
    handed = {*HANDED_ON, *STOPS, signal.SIGCHLD}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, handed)
    try:
        child = os.fork()
    except OSError as error:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return _refused(f"the process of the check cannot be started: {error.strerror}")
    if not child:
        _child(command, pulse, pipes, before, reads)
    return Parent(child, pulse, pipes, reads).watch(before)


def _refused(why: str) -> int:
    with contextlib.suppress(OSError, AttributeError):  # where standard error is closed, the exit code says it
        print(f"meshspec: {why}", file=sys.stderr)
    return USAGE


def _room_for_descriptors() -> None:
    """Raises :class:`OSError` where there are fewer left than a run needs: it would fail in the middle."""
    taken: list[int] = []
    try:
        for _ in range(_DESCRIPTORS):
            taken.append(os.dup(0))
    finally:
        for number in taken:
            os.close(number)


def memory(most: int) -> None:
    """Limit the memory of the process: twice what a search may hold, and some to spare, but no more than there is."""
    fences = present()
    if fences is None or fences.memory is None:
        return
    limit = min(_there_is(), 2 * most + _SPARE)
    with contextlib.suppress(OSError, ValueError):
        fences.memory = _limit_memory(limit)


def time_limit(seconds: float) -> None:
    """How long one call of an author's code may take; raises :class:`UsageError` for what is no such time."""
    if not 0 <= seconds < _LONG:
        raise UsageError(f"--time-limit {seconds:g}: give a number of seconds, or 0 for no limit")
    if (fences := present()) is not None and seconds != LIMIT:
        fences.limit = seconds


def said(findings: Iterable[Finding]) -> None:
    """Tell whoever waits for this process what was said so far, should it not come to its end."""
    if (fences := present()) is not None and (found := list(findings)):
        fences.pulse.cells[Pulse.WORST] = exit_code(found) + 1


def notes() -> list[str]:
    """What the author's code did beside what it was asked for; raises where our own answers depend on it."""
    fences = present()
    if fences is None:
        return []
    fences.whole()
    return fences.notes()


def judged(facts: Mapping[str, object]) -> list[str]:
    """What a policy did beside answering; its own fences are named beside those of this process."""
    fences = present()
    if fences is not None:
        fences.around = [str(name) for name in cast("list[object]", facts.get("fences", []))]
    return [str(line) for line in cast("list[object]", facts.get("did", []))]


def names() -> list[str]:
    """Which fences were up, which were down, and what is not observed."""
    fences = present()
    return fences.names() if fences is not None else []


def line() -> str:
    """The same in one line, which is the same on every machine; empty where no file of an author's was imported."""
    fences = present()
    if fences is None or not (fences.loaded or fences.around):
        return ""
    names = fences.names()
    mark = "not observed: "
    known = [_unmeasured(name) for name in names if not name.startswith(mark)]
    unseen = [name.removeprefix(mark) for name in names if name.startswith(mark)]
    return f"fences: {', '.join(known)}; not observed: {', '.join(unseen)}"


def _unmeasured(name: str) -> str:
    return "a limit on memory" if name.startswith("memory ") else name


# -- the child ---------------------------------------------------------------------------------------------------


def _child(command: Callable[[], int], pulse: Pulse, pipes: Pipes, mask: set[int], reads: bool) -> NoReturn:
    code = BUG
    leave = os._exit
    try:
        with watching(LIMIT, pulse) as fences:
            try:
                fences.down += _apart(pipes, fences, reads)
                fences.intact = intact = _guard(pipes, fences, leave)
                try:
                    signal.pthread_sigmask(signal.SIG_SETMASK, mask)
                    code = command()
                finally:
                    intact()
                signal.pthread_sigmask(signal.SIG_BLOCK, HANDED_ON)
            except KeyboardInterrupt:  # also while the commands are loaded
                signal.pthread_sigmask(signal.SIG_BLOCK, HANDED_ON)
                print("meshspec: interrupted; nothing was concluded", file=sys.stderr)
                code = UNDETERMINED
        for stream in (sys.stdout, sys.stderr):
            with contextlib.suppress(OSError, ValueError):
                stream.flush()
        fences.intact()
        atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]  # there is no public word for it
        pulse.cells[Pulse.DONE] = code + 1
    except BaseException as error:
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        leave(code)


def _apart(pipes: Pipes, fences: Fences, reads: bool) -> list[str]:
    """Put up the fences of a process; gives the names of those that could not be."""
    down: list[str] = []
    os.close(pipes.aside[0])
    os.close(pipes.trace[0])
    os.close(pipes.alive[1])
    if reads:
        down += ["own process group", "no standard input"]
    else:
        os.setpgid(0, 0)
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)
        fences.up += ["own process group", "no standard input"]
        _end_with_parent(pipes.alive[0])
        signal.signal(signal.SIGTTOU, signal.SIG_IGN)  # in the background of a terminal, and may write to it
    fences.aside = (pipes.aside[1], *_own_streams(fences.pulse))
    os.set_blocking(pipes.trace[1], False)
    faulthandler.enable(pipes.trace[1], all_threads=False)
    if DUMP is not None:
        faulthandler.register(DUMP, pipes.trace[1], all_threads=False)

    def interrupted(_number: int, _frame: object) -> None:
        fences.interrupted = True
        raise KeyboardInterrupt

    def ignored(told: sys.UnraisableHookArgs) -> None:
        if issubclass(told.exc_type, KeyboardInterrupt):
            fences.lost = True  # the next tick raises it again
        elif not fences.interrupted:  # after Ctrl-C there are objects half made, and not all can be unmade
            sys.__unraisablehook__(told)

    sys.unraisablehook = ignored
    fences.hears = True
    for number in HANDED_ON:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupted)
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        fences.memory = _limit_memory(min(_there_is(), 2 * _SEARCH + _SPARE))
        fences.limit_memory = _limit_memory
    except (ImportError, OSError, ValueError):
        down.append("a limit on memory")
    return down


def _guard(pipes: Pipes, fences: Fences, leave: Callable[[int], NoReturn]) -> Callable[[], None]:
    """A look at the descriptors we speak through: where one was closed or replaced, the process ends and says so.

    What it says, it says in memory, and whoever waits says it aloud. It uses nothing that can be replaced since.
    """
    fstat, cells, cut = os.fstat, fences.pulse.cells, Pulse.CUT
    assert fences.aside is not None
    numbers = (0, *fences.aside, pipes.trace[1], pipes.alive[0])  # 1 and 2 are aside at times, and put back
    _CHANNELS.update((number, (fstat(number).st_dev, fstat(number).st_ino)) for number in numbers)
    given = _CHANNELS

    def intact() -> None:
        for number, (device, node) in given.items():
            try:
                now = fstat(number)
                whole = now.st_dev == device and now.st_ino == node
            except OSError:
                whole = False
            if not whole:
                cells[cut] = 1
                leave(USAGE)

    return intact


_CHANNELS: dict[int, tuple[int, int]] = {}


def write_no_more() -> None:
    """Let what is still written to standard output go nowhere: its reader went away."""
    number = sys.stdout.fileno()
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)
    if number in _CHANNELS:  # ours to replace
        now = os.fstat(number)
        _CHANNELS[number] = now.st_dev, now.st_ino


class _Voice(io.FileIO):
    """A descriptor of our own, and how often something was written to it: whoever waits looks for that."""

    def __init__(self, number: int, pulse: Pulse) -> None:
        super().__init__(number, "w")
        self._pulse = pulse

    def write(self, data: Any, /) -> int:
        self._pulse.cells[Pulse.WORDS] += 1
        return super().write(data)


def _end_with_parent(alive: int) -> None:
    """Have the system end the group when nobody waits for it any more; where it cannot, Ctrl-C does not reach it."""
    if sys.platform == "linux":
        import fcntl

        fcntl.fcntl(alive, fcntl.F_SETOWN, -os.getpgrp())
        fcntl.fcntl(alive, getattr(fcntl, "F_SETSIG", 10), signal.SIGKILL)  # 10: since Python 3.12 it has a name
        fcntl.fcntl(alive, fcntl.F_SETFL, fcntl.fcntl(alive, fcntl.F_GETFL) | os.O_ASYNC)


def _own_streams(pulse: Pulse) -> tuple[int, int]:
    """Descriptors of our own for what we print: 1 and 2 go aside while an author's code is read."""
    copies: list[int] = []
    for name, number in (("stdout", 1), ("stderr", 2)):
        stream, kept = getattr(sys, name), os.dup(number)
        copies.append(kept)
        if stream is not None and stream is getattr(sys, f"__{name}__"):
            ours = io.TextIOWrapper(
                io.BufferedWriter(_Voice(kept, pulse)),
                stream.encoding,
                stream.errors,
                line_buffering=stream.line_buffering,
                write_through=stream.write_through,
            )
            setattr(sys, name, ours)
            setattr(sys, f"__{name}__", ours)
        else:  # what is written there is not counted
            pulse.cells[Pulse.WORDS] = 1
    return copies[0], copies[1]


def _there_is() -> int:
    """Bytes of memory that the machine has, or the group of processes we are in may use."""
    most = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for place in ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"):
        with contextlib.suppress(OSError, ValueError), open(place, encoding="ascii") as told:  # noqa: PTH123
            most = min(most, int(told.read()))
    return most


def _limit_memory(limit: int) -> int:
    """Limit what the process may write to, where the system counts that: a solver maps much and uses little.

    Gives the limit there is now, which may have been lower from outside.
    """
    import resource

    if sys.platform == "darwin":  # takes the limit and does nothing about it
        raise OSError(errno.ENOSYS, "no such limit here")
    which = resource.RLIMIT_DATA if sys.platform == "linux" else resource.RLIMIT_AS
    hard = resource.getrlimit(which)[1]
    limit = limit if hard < 0 else min(limit, hard)
    resource.setrlimit(which, (limit, hard))
    return limit
