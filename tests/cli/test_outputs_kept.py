"""What a report may be written over: an older one of its kind, and nothing else of the user's."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from meshspec.report import files
from tests.cli.conftest import COUNTER, User

KINDS = ("json", "junit", "sarif", "markdown")
OTHERS = {
    "json": '{"mine": 1, "of": "meshspec-report"}',
    "junit": '<?xml version="1.0"?>\n<testsuites name="pytest tests"><testsuite/></testsuites>',
    "sarif": '{"version": "2.1.0", "runs": [{"tool": {"driver": {"name": "other", "about": "meshspec"}}}]}',
    "markdown": "# Notes on meshspec\n",
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_is_written_over_one_of_its_kind_and_over_an_empty_file(user: User, kind: str) -> None:
    user.write(COUNTER)
    (user.folder / "report").touch()
    for _ in range(2):
        assert user.run("explore", "mine.py", f"--{kind}", "report").code == 0
    first = (user.folder / "report").read_bytes()
    for other in KINDS:
        if other != kind:
            assert user.run("explore", "mine.py", f"--{other}", "report").code == 2
    assert (user.folder / "report").read_bytes() == first


@pytest.mark.parametrize("kind", KINDS)
def test_a_file_that_only_speaks_of_meshspec_is_kept(user: User, kind: str) -> None:
    user.write(COUNTER)
    (user.folder / "report").write_text(OTHERS[kind])
    said = user.run("explore", "mine.py", f"--{kind}", "report")
    assert (said.code, said.out) == (2, "")
    assert "report is there already and is no report of this kind, so it is not overwritten" in said.err
    assert (user.folder / "report").read_text() == OTHERS[kind]


@pytest.mark.parametrize("name", ["mine.py", "new.py", "link"])
@pytest.mark.parametrize("option", [*KINDS, "claims"])
def test_no_report_is_written_as_a_python_file(user: User, option: str, name: str) -> None:
    path = user.write(COUNTER)
    before = path.read_bytes()
    (user.folder / "link").symlink_to("mine.py")
    asked = ("claims", "--json", name) if option == "claims" else ("explore", "mine.py", f"--{option}", name)
    said = user.run(*asked)
    assert (said.code, said.out) == (2, "")
    assert f"{name} is not written: a report is no Python file" in said.err
    assert path.read_bytes() == before and not (user.folder / "new.py").exists()


def test_claims_are_written_over_older_ones_alone(user: User) -> None:
    for _ in range(2):
        assert user.run("claims", "--json", "claims.json").code == 0
    (user.folder / "claims.json").write_text('{"claims": "mine"}')
    assert user.run("claims", "--json", "claims.json").code == 2


@pytest.mark.parametrize(
    "options",
    [
        ("--json", "same", "--junit", "./same"),
        ("--json", "same", "--markdown", "link"),
        ("--sarif", "there", "--json", "hard"),
        ("--json", "same", "--checkpoint", "same"),
    ],
)
def test_two_options_that_name_one_file_are_refused(user: User, options: tuple[str, ...]) -> None:
    user.write(COUNTER)
    (user.folder / "link").symlink_to("same")
    (user.folder / "there").touch()
    os.link(user.folder / "there", user.folder / "hard")
    said = user.run("explore", "mine.py", *options)
    assert (said.code, said.out) == (2, "")
    assert "name one file: give each its own" in said.err
    assert not (user.folder / "same").exists()


def test_a_pipe_that_nobody_reads_is_refused_and_the_streams_are_not(user: User) -> None:
    user.write(COUNTER)
    os.mkfifo(user.folder / "pipe")
    said = user.run("explore", "mine.py", "--json", "pipe")
    assert said.code == 2 and "pipe cannot be written: it is a pipe" in said.err
    said = user.shell("explore", "mine.py", "--json", "/dev/stdout", "--junit", "/dev/null")
    assert said.code == 0 and '"format": "meshspec-report"' in said.out


@pytest.mark.parametrize("made", ["NamedTemporaryFile", "mkstemp"])
def test_ctrl_c_while_a_file_is_made_leaves_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made: str) -> None:
    make: Callable[..., Any] = getattr(tempfile, made)

    def interrupted(*arguments: Any, **named: Any) -> Any:
        file = make(*arguments, **named)
        os.kill(os.getpid(), signal.SIGINT)
        return file

    monkeypatch.setattr(tempfile, made, interrupted)
    report = tmp_path / "report.json"
    with pytest.raises(KeyboardInterrupt):
        files.try_folder(tmp_path) if made == "NamedTemporaryFile" else files.write(report, "whole")
    assert [entry.name for entry in tmp_path.iterdir()] == ([] if made == "NamedTemporaryFile" else ["report.json"])
