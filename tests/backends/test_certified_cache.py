"""The cache of certificates: a model that was certified is not certified again, and nothing else is ever believed."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import attrs
import pytest

from meshspec.backends import certified_cache
from meshspec.backends.certificate import certified
from meshspec.backends.certified_cache import recall, remember
from meshspec.backends.fingerprint import fingerprint, tools
from meshspec.errors import CertificateError
from meshspec.lang.declare import is_model
from meshspec.lang.lift import lift
from tests.models import lock, p_counts, p_shapes
from tests.models.lock import Peterson
from tests.models.shops import Shop
from tests.tree import ROOT

PROGRAM = """
import json, sys
from meshspec.backends import certificate
from meshspec.errors import CertificateError

right, anew = certificate.certify, []
certificate.certify = lambda model, **how: anew.append(model) or right(model, **how)

def certified(folder):
    for name in ("lamp", "helpers"):
        sys.modules.pop(name, None)
    sys.path.insert(0, folder)
    del anew[:]
    try:
        import lamp
        certificate.certified(lamp.Lamp)
        return {"said": "certified", "anew": bool(anew)}
    except CertificateError as error:
        return {"said": str(error), "anew": True}
    finally:
        sys.path.remove(folder)

print(json.dumps([certified(folder) for folder in sys.argv[1:]]))
"""

HELPERS = """
import operator

def never(a, b):
    return False

def probe(a, b):
    return never(a, b)

def hidden(a, b):
    return False
"""

LAMP = '''
"""A lamp, and a body that asks helpers of every kind."""
import operator
from enum import Enum
from functools import reduce
from typing import Annotated

import attrs

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
    lamp.on = lamp.on is True


def with_default(a, b, test=never):
    return test(a, b)


def make(test):
    return lambda a, b: test(a, b)


class Prober:
    test = staticmethod(never)

    def ask(self, a, b):
        return self.test(a, b)


@attrs.define
class Kit:
    test: object = never


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
            or self.mode.asks(self.n, 2) or Kit().test(self.n, 2)
        ):
            self.on = True
        if operator.is_(self.n, 2):
            later(self)
        self.lit[room] = True
'''

BLIND: dict[str, tuple[str, ...]] = {
    "a helper in another module": ("    return never(a, b)", "    return operator.is_(a, b)", "helpers.py"),
    "a helper": ("def never(a, b):\n    return False", "def never(a, b):\n    return operator.is_(a, b)"),
    "a global": ("GLOBAL = never", "GLOBAL = operator.is_"),
    "a default argument": ("test=never)", "test=operator.is_)"),
    "what a closure holds": ("closed = make(never)", "closed = make(operator.is_)"),
    "a method of a mixin": ("        return False\n\n\nGLOBAL", "        return operator.is_(self.n, 2)\n\n\nGLOBAL"),
    "what a table holds": ('{"test": [never]}', '{"test": [operator.is_]}'),
    "an attribute of a class": ("staticmethod(never)", "staticmethod(operator.is_)"),
    "a property of an enum": ("        return never\n", "        return operator.is_\n"),
    "a default of attrs": ("test: object = never", "test: object = operator.is_"),
    "one instruction of a helper that lifting never ran": ("lamp.on is True", "lamp.on is not True"),
    "the body itself": ("            later(self)\n", "            self.on = True\n"),
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


@attrs.frozen
class Model:
    """A model in a folder of its own."""

    folder: Path

    @classmethod
    def written(cls, folder: Path) -> Model:
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "lamp.py").write_text(LAMP)
        (folder / "helpers.py").write_text(HELPERS)
        return cls(folder)

    def edited(self, before: str, after: str, file: str = "lamp.py") -> Model:
        path = self.folder / file
        text = path.read_text()
        assert before in text
        path.write_text(text.replace(before, after))
        return self


def certify(*models: Model, cache: Path | str, **env: str) -> list[dict[str, Any]]:
    """The models certified by a process of its own, one after the other, with this cache."""
    given = {**os.environ, "MESHSPEC_CACHE": str(cache), "PYTHONDONTWRITEBYTECODE": "1", **env}
    command = [sys.executable, "-c", PROGRAM, *(str(model.folder) for model in models)]
    done = subprocess.run(command, cwd=ROOT, env=given, check=True, capture_output=True, text=True)
    read: list[dict[str, Any]] = json.loads(done.stdout)
    return read


ANEW, AGAIN = {"said": "certified", "anew": True}, {"said": "certified", "anew": False}


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A cache with the certificate of the lamp as it is written above, left by another process."""
    folder = tmp_path_factory.mktemp("warm")
    assert certify(Model.written(folder / "lamp"), cache=folder / "cache") == [ANEW]
    return folder / "cache"


