"""A file is one module, however it is imported; and two files of one name are two."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from meshspec import Sort, scope
from meshspec.cli import main
from meshspec.errors import ImportedTwice, UsageError
from meshspec.lang.loading import load_file
from meshspec.targets import resolve

MODEL = """\
from meshspec import Map, Sort, action, exists, model, require, sometimes, var


class Job(Sort): ...


@model
class Charging:
    charged: Map[Job, bool] = var(False)

    @action
    def charge(self, job: Job) -> None:
        require(not self.charged[job])
        self.charged[job] = True

    @sometimes
    def some(self) -> bool:
        return exists(Job, lambda job: self.charged[job])
"""

SYSTEM = """\
from NAME import Charging, Job


def start():
    return set()


def step(system, name, arguments):
    system.add(arguments[0])


def observe(system):
    return {"charged": {job: job in system for job in Job}}
"""

TWICE = """
    import importlib.util, pathlib, sys

    if "other_name" not in sys.modules:
        spec = importlib.util.spec_from_file_location("other_name", pathlib.Path(__file__).with_name("NAME.py"))
        sys.modules["other_name"] = other = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(other)
    Job = sys.modules["other_name"].Job
"""


@pytest.fixture(autouse=True)
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", None) or "").startswith(str(tmp_path)):
            del sys.modules[name]


def write(folder: Path, stem: str, text: str = MODEL, name: str = "") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / f"{stem}.py"
    path.write_text(text.replace("NAME", name or stem), encoding="utf-8")
    return path


def test_an_implementation_may_import_the_file_of_its_model(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "once_a")
    write(tmp_path, "once_charger", SYSTEM, "once_a")
    assert main(["drive", "once_a.py", "--against", "once_charger.py", "--examples", "5"]) == 0
    assert "every variable was observed" in capsys.readouterr().out
    assert main(["drive", "once_a.py", "--against", "once_charger.py", "--examples", "5"]) == 0


def test_a_test_that_has_imported_the_model_and_a_command_in_its_process_mean_one_class(tmp_path: Path) -> None:
    write(tmp_path, "once_b")
    write(tmp_path, "once_charger_b", SYSTEM, "once_b")
    sys.path.insert(0, str(tmp_path))
    module = __import__("once_b")
    assert resolve("once_b.py").model is module.Charging
    assert main(["drive", "once_b.py", "--against", "once_charger_b.py", "--examples", "5"]) == 0


def test_a_plain_import_by_what_lies_beside_a_file_is_of_the_same_module_and_by_nobody_else(tmp_path: Path) -> None:
    loaded = load_file(write(tmp_path, "once_c"))
    beside = load_file(write(tmp_path, "once_beside", "import NAME as found\n", "once_c"))
    assert beside.found is loaded is load_file(tmp_path / "once_c.py")
    assert "once_c" not in sys.modules, "a file of this name in another folder would never be imported"


def test_two_files_of_one_name_are_two_modules_each_found_from_its_own_folder(tmp_path: Path) -> None:
    for folder in ("one", "two"):
        write(tmp_path / folder, "once_d")
        write(tmp_path / folder, "once_user", "from NAME import Charging\n", "once_d")
    one, two = (load_file(tmp_path / folder / "once_d.py") for folder in ("one", "two"))
    assert one is not two
    for folder, module in (("one", one), ("two", two)):
        user = load_file(tmp_path / folder / "once_user.py")
        assert user.Charging is module.Charging


def test_a_file_that_was_written_anew_is_imported_anew(tmp_path: Path) -> None:
    first = load_file(write(tmp_path, "once_e"))
    second = load_file(write(tmp_path, "once_e", MODEL + "\nNEW = 1\n"))
    assert not hasattr(first, "NEW") and second.NEW == 1
    beside = load_file(write(tmp_path, "once_beside", "import NAME as found\n", "once_e"))
    assert beside.found is second


def test_a_file_never_hides_a_module_of_the_standard_library(tmp_path: Path) -> None:
    loaded = load_file(write(tmp_path, "chunk"))
    assert sys.modules.get("chunk") is not loaded


def test_a_file_that_cannot_be_imported_leaves_no_module(tmp_path: Path) -> None:
    with pytest.raises(Exception, match="ZeroDivisionError"):
        load_file(write(tmp_path, "once_f", "x = 1\n1 / 0\n"))
    assert "once_f" not in sys.modules


def test_two_classes_of_one_text_are_bad_input_and_no_violation(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(tmp_path, "once_g")
    observes = SYSTEM.replace("from NAME import Charging, Job\n", "").replace(
        "def observe(system):", f"def observe(system):{TWICE}"
    )
    write(tmp_path, "once_charger_g", observes, "once_g")
    code = main(["drive", "once_g.py", "--against", "once_charger_g.py", "--examples", "5"])
    said = capsys.readouterr()
    assert code == 2 and "VIOLATED" not in said.out
    assert "Job was imported twice: as other_name and as " in said.err


def test_sorts_of_one_name_in_two_files_are_not_one_that_was_imported_twice(tmp_path: Path) -> None:
    one, two = load_file(write(tmp_path, "once_h")), load_file(write(tmp_path, "once_i"))
    with scope({one.Job: 2}), pytest.raises(Exception, match="has no size here"):
        list(two.Job)
    assert issubclass(ImportedTwice, Exception) and issubclass(one.Job, Sort)


def test_a_name_without_its_py_is_told_what_was_meant(tmp_path: Path) -> None:
    write(tmp_path, "once_j")
    with pytest.raises(UsageError, match=r"did you mean once_j\.py\?"):
        resolve("once_j")
