"""Where figures are kept: ``paper/benchmarks.json``, with what the machine is and not what it is called."""

from __future__ import annotations

import json
import os
import platform
import re
import statistics
import subprocess
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from tests.benchmarks.peers import ROOT, Run

FILE = ROOT / "paper" / "benchmarks.json"


def _read(path: str, pattern: str) -> str:
    try:
        found = re.search(pattern, Path(path).read_text(encoding="utf-8"))
    except OSError:
        return "not told"
    return found.group(1).strip() if found else "not told"


def _told(command: list[str]) -> str:
    try:
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[0]
    except (OSError, subprocess.CalledProcessError, IndexError):
        return "not told"


def machine() -> dict[str, Any]:
    """Facts that figures depend on."""
    return {
        "processor": _read("/proc/cpuinfo", r"model name\s*:(.*)"),
        "cores": os.cpu_count(),
        "memory": _read("/proc/meminfo", r"MemTotal:(.*)"),
        "python": platform.python_version(),
        **{package: version(package) for package in ("numpy", "numba", "minicheck")},
        "spin": _told(["spin", "-V"]),
        "gcc": _told(["gcc", "--version"]),
        "load": round(os.getloadavg()[0], 1),
    }


def summary(runs: Sequence[Run]) -> dict[str, Any]:
    """The best of several runs of one engine, and the median beside it."""
    best = min(runs, key=lambda run: run.seconds)
    return {
        "seconds": round(best.seconds, 4),
        "median seconds": round(statistics.median(run.seconds for run in runs), 4),
        "cpu seconds": round(min(run.cpu for run in runs), 4),
        "whole process": round(min(run.whole for run in runs), 4),
        "states": best.states,
        "peak bytes": best.peak,
        **{f"{key} bytes a state": round(best.facts[key], 1) for key in ("held", "layers") if key in best.facts},
        **{key: best.facts[key] for key in ("orbits", "steps") if key in best.facts},
        "runs": len(runs),
    }


def keep(name: str, engines: Mapping[str, Sequence[Run]], ratios: Mapping[str, float]) -> None:
    """Put the figures of one comparison in the file, with the machine as it was then."""
    known: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    known[name] = {
        "machine": machine(),
        "engines": {engine: summary(runs) for engine, runs in engines.items()},
        "ratios": {what: round(ratio, 2) for what, ratio in ratios.items()},
    }
    FILE.write_text(json.dumps(dict(sorted(known.items())), indent=1) + "\n", encoding="utf-8")
