from __future__ import annotations

import sys
from pathlib import Path

import pytest

import meshspec.adapters
from meshspec.adapters import adapters, judge
from meshspec.answer import Answer, Finding
from meshspec.errors import UsageError
from meshspec.roles import environments
from meshspec.roles.breaker import Bound, obligations
from meshspec.roles.environments import CannotInstall, interpreter
from meshspec.roles.hosted import Hosted, Launch
from meshspec.roles.judge import judge as judge_target
from meshspec.roles.story import SHAPES, Shape, Story

SMALL = Bound(prefix=1, loop=2)
TRIPS = [o.name for o in obligations() if o.must_trip]
LETS = [o.name for o in obligations() if not o.must_trip]


@pytest.fixture(scope="session")
def cache(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(autouse=True)
def _own_cache(cache: str, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setenv("MESHSPEC_CACHE", cache)


def put_to(name: str) -> dict[str, Finding]:
    return {finding.property: finding for finding in judge(name, bound=Bound(prefix=0, loop=2), walk=2)}


def test_agent_loop_guard_stops_repair_runs_and_distinct_work_and_misses_a_stuck_loop() -> None:
    found = put_to("agent-loop-guard")
    violated = {name: f.facts["tripped at step"] for name, f in found.items() if f.answer is Answer.VIOLATED}
    assert violated == {
        "lets-converging-repair-run": 7,
        "lets-distinct-work-run": 7,
        "trips-on-stuck-loop": None,
    }
    assert {f.answer for name, f in found.items() if name not in violated} == {Answer.HOLDS}
    assert found["trips-on-identical-success"].facts["tripped at step"] == 5
    assert found["trips-on-alternation"].facts["tripped at step"] == 6
    assert found["lets-distinct-work-run"].counterexample is not None
    assert "cycle_detection" in found["lets-distinct-work-run"].counterexample.steps[-1].note
    assert found["lets-distinct-work-run"].facts["promised"] is True
    assert found["lets-converging-repair-run"].facts["promised"] is False


def test_agent_loop_guard_stops_a_repair_run_with_one_step_between_at_step_7_too() -> None:
    falling = SHAPES.index(Shape("constant", "constant", "decreasing", "absent", False))
    edit = SHAPES.index(Shape("fresh", "fresh", "absent", "fresh", True))
    info = adapters()["agent-loop-guard"]
    with Hosted(Launch(info.target, interpreter(info.package))) as policy:
        outcome = policy.run([Story((), (falling, edit))])[0]
    assert (outcome.word, outcome.step) == ("trip", 7) and outcome.said.startswith("cycle_detection")


def test_pybreaker_sees_failures_in_a_row_and_nothing_else() -> None:
    found = put_to("pybreaker")
    violated = {name: f.facts["tripped at step"] for name, f in found.items() if f.answer is Answer.VIOLATED}
    assert violated == {**dict.fromkeys(TRIPS), "lets-converging-repair-run": 5}
    assert found["lets-distinct-work-run"].answer is Answer.HOLDS
    assert all(found[name].facts["promised"] is False for name in [*TRIPS, *LETS])
    assert (
        found["total"].replay == "meshspec check pybreaker --role breaker --seed 0 --prefix 0 --with pybreaker==1.4.1"
    )
    assert found["total"].subject == "pybreaker"


DO_NOTHING = {
    "agent-loop-guard": (
        "loop_guard",
        "class Calm:\n    is_loop = False\n"
        "class LoopGuard:\n    def check(self, tool, args, output): return Calm()\n",
    ),
    "pybreaker": (
        "pybreaker",
        "class CircuitBreakerError(Exception): ...\n"
        "class CircuitBreaker:\n    def call(self, function, *args): return function(*args)\n",
    ),
}


@pytest.mark.parametrize("name", DO_NOTHING)
def test_an_adapter_over_a_do_nothing_stand_in_fails_what_it_must(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module, source = DO_NOTHING[name]
    (tmp_path / f"{module}.py").write_text(source)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    found = judge_target(adapters()[name].target, bound=SMALL, walk=2)
    assert [f.property for f in found if f.answer is Answer.VIOLATED] == TRIPS
    assert [f.property for f in found if f.answer is Answer.HOLDS] == [*LETS, "total", "contract", "deterministic"]


def test_every_adapter_is_under_forty_lines_and_names_its_package_with_a_version() -> None:
    folder = Path(meshspec.adapters.__file__).parent
    for file in folder.glob("*.py"):
        if file.name != "__init__.py":
            assert len(file.read_text(encoding="utf-8").splitlines()) < 40, file.name
    assert {info.package: info.version for info in adapters().values()} == {
        "agent-loop-guard==0.1.1": "0.1.1",
        "pybreaker==1.4.1": "1.4.1",
    }


def test_what_an_adapter_says_is_promised_are_obligations() -> None:
    for info in adapters().values():
        assert info.promises <= {o.name for o in obligations()}


def test_a_package_that_cannot_be_had_is_undetermined_and_never_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(command: list[str]) -> None:
        raise CannotInstall("no such version")

    monkeypatch.setattr(environments, "_run", refuse)
    found = judge("pybreaker", package="pybreaker==9999")
    assert {finding.answer for finding in found} == {Answer.UNDETERMINED} and len(found) == 9
    assert {finding.reason for finding in found} == {"pybreaker==9999 cannot be installed: no such version"}


def test_a_name_that_is_no_adapter_and_a_package_that_is_not_its_own_are_refused() -> None:
    with pytest.raises(UsageError, match=r"'tenacity' is no adapter \(agent-loop-guard, pybreaker\)"):
        judge("tenacity")
    with pytest.raises(UsageError, match=r"the adapter pybreaker drives pybreaker, not tenacity==9\.0\.0"):
        judge("pybreaker", package="tenacity==9.0.0")
