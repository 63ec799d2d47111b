"""The cache of certificates: a model that was certified is not certified again, and nothing else is ever believed."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from meshspec.backends import certified_cache
from meshspec.backends.certificate import certified
from meshspec.backends.certified_cache import recall, remember
from meshspec.backends.fingerprint import fingerprint
from meshspec.errors import CertificateError
from meshspec.lang.lift import lift
from tests.models.lock import Peterson
from tests.tree import ROOT

PROGRAM = """
import json, sys
from meshspec.backends.certificate import certified
from meshspec.errors import CertificateError
from lamp import Lamp
try:
    certified(Lamp)
    said = "certified"
except CertificateError as error:
    said = str(error)
print(json.dumps({"said": said, "anew": "z3" in sys.modules}))
"""

HELPERS = """
import operator

def never(a, b):
    return False

def probe(a, b):
    return never(a, b)
"""

LAMP = '''
"""A lamp, and a body that asks helpers of every kind."""
import operator
from enum import Enum
from functools import reduce
from typing import Annotated

import helpers
from meshspec import Map, Range, Sort, action, any_of, model, require, var


class Room(Sort):
    """Where it stands."""


class Mode(Enum):
    DIM = 0
    BRIGHT = 1

    @property
    def asks(self):
        return never


def never(a, b):
    return False


def later(lamp):
    pass


def with_default(a, b, test=never):
    return test(a, b)


def make(test):
    return lambda a, b: test(a, b)


class Prober:
    test = staticmethod(never)

    def ask(self, a, b):
        return self.test(a, b)


@model
class Asking:
    def ask(self):
        return False


GLOBAL = never
TABLE = {"test": [never]}
closed = make(never)
PROBER = Prober()


@model
class Lamp(Asking):
    most: int = 3
    mode: Mode = var(Mode.DIM)
    n: Annotated[int, Range(0, 9)] = var(0)
    lit: Map[Room, bool] = var(False)
    on: bool = var(False)

    @action
    def turn(self, room: Room) -> None:
        require(not self.lit[room] and self.n < self.most)
        if (
            never(self.n, 2) or GLOBAL(self.n, 2) or with_default(self.n, 2) or closed(self.n, 2) or self.ask()
            or TABLE["test"][0](self.n, 2) or PROBER.ask(self.n, 2) or helpers.probe(self.n, 2)
            or self.mode.asks(self.n, 2)
        ):
            self.on = True
        if operator.is_(self.n, 2):
            later(self)
        self.lit[room] = True
'''

BLIND = {
    "a helper": ("def never(a, b):\n    return False", "def never(a, b):\n    return operator.is_(a, b)"),
    "a global": ("GLOBAL = never", "GLOBAL = operator.is_"),
    "a default argument": ("test=never)", "test=operator.is_)"),
    "what a closure holds": ("closed = make(never)", "closed = make(operator.is_)"),
    "a method of a mixin": ("        return False\n\n\nGLOBAL", "        return operator.is_(self.n, 2)\n\n\nGLOBAL"),
    "what a table holds": ('{"test": [never]}', '{"test": [operator.is_]}'),
    "an attribute of a class": ("staticmethod(never)", "staticmethod(operator.is_)"),
    "a property of an enum": ("        return never\n", "        return operator.is_\n"),
    "a helper that lifting never ran": ("    pass\n", "    lamp.on = True\n"),
    "the body itself": (
        "if operator.is_(self.n, 2):",
        "if operator.is_(self.n, 2) and not setattr(self, 'on', True):",
    ),
}
"""Edits after which the trees are the same, and CPython does something else."""

OTHER = {
    "the name of a sort": ("Room", "Place"),
    "a bound of a Range": ("Range(0, 9)", "Range(0, 8)"),
    "an initial value": ("on: bool = var(False)", "on: bool = var(any_of(True, False))"),
    "a constant": ("most: int = 3", "most: int = 4"),
    "the order of branches": ("self.n < self.most", "self.n <= self.most"),
    "the value of a member": ("BRIGHT = 1", "BRIGHT = 2"),
}
"""Edits after which it is another model, rightly read."""


class Model:
    """A model in a folder of its own, certified by a process of its own with a cache of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.cache = folder, folder / "cache"
        (folder / "lamp.py").write_text(LAMP)
        (folder / "helpers.py").write_text(HELPERS)
        (folder / "program.py").write_text(PROGRAM)

    def edit(self, file: str, before: str, after: str) -> None:
        path = self.folder / file
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after))

    def certify(self, **env: str) -> dict[str, Any]:
        given = {**os.environ, "MESHSPEC_CACHE": str(self.cache), "PYTHONDONTWRITEBYTECODE": "1", **env}
        command = [sys.executable, str(self.folder / "program.py")]
        done = subprocess.run(command, cwd=ROOT, env=given, check=True, capture_output=True, text=True)
        read: dict[str, Any] = json.loads(done.stdout)
        return read

    @property
    def files(self) -> list[Path]:
        return sorted(self.cache.glob("*"))


