"""Runs of Spin, of minicheck and of ourselves, each in a process of its own, timed from outside and from inside."""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import attrs

from tests.benchmarks.cases import Case

ROOT = Path(__file__).parents[2]
NEEDED = {"spin": "spin (for instance: apt-get install spin)", "gcc": "a C compiler called gcc"}


@attrs.frozen
class Run:
    """One run: seconds of exploration by the wall clock and by the processor, states, the most memory it held.

    ``whole`` is the time of the whole process, for Spin with generation and compilation. ``facts`` is whatever else
    was told.
    """

    seconds: float
    cpu: float
    states: int
    peak: int
    whole: float
    facts: dict[str, Any] = attrs.field(factory=dict[str, Any])


def need(*programs: str) -> None:
    """Fail, and say what to install, where a peer is not here: what was not measured is no success."""
    missing = [NEEDED[program] for program in programs if shutil.which(program) is None]
    assert not missing, f"this benchmark compares with {' and '.join(missing)}, which is not installed"


def timed(command: list[str], folder: Path, environment: dict[str, str] | None = None) -> tuple[str, Run]:
    """The output of a command, and how long it took."""
    output = folder / "output"
    begin = time.perf_counter()
    with output.open("wb") as written:
        process = subprocess.Popen(command, cwd=folder, stdout=written, stderr=subprocess.STDOUT, env=environment)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    seconds = time.perf_counter() - begin
    text = output.read_text(encoding="utf-8")
    assert process.returncode == 0, f"{' '.join(command)} exits with {process.returncode}:\n{text[-2000:]}"
    return text, Run(seconds, usage.ru_utime + usage.ru_stime, 0, usage.ru_maxrss * 1024, seconds)


def spin(case: Case, folder: Path, *, packed: bool, breadth: bool) -> Run:
    """Generate, compile with ``-O2`` and run; partial-order reduction and a hash of states are left out."""
    need("spin", "gcc")
    (folder / "model.pml").write_text(case.source(packed), encoding="utf-8")
    told, generated = timed(["spin", "-a", "model.pml"], folder)
    assert "error" not in told.lower(), told
    flags = ["-O2", "-w", "-DSAFETY", "-DNOREDUCE", *(["-DBFS"] if breadth else [])]
    _, compiled = timed(["gcc", *flags, "-o", "pan", "pan.c"], folder)
    slots = max(20, case.states.bit_length())
    text, run = timed(["./pan", f"-m{case.states}", f"-w{slots}"], folder)  # no path is longer than there are states
    assert "errors: 0" in text, text[-2000:]
    assert "max search depth too small" not in text, text[-2000:]
    found = re.search(r"([\d.e+]+) states, stored", text)
    assert found is not None, text[-2000:]
    whole = generated.seconds + compiled.seconds + run.seconds
    return attrs.evolve(run, states=round(float(found.group(1))), whole=whole)


def _alone(case: Case, folder: Path, *options: str) -> Run:
    command = [sys.executable, "-m", "tests.benchmarks.alone", case.name, *options]
    text, run = timed(command, folder, {**os.environ, "PYTHONPATH": str(ROOT)})
    told: dict[str, Any] = json.loads(text)
    return Run(told["seconds"], told["cpu"], told["states"], told["peak"], run.whole, told)


def ours(case: Case, folder: Path, *, workers: int = 1, symmetry: bool = False) -> Run:
    return _alone(case, folder, "--workers", str(workers), *(["--symmetry"] if symmetry else []))


def minicheck(case: Case, folder: Path) -> Run:
    """It gets our generated Python as its successor function, and nothing to check."""
    here = importlib.util.find_spec("minicheck") is not None
    assert here, "this benchmark compares with minicheck, which is not installed: pip install minicheck==0.4.0"
    return _alone(case, folder, "--minicheck")


def command_line(case: Case, folder: Path, *, warm: bool, symmetry: bool = True) -> Run:
    """``meshspec explore`` as a user starts it; cold is without any certificate on the disk.

    Compiled files are kept, as they are for a user, whatever this process was told about them.
    """
    cache = folder / "certificates"
    if not warm and cache.exists():
        shutil.rmtree(cache)
    cache.mkdir(exist_ok=True)
    report = folder / "report.json"
    command = [sys.executable, "-m", "meshspec", "explore", str(ROOT / case.target), "--scope", case.scope]
    command += ["--symmetry", "on" if symmetry else "off", "--max-states", str(2 * case.states)]
    command += ["--max-memory", "20G", "--json", str(report)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "MESHSPEC_CACHE": str(cache)}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    _, run = timed(command, folder, environment)
    found: list[dict[str, Any]] = json.loads(report.read_text(encoding="utf-8"))["properties"]
    return attrs.evolve(run, states=max(one["states"] or 0 for one in found))
