"""Every reader of a file on the files that were kept, on a few hundred hostile ones and a few thousand new ones."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import pytest

from meshspec.errors import LONGEST, MeshspecError, UsageError
from tests.fuzz.changes import changed, cut, hostile
from tests.fuzz.corpus import CORPUS
from tests.fuzz.fence import Hangs, Outside, fence, folder
from tests.fuzz.reader import Reader
from tests.fuzz.readers import READERS
from tests.tree import ROOT

SLOW = {"overwriting", "bundle", "bundle-trace", "bundle-replay", "trace-replay", "python", "target", "report"}

each = pytest.mark.parametrize("name", READERS)


def wrong(reader: Reader, data: bytes) -> list[str]:
    said = reader.wrong(data)
    return [f"{said} <- {data[:200]!r}"] if said else []


@each
def test_a_reader_takes_what_its_writer_wrote(name: str) -> None:
    for seed in READERS[name].seeds:
        assert READERS[name].takes(seed)


@each
def test_a_reader_takes_or_refuses_what_was_kept(name: str) -> None:
    kept = sorted((CORPUS / name).glob("*"))
    assert kept, f"python -m tests.fuzz.soak --executions 100000 {name}, then --keep {name}"
    assert not [said for file in kept for said in wrong(READERS[name], file.read_bytes())]


@each
def test_a_reader_takes_or_refuses_what_is_hostile_cut_or_enormous(name: str) -> None:
    reader = READERS[name]
    seed = reader.seeds[0]
    files = [*hostile(seed), *cut(seed, 100 if name in SLOW else 300)]
    assert not [said for data in files for said in wrong(reader, data)]


@each
def test_a_reader_takes_or_refuses_what_was_changed(name: str) -> None:
    reader, draw = READERS[name], random.Random(name)
    begun = (*reader.seeds, *(file.read_bytes() for file in sorted((CORPUS / name).glob("*"))))
    files = (changed(draw.choice(begun), draw, reader.seeds) for _ in range(300 if name in SLOW else 2000))
    assert not [said for data in files for said in wrong(reader, data)]


@pytest.mark.parametrize("name", [name for name, reader in READERS.items() if reader.sealed])
def test_a_sealed_file_with_any_byte_changed_is_not_taken(name: str) -> None:
    reader, seed = READERS[name], READERS[name].seeds[0]
    for at in range(0, len(seed), max(1, len(seed) // 500)):
        for other in {seed[at] ^ 1, seed[at] ^ 0x80} - {seed[at]}:
            assert not reader.takes(seed[:at] + bytes([other]) + seed[at + 1 :]), at


def planted(*what: BaseException | str | bytes) -> Reader:
    """A reader with a fault: it raises what it is given, or does what it says."""

    def read(data: bytes) -> object:
        for one in what:
            if isinstance(one, BaseException):
                raise one
            if isinstance(one, bytes):
                (folder() / "other").write_bytes(one)
            else:
                exec(one, {})
        return data

    return Reader("planted", read, (b"seed",), sealed=True)


@pytest.mark.parametrize(
    ("reader", "said"),
    [
        (planted(KeyError("gone")), "KeyError: 'gone'"),
        (planted(RecursionError("deep")), "RecursionError: deep"),
        (planted(MemoryError()), "MemoryError: "),
        (planted(SystemExit(0)), "SystemExit: 0"),
        (planted(Hangs()), "Hangs: "),
        (planted("1"), "Outside: exec"),
        (planted(), "it takes a file that was changed"),
        (planted(MeshspecError("")), "AssertionError: a refusal of 0 characters"),
        (planted(UsageError("so")), ""),
        (planted(b"x", UsageError("so")), ""),
    ],
)
def test_what_a_reader_may_not_do_is_noticed(reader: Reader, said: str) -> None:
    assert reader.wrong(b"changed").startswith(said) and bool(reader.wrong(b"changed")) == bool(said)


def test_a_fence_keeps_writing_processes_and_connections_out(tmp_path: Path) -> None:
    import socket

    with fence(), pytest.raises(Outside):
        (tmp_path / "new").write_bytes(b"")
    with fence(), pytest.raises(Outside):
        (tmp_path / "new").mkdir()
    with fence(), pytest.raises(Outside):
        os.open(tmp_path / "new", os.O_CREAT | os.O_WRONLY)
    with fence(), pytest.raises(Outside):
        subprocess.run([sys.executable, "-V"], check=False)
    with fence(), pytest.raises(Outside), socket.socket() as one:
        one.connect(("127.0.0.1", 9))
    assert not list(tmp_path.iterdir())
    (tmp_path / "new").write_bytes(b"")  # and afterwards nothing is in the way


def test_a_reader_that_does_not_come_back_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.fuzz.fence.HANGS", 1)

    def read(_: bytes) -> object:
        while True:
            pass

    assert Reader("planted", read, ()).wrong(b"") == "Hangs: "


def test_changes_are_the_same_for_the_same_seed_and_others_for_another() -> None:
    data = b'{"a": [1, {"b": "c"}]}'
    once, again, other = ([changed(data, random.Random(n)) for n in (begin, begin + 1)] for begin in (1, 1, 3))
    assert once == again != other
    assert len({changed(data, random.Random(n), ()) for n in range(500)}) > 300


def test_a_refusal_is_short_enough_to_be_read() -> None:
    assert len(str(UsageError("x" * 10**6))) == LONGEST + 3


def test_nothing_of_ours_reads_what_can_hold_code() -> None:
    """But for answers of a user's own function, which runs in our process as well (adequacy)."""
    readers = ("pickle.load", "Unpickler", "import marshal", "import shelve", "yaml.load")
    found = {
        file.relative_to(ROOT / "meshspec").parts[0]
        for file in (ROOT / "meshspec").rglob("*.py")
        if any(bad in file.read_text(encoding="utf-8") for bad in readers)
    }
    assert found == {"adequacy"}
