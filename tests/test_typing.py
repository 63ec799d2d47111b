"""What a model file's author sees of mypy and pyright: nothing where it is right, the very line where it is not."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import mypy.api
import pytest

from meshspec.report.templates import KINDS, files, name_of
from tests.generator.models import Writer
from tests.readme import BLOCK, README, write_file

ROOT = Path(__file__).parent.parent
UNANNOTATED = "  # without an annotation"
SLIPS = """\
from typing import Annotated

from meshspec import Map, Range, Sort, action, always, eventually, exists, leads_to, model, require, var
from meshspec.models.effect_ledger import EffectLedger, Recovery


class Job(Sort):
    ...


@model
class Slips:
    flag = var(False)  # without an annotation
    up: bool = var(True)
    n: int = var(0)
    done: Map[Job, Annotated[int, Range(0, 2)]] = var(0)

    @action  # slip: it returns a value
    def step(self) -> int:
        return 1

    @action
    def read(self) -> None:
        require(self.done[1] == 0)  # slip: not a Job

    @action
    def write(self, j: Job) -> None:
        require(self.done[j] == 0)
        self.done[1] = 0  # slip: not a Job
        self.done[j] = "one"  # slip: not an int
        self.up = "yes"  # slip: not a bool

    @action
    def guard(self) -> None:
        require(self.n)  # slip: not a bool

    @always  # slip: it returns no bool
    def claim(self) -> int:
        return self.n

    @always
    def some(self) -> bool:
        return exists(Job, lambda j: self.done[j])  # slip: not a bool

    @eventually
    def ends(self) -> bool:
        return not self.up

    @eventually(weak=("read", "write"), strong=["guard"])
    def is_done(self, j: Job) -> bool:
        return leads_to(self.up, self.done[j] > 0)

    @eventually(weak=3)  # slip: no names
    def counts_on(self) -> bool:
        return self.up

    @eventually(weak=("read",))  # slip: it returns no bool
    def comes_to(self) -> int:
        return self.n


EffectLedger(recovery=Recovery.SKIP)
EffectLedger(Recovery.ASK)  # slip: constants go by name
EffectLedger(up=True)  # slip: a variable is no constant
"""

Report = set[tuple[str, int]]


def said_by_mypy(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Report:
    """One run for all that must be typed, for it reads our own types first: also what ``new`` writes, and generated
    models. Those are forgiven comparisons that are always false: what is random compares what it has just compared.
    """
    monkeypatch.setenv("MYPYPATH", str(ROOT))
    for kind in KINDS:
        for name, text in files(kind, name_of(kind, f"a {kind} of mine")).items():
            (folder / name).write_text(text, encoding="utf-8")
    for seed in range(25):
        (folder / f"written_{seed}.py").write_text(Writer(seed).write()[0], encoding="utf-8")
    paths = sorted(map(str, folder.glob("*.py")))
    assert len(paths) == 25 + 2 * len(KINDS) + 3 + 3  # stages of the README, its last stage, a ledger, the slips
    out, err, _ = mypy.api.run(
        ["--strict", "--config-file=", f"--cache-dir={folder / 'cache'}", "--no-error-summary", "--no-pretty", *paths]
    )
    assert not err
    errors = [line.split(": error: ") for line in out.splitlines() if ": error: " in line]
    found = {
        (Path(file).name, int(line)): said for (file, _, line), said in ((a.rpartition(":"), b) for a, b in errors)
    }
    return {
        at for at, said in found.items() if not (at[0][:8] == "written_" and said.endswith("[comparison-overlap]"))
    }


def said_by_pyright(folder: Path, _: pytest.MonkeyPatch) -> Report:
    config = {"typeCheckingMode": "strict", "include": ["*.py"], "extraPaths": [str(ROOT)]}
    (folder / "pyrightconfig.json").write_text(json.dumps(config), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "pyright", "--outputjson", "--pythonpath", sys.executable, "--project", str(folder)],
        env={**os.environ, "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    answer = json.loads(done.stdout)
    assert answer["summary"]["filesAnalyzed"] == len(list(folder.glob("*.py")))
    return {(Path(one["file"]).name, one["range"]["start"]["line"] + 1) for one in answer["generalDiagnostics"]}


def models_of_the_readme(folder: Path) -> int:
    """Every stage of the README's model, as a file of its own; their number."""
    stages = 0
    for block in BLOCK.finditer(README.read_text(encoding="utf-8")):
        if "charging.py" in (block["note"] or "") and "test_charging" not in block["note"]:
            write_file(folder, block["note"], block["body"])
            shutil.copy(folder / "charging.py", folder / f"charging{stages}.py")
            stages += 1
    return stages


@pytest.mark.parametrize(
    ("checker", "marks"), [(said_by_mypy, ["# slip"]), (said_by_pyright, ["# slip", UNANNOTATED])]
)
def test_a_checker_reports_every_slip_of_an_author_and_nothing_else(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    checker: Callable[[Path, pytest.MonkeyPatch], Report],
    marks: list[str],
) -> None:
    assert models_of_the_readme(tmp_path) == 3
    shutil.copy(ROOT / "models" / "effect_ledger.py", tmp_path / "ledger.py")
    (tmp_path / "slips.py").write_text(SLIPS, encoding="utf-8")
    lines = SLIPS.splitlines()
    slips = {("slips.py", n) for n, line in enumerate(lines, 1) if any(mark in line for mark in marks)}
    assert len(slips) >= 10
    assert checker(tmp_path, monkeypatch) == slips
