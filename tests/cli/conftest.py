"""The command line on a user's own files: in this process where that is enough, as a program where it matters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

from meshspec.cli import main

IMPORTS = """\
from enum import Enum
from typing import Annotated

from meshspec import (
    Map, Range, Sort, action, always, each, eventually, fault, forall, implies, lemma, model, require, sometimes,
    terminal, var,
)


class Effect(Sort): ...


"""


@attrs.frozen
class Said:
    """What a command said, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        return [line.strip() for line in self.out.splitlines()]

    @property
    def words(self) -> str:
        """All of its text in one line, for what may be wrapped."""
        return " ".join(self.out.split())


class User:
    """A user in a folder of her own."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder, self.capsys = folder, capsys

    def write(self, text: str, name: str = "mine.py", imports: str = IMPORTS) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(imports + text, encoding="utf-8")
        return path

    def run(self, *arguments: str) -> Said:
        """``meshspec ...`` in this process."""
        self.capsys.readouterr()
        code = main(arguments)
        said = self.capsys.readouterr()
        return Said(code, said.out, said.err)

    def json(self, *arguments: str) -> tuple[Said, dict[str, Any]]:
        """The same with ``--json``, and the report."""
        said = self.run(*arguments, "--json", "report.json")
        return said, json.loads((self.folder / "report.json").read_text(encoding="ascii"))

    def shell(self, *arguments: str, env: Mapping[str, str] | None = None) -> Said:
        """``meshspec ...`` as a program of its own."""
        done = subprocess.run(
            program(*arguments),
            cwd=self.folder,
            env={**os.environ, **(env or {})},
            capture_output=True,
            check=False,
            timeout=60,
        )
        return Said(done.returncode, done.stdout.decode("utf-8"), done.stderr.decode("utf-8"))


def program(*arguments: str) -> Sequence[str]:
    return [str(Path(sys.executable).parent / "meshspec"), *arguments]


@pytest.fixture
def user(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> User:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.delenv("COLUMNS", raising=False)
    return User(tmp_path, capsys)


COUNTER = """\
@model
class Counter:
    \"\"\"It counts to three, and may be set back.\"\"\"

    limit: int = 3
    number: Annotated[int, Range(0, 9)] = var(0)

    @action
    def grow(self) -> None:
        require(self.number < self.limit)
        self.number += 1

    @fault
    def set_back(self) -> None:
        require(self.number > 0)
        self.number = 0

    @always
    def small(self) -> bool:
        return self.number <= 3
"""

BROKEN = COUNTER.replace("<= 3", "<= 1")
"""Violated in two steps."""

IDLE_FAULT = COUNTER.replace("require(self.number > 0)", "require(self.number > 7)")
"""Its fault is never injected."""

ENDLESS = """\
@model
class Endless:
    number: int = var(0)

    @action
    def grow(self) -> None:
        self.number += 1

    @action
    def shrink(self) -> None:
        self.number -= 1

    @always
    def not_huge(self) -> bool:
        return self.number != 10**9

    @always
    def not_minus_two(self) -> bool:
        return self.number != -2
"""
"""Infinitely many states."""

LEDGER = """\
@model
class Ledger:
    \"\"\"Each effect is applied at most once.\"\"\"

    applied: Map[Effect, Annotated[int, Range(0, 5)]] = var(0)
    sent: Map[Effect, bool] = var(False)
    up: bool = var(True)

    @action
    def send(self, e: Effect) -> None:
        require(self.up and not self.sent[e])
        self.sent[e] = True
        self.applied[e] += 1

    @fault
    def crash(self) -> None:
        require(self.up)
        self.up = False

    @action
    def recover(self) -> None:
        require(not self.up)
        self.up = True

    @always
    def at_most_once(self, e: Effect) -> bool:
        return self.applied[e] <= 1

    @lemma
    def sent_is_applied(self, e: Effect) -> bool:
        return self.applied[e] == (1 if self.sent[e] else 0)


@model
class Forgetful(Ledger):
    \"\"\"The incident: what was sent is forgotten with the worker.\"\"\"

    @fault
    def crash(self) -> None:
        require(self.up)
        self.up = False
        self.sent = each(Effect, lambda e: False)
"""
