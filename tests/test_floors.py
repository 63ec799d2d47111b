"""The floors hold, and what would break them is noticed: each contract is shown an import that it must refuse."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import meshspec
from tests.tree import PYPROJECT, ROOT

CONTRACTS = {contract["id"]: contract for contract in PYPROJECT["tool"]["importlinter"]["contracts"]}

PLANTED = {
    "a node that knows the words": ("floors", "meshspec/expr/nodes.py", "import meshspec.lang.words"),
    "an engine that prints a report": ("floors", "meshspec/engines/limits.py", "import meshspec.report"),
    "roles and claims are neighbours": ("floors", "meshspec/roles/breaker.py", "import meshspec.claims"),
    "the vocabulary, from below it": ("floors", "meshspec/expr/nodes.py", "from meshspec import model"),
    "an import inside a function": (
        "floors",
        "meshspec/sorts.py",
        "def late() -> None:\n    import meshspec.engines",
    ),
    "a module on no floor": ("floors", "meshspec/stray.py", ""),
    "a model that reads its evidence": ("floors", "models/environment.py", "import meshspec.properties"),
    "an engine that knows a model": ("by-name", "meshspec/engines/limits.py", "import meshspec.models.environment"),
    "a development tool": ("installed", "models/environment.py", "import jsonschema"),
    "the solver as a statement": ("solver", "meshspec/engines/limits.py", "import z3"),
    "a table maker anywhere": ("few", "meshspec/engines/limits.py", "import pandas"),
    "a test runner below the doors": ("doors", "meshspec/lang/words.py", "import pytest"),
}


def lint(folder: Path) -> tuple[int, str]:
    program = shutil.which("lint-imports", path=str(Path(sys.executable).parent))
    assert program is not None
    done = subprocess.run([program, "--no-cache"], cwd=folder, check=False, capture_output=True, text=True)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    ignored = shutil.ignore_patterns("__pycache__")
    for folder in ("meshspec", "models", "properties", "paper"):
        shutil.copytree(ROOT / folder, tmp_path / folder, symlinks=True, ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    return tmp_path


def test_the_floors_hold(copy: Path) -> None:
    code, output = lint(copy)
    assert code == 0, output
    assert f"Contracts: {len(CONTRACTS)} kept, 0 broken." in output


@pytest.mark.parametrize("what", PLANTED)
def test_a_planted_import_is_refused(copy: Path, what: str) -> None:
    contract, name, statement = PLANTED[what]
    path = copy / name
    path.write_text(f"{path.read_text() if path.exists() else ''}\n\n{statement}\n")
    code, output = lint(copy)
    assert code != 0
    assert f"{CONTRACTS[contract]['name']} BROKEN" in output


def test_every_contract_is_shown_an_import_that_it_refuses() -> None:
    assert {contract for contract, _, _ in PLANTED.values()} == set(CONTRACTS)


def test_the_docstring_of_the_package_tells_the_same_floors() -> None:
    told = {
        int(floor): set(names.split(", "))
        for floor, names in re.findall(r"^ +(\d)  (\w+(?:, \w+)*)", meshspec.__doc__ or "", flags=re.MULTILINE)
    }
    layers = reversed([set(re.findall(r"(?<!\()\b\w+", layer)) for layer in CONTRACTS["floors"]["layers"]])
    held = [layer for layer in layers if not layer & {"models", "properties", "__main__"}]
    assert told == dict(enumerate(held))


def test_z3_is_named_by_one_file() -> None:
    naming = re.compile(r"import z3|from z3|[\"']z3[\"']")
    found = [path for path in (ROOT / "meshspec").rglob("*.py") if naming.search(path.read_text(encoding="utf-8"))]
    assert [path.relative_to(ROOT / "meshspec").as_posix() for path in found] == ["backends/terms.py"]