@pytest.fixture(autouse=True)
def as_if_nobody_edits_while_tests_run(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("meshspec.backends.fingerprint.IMPORTED_AT", time.time_ns() + 10**18)
    tools.cache_clear()
    yield
    tools.cache_clear()


# -- what is believed ------------------------------------------------------------------------------------------


def test_what_was_certified_is_not_certified_again_by_another_process(warm: Path, tmp_path: Path) -> None:
    assert certify(Model.written(tmp_path), cache=warm, PYTHONHASHSEED="7") == [AGAIN]


def test_what_stands_where_does_not_count(warm: Path, tmp_path: Path) -> None:
    moved = Model.written(tmp_path).edited("GLOBAL = never", "# a comment\n\n\nGLOBAL = never")
    assert certify(moved, cache=warm) == [AGAIN]


def test_a_change_that_only_cpython_sees_is_not_overlooked(warm: Path, tmp_path: Path) -> None:
    """Each edit leaves the trees as they were, and each must be found out by the certificate."""
    changed = [Model.written(tmp_path / str(n)).edited(*edit) for n, edit in enumerate(BLIND.values())]
    said = certify(*changed, cache=warm)
    trusted = [
        what for what, one in zip(BLIND, said, strict=True) if "cannot be trusted as it was" not in one["said"]
    ]
    assert trusted == []


def test_the_edits_that_only_cpython_sees_leave_the_trees_as_they_were(tmp_path: Path) -> None:
    program = PROGRAM.replace("certificate.certified(lamp.Lamp)", "return str(lift(lamp.Lamp).actions[0].raw)")
    program = program.replace("import json, sys", "import json, sys\nfrom meshspec.lang.lift import lift")
    edits = [("GLOBAL = never", "GLOBAL = never"), *BLIND.values()]
    folders = [Model.written(tmp_path / str(n)).edited(*edit).folder for n, edit in enumerate(edits)]
    command = [sys.executable, "-c", program, *map(str, folders)]
    done = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True)
    trees = [re.sub(r"where=Where\([^)]*\)", "", tree) for tree in json.loads(done.stdout)]
    assert len(trees) == 1 + len(BLIND) and len(set(trees)) == 1


def test_another_model_is_certified_anew(warm: Path, tmp_path: Path) -> None:
    changed = [Model.written(tmp_path / str(n)).edited(*edit) for n, edit in enumerate(OTHER.values())]
    said = dict(zip(OTHER, certify(*changed, cache=warm), strict=True))
    assert said == dict.fromkeys(OTHER, ANEW)


def test_a_failure_is_never_written(tmp_path: Path) -> None:
    wrong = Model.written(tmp_path / "lamp").edited(*BLIND["a helper"])
    said = certify(wrong, wrong, cache=tmp_path / "cache")
    assert ["cannot be trusted" in one["said"] for one in said] == [True, True]
    assert not (tmp_path / "cache").exists()


def test_a_body_that_reaches_what_cannot_be_taken_apart_is_certified_each_time(tmp_path: Path) -> None:
    lamp = Model.written(tmp_path / "lamp").edited("GLOBAL = never", "GLOBAL = never\nFILE = open(__file__)")
    lamp.edited("        require(", "        FILE\n        require(")
    assert certify(lamp, lamp, cache=tmp_path / "cache") == [ANEW, ANEW]
    assert not (tmp_path / "cache").exists()


def test_a_body_that_runs_what_no_name_in_it_leads_to_is_certified_each_time(tmp_path: Path) -> None:
    lamp = Model.written(tmp_path / "lamp").edited("helpers.probe(", 'getattr(helpers, "hid" + "den")(')
    assert certify(lamp, lamp, cache=tmp_path / "cache") == [ANEW, ANEW]
    assert not (tmp_path / "cache").exists()


def test_a_file_of_ours_that_was_edited_since_it_was_read_gives_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    assert fingerprint(lift(Peterson), "so") is not None
    monkeypatch.setattr("meshspec.backends.fingerprint.IMPORTED_AT", 0)
    tools.cache_clear()
    assert fingerprint(lift(Peterson), "so") is None


def test_the_way_it_was_certified_is_part_of_the_key() -> None:
    peterson = lift(Peterson)
    assert fingerprint(peterson, "seed 0") == fingerprint(lift(Peterson), "seed 0") != fingerprint(peterson, "seed 1")


def test_the_keys_of_different_models_differ() -> None:
    every = [cls for module in (lock, p_shapes, p_counts) for cls in vars(module).values() if is_model(cls)]
    keys = [fingerprint(lift(cls), "") for cls in every]
    assert None not in keys and len(set(keys)) == len(every) > 10


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


SPOILT: dict[str, Callable[[str], str]] = {
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
    monkeypatch.setattr(os, "getuid", lambda: cache.stat().st_uid + 1)
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


def test_off_means_that_nothing_is_kept(tmp_path: Path) -> None:
    lamp = Model.written(tmp_path / "lamp")
    assert certify(lamp, lamp, cache="off", HOME=str(tmp_path / "home")) == [ANEW, ANEW]
    assert not (tmp_path / "home").exists() and not (ROOT / "off").exists()


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


def test_two_processes_at_once_do_not_disturb_each_other(tmp_path: Path) -> None:
    lamp, cache = Model.written(tmp_path / "lamp"), tmp_path / "cache"
    given = {**os.environ, "MESHSPEC_CACHE": str(cache)}
    command = [sys.executable, "-c", PROGRAM, str(lamp.folder)]
    both = [subprocess.Popen(command, cwd=ROOT, env=given, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    assert [json.loads(one.communicate()[0])[0]["said"] for one in both] == ["certified"] * 2
    assert len(list(cache.iterdir())) == 1
    assert certify(lamp, cache=cache) == [AGAIN]


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
        from meshspec.backends.fingerprint import fingerprint, tools
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
        for probe in ("operator.is_", "(lambda a, b: False)", "operator.is_")
    }
    assert len(keys) == 2 and b"None\n" not in keys


def test_the_door_raises_on_a_wrong_reading_although_another_is_on_record(cache: Path) -> None:
    for _ in range(2):
        with pytest.raises(CertificateError):
            certified(Shop)
    assert not cache.exists() or list(cache.iterdir()) == []
