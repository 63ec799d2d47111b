"""The parent's side: a policy in a child process, asked about stories, never able to harm more than itself.

The child is :mod:`meshspec.roles.host`, run by path. It has a session of its own, so that all of it can be killed; a
limit on memory; no standard input; a folder of its own for temporary files, which goes with it; and what it prints is
drained here and kept apart from the protocol.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import selectors
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO

import attrs

from meshspec.errors import MeshspecError, ModelError, UsageError, Where
from meshspec.roles import orphans
from meshspec.roles.protocol import MOST, About, Drilled, Outcome, Refusal, Spoiled, drilled, loaded, outcome
from meshspec.roles.story import Call, Story, length

_HOST = Path(__file__).with_name("host.py")
_SHOWN = 200
_CELLS = 8
_MOST_STEPS = 1 << 20
_MARK = "MESHSPEC_HOSTED"
LOADING = 6.0
"""Loading a policy may take this many times the limit of a story: imports are slow."""


@attrs.frozen
class Drill:
    """What a policy is asked to do, operation by operation: see :mod:`meshspec.roles.drill`."""

    operations: tuple[tuple[object, ...], ...]
    stories: tuple[Story, ...] = ()
    calls: tuple[Call, ...] = ()


class NotLoaded(Exception):
    """The policy never finished loading; the argument says how that ended."""


@attrs.frozen
class Launch:
    """What to load, and where.

    ``python`` is the interpreter. ``path`` replaces its ``sys.path`` unless it is empty; ``append`` goes to the end.
    ``limit`` is in seconds of wall clock for one story, ``memory`` in bytes of address space, ``environment`` what
    the child finds in its environment beside, or instead of, what is in ours. Where there is a ``zone``, a name as in
    ``TZ``, the clocks that Python reads there are the check's.
    """

    target: str
    python: str = sys.executable
    path: tuple[str, ...] = ()
    append: tuple[str, ...] = ()
    limit: float = 10.0
    memory: int = 4 << 30
    environment: tuple[tuple[str, str], ...] = ()
    zone: str = ""


class Hosted:
    """A policy in a child process of its own; a new child is started after one is gone.

    Raises :class:`UsageError` or :class:`ModelError` (with the user's file and line) where it cannot be loaded, and
    :class:`NotLoaded` where loading hangs or ends the process.
    """

    host = _HOST
    """The child's side; other roles have another."""

    def __init__(self, launch: Launch, hash_seed: int = 0, temporary: str = "") -> None:
        self.launch = launch
        self.printed = ""
        self.printed_bytes = 0
        self._hash_seed = hash_seed
        try:
            self._progress = tempfile.NamedTemporaryFile(prefix="meshspec-", suffix=".step")  # noqa: SIM115  # closed in close()
            self._progress.write(bytes(4 * _CELLS))
            self._progress.flush()
            self._own = (
                None if temporary else tempfile.TemporaryDirectory("", "meshspec-", ignore_cleanup_errors=True)
            )
        except OSError as error:
            why = "no folder takes files (see TMPDIR, and ulimit -f)" if error.filename is None else error.strerror
            raise UsageError(f"a policy needs a temporary file, and there can be none: {why}") from error
        self._temporary = temporary or str(self._own and self._own.name)
        self._child: subprocess.Popen[bytes] | None = None
        self._drain_thread: threading.Thread | None = None
        self.strays, self._last = 0, (0,) * _CELLS
        self._lines: deque[bytes] = deque()
        self._partial = b""
        try:
            self.about = self._start()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Hosted:
        return self

    def __exit__(self, *exc: object) -> None:
        self.close()

    def close(self) -> None:
        """End the child and everything it started."""
        self._end()
        if not self._progress.closed:
            self._last = self._cells()
            self._progress.close()
        if self._own is not None:
            self._own.cleanup()

    def stop(self) -> None:
        """Kill the child, so that whoever waits for its answer in another thread waits no longer."""
        child = self._child
        if child is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)

    def run(self, stories: Sequence[Story]) -> list[Outcome]:
        """Show the stories to fresh policies, in order.

        Fewer outcomes than stories come back only if the last of them is ``hung`` or ``ended``.
        """
        if self._child is None:
            try:
                self._start()
            except (NotLoaded, MeshspecError) as error:  # it loaded before
                return [Outcome("ended", 0, f"it could not be loaded again: {error}")]
        found: list[Outcome] = []
        self._send(stories)
        while len(found) < len(stories):
            told = self._line(self.launch.limit)
            try:
                found.append(
                    outcome(told, length(stories[len(found)])) if isinstance(told, bytes) else self._cut(told)
                )
            except Spoiled:
                found.append(self._cut("spoiled"))
            if self._child is None:
                break
        return found

    def drill(self, drills: Sequence[Drill]) -> list[Drilled]:
        """Put policies, fresh ones, through the drills, in order.

        Fewer answers than drills come back only if the last of them was cut short.
        """
        if self._child is None:
            try:
                self._start()
            except (NotLoaded, MeshspecError) as error:  # it loaded before
                return [Drilled((), f"it could not be loaded again: {error}", cut=True)]
        found: list[Drilled] = []
        self._send([attrs.asdict(one, recurse=False) for one in drills])
        while len(found) < len(drills) and self._child is not None:
            told = self._line(self.launch.limit)
            try:
                if not isinstance(told, bytes):
                    raise Spoiled(told)
                found.append(drilled(told, len(drills[len(found)].operations)))
            except Spoiled as how:
                cut = self._cut(str(how) or "spoiled")
                found.append(Drilled((), f"{cut.said} at operation {cut.step}", cut=True))
        return found

    def _start(self) -> About:
        self._mark = secrets.token_hex(8)
        environment = {
            **os.environ,
            **dict(self.launch.environment),
            **dict.fromkeys(("TMPDIR", "TEMP", "TMP"), self._temporary),
            _MARK: self._mark,
            "PYTHONHASHSEED": str(self._hash_seed),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONUNBUFFERED": "1",  # what is printed is told, though the process is killed in the end
            "PYTHONOPTIMIZE": "",  # asserts of a policy are executed, whatever holds for us
        }
        if not self.launch.path:  # a foreign environment: our own paths are not for it
            environment.pop("PYTHONPATH", None)
            environment.pop("PYTHONHOME", None)
        self._lines.clear()
        self._partial = b""
        orphans.begin()
        try:
            self._child = child = subprocess.Popen(
                [self.launch.python, str(self.host)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
            orphans.end(0, ())
            raise UsageError(f"the interpreter {self.launch.python} cannot be run: {error.strerror}") from error
        assert child.stderr is not None
        self._drain_thread = threading.Thread(target=self._drain, args=(child.stderr,), daemon=True)
        self._drain_thread.start()
        self._send(
            {
                "target": self.launch.target,
                "path": list(self.launch.path),
                "append": list(self.launch.append),
                "progress": self._progress.name,
                "memory": self.launch.memory,
                **({"zone": self.launch.zone} if self.launch.zone else {}),
            }
        )
        line = self._line(LOADING * self.launch.limit)
        try:
            told = loaded(line) if isinstance(line, bytes) else line
        except Spoiled:
            told = "spoiled"
        if isinstance(told, str):
            raise NotLoaded(f"{self._cut(told).said} while it was being loaded")
        if isinstance(told, Refusal):
            self._end()
            message = f"{self.launch.target}: {told.message}"
            if told.refused == "usage":
                raise UsageError(message)
            raise ModelError(message, Where(shown(told.file), told.line) if told.file else None)
        return told

    def _drain(self, stream: BinaryIO) -> None:
        """Read what the policy prints, keep the beginning, count the rest."""
        with stream:
            while chunk := os.read(stream.fileno(), 1 << 16):
                self.printed_bytes += len(chunk)
                self.printed = (self.printed + chunk.decode(errors="replace"))[:_SHOWN]

    def _send(self, value: object) -> None:
        child = self._child
        assert child is not None and child.stdin is not None
        with contextlib.suppress(BrokenPipeError):  # if it is gone, reading says how
            child.stdin.write(json.dumps(value).encode() + b"\n")
            child.stdin.flush()

    def _line(self, limit: float) -> bytes | str:
        """The next line of the protocol; ``"hung"`` after `limit` seconds, ``"ended"`` where there is none.

        ``"spoiled"`` is one that does not end.
        """
        if not self._lines:
            child = self._child
            assert child is not None and child.stdout is not None
            latest = time.monotonic() + limit  # of the whole line: a child that trickles bytes hangs too
            with selectors.DefaultSelector() as selector:
                selector.register(child.stdout, selectors.EVENT_READ)
                while not self._lines:
                    if not selector.select(max(0.0, latest - time.monotonic())):
                        return "hung"
                    chunk = os.read(child.stdout.fileno(), 1 << 16)
                    if not chunk:
                        return "ended"
                    *whole, self._partial = (self._partial + chunk).split(b"\n")
                    self._lines.extend(whole)
                    if len(self._partial) > MOST:
                        return "spoiled"
        return self._lines.popleft()

    def _cut(self, how: object) -> Outcome:
        """The outcome of a story that never came back, and the end of the child."""
        child = self._child
        assert child is not None
        said = f"it gave no answer for {self.launch.limit:g} s"
        if how == "ended":
            try:
                code = child.wait(self.launch.limit)
                said = f"its process ended ({signal.Signals(-code).name if code < 0 else f'exit code {code}'})"
            except subprocess.TimeoutExpired:
                said = "its process closed the channel it answers on"
        elif how != "hung":
            said = "its process wrote on the channel it answers on"
        self._end()
        step, going_on, *_ = self._cells()
        going_on = going_on == 1 and 0 <= step <= _MOST_STEPS  # else it wrote there itself
        return Outcome("hung" if how == "hung" else "ended", step if going_on else 0, said)

    def _cells(self) -> tuple[int, ...]:
        return struct.unpack(f"{_CELLS}i", os.pread(self._progress.fileno(), 4 * _CELLS, 0))

    def conduct(self) -> list[str]:
        """What the policy did beside answering, and what of it was refused, one line each."""
        _, _, *counts = self._last if self._progress.closed else self._cells()
        (writes, signals, threads), against = counts[:3], counts[3:]
        if any(count < 0 or abs(count + negative) > 1 for count, negative in zip(counts[:3], against, strict=True)):
            told = ["it overwrote the record of what it was refused, which is not known"]
            return told + [f"it left processes running, which were ended ({self.strays:,})"] * (self.strays > 0)
        told = [f"it wanted to write outside its own folder, and was refused ({writes:,} times)"] if writes else []
        told += [f"it wanted to signal other processes, and was refused ({signals:,} times)"] if signals else []
        told += [f"it left threads running ({threads:,})"] if threads else []
        told += [f"it left processes running, which were ended ({self.strays:,})"] if self.strays else []
        return told

    def fences(self) -> list[str]:
        """Which fences are up around the policy, which are down on this system, and what is not observed."""
        size = f"memory {self.launch.memory / (1 << 30):.3g} GiB"
        up = ["own process group", "no standard input", f"{self.launch.limit:g} s a story"]
        up += ["down: a limit on memory"] if sys.platform in ("darwin", "win32") else [size]
        strays = [] if orphans.observed() else ["processes that leave their session"]
        return up + [f"not observed: {what}" for what in ("what C code does by itself", "the network", *strays)]

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        marked = _end_marked(self._mark)
        self.strays += len(marked) + len(orphans.end(child.pid, marked))
        if self._drain_thread is not None:
            self._drain_thread.join(1.0)
        for stream in (child.stdin, child.stdout):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def _end_marked(mark: str) -> set[int]:
    """End what the child started and moved into a session of its own, by the mark in its environment.

    Only where ``/proc`` tells environments. What clears its own is found by :mod:`meshspec.roles.orphans`.
    """
    wanted, ended = f"{_MARK}={mark}".encode(), set[int]()
    for _ in range(5):  # what is being ended may start another
        found = False
        for place in Path("/proc").glob("[0-9]*/environ"):
            with contextlib.suppress(OSError):
                if wanted in place.read_bytes().split(b"\0"):
                    os.kill(int(place.parent.name), signal.SIGKILL)
                    ended.add(int(place.parent.name))
                    found = True
        if not found:
            break
        time.sleep(0.01)
    return ended


def shown(file: str) -> str:
    """A path as a person would write it: relative where it lies under the working directory."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_absolute() and path.is_relative_to(Path.cwd()) else file
