"""Ctrl-C at any moment of any engine: ``python -m tests.cli.interrupts --rounds 20`` presses it at that many moments.

Each run must end with exit code 3 or with its whole answer, without a traceback, without half a report, and leave no
process behind. Exit code 1 where one does not.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs

from tests.cli.conftest import ENDLESS, IMPORTS, LEDGER

WAITING = LEDGER.replace(
    "    @lemma",
    '    @eventually(weak=("recover",))\n    def is_up(self) -> bool:\n        return self.up\n\n    @lemma',
    1,
)
ABSTRACT = """

@model
class Log:
    held: Map[Effect, bool] = var(False)

    @action
    def keep(self, e: Effect) -> None:
        require(not self.held[e])
        self.held[e] = True


@refinement(Ledger, Log)
def logged(l: Ledger, log: Log) -> None:
    log.held = each(Effect, lambda e: l.sent[e])
"""
SLOW = """\
import time


class Slow:
    def observe(self, step):
        time.sleep(0.001)
        return "CONTINUE"
"""
FILES: Mapping[str, str] = {
    "ledger.py": "from meshspec import refinement\n" + IMPORTS + WAITING + ABSTRACT,
    "endless.py": IMPORTS + ENDLESS,
    "slow.py": SLOW,
}
COMMANDS: Mapping[str, Sequence[str]] = {
    "explore": ("explore", "endless.py", "--max-states", "100000000"),
    "live": ("live", "ledger.py:Ledger", "--scope", "Effect=5"),
    "prove": ("prove", "ledger.py:Ledger", "--depth", "40", "--k", "20", "--search-lemmas"),
    "simulate": ("simulate", "ledger.py:Ledger", "--walks", "1000000"),
    "mutate": ("mutate", "ledger.py:Ledger"),
    "refine": ("refine", "ledger.py:logged", "--scope", "Effect=6"),
    "coverage": ("coverage", "ledger.py:Ledger", "--scope", "Effect=5"),
    "check": ("check", "ledger.py:Ledger", "endless.py", "--max-states", "100000000"),
    "judge": ("check", "slow.py:Slow", "--role", "breaker", "--prefix", "0"),
}
PROGRAM = (
    "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
    "from meshspec.cli import main\n"
    "print('ready', file=sys.stderr, flush=True); sys.exit(main())"
)
"""A child of a shell job may have been told to ignore Ctrl-C; and what comes before our first line is not ours."""

REPORTS = frozenset(COMMANDS) - {"mutate", "coverage"}


@attrs.frozen
class Ended:
    """How a command ended, and what is wrong with that."""

    code: int
    out: str
    err: str
    problems: tuple[str, ...]


def write_files(folder: Path) -> None:
    for name, text in FILES.items():
        (folder / name).write_text(text, encoding="utf-8")


def interrupted(name: str, folder: Path, delay: float, *, number: int = signal.SIGINT, patience: float = 30) -> Ended:
    """Run a command of :data:`COMMANDS` and send it a signal after so many seconds."""
    report = folder / f"{secrets.token_hex(4)}.json"
    mark = f"MESHSPEC_TEST={secrets.token_hex(8)}"
    more = ("--json", str(report)) if name in REPORTS else ()
    running = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *COMMANDS[name], *more],
        cwd=folder,
        env={**os.environ, **dict([mark.split("=")])},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert running.stderr is not None
    assert running.stderr.readline() == "ready\n"
    time.sleep(delay)
    running.send_signal(number)
    problems: list[str] = []
    try:
        out, err = running.communicate(timeout=patience)
    except subprocess.TimeoutExpired:
        problems.append(f"it went on for {patience:g} s")
        running.kill()
        out, err = running.communicate()
    problems += _wrong(running.returncode, out, err, report)
    left = list(_marked(mark))
    for pid in left:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    problems += [f"{len(left)} processes were left"] if left else []
    return Ended(running.returncode, out, err, tuple(problems))


def _wrong(code: int, out: str, err: str, report: Path) -> Iterator[str]:
    if "Traceback" in out + err:
        yield "there is a traceback"
    if code not in (0, 1, 3, 4):
        yield f"the exit code is {code}"
    whole = f"exit {code}\n" in out
    if code != 3 and not whole:
        yield f"the exit code is {code}, without the whole answer"
    if code == 3 and not whole and "nothing was concluded" not in err:
        yield "nothing says that it was interrupted"
    if report.exists():
        try:
            if json.loads(report.read_text())["exit_code"] != code:
                yield "the report has another exit code"
        except ValueError:
            yield "half a report was written"
    if left := [entry.name for entry in report.parent.iterdir() if entry.name.startswith(".meshspec-")]:
        yield f"files were left: {', '.join(left)}"


def _marked(mark: str) -> Iterator[int]:
    """Processes that have the mark in their environment, where the system tells."""
    for place in Path("/proc").glob("[0-9]*/environ"):
        with contextlib.suppress(OSError):
            if mark.encode() in place.read_bytes().split(b"\0"):
                yield int(place.parent.name)


def main() -> int:
    options = argparse.ArgumentParser(description="Ctrl-C at many moments of every engine.")
    options.add_argument("--rounds", type=int, default=20, help="moments for each engine")
    options.add_argument("--longest", type=float, default=4.0, help="seconds until the last of them")
    options.add_argument("--first", type=float, default=0.0, help="seconds until the first of them")
    options.add_argument("--only", choices=list(COMMANDS), help="one engine")
    asked = options.parse_args()
    bad = 0
    with tempfile.TemporaryDirectory() as folder:
        write_files(Path(folder))
        for name in [asked.only] if asked.only else COMMANDS:
            for turn in range(asked.rounds):
                delay = asked.first + (asked.longest - asked.first) * (turn / asked.rounds) ** 2  # most happens early
                ended = interrupted(name, Path(folder), delay)
                bad += bool(ended.problems)
                for problem in ended.problems:
                    print(f"{name} after {delay:.3f} s: {problem}\n{ended.err[-2000:]}", flush=True)
            print(f"{name}: {asked.rounds} moments", flush=True)
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
