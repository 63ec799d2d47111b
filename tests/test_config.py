"""``[tool.meshspec]``: found, read as it is meant, and refused with the file and the key where it is not."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from meshspec.answer import Answer, Waiver
from meshspec.config import KEYS, LARGEST, NO_CONFIG, Config, find, load
from meshspec.errors import UsageError
from tests.report.hostile import SOME

FULL = """\
[project]
name = "mine"

[tool.meshspec]
scope = { Effect = 3, Worker = 2 }
engines = ["explore", "prove"]
require = "proved"
max-states = 5000
max-memory = "500M"
seed = -7
symmetry = false
workers = 2
allow-undetermined = true
without = ["crash"]
out = "found"

[[tool.meshspec.waivers]]
model = "EffectLedger"
property = "at_most_once"
owner = "Ada"
reason = "the service is being replaced"
expires = 2027-01-31
"""
WAIVER = '[[tool.meshspec.waivers]]\nmodel = "M"\nproperty = "p"\nowner = "o"\nreason = "r"\nexpires = 2027-01-31\n'


def config_of(folder: Path, text: str) -> Config:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return load(folder=folder)


def refused(folder: Path, text: str) -> str:
    with pytest.raises(UsageError) as error:
        config_of(folder, text)
    return str(error.value)


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_every_key_is_read(tmp_path: Path) -> None:
    waiver = Waiver(
        "EffectLedger", "at_most_once", "Ada", "the service is being replaced", date(2027, 1, 31), "pyproject.toml:17"
    )
    assert config_of(tmp_path, FULL) == Config(
        "pyproject.toml", {"Effect": 3, "Worker": 2}, ("explore", "prove"), "proved", 5000, "500M", -7, False, 2,
        True, ("crash",), "found", (waiver,),
    )  # fmt: skip
    assert {name.replace("-", "_") for name in KEYS} | {"file"} == set(Config.__annotations__)


def test_what_is_not_said_is_none(tmp_path: Path) -> None:
    assert config_of(tmp_path, "[tool.meshspec]\n") == Config("pyproject.toml")
    assert config_of(tmp_path, "[tool.other]\nx = 1\n") is NO_CONFIG


@pytest.mark.parametrize(
    ("line", "key", "value"),
    [
        ('scope = "Effect=3, Worker=2"', "scope", {"Effect": 3, "Worker": 2}),
        ('engines = "explore"', "engines", ("explore",)),
        ("max-memory = 1000000", "max-memory", "1000000"),
        ('symmetry = "off"', "symmetry", False),
        ('without = ["a", "a", "b"]', "without", ("a", "b")),
        ("seed = 0", "seed", 0),
    ],
)
def test_what_can_be_written_in_another_way(tmp_path: Path, line: str, key: str, value: object) -> None:
    assert config_of(tmp_path, f"[tool.meshspec]\n{line}\n").value(key) == value


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("max_states = 5", "has no key 'max_states': did you mean 'max-states'?"),
        ("engine = 'prove'", "has no key 'engine': did you mean 'engines'?"),
        ("colour = 1", "has no key 'colour': the keys are scope, engines, require"),
        ("scope = 3", "scope = 3: write a table of sizes, { Effect = 3 }"),
        ("scope = { Effect = 0 }", "the size of Effect must be a whole number of at least 1"),
        ("scope = { Effect = true }", "the size of Effect must be a whole number"),
        ("scope = { Effect = 2.0 }", "the size of Effect must be a whole number"),
        ("scope = { 'a b' = 2 }", "'a b' is no name of a sort"),
        ("scope = 'Effect'", "write sizes of sorts"),
        ("scope = 'Effect=2,Effect=3'", "a sort has one size"),
        ("scope = 'Effect=\u0662x'", "write sizes of sorts"),
        ("engines = []", "write a list of engines"),
        ("engines = [1]", "write a list of engines, each in quotes"),
        ("engines = ['explor']", "did you mean 'explore'?"),
        ("engines = ['zzz']", "the engines are "),
        ("require = 'strong'", "write proved or exhaustive"),
        ("require = ['proved']", "write proved or exhaustive"),
        ("max-states = 0", "write a whole number of at least 1"),
        ("max-states = '5'", "write a whole number of at least 1"),
        ("max-states = true", "write a whole number of at least 1"),
        ("max-states = 99999999999999999999", "write a whole number of at least 1"),
        ("max-memory = 'lots'", "write an amount of memory"),
        ("max-memory = '0G'", "write an amount of memory"),
        ("max-memory = 4.5", "write an amount of memory"),
        ("max-memory = true", "write an amount of memory"),
        ("seed = 1.0", "write a whole number"),
        ("symmetry = 1", "write true or false"),
        ("symmetry = 'maybe'", "write true or false"),
        ("workers = 0", "at least 1"),
        ("allow-undetermined = 'on'", "write true or false"),
        ("without = [3]", "write a list of faults, each in quotes"),
        ("without = ['']", "write a list of faults, each in quotes"),
        ("out = ''", "write the name of a folder"),
        ('out = "a\\u0000b"', "write the name of a folder"),
        ("waivers = 3", "write each waiver as a table of its own"),
        ("waivers = ['x']", "write each waiver as a table of its own"),
    ],
)
def test_what_is_wrong_is_told_with_the_file_and_the_key(tmp_path: Path, line: str, why: str) -> None:
    said = refused(tmp_path, f"[tool.meshspec]\n{line}\n")
    assert said.startswith("pyproject.toml: ")
    assert why in said and line.partition(" ")[0] in said


@pytest.mark.parametrize(
    ("old", "new", "why"),
    [
        ('owner = "o"\n', "", "a waiver needs 'owner'; it has model, property, reason, expires"),
        ('owner = "o"\n', 'owner = " "\n', "owner = ' ': write a text that says something"),
        ('reason = "r"\n', "reason = 3\n", "reason = 3: write a text"),
        ("2027-01-31", '"2027-01-31"', "write a day without quotes, expires = 2027-01-31"),
        ("2027-01-31", "2027-01-31T00:00:00", "write a day without quotes"),
        ("expires", "until", "a waiver has no 'until'; it has model, property, owner, reason, expires and answer"),
        ("expires", "answer = 'HOLDS'\nexpires", "it excuses one answer, VIOLATED, UNDETERMINED, VACUOUS, in quotes"),
        ("expires", "answer = 1\nexpires", "answer = 1: it excuses one answer"),
        ("expires", "answer = ['VACUOUS']\nexpires", "it excuses one answer"),
    ],
)
def test_a_waiver_has_all_its_keys_and_no_other(tmp_path: Path, old: str, new: str, why: str) -> None:
    said = refused(tmp_path, "[tool.meshspec]\n\n" + WAIVER.replace(old, new))
    assert said.startswith("pyproject.toml:3: ") and why in said


def test_a_waiver_is_for_violated_where_it_names_no_answer(tmp_path: Path) -> None:
    assert config_of(tmp_path, WAIVER).waivers[0].answer is Answer.VIOLATED
    for answer in ("VIOLATED", "UNDETERMINED", "VACUOUS"):
        assert config_of(tmp_path, WAIVER + f'answer = "{answer}"\n').waivers[0].answer is Answer(answer)


def test_a_waiver_knows_its_line_where_that_is_sure(tmp_path: Path) -> None:
    two = WAIVER + "\n" + WAIVER.replace('"p"', '"q"')
    assert [w.where for w in config_of(tmp_path, two).waivers] == ["pyproject.toml:1", "pyproject.toml:8"]
    entry = "model = 'M', property = 'p', owner = 'o', reason = 'r', expires = 2027-01-31"
    inline = f"[tool]\nmeshspec.waivers = [{{ {entry} }}]"
    assert [w.where for w in config_of(tmp_path, inline).waivers] == ["pyproject.toml"]


def test_the_nearest_file_that_speaks_of_us_counts(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.meshspec]\nseed = 1\n")
    (tmp_path / "a" / "pyproject.toml").write_text("[project]\nname = 'a'\n")
    assert find(inner) == tmp_path / "pyproject.toml"
    assert load(folder=inner).seed == 1
    (inner / "pyproject.toml").write_text("[tool.meshspec]\nseed = 2\n")
    assert (load(folder=inner).seed, load(folder=inner).file) == (2, "a/b/pyproject.toml")


@pytest.mark.parametrize("is_file", [False, True])
def test_the_search_ends_at_the_repository(tmp_path: Path, is_file: bool) -> None:
    inner = tmp_path / "repository" / "folder"
    inner.mkdir(parents=True)
    (tmp_path / "pyproject.toml").write_text("[tool.meshspec]\nseed = 1\n")
    git = inner.parent / ".git"
    git.write_text("gitdir: elsewhere\n") if is_file else git.mkdir()
    assert find(inner) is None and load(folder=inner) is NO_CONFIG
    (inner.parent / "pyproject.toml").write_text("[tool.meshspec]\nseed = 3\n")
    assert load(folder=inner).seed == 3, "the repository's own counts"


def test_a_file_that_is_named_must_be_there_and_speak_of_us(tmp_path: Path) -> None:
    named = tmp_path / "other.toml"
    with pytest.raises(UsageError, match=r"other\.toml cannot be read"):
        load(named)
    named.write_text("[tool.meshspec]\nseed = 5\n")
    assert (load(named).seed, load(named).file) == (5, "other.toml")
    named.write_text("[project]\n")
    with pytest.raises(UsageError, match=r"it has no \[tool\.meshspec\]"):
        load(named)
    with pytest.raises(UsageError, match="cannot be read"):
        load(tmp_path)


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"[tool.meshspec\n", "it is no TOML"),
        (b"[tool.meshspec]\nseed = 1\nseed = 2\n", "it is no TOML"),
        (b"\xff\xfe", "it is no UTF-8"),
        (b"tool = 3\n", ""),
        (b"[tool]\nmeshspec = 3\n", "tool.meshspec must be a table"),
        (b"x = " + b"[" * 100_000, "it is no TOML"),
        (b"x = " + b"9" * 5000, "it is no TOML"),
        (b"#" * (LARGEST + 1), "larger than"),
    ],
)
def test_a_file_that_cannot_be_read_is_refused(tmp_path: Path, data: bytes, why: str) -> None:
    (tmp_path / "pyproject.toml").write_bytes(data)
    if not why:
        assert load(folder=tmp_path) is NO_CONFIG
        return
    with pytest.raises(UsageError, match=why) as error:
        load(folder=tmp_path)
    assert "pyproject.toml" in str(error.value)


def test_a_folder_to_write_to_is_named_from_where_the_file_lies(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    assert config_of(tmp_path, "[tool.meshspec]\nout = 'found'\n").out == "found"
    monkeypatch.chdir(inner)
    assert load().out == str(tmp_path / "found")


def test_what_was_of_use_is_told_in_one_line(tmp_path: Path) -> None:
    config = config_of(tmp_path, FULL)
    assert config.told(["require", "scope", "symmetry"]) == (
        "from pyproject.toml: scope Effect=3,Worker=2, require proved, symmetry off"
    )
    assert config.told(["scope", "without"], {"scope": {"Effect": 3}}) == (
        "from pyproject.toml: scope Effect=3, without crash"
    )
    assert config.told([]) == NO_CONFIG.told(["scope"]) == ""
    assert config.value("waivers") is config.value("file") is None


@SOME
@given(
    st.binary(max_size=80), st.sampled_from([b"", b"[tool.meshspec]\n", b"[tool.meshspec]\nscope = ", FULL.encode()])
)
def test_whatever_is_in_the_file_it_is_read_or_refused_in_a_sentence(
    tmp_path_factory: pytest.TempPathFactory, data: bytes, head: bytes
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.toml"
    path.write_bytes(head + data)
    try:
        assert load(path).file
    except UsageError as error:
        assert "any.toml" in str(error)
