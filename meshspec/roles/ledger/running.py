"""A drill is run: its processes are born, watched, killed; what the world saw is read from the world's own file."""

from __future__ import annotations

import contextlib
import os
import selectors
import signal
import socket
import tempfile
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Literal

import attrs
import msgspec

from meshspec.errors import MeshspecError
from meshspec.roles.hosted import Hosted, Launch, NotLoaded
from meshspec.roles.ledger.contract import Word
from meshspec.roles.ledger.drills import EFFECTS, Drill, Life
from meshspec.roles.ledger.killer import Killer, Write

_MOST = 1 << 20
_Count = Annotated[int, msgspec.Meta(ge=0, le=1 << 31)]
_Text = Annotated[str, msgspec.Meta(max_length=10_000)]
_FORGED = "something else than the check answered on the channel of its process"
Kind = Literal["answer", "raised", "slip", "nonsense"]


class _Born(msgspec.Struct, array_like=True, tag="born", forbid_unknown_fields=True):
    life: _Count
    process: _Count


class _Answer(msgspec.Struct, array_like=True, tag="answer", forbid_unknown_fields=True):
    call: _Count
    word: Word
    shown: _Text


class _Raised(msgspec.Struct, array_like=True, tag="raised", forbid_unknown_fields=True):
    call: _Count
    error: _Text


class _Slip(msgspec.Struct, array_like=True, tag="slip", forbid_unknown_fields=True):
    call: _Count
    error: _Text
    file: _Text
    line: _Count


class _Nonsense(msgspec.Struct, array_like=True, tag="nonsense", forbid_unknown_fields=True):
    call: _Count
    shown: _Text


class _Copy(msgspec.Struct, array_like=True, tag="copy", forbid_unknown_fields=True):
    pass


class _End(msgspec.Struct, array_like=True, tag="end", forbid_unknown_fields=True):
    lifetime: float | Literal["given", "never"] | None
    keyed: bool


_Line = _Born | _Answer | _Raised | _Slip | _Nonsense | _Copy | _End
_LINES: msgspec.json.Decoder[_Line] = msgspec.json.Decoder(
    _Born | _Answer | _Raised | _Slip | _Nonsense | _Copy | _End
)


@attrs.frozen
class Told:
    """What became of one call, or of making the policy: as :mod:`meshspec.roles.ledger.child` says it."""

    kind: Kind
    said: str
    value: str = ""
    file: str = ""
    line: int = 0

    @property
    def word(self) -> str:
        """The word of an answer; empty for anything else."""
        return self.said if self.kind == "answer" else ""


@attrs.frozen
class Act:
    """One line of the world: which effect, and the name of the call in which it was performed."""

    effect: str
    call: str


@attrs.define
class Seen:
    """One run of a drill: what was told, what the world saw in order, who was killed, and what was cut short.

    ``ended`` has for each life ``"lived"``, ``"killed"`` (after its `writes`) or ``"died"`` (in any other way);
    ``lifetime`` and ``keyed`` are what the policy says of itself.
    """

    drill: Drill
    told: dict[str, Told] = attrs.field(factory=dict[str, Told])
    world: list[Act] = attrs.field(factory=list[Act])
    ended: dict[int, str] = attrs.field(factory=dict[int, str])
    writes: dict[int, list[Write]] = attrs.field(factory=dict[int, list[Write]])
    lifetime: object = None
    keyed: bool = False
    cut: str = ""

    def acts(self, effect: str = "pay") -> list[Act]:
        return [act for act in self.world if act.effect == effect]

    def note(self, life: int, line: _Line) -> None:
        """Take down one line that a life told; one that cannot be its own cuts the drill short."""
        match line:
            case _Answer(call, word, shown):
                self._take(life, call, Told("answer", word, shown))
            case _Raised(call, error):
                self._take(life, call, Told("raised", error))
            case _Slip(call, error, file, number):
                self._take(life, call, Told("slip", error, "", file, number))
            case _Nonsense(call, shown):
                self._take(life, call, Told("nonsense", shown))
            case _End(lifetime, keyed):
                self.ended[life], self.lifetime, self.keyed = "lived", lifetime, keyed
                lives = [each for stage in self.drill.stages for each in stage]
                calls = range(1, len(lives[life - 1].calls) + 1) if life <= len(lives) else ()
                if f"{life}.0" not in self.told and not all(f"{life}.{call}" in self.told for call in calls):
                    self.cut = self.cut or _FORGED
            case _Copy():
                self.cut = self.cut or "a copy that it made of its process came back from run as well"
            case _Born():
                self.cut = self.cut or _FORGED

    def _take(self, life: int, call: int, told: Told) -> None:
        if f"{life}.{call}" in self.told:
            self.cut = self.cut or _FORGED
        self.told[f"{life}.{call}"] = told

    def alike(self) -> list[object]:
        """What must be the same whenever a sequential drill is run."""
        told = sorted((call, told.kind, told.word) for call, told in self.told.items())
        return [told, [(act.effect, act.call) for act in self.world]]


