"""Policies that misbehave: none harms more than its own line, and what it did besides is told."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from meshspec.errors import ModelError
from meshspec.roles.hosted import Hosted, Launch
from meshspec.roles.protocol import Outcome
from meshspec.roles.story import SHAPES, Shape, Story

LOOKING = Story((), (0,))
FAILING = Story((), (SHAPES.index(Shape("constant", "constant", "absent", "absent", False)),))
GUARD = """\
import builtins, json, os, signal, sys, threading, time
{top}


class Guard:
    def observe(self, step):
        {body}
        return {answer}
"""


class Author:
    """Writes policies, and shows them stories."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.hosts: list[Hosted] = []

    def hosted(
        self, body: str = "pass", answer: str = '"CONTINUE"', top: str = "", limit: float = 5.0, memory: int = 4 << 30
    ) -> Hosted:
        path = self.folder / "guard.py"
        path.write_text(GUARD.format(top=top, body=body, answer=answer))
        self.hosts.append(Hosted(Launch(f"{path}:Guard", limit=limit, memory=memory)))
        return self.hosts[-1]

    def outcome(self, **parts: str) -> Outcome:
        return self.hosted(**parts).run([LOOKING])[0]  # type: ignore[arg-type]


@pytest.fixture
def author(tmp_path: Path) -> Iterator[Author]:
    author = Author(tmp_path)
    yield author
    for host in author.hosts:
        host.close()


# -- answers -----------------------------------------------------------------------------------------------------

LIAR = """\
class Liar(str):
    def __eq__(self, other): return True
    def __hash__(self): return 0
"""
MASKED = """\
class Meta(type):
    def __getattribute__(cls, name): raise RuntimeError("nothing to see")


class Masked(metaclass=Meta):
    __class__ = property(lambda self: tuple)
    def __len__(self): return 2
    def __getitem__(self, at): return "TRIP"
    def __repr__(self): raise SystemExit(0)
"""


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        ("(each for each in 'ab')", "<generator object"),
        ("print", "<built-in function print>"),
        ("Liar('MAYBE')", "'MAYBE'"),
        ("Masked()", "an object of type Masked whose repr raises"),
        ("('TRIP', 'why', 'else')", "('TRIP', 'why', 'else')"),
        ("('TRIP', b'why')", "('TRIP', b'why')"),
    ],
)
def test_an_answer_is_taken_for_what_it_is_and_not_for_what_it_says(author: Author, answer: str, said: str) -> None:
    outcome = author.outcome(answer=answer, top=LIAR + MASKED)
    assert (outcome.word, outcome.step) == ("nonsense", 1)
    assert outcome.said.startswith(said)


def test_a_word_that_is_a_member_of_an_enumeration_is_that_word(author: Author) -> None:
    top = "from enum import Enum\nclass Word(str, Enum):\n    GO = 'CONTINUE'\n    STOP = 'TRIP'\n"
    assert author.outcome(answer="Word.GO", top=top).word == "done"
    assert author.outcome(answer="(Word.STOP, 'why')", top=top).said == "why"


@pytest.mark.parametrize("answer", ["'x' * (1 << 28)", "b'x' * (1 << 28)"])
def test_of_a_gigantic_answer_the_beginning_is_told(author: Author, answer: str) -> None:
    outcome = author.outcome(answer=answer)
    assert outcome.word == "nonsense" and len(outcome.said) <= 200


@pytest.mark.parametrize(
    ("head", "what"),
    [("async def observe", "a coroutine function"), ("def observe", "a generator")],
)
def test_a_method_that_waits_is_refused_when_it_is_loaded(author: Author, head: str, what: str) -> None:
    path = author.folder / "guard.py"
    path.write_text(
        f"class Guard:\n    {head}(self, step):\n        {'yield 1' if 'async' not in head else 'pass'}\n"
    )
    with pytest.raises(ModelError, match=f"observe is {what}: the role breaker calls it") as error:
        Hosted(Launch(f"{path}:Guard"))
    assert error.value.where is not None and error.value.where.line == 2


# -- its own process ---------------------------------------------------------------------------------------------


def test_a_copy_of_its_process_answers_nothing(author: Author) -> None:
    host = author.hosted(body="os.fork() if not os.path.exists('/nowhere') and step.success else None", limit=2.0)
    outcomes = host.run([FAILING, LOOKING])
    assert outcomes[0].word == "done"
    assert outcomes[1].word in ("hung", "done", "ended", "memory", "raised")


def test_a_process_in_a_session_of_its_own_is_ended_too(author: Author) -> None:
    body = (
        "if not os.path.exists(__file__ + '.pid') and os.fork() == 0:\n"
        "            os.setsid()\n"
        "            open(__file__ + '.pid', 'w').write(str(os.getpid()))\n"
        "            os.closerange(0, 64)\n"
        "            time.sleep(1000)"
    )
    host = author.hosted(body=body)
    assert host.run([LOOKING])[0].word == "done"
    kept = author.folder / "guard.py.pid"
    for _ in range(100):
        if kept.exists() and kept.read_text():
            break
        time.sleep(0.05)
    pid = int(kept.read_text())
    assert Path(f"/proc/{pid}").exists()
    host.close()
    state = Path(f"/proc/{pid}/status")
    assert not state.exists() or "\nState:\tZ" in state.read_text()
    assert [line for line in host.conduct() if line.startswith("it left processes running, which were ended (")]


