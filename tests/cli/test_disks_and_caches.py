"""Folders that cannot be written, disks that are full, caches that lie or are shared: never a wrong answer."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import BROKEN, COUNTER, User, program

# What a cache could make of an answer is the same whether it says so or not: the model below is refuted.


@pytest.mark.parametrize("cache", ["/dev/null/below", "/proc/nowhere", "relative/../\udc80"])
def test_a_cache_that_cannot_be_written_changes_no_answer(
    user: User, monkeypatch: pytest.MonkeyPatch, cache: str
) -> None:
    monkeypatch.setenv("MESHSPEC_CACHE", cache)
    user.write(BROKEN)
    assert user.run("explore", "mine.py").code == 1


@pytest.mark.parametrize("spoil", ["cut", "foreign", "hostile", "deep", "huge", "folder", "link"])
def test_a_cache_that_lies_changes_no_answer(user: User, monkeypatch: pytest.MonkeyPatch, spoil: str) -> None:
    cache = user.folder / "cache"
    monkeypatch.setenv("MESHSPEC_CACHE", str(cache))
    user.write(COUNTER)
    assert user.run("explore", "mine.py").code == 0
    (entry,) = cache.glob("*.certificate.json")
    whole = entry.read_bytes()
    if spoil == "cut":
        entry.write_bytes(whole[:-20])
    elif spoil == "foreign":
        entry.write_bytes(b"\x7fELF" + bytes(1000))
    elif spoil == "hostile":
        entry.write_text(json.dumps({**json.loads(whole), "certificate": {"methods": "none", "seed": {"$ref": "#"}}}))
    elif spoil == "deep":
        entry.write_text("[" * 100_000)
    elif spoil == "huge":
        entry.write_bytes(b'"' + b"x" * (1 << 20) + b'"')
    elif spoil == "folder":
        entry.unlink()
        entry.mkdir()
    else:
        entry.unlink()
        entry.symlink_to("/dev/zero")
    assert user.run("explore", "mine.py").code == 0
    user.write(BROKEN)
    assert user.run("explore", "mine.py").code == 1


def test_runs_that_share_a_cache_do_not_disturb_each_other(user: User) -> None:
    user.write(BROKEN)
    env = {"MESHSPEC_CACHE": str(user.folder / "cache"), "PATH": "/usr/bin:/bin"}
    running = [
        subprocess.Popen(
            program("explore", "mine.py", "--json", f"{number}.json"),
            cwd=user.folder,
            env=env,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number in range(4)
    ]
    said = [one.communicate(timeout=60) for one in running]
    assert [one.returncode for one in running] == [1, 1, 1, 1], said
    assert len({out for out, _ in said}) == 1 and {err for _, err in said} == {b""}
    reports = [(user.folder / f"{number}.json").read_bytes() for number in range(4)]
    assert len(set(reports)) == 1
    kept = sorted(path.name.startswith("new-") for path in (user.folder / "cache").iterdir())
    assert kept == [False], "one certificate, and nothing half written"


LIMITED = (
    "import resource, signal, sys; resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024));"
    "signal.signal(signal.SIGXFSZ, signal.SIG_IGN); from meshspec.cli import main; sys.exit(main())"
)


def test_a_disk_that_is_full_while_the_report_is_written_leaves_the_one_that_was_there(user: User) -> None:
    user.write(COUNTER)
    _, before = user.json("explore", "mine.py")
    import sys

    done = subprocess.run(
        [sys.executable, "-c", LIMITED, "explore", "mine.py", "--json", "report.json"],
        cwd=user.folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    assert done.returncode == 2
    assert "report.json cannot be written: File too large" in done.stderr
    assert json.loads((user.folder / "report.json").read_text()) == before
    assert not [path for path in user.folder.iterdir() if path.name.startswith(".meshspec-")]


def test_a_device_that_is_full_is_told(user: User) -> None:
    user.write(COUNTER)
    if Path("/dev/full").exists():
        with Path("/dev/full").open("w") as full:
            done = subprocess.run(
                program("explore", "mine.py", "--json", "report.json"),
                cwd=user.folder,
                stdout=full,
                stderr=subprocess.PIPE,
                text=True,
                check=False,
            )
        assert done.returncode == 2
        assert done.stderr == "meshspec: the output cannot be written: No space left on device\n"
        assert json.loads((user.folder / "report.json").read_text())["exit_code"] == 2


def test_an_output_that_is_long_is_written_whole(user: User) -> None:
    claims = "".join(
        f"\n    @always\n    def claim_{number}(self) -> bool: return self.number >= -{number}\n"
        for number in range(80)
    )
    user.write(COUNTER + claims)
    said = user.shell("explore", "mine.py", "--json", "report.json")
    assert said.code == 0 and said.out.count("\n  HOLDS ") > 80
    assert len(json.loads((user.folder / "report.json").read_text())["properties"]) > 80
