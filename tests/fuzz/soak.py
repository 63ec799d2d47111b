"""A million files for every reader: ``python -m tests.fuzz.soak --executions 1000000 --resume [READER ...]``.

Each reader runs under a fuzzer that coverage leads (``tests/fuzz/engine.py``), in rounds; after each, what was
reached so far is counted in ``.soak/fuzz.json`` and kept under ``.soak/fuzz``, from where ``--resume`` goes on. A
file on which a reader is wrong stays there as ``broken-...`` and ends that reader's rounds; ``--keep`` puts a few
small files that together reach the most into ``tests/fuzz/corpus``. Exit code 1 where a reader is wrong.
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import msgspec

from tests.fuzz.corpus import CORPUS
from tests.fuzz.engine import INSTRUMENTED
from tests.fuzz.reader import Reader
from tests.fuzz.readers import READERS

STATE, WORK = Path(".soak/fuzz.json"), Path(".soak/fuzz")
ROUND = 100_000
LONGEST = 4_096  # bytes of a file that is made up; the enormous ones are tried by the tests
KEPT, KEPT_BYTES = 40, 2_000  # files of a reader in the repository, and how long each may be


def fuzz(name: str, runs: int, seed: int) -> tuple[int, str]:
    """Try that many files on a reader: how many it were, and how it ended where it did not end well."""
    folder = WORK / name
    (folder / "found").mkdir(parents=True, exist_ok=True)
    for number, data in enumerate(READERS[name].seeds):
        (folder / "found" / f"seed-{number}").write_bytes(data)
    for kept in sorted((CORPUS / name).glob("*")):
        shutil.copyfile(kept, folder / "found" / kept.name)
    options = [f"-runs={runs}", f"-seed={seed}", f"-max_len={LONGEST}", "-timeout=20", "-rss_limit_mb=3000"]
    options += ["-print_final_stats=1", "-verbosity=1", "-reload=0"]
    command = [sys.executable, "-m", "tests.fuzz.engine", name, str(folder), *options]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    counted = re.search(r"stat::number_of_executed_units:\s+(\d+)", done.stderr) or re.search(
        r"Done (\d+) runs", done.stderr
    )
    said = [line for line in done.stderr.splitlines() if "Error" in line or "ERROR" in line]
    problem = "" if done.returncode == 0 else "; ".join(said[-3:]) or f"exit code {done.returncode}"
    return int(counted[1]) if counted else 0, problem


def keep(name: str) -> int:
    """Put small files that together reach all that was reached into the repository; how many they are."""
    reader, reached = READERS[name], set[tuple[str, int, int]]()
    for seed in reader.seeds:
        reached |= steps(reader, seed)
    found = {file.read_bytes() for file in (WORK / name / "found").iterdir() if file.stat().st_size <= KEPT_BYTES}
    chosen: list[bytes] = []
    for data in sorted(found - set(reader.seeds), key=lambda data: (len(data), data)):
        if len(chosen) < KEPT and (new := steps(reader, data) - reached):
            reached |= new
            chosen.append(data)
    place = CORPUS / name
    place.mkdir(parents=True, exist_ok=True)
    for old in place.glob("[0-9]*"):  # the others are those on which a reader was wrong once: they stay
        old.unlink()
    for number, data in enumerate(chosen):
        (place / f"{number:02}").write_bytes(data)
    return len(chosen)


def steps(reader: Reader, data: bytes) -> set[tuple[str, int, int]]:
    """From which line to which the reader went, in the modules that coverage is measured of."""
    seen, before = set[tuple[str, int, int]](), [0]

    def traced(frame: FrameType, event: str, _: object) -> Any:
        if event == "call" and not str(frame.f_globals.get("__name__", "")).startswith(tuple(INSTRUMENTED)):
            return None
        if event == "line":
            seen.add((frame.f_code.co_filename, before[0], frame.f_lineno))
            before[0] = frame.f_lineno
        return traced

    sys.settrace(traced)
    try:
        reader.wrong(data, clock=False)
    finally:
        sys.settrace(None)
    return seen


class Row(msgspec.Struct):
    """How often a reader was tried, for how long, and what was wrong in the end."""

    executions: int = 0
    seconds: float = 0.0
    wrong: str = ""


def known() -> dict[str, Row]:
    """What was counted so far."""
    return msgspec.json.decode(STATE.read_bytes(), type=dict[str, Row]) if STATE.exists() else {}


def keep_count(name: str, row: Row) -> None:
    """Count what a reader came to, beside what other processes count of others."""
    STATE.parent.mkdir(exist_ok=True)
    beside = STATE.with_suffix(f".{os.getpid()}")
    beside.write_bytes(msgspec.json.format(msgspec.json.encode({**known(), name: row}), indent=1) + b"\n")
    beside.replace(STATE)


def told(state: Mapping[str, Row]) -> str:
    """A line for each reader."""
    lines = [f"{'reader':<24} {'executions':>12} {'seconds':>9}  found wrong"]
    for name, row in sorted(state.items()):
        lines.append(f"{name:<24} {row.executions:>12,} {row.seconds:>9,.0f}  {row.wrong or 'nothing'}")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.soak", description=__doc__)
    parser.add_argument("readers", nargs="*", metavar="READER", help=", ".join(READERS))
    parser.add_argument("--executions", type=int, default=1_000_000)
    parser.add_argument("--resume", action="store_true", help="go on from where the last run was ended")
    parser.add_argument("--keep", action="store_true", help="choose what is kept in the repository, and do no more")
    asked = parser.parse_args(arguments)
    names: list[str] = asked.readers or list(READERS)
    if unknown := [name for name in names if name not in READERS]:
        parser.error(f"there is no reader {', '.join(unknown)}; there are {', '.join(READERS)}")
    if asked.keep:
        for name in names:
            print(f"{name}: {keep(name)} files", flush=True)
        return 0
    begun = known() if asked.resume else {}
    state = {name: begun.get(name, Row()) for name in names}
    for name, row in state.items():
        row.wrong = ""
        while row.executions < asked.executions and not row.wrong:
            began, runs = time.monotonic(), min(ROUND, asked.executions - row.executions)
            done, row.wrong = fuzz(name, runs, row.executions + 1)
            if not done and not row.wrong:
                row.wrong = "nothing was tried"
            row.executions += done
            row.seconds += time.monotonic() - began
            keep_count(name, row)
    print(told(state))
    return 1 if any(row.wrong for row in state.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
