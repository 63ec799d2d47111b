from __future__ import annotations

import os
import subprocess
import sys
import threading
from importlib import metadata
from pathlib import Path

import pytest

from meshspec.answer import Answer
from meshspec.errors import UsageError
from meshspec.roles import environments
from meshspec.roles.environments import CannotInstall, cache_dir, interpreter
from meshspec.roles.judge import judge
from tests.roles import standins


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("MESHSPEC_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever this machine tells its installer, it is to know no other place to look."""
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    for name in ("PIP_FIND_LINKS", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)


@pytest.fixture
def no_installer(monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
    """Environments without packages, made at once; the commands that would have run."""
    commands: list[list[str]] = []

    def make(command: list[str]) -> None:
        commands.append(command)
        if "venv" in command:
            python = Path(command[-1]) / "bin" / "python"
            python.parent.mkdir(parents=True)
            python.symlink_to(sys.executable)

    monkeypatch.setattr(environments, "_run", make)
    return commands


@pytest.mark.parametrize("package", ["pybreaker", "pybreaker>=1", "pybreaker==", "../x==1", "a==1 -r x", "a==../b"])
def test_a_package_without_its_exact_version_is_refused(package: str) -> None:
    with pytest.raises(UsageError, match="a package is given with its exact version"):
        interpreter(package)


def test_a_version_that_does_not_exist_cannot_be_installed_and_all_is_undetermined(
    cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cut_off(monkeypatch)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    found = judge(f"{standins.__file__}:NeverTrips", package="pybreaker==0.0.0.dev99")
    assert {finding.answer for finding in found} == {Answer.UNDETERMINED} and len(found) == 13
    assert all(
        finding.reason.startswith("pybreaker==0.0.0.dev99 cannot be installed: ")
        and "No matching distribution found" in finding.reason
        and finding.settles
        for finding in found
    )
    assert list((cache / "envs").iterdir()) == []


def test_an_index_that_is_not_there_is_told_as_the_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cut_off(monkeypatch)
    monkeypatch.setenv("PIP_INDEX_URL", (tmp_path / "nowhere").as_uri())
    with pytest.raises(CannotInstall, match=r"pybreaker==1\.4\.1"):
        interpreter("pybreaker==1.4.1")


def test_a_cache_that_cannot_be_written_is_told_as_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MESHSPEC_CACHE", str(tmp_path / "file"))
    with pytest.raises(CannotInstall, match="no environment can be made under"):
        interpreter("pybreaker==1.4.1")


def test_an_environment_is_built_once_and_found_again(cache: Path, no_installer: list[list[str]]) -> None:
    python = interpreter("Some_Package==1.0")
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    assert python == str(cache / "envs" / f"some-package-1.0-py{version}" / "bin" / "python")
    assert subprocess.run([python, "-c", "pass"], check=False).returncode == 0
    assert interpreter("some-package==1.0") == python
    assert len(no_installer) == 2 and no_installer[1][-1] == "some-package==1.0"


@pytest.mark.parametrize(("ours", "reaches"), [("22.2.2", False), ("", False), ("22.3", True), ("26.3.dev1", True)])
def test_a_pip_beside_us_that_cannot_install_elsewhere_is_left_alone(
    no_installer: list[list[str]], monkeypatch: pytest.MonkeyPatch, ours: str, reaches: bool
) -> None:
    def version(name: str) -> str:
        if not ours:
            raise metadata.PackageNotFoundError(name)
        return ours

    monkeypatch.setattr(metadata, "version", version)
    python = interpreter("some-package==1.0")
    made, installed = no_installer
    assert ("--without-pip" in made) is reaches and made[0] == sys.executable
    theirs = Path(made[-1]) / Path(python).relative_to(Path(python).parents[1])
    begins = [sys.executable, "-m", "pip", "--python", str(theirs), "install"]
    assert installed[: 6 if reaches else 4] == (begins if reaches else [str(theirs), "-m", "pip", "install"])


def test_an_environment_that_was_left_unfinished_or_lost_its_python_is_built_again(
    cache: Path, no_installer: list[list[str]]
) -> None:
    python = Path(interpreter("some-package==1.0"))
    (python.parent.parent / "meshspec-finished").unlink()
    interpreter("some-package==1.0")
    python.unlink()
    python.symlink_to("/no/such/python")
    assert Path(interpreter("some-package==1.0")).exists()
    assert len(no_installer) == 6
    assert [entry.name for entry in (cache / "envs").iterdir()] == [python.parent.parent.name]


def test_two_that_build_the_same_environment_at_once_both_get_it(
    cache: Path, no_installer: list[list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    make, both = environments._run, threading.Barrier(2)  # pyright: ignore[reportPrivateUsage]

    def together(command: list[str]) -> None:
        make(command)
        both.wait(10)

    monkeypatch.setattr(environments, "_run", together)
    found: list[str] = []
    threads = [threading.Thread(target=lambda: found.append(interpreter("some-package==1.0"))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 2 and found[0] == found[1] and Path(found[0]).exists()
    assert len(list((cache / "envs").iterdir())) == 1


def test_the_cache_is_where_the_environment_says(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MESHSPEC_CACHE", "/chosen")
    assert cache_dir() == Path("/chosen")
    monkeypatch.delenv("MESHSPEC_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert cache_dir() == Path("/xdg/meshspec")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/her")
    assert cache_dir() == Path("/home/her/.cache/meshspec")
