"""The bundle of a policy: its story whole, its test run natively, and what conduct is told again."""

from __future__ import annotations

import importlib
import json
import sys
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from meshspec.answer import Answer, Finding
from meshspec.report.bundle import Bundle, bundle_of, read, replayed
from meshspec.report.bundle_files import object_of
from meshspec.roles.breaker import Bound
from meshspec.roles.judge import judge
from tests.report.test_bundle import SCHEMA

HASTY = """\
class Guard:
    \"\"\"Trips on every second call.\"\"\"

    def __init__(self):
        self.seen = 0

    def observe(self, step):
        self.seen += 1
        return ("TRIP", "<b>enough</b>\\x1b[31m") if self.seen > 1 else "CONTINUE"
"""
NEVER = 'class Guard:\n    def observe(self, step):\n        return "CONTINUE"\n'
RAISES = 'class Guard:\n    def observe(self, step):\n        raise KeyError("no \\"\\"\\" such")\n'
NONSENSE = 'class Guard:\n    def observe(self, step):\n        return "perhaps"\n'
FICKLE = """\
class Guard:
    said = hash("a word") % 997  # another number in every process

    def observe(self, step):
        return ("TRIP", f"at {self.said}") if self.said % 2 else "CONTINUE"
"""

POLICIES = {
    "an obligation to stop": (NEVER, "trips-on-identical-success", HASTY),
    "an obligation not to": (HASTY, "lets-distinct-work-run", NEVER),
    "it raises": (RAISES, "total", NEVER),
    "it answers nonsense": (NONSENSE, "contract", NEVER),
}


def findings(folder: Path, text: str) -> dict[str, Finding]:
    (folder / "guard.py").write_text(text, encoding="utf-8")
    found = judge("guard.py:Guard", bound=Bound(prefix=0, loop=1), walk=0)
    return {finding.property: finding for finding in found}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    return tmp_path


def run_natively(path: Path) -> None:
    """Run the one test in the file, in this process."""
    names: dict[str, Any] = {"__file__": str(path), "__name__": path.stem}
    exec(compile(path.read_text(encoding="utf-8"), str(path), "exec"), names)
    names[next(name for name in names if name.startswith("test_"))]()


@pytest.mark.parametrize("name", POLICIES)
def test_a_story_is_bundled_whole_told_again_and_tested(here: Path, name: str) -> None:
    broken, property, mended = POLICIES[name]
    bundle = bundle_of(findings(here, broken)[property])
    assert bundle is not None and bundle.of == "policy" and bundle.tale is not None
    plain, test, diagram = bundle.write(here / "out")
    jsonschema.validate(json.loads(plain.read_text(encoding="ascii")), SCHEMA)
    assert read(plain) == read(test) == read(diagram) == bundle
    came = replayed(read(plain))
    assert came.reproduced and came.bundle.steps == bundle.steps and not came.note
    with pytest.raises(AssertionError) as error:
        run_natively(test)
    assert bundle.failed in str(error.value)
    for path in (plain, test, diagram):
        assert all(letter.isprintable() or letter == "\n" for letter in path.read_text(encoding="utf-8"))
    (here / "guard.py").write_text(mended, encoding="utf-8")
    run_natively(test)
    again = replayed(read(plain))
    assert again.finding.answer is Answer.UNDETERMINED and again.changed


def test_what_differs_from_process_to_process_is_told_again(here: Path) -> None:
    bundle = bundle_of(findings(here, FICKLE)["deterministic"])
    assert bundle is not None
    assert replayed(bundle).finding.reason == bundle.reason


def test_a_policy_that_changed_and_breaks_it_otherwise_is_told_as_it_is_now(here: Path) -> None:
    bundle = bundle_of(findings(here, HASTY)["lets-distinct-work-run"])
    assert bundle is not None
    (here / "guard.py").write_text(HASTY.replace("self.seen > 1", "self.seen > 3"), encoding="utf-8")
    came = replayed(bundle)
    assert came.reproduced and came.steps == 4
    assert came.note.startswith("guard.py:Guard has changed since: step 2: its note is 'CONTINUE'")


def test_a_finding_without_its_story_and_one_that_holds_have_no_bundle(here: Path) -> None:
    found = findings(here, NEVER)
    assert bundle_of(found["total"]) is None
    bare = found["trips-on-identical-success"]
    facts = {name: told for name, told in bare.facts.items() if name != "told"}
    assert (
        bundle_of(Finding("g", "p", Answer.VIOLATED, "judge", counterexample=bare.counterexample, facts=facts))
        is None
    )


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("pybreaker", "from meshspec.adapters.pybreaker import Adapter as Policy  # needs pybreaker=="),
        ("pkg.guards:Guard", "from pkg.guards import Guard as Policy"),
        ("pkg.guards:Guards.strict", "import pkg.guards\n\nPolicy = pkg.guards.Guards.strict"),
        ("my guard.py:Guard", 'module = near(__file__, "my guard.py")'),
    ],
)
def test_a_test_imports_the_policy_by_the_name_of_its_target(here: Path, target: str, said: str) -> None:
    bundle = bundle_of(findings(here, NEVER)["trips-on-identical-success"])
    assert bundle is not None
    told = {**object_of(bundle), "target": target, "subject": target}
    (here / "some.json").write_text(json.dumps(told), encoding="utf-8")
    written = read(here / "some.json").write(here / "out")
    text = next(path for path in written if path.suffix == ".py").read_text(encoding="utf-8")
    assert said in text
    compile(text, "test.py", "exec")


def test_nobody_else_finds_a_bundle_by_a_name_that_is_no_module(here: Path) -> None:
    bundle = bundle_of(findings(here, NEVER)["trips-on-identical-success"])
    assert isinstance(bundle, Bundle)
    told = {**object_of(bundle), "target": "no module at all"}
    (here / "some.json").write_text(json.dumps(told), encoding="utf-8")
    assert [path.suffix for path in read(here / "some.json").write(here / "out")] == [".json", ".mmd"]
    assert importlib.import_module("meshspec.adapters").adapters().get("no module at all") is None