class _Nursery(Hosted):
    """The process of which those of the drills are born; see :mod:`meshspec.roles.ledger.child`."""

    host = Path(__file__).with_name("child.py")

    def bear(self, job: object) -> None:
        if self._child is None or self._child.poll() is not None:
            self._end()
            self._start()
        self._send(job)


class _Newborn:
    """The line to one process of a drill."""

    def __init__(self, line: socket.socket) -> None:
        self.line = line
        self.life = self.process = 0
        self._rest = b""

    def lines(self) -> list[_Line] | None:
        """What it tells next; None at its end, which is also where it says what no child says."""
        try:
            chunk = self.line.recv(1 << 16)
            *whole, self._rest = (self._rest + chunk).split(b"\n")
            return [_LINES.decode(text) for text in whole] if chunk and len(self._rest) < _MOST else None
        except (OSError, ValueError, RecursionError):
            return None

    def more(self) -> bool:
        """Whether anything was told after the end."""
        with contextlib.suppress(OSError):
            self.line.setblocking(False)
            self._rest += self.line.recv(1 << 16)
        return bool(self._rest)

    def go(self) -> None:
        with contextlib.suppress(OSError):  # where it is gone, its line says so
            self.line.sendall(b"go")

    def over(self, until: float) -> bool:
        """Whether the process is gone by then."""
        while True:
            with contextlib.suppress(ChildProcessError):  # an orphan, if the one that bore it is gone
                os.waitpid(self.process, os.WNOHANG)
            try:
                os.kill(self.process, 0)
            except ProcessLookupError:
                return True
            if time.monotonic() >= until:
                return False
            time.sleep(0.002)

    def end(self) -> None:
        """Kill it, with all that is left in its session."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process, signal.SIGKILL)


class Runner:
    """Runs drills of one policy, each in a fresh folder; `limit` is in seconds for one stage."""

    def __init__(self, launch: Launch) -> None:
        self.limit = launch.limit
        self.runs = 0
        self._stack = ExitStack()
        try:
            self._scratch = self._stack.enter_context(
                tempfile.TemporaryDirectory(prefix="meshspec-", ignore_cleanup_errors=True)
            )
            self.nurseries = [self._nursery(launch, seed) for seed in (1, 2)]
            self._server = self._stack.enter_context(socket.socket(socket.AF_UNIX, socket.SOCK_STREAM))
            self._server.bind(f"{self._scratch}/line")
            self._server.listen(16)
        except BaseException:
            self._stack.close()
            raise

    def _nursery(self, launch: Launch, seed: int) -> _Nursery:
        nursery = _Nursery(launch, seed, self._scratch)  # where the drills have their folders as well
        self._stack.callback(nursery.close)
        return nursery

    def __enter__(self) -> Runner:
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    def run(self, drill: Drill) -> Seen:
        """Run the drill. Raises :class:`~meshspec.roles.ledger.killer.CannotKill` where it cannot be."""
        self.runs += 1
        seen, number = Seen(drill), 0
        with tempfile.TemporaryDirectory(dir=self._scratch, ignore_cleanup_errors=True) as folder:
            place = Path(folder)
            (place / "store").mkdir()
            (place / "world").touch()
            for position, stage in enumerate(drill.stages):
                if position:
                    time.sleep(drill.pause)
                try:
                    self._stage(seen, stage, number, place)
                except (NotLoaded, MeshspecError) as error:  # it loaded before
                    seen.cut = f"it could not be loaded again: {error}"
                if seen.cut:
                    break
                number += len(stage)
            for line in (place / "world").read_text(encoding="utf-8").splitlines():
                seen.world.append(Act(*line.split("\t")))
        return seen

    def _stage(self, seen: Seen, stage: Sequence[Life], before: int, place: Path) -> None:
        """Bear the lives of a stage, let them go together, listen until they are over, and see that they are."""
        lives = dict(enumerate(stage, before + 1))
        latest = time.monotonic() + self.limit + sum(call.hold + call.after for life in stage for call in life.calls)
        for number, life in lives.items():
            self.nurseries[life.hashing].bear(_job(number, life, seen.drill, place, f"{self._scratch}/line"))
        with ExitStack() as stack:
            born: dict[int, _Newborn] = {}
            while len(born) < len(lives):
                newborn = self._accept(latest)
                if newborn is None:
                    seen.cut = "a process of the drill did not begin"
                    return
                stack.callback(newborn.line.close)
                stack.callback(newborn.end)
                born[newborn.life] = newborn
            killers = {n: Killer(born[n].process, life.kill) for n, life in lives.items() if life.kill is not None}
            with ExitStack() as watch:
                for each in killers.values():
                    watch.enter_context(each)
                for newborn in born.values():
                    newborn.go()
                self._listen(seen, born, latest)
            for newborn in born.values() if seen.cut else ():
                newborn.end()
            for number, newborn in born.items():
                killer = killers.get(number)
                if killer is not None:
                    seen.writes[number] = killer.writes
                    seen.cut = seen.cut or killer.refused
                ended = seen.ended.setdefault(number, "killed" if killer is not None and killer.killed else "died")
                if ended == "died" and not any(call.dies for call in lives[number].calls):
                    seen.cut = seen.cut or "its process ended"
                if not newborn.over(latest + self.limit):
                    seen.cut = seen.cut or "a process of the drill does not end"
                elif ended == "lived" and newborn.more():
                    seen.cut = seen.cut or _FORGED

    def _accept(self, latest: float) -> _Newborn | None:
        """The next process that says it is born."""
        try:
            self._server.settimeout(max(0.01, latest - time.monotonic()))
            newborn = _Newborn(self._server.accept()[0])
        except TimeoutError:
            return None
        newborn.line.settimeout(max(0.01, latest - time.monotonic()))
        told = newborn.lines()
        if not told or not isinstance(told[0], _Born):
            newborn.line.close()
            return None
        newborn.life, newborn.process = told[0].life, told[0].process
        return newborn

    def _listen(self, seen: Seen, born: dict[int, _Newborn], latest: float) -> None:
        """Take down what the lives tell until all are over, or the time is up."""
        with selectors.DefaultSelector() as selector:
            for newborn in born.values():
                selector.register(newborn.line, selectors.EVENT_READ, newborn)
            while selector.get_map():
                ready = selector.select(max(0.0, latest - time.monotonic()))
                if not ready:
                    seen.cut = f"it gave no answer for {self.limit:g} s"
                    return
                for key, _ in ready:
                    newborn = key.data
                    assert isinstance(newborn, _Newborn)
                    told = newborn.lines()
                    for line in told or ():
                        seen.note(newborn.life, line)
                    if told is None or any(isinstance(line, _End) for line in told):
                        selector.unregister(key.fileobj)  # whatever it started may still hold the line
                    if told and isinstance(told[-1], _End) is not any(isinstance(line, _End) for line in told):
                        seen.cut = seen.cut or _FORGED  # it goes on after its end


def _job(number: int, life: Life, drill: Drill, place: Path, line: str) -> dict[str, object]:
    return {
        "life": number,
        "socket": line,
        "store": str(place / "store"),
        "world": str(place / "world"),
        "lifetime": drill.lifetime,
        "together": life.together,
        "calls": [attrs.asdict(call) for call in life.calls],
        "effects": {name: effect._asdict() for name, effect in EFFECTS.items()},
    }
