"""The parent's side: a policy in a child process, asked about stories, never able to harm more than itself.

The child is :mod:`meshspec.roles.host`, run by path. It has a session of its own, so that all of it can be killed; a
limit on memory; no standard input; and what it prints is drained here and kept apart from the protocol.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import struct
import subprocess
import sys
import tempfile
import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any, BinaryIO, cast

import attrs

from meshspec.errors import MeshspecError, ModelError, UsageError, Where
from meshspec.roles.story import Story

_HOST = Path(__file__).with_name("host.py")
_SHOWN = 200
LOADING = 6.0
"""Loading a policy may take this many times the limit of a story: imports are slow."""


class NotLoaded(Exception):
    """The policy never finished loading; the argument says how that ended."""


@attrs.frozen
class Launch:
    """What to load, and where.

    ``python`` is the interpreter. ``path`` replaces its ``sys.path`` unless it is empty; ``append`` goes to the end.
    ``limit`` is in seconds of wall clock for one story, ``memory`` in bytes of address space.
    """

    target: str
    python: str = sys.executable
    path: tuple[str, ...] = ()
    append: tuple[str, ...] = ()
    limit: float = 10.0
    memory: int = 4 << 30


@attrs.frozen
class About:
    """The policy as loaded: its name, the file and line it is written at, and the line of ``observe``."""

    name: str
    file: str
    line: int
    observe: int


@attrs.frozen
class Outcome:
    """How one story ended.

    ``word`` is ``done``, ``trip``, ``raised``, ``nonsense``, or, where no more can be known, ``memory``, ``hung`` or
    ``ended`` (the process was gone). ``step`` counts from 1; 0 is while the policy was being made. ``said`` is the
    reason, the error, the answer, or how the process ended; ``file`` and ``line`` are where it raised.
    """

    word: str
    step: int
    said: str = ""
    file: str = ""
    line: int = 0

    @property
    def tripped(self) -> int | None:
        return self.step if self.word == "trip" else None

    @property
    def answered(self) -> bool:
        """Whether every answer was within the contract."""
        return self.word in ("done", "trip")

    @property
    def cut(self) -> bool:
        """Whether the story was cut short from outside the policy's own code."""
        return self.word in ("memory", "hung", "ended")


class Hosted:
    """A policy in a child process of its own; a new child is started after one is gone.

    Raises :class:`UsageError` or :class:`ModelError` (with the user's file and line) where it cannot be loaded, and
    :class:`NotLoaded` where loading hangs or ends the process.
    """

    def __init__(self, launch: Launch, hash_seed: int = 0) -> None:
        self.launch = launch
        self.printed = ""
        self.printed_bytes = 0
        self._hash_seed = hash_seed
        self._progress = tempfile.NamedTemporaryFile(prefix="meshspec-", suffix=".step")  # noqa: SIM115  # closed in close()
        self._progress.write(bytes(8))
        self._progress.flush()
        self._child: subprocess.Popen[bytes] | None = None
        self._drain_thread: threading.Thread | None = None
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
        self._progress.close()

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
            if not isinstance(told, list):
                found.append(self._cut(told))
                break
            word, step, *more = told
            found.append(Outcome(word, step, *more))
        return found

    def _start(self) -> About:
        environment = {**os.environ, "PYTHONHASHSEED": str(self._hash_seed), "PYTHONDONTWRITEBYTECODE": "1"}
        if not self.launch.path:  # a foreign environment: our own paths are not for it
            environment.pop("PYTHONPATH", None)
            environment.pop("PYTHONHOME", None)
        self._lines.clear()
        self._partial = b""
        try:
            self._child = child = subprocess.Popen(
                [self.launch.python, str(_HOST)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                start_new_session=True,
            )
        except OSError as error:
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
            }
        )
        told = self._line(LOADING * self.launch.limit)
        if not isinstance(told, dict):
            raise NotLoaded(f"{self._cut(told).said} while it was being loaded")
        if "refused" in told:
            self._end()
            message = f"{self.launch.target}: {told['message']}"
            if told["refused"] == "usage":
                raise UsageError(message)
            raise ModelError(message, Where(shown(told["file"]), told["line"]) if told["file"] else None)
        return About(**told)

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

    def _line(self, limit: float) -> dict[str, Any] | list[Any] | str:
        """The next line of the protocol; ``"hung"`` after `limit` seconds, ``"ended"`` where there is none."""
        if not self._lines:
            child = self._child
            assert child is not None and child.stdout is not None
            with selectors.DefaultSelector() as selector:
                selector.register(child.stdout, selectors.EVENT_READ)
                while not self._lines:
                    if not selector.select(limit):
                        return "hung"
                    chunk = os.read(child.stdout.fileno(), 1 << 16)
                    if not chunk:
                        return "ended"
                    *whole, self._partial = (self._partial + chunk).split(b"\n")
                    self._lines.extend(whole)
        try:
            return cast("dict[str, Any] | list[Any]", json.loads(self._lines.popleft()))
        except ValueError:
            return "spoiled"

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
        step, going_on = struct.unpack("ii", os.pread(self._progress.fileno(), 8, 0))
        return Outcome("hung" if how == "hung" else "ended", step if going_on else 0, said)

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        with contextlib.suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.wait()
        if self._drain_thread is not None:
            self._drain_thread.join(1.0)
        for stream in (child.stdin, child.stdout):
            assert stream is not None
            with contextlib.suppress(BrokenPipeError):
                stream.close()


def shown(file: str) -> str:
    """A path as a person would write it: relative where it lies under the working directory."""
    path = Path(file)
    return str(path.relative_to(Path.cwd())) if path.is_absolute() and path.is_relative_to(Path.cwd()) else file
