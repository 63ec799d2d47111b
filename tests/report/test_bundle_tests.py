"""The test in a bundle: it fails, in the bundle's own words, while the bug is there, and passes once it is mended."""

from __future__ import annotations

import subprocess
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import attrs
import pytest

from tests.report.bundles import CASES, made


@attrs.frozen
class Ran:
    """What became of the test of each case: what failed, empty where nothing did."""

    broken: dict[str, str]
    mended: dict[str, str]


def run(root: Path, name: str) -> dict[str, str]:
    """Every test below the folder, in a process of its own; of each case what failed, empty where nothing did."""
    report = root / f"{name}.xml"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:randomly", "--tb=short"]
    done = subprocess.run(
        [*command, f"--junitxml={report}", "--import-mode=importlib", "."],
        cwd=root,
        check=False,
        capture_output=True,
        text=True,
        timeout=120,
    )
    found: dict[str, str] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        where = case.get("classname", "").partition(".")[0]
        found[where] = "".join(part.text or "" for part in case if part.tag in ("failure", "error", "skipped"))
    assert len(found) == len(CASES), done.stdout + done.stderr
    return found


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Ran:
    root = tmp_path_factory.mktemp("pasted")
    for number, name in enumerate(CASES):
        made(name).put(root / f"case{number}")
    broken = run(root, "broken")
    for number, case in enumerate(CASES.values()):
        case.write(root / f"case{number}", mended=True)
    mended = run(root, "mended")
    named = {f"case{number}": name for number, name in enumerate(CASES)}
    return Ran({named[c]: text for c, text in broken.items()}, {named[c]: text for c, text in mended.items()})


@pytest.mark.parametrize("name", CASES)
def test_while_the_bug_is_there_it_fails_with_the_clause(ran: Ran, name: str) -> None:
    assert f"AssertionError: {made(name).bundle.failed}" in ran.broken[name]


@pytest.mark.parametrize("name", CASES)
def test_once_it_is_mended_it_passes(ran: Ran, name: str) -> None:
    assert ran.mended[name] == ""