@pytest.fixture
def lamp(tmp_path: Path) -> Model:
    return Model(tmp_path)


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Model:
    """Certified before, and left as it is by the tests that use it, but for its text."""
    model = Model(tmp_path_factory.mktemp("warm"))
    assert model.certify() == {"said": "certified", "anew": True}
    return model


# -- what is believed ------------------------------------------------------------------------------------------


def test_what_was_certified_is_not_certified_again_in_another_process(warm: Model) -> None:
    assert warm.certify(PYTHONHASHSEED="7") == {"said": "certified", "anew": False}


def test_what_stands_where_does_not_count(warm: Model, tmp_path: Path) -> None:
    moved = Model(tmp_path)
    moved.cache = warm.cache
    moved.edit("lamp.py", "GLOBAL = never", "# a comment\n\n\nGLOBAL = never")
    assert moved.certify() == {"said": "certified", "anew": False}


@pytest.mark.parametrize("what", BLIND)
def test_a_change_that_only_cpython_sees_is_not_overlooked(warm: Model, tmp_path: Path, what: str) -> None:
    changed = Model(tmp_path)
    changed.cache = warm.cache
    changed.edit("lamp.py", *BLIND[what])
    assert "turn cannot be trusted as it was read" in changed.certify()["said"]


def test_a_change_in_another_module_is_not_overlooked(warm: Model, tmp_path: Path) -> None:
    changed = Model(tmp_path)
    changed.cache = warm.cache
    changed.edit("helpers.py", "    return never(a, b)", "    return operator.is_(a, b)")
    assert "turn cannot be trusted as it was read" in changed.certify()["said"]


@pytest.mark.parametrize("what", OTHER)
def test_another_model_is_certified_anew(warm: Model, tmp_path: Path, what: str) -> None:
    changed = Model(tmp_path)
    changed.cache = warm.cache
    changed.edit("lamp.py", *OTHER[what])
    assert changed.certify() == {"said": "certified", "anew": True}


def test_a_failure_is_never_written(lamp: Model) -> None:
    lamp.edit("lamp.py", *BLIND["a helper"])
    assert [("cannot be trusted" in lamp.certify()["said"], lamp.files) for _ in range(2)] == [(True, [])] * 2


def test_a_body_that_reaches_what_cannot_be_taken_apart_is_certified_each_time(lamp: Model) -> None:
    lamp.edit("lamp.py", "GLOBAL = never", "GLOBAL = reduce(lambda f, _: f, [1], never)\nFILE = open(__file__)")
    lamp.edit("lamp.py", "        require(", "        FILE\n        require(")
    assert lamp.certify() == lamp.certify() == {"said": "certified", "anew": True}
    assert lamp.files == []


def test_a_file_of_ours_that_was_edited_since_it_was_read_gives_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    from meshspec.backends import fingerprint as module

    assert fingerprint(lift(Peterson), "so") is not None
    monkeypatch.setattr(module, "IMPORTED_AT", 0)
    module.tools.cache_clear()
    try:
        assert fingerprint(lift(Peterson), "so") is None
    finally:
        module.tools.cache_clear()


