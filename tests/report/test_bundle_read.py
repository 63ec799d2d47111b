"""What is no bundle is refused with its place, however it came to be none; nothing in it is believed or executed."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from meshspec.errors import UsageError
from meshspec.report.bundle import Bundle, read, read_all
from meshspec.report.bundle_files import LARGEST, object_of
from tests.report.bundles import made

NAME = "a step that is not possible any more"


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Bundle, list[Path]]:
    return made(NAME).bundle, made(NAME).put(tmp_path_factory.mktemp("wrong"))


@pytest.fixture
def told(written: tuple[Bundle, list[Path]]) -> dict[str, Any]:
    return json.loads(json.dumps(object_of(written[0])))  # type: ignore[no-any-return]


def refused(folder: Path, text: str | bytes, name: str = "some.json") -> str:
    path = folder / name
    path.write_bytes(text.encode("utf-8", "surrogatepass") if isinstance(text, str) else text)
    with pytest.raises(UsageError) as error:
        read(path)
    return str(error.value).replace(str(path), "FILE")


def test_a_bundle_is_read_by_any_of_its_files_and_by_its_folder(written: tuple[Bundle, list[Path]]) -> None:
    bundle, (plain, trace, test, diagram) = written
    assert read(plain) == read(test) == read(diagram) == read(plain.parent) == bundle
    of_trace = read(trace)
    assert of_trace.states and of_trace.target == bundle.target and of_trace.property == bundle.property
    assert [step.action for step in of_trace.steps] == [step.action for step in bundle.steps]


def test_a_folder_of_several_is_read_whole_and_not_as_one(written: tuple[Bundle, list[Path]], tmp_path: Path) -> None:
    bundle, _ = written
    other = attrs.evolve(bundle, property="another", run=None)
    bundle.write(tmp_path)
    other.write(tmp_path)
    (tmp_path / "package.json").write_text("{}", encoding="utf-8")
    assert [found for _, found in read_all(tmp_path)] == [other, bundle]
    with pytest.raises(UsageError, match=r"holds 2 bundles .*: name one of these files"):
        read(tmp_path)


def test_what_is_not_there_or_no_file_is_told(tmp_path: Path, written: tuple[Bundle, list[Path]]) -> None:
    with pytest.raises(UsageError, match=r"gone\.json does not exist"):
        read(tmp_path / "gone.json")
    with pytest.raises(UsageError, match="holds no bundle"):
        read(tmp_path)
    with pytest.raises(UsageError, match=r"model\.py is no bundle: name its \.json"):
        read(tmp_path / "model.py")
    with pytest.raises(UsageError, match=r"does not exist|is no name of a file"):
        read(Path("a\0b.json"))
    with pytest.raises(UsageError):
        read(tmp_path / ("x" * 5000 + ".json"))
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(UsageError, match="is no regular file"):
        read(tmp_path / "pipe.json")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "FILE:1: Expecting value (it ends too early: is it cut off?)"),
        ("{", "FILE:1: Expecting property name enclosed in double quotes (it ends too early: is it cut off?)"),
        ('{\n\n"a": tru}', "FILE:3: Expecting value"),
        ("[]", "FILE is no bundle: it is JSON, and not an object"),
        ("{}", 'FILE is no bundle: its "format" is not "meshspec-bundle"'),
        ('{"format": "meshspec-report"}', 'FILE is no bundle: its "format" is not "meshspec-bundle"'),
        ('{"format": "meshspec-bundle", "version": 2}', "FILE is a bundle of version 2; this meshspec reads 1"),
        ('{"format": "meshspec-bundle", "version": true}', "FILE is a bundle of version True; this meshspec reads 1"),
        ('{"format": "meshspec-bundle", "version": 1}', "FILE: 'of' is missing - at `$`"),
        ('{"a": 1, "a": 2}', "FILE: the key 'a' is there twice in one object"),
        ('{"a": NaN}', "FILE: NaN is no number of JSON"),
        ('{"a": -Infinity}', "FILE: -Infinity is no number of JSON"),
        ('{"a": 1e999}', "FILE: 1e999 is no integer, and a bundle has no other numbers"),
        ('{"a": ' + "9" * 5000 + "}", "FILE cannot be read: Exceeds the limit"),
        ('\n{"a": ' + "[" * 100_000, "FILE:2: it is nested more than 40 levels deep: this is no bundle"),
        (b"\xff\xfe\x00", "FILE is not text in UTF-8 (byte 0)"),
        ('{"vars": []}', "FILE is a trace, and does not name the model it is of"),
        (
            '{"#meta": {"meshspec-bundle": {}}, "vars": [], "states": []}',
            "FILE is no trace: `$.states` is not a list",
        ),
        ('{"#meta": {"meshspec-bundle": {}}, "vars": [], "states": [{}]}', "FILE: the index of the state is not 0"),
    ],
)
def test_what_is_no_bundle_is_refused_with_its_place(tmp_path: Path, text: str | bytes, said: str) -> None:
    assert refused(tmp_path, text).startswith(said)


WRONG: dict[str, tuple[tuple[str | int, ...], object, str]] = {
    "a name too many": (("stepz",), [], "'stepz' is nothing that a bundle has - at `$`"),
    "a name too many in a step": (("steps", 1, "why"), 1, "'why' is nothing that a bundle has - at `$.steps[1]`"),
    "a name too many in a change": (
        ("steps", 0, "changes", "in_hand[job0]", "by"),
        "me",
        "'by' is nothing that a bundle has - at `$.steps[0].changes['in_hand[job0]']`",
    ),
    "a text that is none": (("steps", 1, "action"), 7, "Expected `str`, got `int` - at `$.steps[1].action`"),
    "a size that is none": (("scope", "Job"), True, "Expected `int`, got `bool` - at `$.scope[...]`"),
    "a step that is none": (("steps",), [None], "Expected `object`, got `null` - at `$.steps[0]`"),
    "something that is neither": (("of",), "thing", "Invalid enum value 'thing' - at `$.of`"),
    "a loop that is none": (("loop",), "1", "Expected `int | null`, got `str` - at `$.loop`"),
    "a change that is none": (
        ("steps", 0, "changes", "in_hand[job0]"),
        ["a", "b"],
        "Expected `object`, got `array` - at `$.steps[0].changes[...]`",
    ),
    "a command of somebody else": (
        ("command",),
        "meshspec explore x.py; rm -rf ~",
        "'meshspec explore x.py; rm -rf ~' is no command of meshspec - at `$.command`",
    ),
    "another command": (("command",), "rm -rf .", "'rm -rf .' is no command of meshspec - at `$.command`"),
    "a command that never ends": (("command",), "meshspec 'x", '"meshspec \'x" is no command of meshspec'),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_value_is_refused_with_its_path(tmp_path: Path, told: dict[str, Any], name: str) -> None:
    (*way, last), value, said = WRONG[name]
    at: Any = told
    for part in way:
        at = at[part]
    at[last] = value
    assert refused(tmp_path, json.dumps(told)).startswith(f"FILE: {said}")


def test_every_field_is_needed(tmp_path: Path, told: dict[str, Any]) -> None:
    for name in told:
        less = {other: value for other, value in told.items() if other != name}
        said = refused(tmp_path, json.dumps(less))
        assert "is missing" in said or "is no bundle" in said or "of version None" in said, name


def test_a_bundle_cut_off_anywhere_is_refused(tmp_path: Path, written: tuple[Bundle, list[Path]]) -> None:
    for path in written[1][:2]:
        data = path.read_bytes().rstrip()
        for end in range(0, len(data), 97):
            refused(tmp_path, data[:end], path.name)


def test_a_huge_file_is_refused_by_its_size_without_reading_it_all(tmp_path: Path) -> None:
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.truncate(200 << 20)  # sparse: it has no blocks
    with pytest.raises(UsageError, match=f"has more than {LARGEST:,} bytes"):
        read(path)


@pytest.mark.parametrize("text", ['{"a": "' + '\\"' * 500_000, "[{" * 200_000, '"' * 400_001, "\\" * 400_000])
def test_what_is_made_to_be_slow_is_refused_at_once(tmp_path: Path, text: str) -> None:
    begun = time.process_time()
    refused(tmp_path, text)
    assert time.process_time() - begun < 5


def test_nothing_that_a_bundle_names_is_imported_when_it_is_read(tmp_path: Path, told: dict[str, Any]) -> None:
    (tmp_path / "evil.py").write_text("raise SystemExit('imported')", encoding="utf-8")
    told["target"] = str(tmp_path / "evil.py")
    (tmp_path / "some.json").write_text(json.dumps(told), encoding="utf-8")
    assert read(tmp_path / "some.json").target.endswith("evil.py")


@settings(
    max_examples=150, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(data=st.data())
def test_whatever_stands_in_a_file_it_is_a_bundle_or_refused(
    tmp_path: Path, written: tuple[Bundle, list[Path]], data: st.DataObject
) -> None:
    path = data.draw(st.sampled_from(written[1][:2]))
    content = bytearray(path.read_bytes())
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        until = data.draw(st.integers(at, min(at + 30, len(content))))
        content[at:until] = data.draw(
            st.one_of(st.binary(max_size=8), st.sampled_from([b"null", b"[", b'"', b"1e9", b"{}"]))
        )
        if not content:
            content += b" "
    changed = tmp_path / path.name
    changed.write_bytes(bytes(content))
    try:
        assert isinstance(read(changed), Bundle)
    except UsageError as error:
        assert str(error)
