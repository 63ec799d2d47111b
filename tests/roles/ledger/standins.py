"""Ledgers that misbehave, one way each. They stand in for what strangers write, so they import nothing of ours."""

from __future__ import annotations

import os
import subprocess
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any


class Once:
    """Keeps at most once with one file: no lifetime, no locks, no word for anything but done and pending."""

    lifetime: float | None = None

    def __init__(self, store: str) -> None:
        self.folder = Path(store)

    def run(self, effect: Any, perform: Any) -> Any:
        try:
            place = self.folder / f"{effect.tool} {effect.arguments.get('amount')}"
            os.close(os.open(place, os.O_CREAT | os.O_EXCL | os.O_WRONLY))
        except FileExistsError:
            return ("PENDING", "its file is there")
        return ("DONE", perform())


class DoesNothing(Once):
    def run(self, effect: Any, perform: Any) -> Any:
        return ("PENDING", "not today")


class DoesNotSayHowLong(Once):
    def __getattribute__(self, name: str) -> Any:
        if name == "lifetime":
            raise RuntimeError("nobody knows")
        return super().__getattribute__(name)


class HoldsForAnHour(Once):
    lifetime = 3600.0


class HoldsForATenth(Once):
    """A tenth of a second, after which its file counts for nothing."""

    lifetime = 0.1

    def run(self, effect: Any, perform: Any) -> Any:
        for place in self.folder.iterdir():
            if time.time() - place.stat().st_mtime >= 0.1:
                place.unlink()
        return super().run(effect, perform)


class Raises(Once):
    """Where an effect was submitted before."""

    def run(self, effect: Any, perform: Any) -> Any:
        answer = super().run(effect, perform)
        if answer[0] == "PENDING":
            raise LookupError("it was seen before")  # the line a report must show
        return answer


class RaisesOnRings(Once):
    """It looks for the end of what is returned."""

    def run(self, effect: Any, perform: Any) -> Any:
        answer = super().run(effect, perform)
        if isinstance(answer[1], list):
            raise RecursionError("it has no end")
        return answer


class CannotBeMadeAgain(Once):
    def __init__(self, store: str) -> None:
        super().__init__(store)
        (self.folder / "made").mkdir()


class ForgetsBeforeItRecords(Once):
    """Its intent is taken away before the record is there: for a moment there is neither."""

    def run(self, effect: Any, perform: Any) -> Any:
        intent, done = self.folder / "intent", self.folder / "done"
        if intent.exists() or done.exists():
            return ("DUPLICATE", None) if done.exists() else ("UNKNOWN", "it was begun")
        intent.touch()
        value = perform()
        intent.unlink()
        done.touch()
        return ("DONE", value)


class TalksNonsense(Once):
    def run(self, effect: Any, perform: Any) -> Any:
        return {"ok": super().run(effect, perform)}


class Hangs(Once):
    def run(self, effect: Any, perform: Any) -> Any:
        answer = super().run(effect, perform)
        while answer[0] == "PENDING":
            time.sleep(1)
        return answer


class Exits(Once):
    def run(self, effect: Any, perform: Any) -> Any:
        answer = super().run(effect, perform)
        if answer[0] == "PENDING":
            os._exit(3)
        return answer


class DependsOnHashing(Once):
    """Its file has another name in every process."""

    def run(self, effect: Any, perform: Any) -> Any:
        self.folder = self.folder / str(hash(effect.tool) % 97)
        self.folder.mkdir(exist_ok=True)
        try:
            return super().run(effect, perform)
        finally:
            self.folder = self.folder.parent


class AnswersByItsProcess(Once):
    """One word in one process and another in the next."""

    def run(self, effect: Any, perform: Any) -> Any:
        word, value = super().run(effect, perform)
        return ("UNKNOWN" if word == "PENDING" and os.environ["PYTHONHASHSEED"] == "1" else word, value)


class StartsOthers(Once):
    """A process in a session of its own and a thread, both of which would go on for a minute."""

    def run(self, effect: Any, perform: Any) -> Any:
        subprocess.Popen(["sleep", "60"], start_new_session=True, close_fds=False)
        threading.Thread(target=time.sleep, args=(60,), daemon=True).start()
        time.sleep(0.05)
        return super().run(effect, perform)


class WritesElsewhere(Once):
    def run(self, effect: Any, perform: Any) -> Any:
        with suppress(PermissionError):
            Path("/meshspec-was-here").touch()
        return super().run(effect, perform)


class HasNoRun:
    def __init__(self, store: str) -> None: ...


class Waits(Once):
    async def run(self, effect: Any, perform: Any) -> Any:
        return super().run(effect, perform)


class NeedsMore:
    def __init__(self, store: str, table: str) -> None: ...


class DiesInTheMaking:
    def __init__(self, store: str) -> None:
        os._exit(3)


class GoesOnAsTwo(Once):
    def run(self, effect: Any, perform: Any) -> Any:
        os.fork()
        return super().run(effect, perform)


class SaysItIsOver(Once):
    """On whatever it finds open."""

    def run(self, effect: Any, perform: Any) -> Any:
        for descriptor in range(3, 30):
            with suppress(OSError):
                os.write(descriptor, b'["end",null,false]\n')
        return super().run(effect, perform)


class LeavesASleeper(Once):
    """Twice forked, in a session of its own, with nothing in its environment."""

    def run(self, effect: Any, perform: Any) -> Any:
        if os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.execve("/bin/sleep", ["sleep", "273.5"], {})
            os._exit(0)
        os.wait()
        return super().run(effect, perform)


class FillsItsTemporaryFolder(Once):
    def run(self, effect: Any, perform: Any) -> Any:
        (Path(tempfile.gettempdir()) / "meshspec-filled").write_bytes(b"0" * 1000)
        return super().run(effect, perform)