def test_the_way_it_was_certified_is_part_of_the_key() -> None:
    peterson = lift(Peterson)
    assert fingerprint(peterson, "seed 0") == fingerprint(lift(Peterson), "seed 0") != fingerprint(peterson, "seed 1")


# -- the files -------------------------------------------------------------------------------------------------

KEY = "0" * 64
RECORD: Mapping[str, object] = {"model": "Lamp", "methods": [{"name": "turn", "paths": 2}]}


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    place = tmp_path / "cache"
    monkeypatch.setenv("MESHSPEC_CACHE", str(place))
    return place


def the_file(place: Path) -> Path:
    (found,) = place.iterdir()
    return found


def test_a_record_comes_back_as_it_was_written(cache: Path) -> None:
    assert recall(KEY) is None
    remember(KEY, RECORD)
    assert recall(KEY) == RECORD
    assert recall("1" * 64) is None


def retold(text: str) -> str:
    return text.replace('"paths": 2', '"paths": 3')


def sealed_for_another_format(text: str) -> str:
    body = json.loads(text)
    del body["checksum"]
    body["format"] = 0
    return json.dumps({**body, "checksum": certified_cache.checksum(body)})


def no_object(text: str) -> str:
    body = json.loads(text)
    del body["checksum"]
    body["certificate"] = [1]
    return json.dumps({**body, "checksum": certified_cache.checksum(body)})