def test_threads_that_it_leaves_are_counted(author: Author) -> None:
    body = (
        "if threading.active_count() < 4:\n"
        "            threading.Thread(target=time.sleep, args=(1000,), daemon=True).start()"
    )
    host = author.hosted(body=body)
    assert host.run([LOOKING])[0].word == "done"
    assert host.conduct() == ["it left threads running (3)"]


@pytest.mark.parametrize(
    ("body", "how"),
    [
        ("os.closerange(3, 64)", "its process ended (exit code 1)"),
        ("os.abort()", "its process ended (SIGABRT)"),
        ("os.kill(os.getpid(), signal.SIGKILL)", "its process ended (SIGKILL)"),
    ],
)
def test_a_process_that_ends_says_how(author: Author, body: str, how: str) -> None:
    outcome = author.outcome(body=body)
    assert (outcome.word, outcome.said) == ("ended", how)


def test_allocating_without_end_meets_the_limit(author: Author) -> None:
    host = author.hosted(body="held = [bytearray(1 << 24) for _ in range(1 << 20)]", memory=1 << 29)
    assert host.run([LOOKING])[0].word == "memory"


# -- what it may not touch -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("builtins.issubclass = lambda *_: True", "builtins.issubclass"),
        ("json.dumps = lambda *_, **__: '[]'", "json.dumps"),
        ("sys.modules['_meshspec_story'].unroll = lambda story: iter(())", "_meshspec_story.unroll"),
    ],
)
def test_what_its_process_runs_on_is_put_back_and_told_as_its_misconduct(
    author: Author, body: str, name: str
) -> None:
    first, second = author.hosted(body=body).run([LOOKING, FAILING])
    assert (first.word, first.said) == ("raised", f"it replaces {name}, which everything runs on")
    assert first.line == 6
    assert second == first


def test_a_file_that_replaces_it_is_refused(author: Author) -> None:
    with pytest.raises(ModelError, match=r"it replaces builtins\.len, which everything runs on"):
        author.hosted(top="builtins.len = lambda _: 0")


@pytest.mark.parametrize(
    "body",
    [
        "open('/nowhere/file', 'w')",
        "os.open('/nowhere/file', os.O_CREAT | os.O_WRONLY)",
        "os.remove('/nowhere/file')",
        "os.rename(__file__, '/nowhere/file')",
        "os.symlink('x', '/nowhere/file')",
        "os.mkdir('/nowhere/folder')",
        "__import__('shutil').rmtree('/nowhere/folder')",
        "__import__('sqlite3').connect('/nowhere/file')",
    ],
)
def test_writing_outside_its_folder_is_refused_and_told(author: Author, body: str) -> None:
    host = author.hosted(body=body)
    outcome = host.run([LOOKING])[0]
    assert (outcome.word, outcome.step, outcome.line) == ("raised", 1, 7)
    assert outcome.said.startswith("PermissionError: it may not write outside its own folder while it is judged: ")
    assert host.conduct() == ["it wanted to write outside its own folder, and was refused (1 times)"]


def test_it_may_write_in_its_folder_and_in_that_for_temporary_files(author: Author) -> None:
    body = (
        "import sqlite3, tempfile\n"
        "        sqlite3.connect(__file__ + '.db').close()\n"
        "        with tempfile.TemporaryDirectory() as folder: open(folder + '/x', 'w').close()\n"
        "        open(os.devnull, 'w').close()"
    )
    host = author.hosted(body=body)
    assert host.run([LOOKING])[0].word == "done"
    assert (author.folder / "guard.py.db").exists() and host.conduct() == []


def test_it_may_not_kill_who_started_it(author: Author) -> None:
    host = author.hosted(body="os.kill(os.getppid(), signal.SIGKILL)")
    outcome = host.run([LOOKING])[0]
    assert outcome.said == "PermissionError: it may not send signals to other processes while it is judged"
    assert host.conduct() == ["it wanted to signal other processes, and was refused (1 times)"]


def test_a_file_without_end_is_cut_off(author: Author) -> None:
    outcome = author.outcome(body="open(__file__ + '.big', 'wb').truncate(1 << 40)")
    assert outcome.word == "raised" and "File too large" in outcome.said


def test_the_fences_are_named(author: Author) -> None:
    names = author.hosted().fences()
    assert names[:3] == ["own process group", "no standard input", "5 s a story"]
    assert "memory 4 GiB" in names or "down: a limit on memory" in names
    assert "not observed: what C code does by itself" in names
    assert os.getpid() > 0


def test_a_record_that_the_policy_wrote_over_is_not_believed(author: Author) -> None:
    host = author.hosted()
    host._progress.seek(0)  # pyright: ignore[reportPrivateUsage]
    host._progress.write(b"garb" * 8)  # pyright: ignore[reportPrivateUsage]
    host._progress.flush()  # pyright: ignore[reportPrivateUsage]
    assert host.conduct() == ["it overwrote the record of what it was refused, which is not known"]


def test_an_answer_nested_beyond_all_depth_is_nonsense_and_shown_in_short(author: Author) -> None:
    deep = "deep = []\n        for _ in range(100_000): deep = [deep]"
    assert author.outcome(body=deep, answer="deep") == Outcome("nonsense", 1, "[[[[[[[...]]]]]]]")


def test_asserts_of_a_policy_are_executed_whatever_the_environment_says(
    author: Author, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONOPTIMIZE", "1")
    assert author.outcome(body="assert False").word == "raised"
