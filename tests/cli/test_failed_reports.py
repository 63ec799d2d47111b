"""A command that comes to nothing: every report that was asked for says so, and no older one is left."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from meshspec.report.diff import diff, lines_of
from meshspec.report.read import read_report
from tests.cli.conftest import BROKEN, COUNTER, User

FILES = ("--junit", "x.xml", "--json", "r.json", "--sarif", "s.json", "--markdown", "m.md")
BOOM = "import nothing_of_this_name\n"


def test_a_file_that_cannot_be_imported_is_an_error_in_every_report(user: User) -> None:
    user.write(COUNTER)
    assert user.run("check", "mine.py", "--engine", "explore", *FILES).code == 0
    earlier = read_report(Path("r.json"))
    Path("boom.py").write_text(BOOM, encoding="utf-8")
    said = user.run("check", "boom.py", *FILES, "--github")
    assert said.code == 2
    (line,) = [line for line in said.lines if line.startswith("::")]
    assert line.startswith("::error file=boom.py,line=1,title=UNDETERMINED meshspec.the command ran to its end::")
    assert "nothing_of_this_name" in line and "nothing_of_this_name" in said.err

    root = ElementTree.parse("x.xml").getroot()
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("1", "0", "1")
    (error,) = root.iter("error")
    assert "nothing_of_this_name" in str(error.get("message"))

    (run,) = json.loads(Path("s.json").read_text(encoding="utf-8"))["runs"]
    (invocation,) = run["invocations"]
    assert (invocation["executionSuccessful"], invocation["exitCode"]) == (False, 2)
    assert invocation["toolExecutionNotifications"][0]["level"] == "error"
    assert "1 undetermined" in Path("m.md").read_text(encoding="utf-8")

    report = read_report(Path("r.json"))
    assert (report.exit_code, [one.answer for one in report.properties]) == (2, ["UNDETERMINED"])
    found = diff(earlier, report)
    assert found.exit_code == 1
    assert "nothing was checked (exit 2)" in lines_of(found)[0]
    assert user.run("check", "mine.py", "--engine", "explore", *FILES).code == 0, "they are reports of ours"


def test_what_a_later_command_asks_for_is_its_own(user: User) -> None:
    Path("boom.py").write_text(BOOM, encoding="utf-8")
    assert user.run("check", "boom.py", "--junit", "x.xml").code == 2
    Path("x.xml").unlink()
    assert user.run("check", "boom.py").code == 2
    assert not Path("x.xml").exists()


def test_a_file_of_somebody_else_is_left_as_it_is(user: User) -> None:
    Path("boom.py").write_text(BOOM, encoding="utf-8")
    Path("x.xml").write_text("<mine/>", encoding="utf-8")
    assert user.run("check", "boom.py", "--junit", "x.xml", "--github").code == 2
    assert Path("x.xml").read_text(encoding="utf-8") == "<mine/>"


def test_a_bug_of_ours_is_told_in_the_reports_too(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ZeroDivisionError

    user.write(BROKEN)
    monkeypatch.setattr("meshspec.cli.runs.ask", broken)
    assert user.run("check", "mine.py", "--json", "r.json").code == 70
    assert read_report(Path("r.json")).exit_code == 70


def test_a_package_in_src_is_reached_by_the_name_under_which_pytest_imports_it(user: User) -> None:
    folder = Path("src/ratebudget_of_ours")
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "most.py").write_text("MOST = 3\n", encoding="utf-8")
    user.write(COUNTER.replace("number <= 3", "number <= MOST"))
    source = "from .most import MOST\n" + Path("mine.py").read_text(encoding="utf-8")
    source = source.replace("from __future__ import annotations\n", "")
    (folder / "model.py").write_text(source, encoding="utf-8")
    said = user.run("explore", "ratebudget_of_ours.model:Counter")
    assert said.code == 0, said.err
    said = user.run("explore", "ratebudget_of_ours.no_such:Counter")
    assert said.code == 2 and "there is no module 'ratebudget_of_ours.no_such' to import here" in said.err
    said = user.run("explore", str(folder / "model.py"))
    if said.code:  # what is imported already under its own name is taken as it is
        assert "a file of a package is given as ratebudget_of_ours.model:Model" in said.err


def test_a_file_that_imports_relative_to_its_package_is_told_how_it_is_reached(user: User) -> None:
    folder = Path("src/other_of_ours")
    folder.mkdir(parents=True)
    (folder / "__init__.py").touch()
    (folder / "model.py").write_text("from .most import MOST\n", encoding="utf-8")
    said = user.run("explore", str(folder / "model.py"))
    assert said.code == 2
    assert "a file of a package is given as other_of_ours.model:Model" in said.err


def test_a_second_target_where_one_is_taken_is_told_in_words(user: User) -> None:
    user.write(COUNTER)
    said = user.run("explore", "mine.py", "other.py")
    assert said.code == 2
    assert "explore takes one target, and other.py is left over: check takes several" in said.err