SPOILT = {
    "nothing in it": lambda _: "",
    "cut short": lambda text: text[:-20],
    "a count changed": retold,
    "another format": sealed_for_another_format,
    "no checksum": lambda text: json.dumps({k: v for k, v in json.loads(text).items() if k != "checksum"}),
    "a checksum of nothing": lambda text: json.dumps({**json.loads(text), "checksum": None}),
    "a list": lambda _: "[]",
    "no object inside": no_object,
    "no JSON": lambda _: "\ufffd{",
    "brackets without end": lambda _: "[" * 100_000,
    "too much": lambda text: text + " " * (1 << 18),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_spoilt_file_is_taken_for_absent(cache: Path, how: str) -> None:
    remember(KEY, RECORD)
    path = the_file(cache)
    path.write_text(SPOILT[how](path.read_text()))
    assert recall(KEY) is None
    remember(KEY, RECORD)
    assert recall(KEY) == RECORD, "and written anew"


def test_bytes_that_are_no_text_are_taken_for_absent(cache: Path) -> None:
    remember(KEY, RECORD)
    the_file(cache).write_bytes(b"\xff\xfe\x00{")
    assert recall(KEY) is None


def test_the_file_of_another_key_is_not_believed(cache: Path) -> None:
    remember(KEY, RECORD)
    other = "1" * 64
    path = the_file(cache)
    path.rename(path.with_name(path.name.replace(KEY, other)))
    assert recall(other) is None


@pytest.mark.parametrize("mode", [0o622, 0o606])
def test_a_file_that_others_may_write_is_not_believed(cache: Path, mode: int) -> None:
    remember(KEY, RECORD)
    the_file(cache).chmod(mode)
    assert recall(KEY) is None


def test_a_folder_that_others_may_write_is_not_used(cache: Path) -> None:
    remember(KEY, RECORD)
    cache.chmod(0o777)
    assert recall(KEY) is None
    remember("1" * 64, RECORD)
    assert len(list(cache.iterdir())) == 1


def test_what_belongs_to_another_user_is_not_believed(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    remember(KEY, RECORD)
    monkeypatch.setattr(os, "getuid", lambda: os.stat(cache).st_uid + 1)
    assert recall(KEY) is None


def test_a_link_is_not_followed(cache: Path, tmp_path: Path) -> None:
    remember(KEY, RECORD)
    path = the_file(cache)
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    assert recall(KEY) is None


def test_a_folder_or_a_pipe_in_place_of_the_file_is_no_error(cache: Path) -> None:
    remember(KEY, RECORD)
    path = the_file(cache)
    path.unlink()
    path.mkdir()
    assert recall(KEY) is None
    remember(KEY, RECORD)
    path.rmdir()
    os.mkfifo(path)
    assert recall(KEY) is None


def test_a_place_that_cannot_be_used_is_no_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("MESHSPEC_CACHE", str(tmp_path / "file" / "below"))
    remember(KEY, RECORD)
    assert recall(KEY) is None
    assert certified(Peterson).name == "Peterson"


def test_the_place_is_the_one_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MESHSPEC_CACHE", "off")
    assert certified_cache.folder() is None
    monkeypatch.setenv("MESHSPEC_CACHE", str(tmp_path / "asked"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "shared"))
    assert certified_cache.folder() == tmp_path / "asked"
    monkeypatch.setenv("MESHSPEC_CACHE", "")
    assert certified_cache.folder() == tmp_path / "shared" / "meshspec"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative, which the standard says to ignore")
    assert certified_cache.folder() == tmp_path / "home" / ".cache" / "meshspec"


def test_off_means_that_nothing_is_kept(lamp: Model) -> None:
    lamp.certify(MESHSPEC_CACHE="off", HOME=str(lamp.folder / "home"))
    assert lamp.certify(MESHSPEC_CACHE="off", HOME=str(lamp.folder / "home"))["anew"]
    assert not (lamp.folder / "home").exists() and not (ROOT / "off").exists()


def test_the_oldest_entries_go_when_there_are_too_many(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(certified_cache, "MAX_ENTRIES", 8)
    past = time.time() - 1000
    for number in range(9):
        remember(f"{number:064}", RECORD)
        for path in cache.glob(f"{number:064}*"):
            os.utime(path, (past + number, past + number))
        recall(f"{0:064}")  # asked for again and again
    kept = [number for number in range(9) if recall(f"{number:064}") is not None]
    assert kept == [0, 4, 5, 6, 7, 8]


def test_two_processes_at_once_do_not_disturb_each_other(lamp: Model) -> None:
    given = {**os.environ, "MESHSPEC_CACHE": str(lamp.cache)}
    command = [sys.executable, str(lamp.folder / "program.py")]
    both = [subprocess.Popen(command, env=given, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [json.loads(one.communicate()[0])["said"] for one in both] == ["certified"] * 2
    assert len(lamp.files) == 1
    assert lamp.certify() == {"said": "certified", "anew": False}


def test_a_write_that_is_cut_off_leaves_nothing_behind(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_space(self: Path, target: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "replace", no_space)
    remember(KEY, RECORD)
    assert list(cache.iterdir()) == [] and recall(KEY) is None


def test_a_wrong_reading_of_a_model_typed_in_is_not_believed_for_a_right_one(tmp_path: Path) -> None:
    """Code without a file is taken apart like any other."""
    program = textwrap.dedent(
        """
        import operator, sys
        from meshspec import action, model, var
        from meshspec.backends.fingerprint import fingerprint
        from meshspec.lang.lift import lift
        @model
        class Lamp:
            n: int = var(0)
            @action
            def turn(self) -> None:
                if PROBE(self.n, 2):
                    self.n = 0
        print(fingerprint(lift(Lamp), ""))
        """
    )
    keys = {
        subprocess.run(
            [sys.executable, "-c", program.replace("PROBE", probe)], cwd=ROOT, check=True, capture_output=True
        ).stdout
        for probe in ("operator.is_", "operator.is_not", "operator.is_")
    }
    assert len(keys) == 2 and b"None\n" not in keys


def test_the_door_raises_on_a_wrong_reading_although_another_is_on_record(cache: Path) -> None:
    from tests.models.shops import Shop

    for _ in range(2):
        with pytest.raises(CertificateError):
            certified(Shop)
    assert not cache.exists() or list(cache.iterdir()) == []
