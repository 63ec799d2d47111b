"""A bundle: what its files hold, what they are called, and that they are written over nothing of anybody's."""

from __future__ import annotations

import errno
import importlib
import json
import os
import re
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import attrs
import jsonschema
import pytest

from meshspec.answer import Answer, Counterexample, Finding, Strength
from meshspec.backends.layout import Layout, Values
from meshspec.engines.rerun import Rerun
from meshspec.errors import Disagreement, UsageError
from meshspec.expr.text import value_text
from meshspec.report import itf, mermaid
from meshspec.report.bundle import Bundle, bundle_of, read, read_all, refuse_unwritable_folder
from meshspec.report.bundle_files import name_of, object_of
from meshspec.report.bundled import Move
from meshspec.report.checked import checked
from meshspec.sorts import Sort
from meshspec.targets import resolve
from tests.report.bundles import CASES, CHARGING, made

itf_py: Any = importlib.import_module("itf_py")  # it has no types
SCHEMA: dict[str, Any] = json.loads(
    (resources.files("meshspec.report") / "bundle-schema.json").read_text(encoding="utf-8")
)
NAME = "a step that is not possible any more"
CASE = CASES[NAME]


@pytest.fixture
def bundle(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bundle:
    """A bundle, and its model in the present folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    CASE.write(tmp_path)
    return made(NAME).bundle


# -- what the files hold ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_there_are_four_files(name: str) -> None:
    stems = list(made(name).files)
    json_file = stems[0].removesuffix(".json")
    assert stems == [f"{json_file}.json", f"{json_file}.itf.json", f"test_{json_file}.py", f"{json_file}.mmd"]


@pytest.mark.parametrize("name", CASES)
def test_its_json_follows_the_schema_and_is_read_back(tmp_path: Path, name: str) -> None:
    bundle, paths = made(name).bundle, made(name).put(tmp_path)
    told = json.loads(paths[0].read_text(encoding="ascii"))
    jsonschema.validate(told, SCHEMA)
    assert told == object_of(bundle)
    for path in (paths[0], paths[2], paths[3], paths[0].parent):
        assert read(path) == bundle, path


def test_the_schema_refuses_what_is_none_and_knows_every_field(bundle: Bundle) -> None:
    told = object_of(bundle)
    assert set(SCHEMA["properties"]) == set(told)
    nothing: dict[str, Any] = {}
    wrongs: list[dict[str, Any]] = [
        {**told, "more": 1},
        {**told, "scope": {"Job": "2"}},
        {**told, "steps": [nothing]},
    ]
    for wrong in wrongs:
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(wrong, SCHEMA)


def shown(value: object) -> object:
    """A value of a model as an independent reader gives it."""
    return value if isinstance(value, (bool, int)) else "None" if value is None else value_text(value)


def variables(layout: Layout, values: Values) -> dict[str, object]:
    """Our state, put together here once more in the reader's types."""
    found: dict[str, Any] = {}
    for cell in layout.cells:
        name, value = cell.variable.symbol.name, values[cell.key]
        key = shown(cell.keys[0]) if len(cell.keys) == 1 else tuple(map(shown, cell.keys))
        if cell.variable.is_set:
            found[name] = found.get(name, frozenset[object]()) | ({key} if value else set[object]())
        elif cell.keys:
            found.setdefault(name, {})[key] = shown(value)
        else:
            found[name] = shown(value)
    return found


def trace_of(name: str) -> Any:
    """The trace of a case, as an independent reader reads it."""
    content = next(content for file, content in made(name).files.items() if file.endswith(".itf.json"))
    return itf_py.trace_from_json(json.loads(content))


@pytest.mark.parametrize("name", CASES)
def test_an_independent_reader_finds_our_states_in_the_trace(name: str) -> None:
    bundle, trace = made(name).bundle, trace_of(name)
    run: Rerun = bundle.run
    names = list(dict.fromkeys(cell.variable.symbol.name for cell in run.layout.cells))
    assert trace.vars == [*names, itf.ACTION, itf.PICKS]
    assert trace.loop == bundle.loop
    assert trace.params == list(bundle.constants)
    assert [state.meta["index"] for state in trace.states] == list(range(len(run.taken) + 1))
    for state, values in zip(trace.states, run.states, strict=True):
        assert {name: state.values[name] for name in names} == variables(run.layout, values)
    taken = [state.values[itf.ACTION] for state in trace.states]
    assert taken == ["init", *(step.lifted.name for step in run.taken)]


def test_the_trace_names_arguments_and_choices() -> None:
    trace = trace_of("everything that a model may hold")
    picks = [state.values[itf.PICKS]._asdict() for state in trace.states]
    assert picks == [
        {},
        {"workers": ["worker0", "worker1"], "p": "BUSY"},
        {"w": "worker1", "n": -1, "sure": True, "choice1": "worker0", "choice2": 5},
        {"j": "job0"},
    ]


def test_constants_stand_in_the_first_state_of_the_trace() -> None:
    name = "a Range of an instance with its constants chosen"
    bundle, trace = made(name).bundle, trace_of(name)
    assert trace.params == ["limit"] and trace.states[0].values["limit"] == 3
    assert "limit" not in trace.states[1].values
    assert bundle.constants == {"limit": "3"}


def test_a_loop_stands_in_the_trace_and_ends_in_its_last_state() -> None:
    bundle, trace = made("a loop that is not fair").bundle, trace_of("a loop that is not fair")
    assert trace.loop == bundle.loop is not None
    names = trace.vars[:-2]
    first, last = (trace.states[at].values for at in (trace.loop, -1))
    assert [first[name] for name in names] == [last[name] for name in names]


def test_the_steps_are_told_with_arguments_and_choices_by_name() -> None:
    bundle = made("everything that a model may hold").bundle
    begin, help_, see = bundle.steps
    assert begin.arguments == {"workers": ["worker0", "worker1"], "p": "BUSY"} and begin.choices == {}
    assert help_.arguments == {"w": "worker1", "n": -1, "sure": True}
    assert help_.choices == {"choice1(Worker)": "worker0", "choice2(4..5)": 5}
    assert see.action == "see(job0)" and bundle.claim == {"a": "worker1", "p": "BUSY", "j": "job0"}


def test_the_path_is_told_as_every_report_tells_it(bundle: Bundle) -> None:
    told = checked(resolve("wrong.py")).of("charged_at_most_once").answer
    assert told.counterexample is not None
    plain = attrs.evolve(
        told.counterexample, steps=tuple(attrs.evolve(s, where="") for s in told.counterexample.steps)
    )
    assert bundle.path == plain
    assert (bundle.finding.replay, bundle.finding.where) == (f"{told.replay} --max-states 3000", told.where)


def test_the_diagram_goes_from_state_to_state(bundle: Bundle) -> None:
    lines = mermaid.diagram(bundle).splitlines()
    assert lines[:2] == ["%% meshspec-bundle 1", "stateDiagram-v2"]
    assert "    s2 --> s3: 3. charge(job0)" in lines
    assert "    s3: charges#91;job0#93; = 2" in lines


def test_the_diagram_of_a_loop_goes_back() -> None:
    bundle = made("a loop that is not fair").bundle
    last = len(bundle.steps)
    assert f"    s{last - 1} --> s{bundle.loop}: {last}. " in mermaid.diagram(bundle)


# -- of what there is none -------------------------------------------------------------------------------------


def test_what_is_not_refuted_has_no_bundle(bundle: Bundle) -> None:
    told = checked(resolve("wrong.py"))
    held = Finding("M", "p", Answer.HOLDS, "explore", strength=Strength.EXHAUSTIVE)
    assert bundle_of(held, told.asked) is None
    assert bundle_of(Finding("M", "p", Answer.VIOLATED, "explore"), told.asked) is None
    seen = Finding("M", "seen", Answer.VIOLATED, "refine", kind="refines", counterexample=bundle.path)
    assert bundle_of(seen, told.asked) is None


def test_a_path_that_is_none_on_cpython_is_a_bug_of_ours(bundle: Bundle) -> None:
    told = checked(resolve("wrong.py"))
    finding = told.of("charged_at_most_once").answer
    path = finding.counterexample
    assert path is not None
    wrong = attrs.evolve(finding, counterexample=attrs.evolve(path, steps=path.steps[:-1]))
    with pytest.raises(Disagreement, match="charged_at_most_once is true here, on CPython"):
        bundle_of(wrong, told.asked)


def test_a_target_and_its_scope_will_do(bundle: Bundle) -> None:
    found = checked(resolve("wrong.py"), scope={"Job": 1}, without=["crash"])
    assert found.of("charged_at_most_once").answer.answer is Answer.HOLDS
    told = checked(resolve("wrong.py"), scope={"Job": 1}).of("charged_at_most_once").answer
    other = bundle_of(told, resolve("wrong.py"), {"Job": 1}, ())
    assert other is not None and other.scope == {"Job": 1} and other.steps == bundle.steps


# -- what they are called --------------------------------------------------------------------------------------


def named(bundle: Bundle, folder: Path, **other: Any) -> str:
    return name_of(attrs.evolve(bundle, **other), folder)


def test_names_are_fit_for_every_file_system(bundle: Bundle, tmp_path: Path) -> None:
    for name in (
        "../../etc/passwd",
        "a/b",
        "con",
        "<script>",
        "a\nb",
        "\x1b[31m",
        "ü" * 300,
        "x" * 300,
        "",
        "no\\pe",
    ):
        found = named(bundle, tmp_path, subject=name, property=name)
        assert re.fullmatch(r"[a-z0-9_]{1,100}", found), name
    assert named(bundle, tmp_path) == "charging_charged_at_most_once"
    assert named(bundle, tmp_path, property="charges stays in 0..2") == "charging_charges_stays_in_0_2"


def test_two_properties_never_share_a_name(bundle: Bundle, tmp_path: Path) -> None:
    first = bundle.write(tmp_path)
    other = attrs.evolve(bundle, property="charged at most once")
    second = other.write(tmp_path)
    assert not {*first} & {*second}
    assert second[0].name.startswith("charging_charged_at_most_once_")
    assert {found.property for _, found in read_all(tmp_path)} == {bundle.property, other.property}
    assert bundle.write(tmp_path) == first and other.write(tmp_path) == second


def test_the_folder_is_made_and_a_bundle_is_written_anew_over_its_own_files(bundle: Bundle, tmp_path: Path) -> None:
    folder = tmp_path / "a" / "b"
    first = bundle.write(folder)
    first[0].write_text(first[0].read_text(encoding="utf-8")[:500], encoding="utf-8")  # as a crash leaves it
    assert bundle.write(folder) == first
    assert read(folder) == bundle
    assert sorted(path.name for path in folder.iterdir()) == sorted(path.name for path in first)


@pytest.mark.parametrize("which", range(4))
def test_a_file_of_somebody_elses_is_not_overwritten_and_nothing_is_written(
    bundle: Bundle, tmp_path: Path, which: int
) -> None:
    theirs = bundle.write(tmp_path / "first")[which].name
    folder = tmp_path / "second"
    folder.mkdir()
    (folder / theirs).write_text("precious", encoding="utf-8")
    with pytest.raises(UsageError, match="is there already and is no file of a bundle"):
        attrs.evolve(bundle).write(folder) if which else _write_as(bundle, folder)
    assert [path.name for path in folder.iterdir()] == [theirs]
    assert (folder / theirs).read_text(encoding="utf-8") == "precious"


def _write_as(bundle: Bundle, folder: Path) -> None:
    """The JSON of a name that is taken gives way to another name; a bundle's own name twice taken is refused."""
    other = named(bundle, folder)
    assert other != "charging_charged_at_most_once"
    (folder / f"{other}.json").write_text("precious", encoding="utf-8")
    try:
        bundle.write(folder)
    finally:
        (folder / f"{other}.json").unlink()


def test_a_folder_that_is_a_file_is_refused_before_anything_runs(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    for folder in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UsageError, match="is a file and no folder: name another folder"):
            refuse_unwritable_folder(folder)
    refuse_unwritable_folder(tmp_path / "new" / "and" / "deep")
    assert not (tmp_path / "new").exists()


def test_a_folder_that_may_not_be_written_and_a_full_disk_are_told(
    bundle: Bundle, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object, **__: object) -> None:
        raise OSError(errno.EACCES, os.strerror(errno.EACCES))

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr("tempfile.NamedTemporaryFile", refused)
        with pytest.raises(UsageError, match=r"no bundle can be written into .*: Permission denied; name"):
            bundle.write(tmp_path / "out")
    with monkeypatch.context() as patch:
        patch.setattr("meshspec.report.files.os.fdopen", full)
        with pytest.raises(UsageError, match=r"\.json cannot be written: No space left on device"):
            bundle.write(tmp_path / "out")
    assert [*(tmp_path / "out").iterdir()] == []


def test_what_was_typed_into_a_shell_has_no_test(bundle: Bundle, tmp_path: Path) -> None:
    assert [path.suffix for path in attrs.evolve(bundle, target="").write(tmp_path / "out")] == [
        ".json",
        ".json",
        ".mmd",
    ]


# -- names that would do harm ----------------------------------------------------------------------------------

HOSTILE = (
    CHARGING.replace(
        "class Job(Sort): ...\n",
        '''class Job(Sort): ...


class Straße(Sort): ...


Odd = Enum("Odd", {"a\\nb": 1, "\\x1b[31m": 2, "</script><b>": 3, 'q"""uote\\\\': 4, "None": 5, "#35;": 6, "];;": 7})
''',
    )
    + '''

@model
class Hostile:
    """\\x1b[31m <script>alert(1)</script> \\"\\"\\" `"""

    told: str = "\\x1b[31m\\n\\"\\"\\" <b> \\\\ %%{init}%%"
    odd: Odd | None = var(any_of(None, Odd["None"]))
    seen: Map[Straße, bool] = var(False)

    @action
    def go(self, s: Straße, _o: Odd) -> None:
        require(not self.seen[s])
        self.seen[s] = True
        self.odd = _o

    @always
    def is_sane(self, s: Straße, tag: Odd, value: bool) -> bool:
        return not (self.seen[s] and self.odd == tag and self.odd == Odd['q"""uote\\\\'])

    @always
    def is_no_markup(self) -> bool:
        return self.odd != Odd["</script><b>"]

    @always
    def is_one_line(self) -> bool:
        return self.odd != Odd["a\\nb"]

    @always
    def is_no_colour(self) -> bool:
        return self.odd != Odd["\\x1b[31m"]

    @always
    def is_not_named_none(self) -> bool:
        return self.odd != Odd["None"]

    @always
    def is_no_entity(self) -> bool:
        return self.odd != Odd["#35;"] and self.odd != Odd["];;"]
'''
)


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Bundle, list[Path]]]:
    """The bundles of a model with hostile names, and their files, by property."""
    folder, found = tmp_path_factory.mktemp("hostile"), dict[str, tuple[Bundle, list[Path]]]()
    (folder / "wrong.py").write_text(HOSTILE, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        patch.setattr(sys, "path", list(sys.path))
        told = checked(resolve("wrong.py:Hostile"), scope={"Straße": 1}, engines=("explore",))
        for one in told.answered:
            if (bundle := bundle_of(one.answer, told.asked)) is not None:
                found[bundle.property] = bundle, [path.resolve() for path in bundle.write(Path("out"))]
    return found


def test_hostile_names_are_data_in_every_format(hostile: dict[str, tuple[Bundle, list[Path]]]) -> None:
    assert len(hostile) == 6
    for bundle, (plain, trace, test, diagram) in hostile.values():
        assert read(plain) == bundle
        jsonschema.validate(json.loads(plain.read_text(encoding="ascii")), SCHEMA)
        itf_py.trace_from_json(json.loads(trace.read_text(encoding="ascii")))
        for path in (plain, trace, test, diagram):
            text = path.read_text(encoding="utf-8")
            assert all(letter.isprintable() or letter == "\n" for letter in text)
        code = test.read_text(encoding="utf-8")
        names: dict[str, Any] = {"__file__": str(test), "__name__": test.stem}
        exec(compile(code, str(test), "exec"), names)
        with pytest.raises(AssertionError):
            names[next(name for name in names if name.startswith("test_"))]()
        told_of = diagram.read_text(encoding="utf-8")
        assert not set('<"`;|\\{}') & {*re.sub(r"#\d+;", "", told_of)}


def test_a_member_called_none_is_told_apart_from_none(hostile: dict[str, tuple[Bundle, list[Path]]]) -> None:
    bundle, paths = hostile["is_not_named_none"]
    assert bundle.steps == [] and bundle.initial["odd"] == "None"
    trace = json.loads(paths[1].read_text(encoding="ascii"))
    assert trace["states"][0]["odd"] == "Odd.None"


def test_what_is_shown_of_a_step_is_escaped_in_a_diagram() -> None:
    hostile = Move('go("\n); click A href javascript:alert(1) %%{init}%%', note="<b>#35;")
    bundle = Bundle("policy", "t", "s\x1b[31m", "p", "obligation", "so\n---", steps=[hostile])
    lines = mermaid.diagram(bundle).splitlines()
    assert len(lines) == 7
    assert lines[4] == (
        "    A->>P: 1. go(#34;#92;n)#59; click A href javascript#58;alert(1) #37;#37;#123;init#125;#37;#37;"
    )
    assert lines[5] == "    P-->>A: #60;b#62;#35;35#59;"


def test_every_kind_of_value_has_one_form() -> None:
    class Thing(Sort): ...

    assert itf.value(Thing(1)) == "thing1"
    assert [itf.value(v) for v in (True, 1, -(10**30), None, (Thing(0), 2))] == [
        True,
        {"#bigint": "1"},
        {"#bigint": f"-{10**30}"},
        "None",
        ["thing0", {"#bigint": "2"}],
    ]


def test_a_counterexample_without_steps_is_a_bundle_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "wrong.py").write_text(CHARGING.replace("<= 1", "<= -1"), encoding="utf-8")
    told = checked(resolve("wrong.py"), engines=("prove",))
    finding = told.of("charged_at_most_once").answer
    assert finding.answer is Answer.VIOLATED and finding.engine == "prove"
    bundle = bundle_of(finding, told.asked)
    assert bundle is not None and bundle.steps == [] and isinstance(bundle.path, Counterexample)
    assert read(bundle.write(Path("out"))[0]) == bundle
