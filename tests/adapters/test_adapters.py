from __future__ import annotations

import sys
from collections.abc import Collection
from pathlib import Path
from typing import cast

import pytest

import meshspec.adapters
from meshspec.adapters import adapters, judge
from meshspec.answer import Answer, Finding
from meshspec.errors import UsageError
from meshspec.properties.breakers import RECORDS
from meshspec.roles import environments
from meshspec.roles.breaker import Bound, obligations
from meshspec.roles.environments import CannotInstall, interpreter
from meshspec.roles.hosted import Hosted, Launch
from meshspec.roles.judge import judge as judge_target
from meshspec.roles.record import NEVER_TRIPS, compare, told
from meshspec.roles.story import SHAPES, Shape, Story
from meshspec.roles.telling import CONDUCT as RULES

SMALL = Bound(prefix=1, loop=2)
CONDUCT = list(RULES)
TRIPS = [o.name for o in obligations() if o.must_trip]
LETS = [o.name for o in obligations() if not o.must_trip]


@pytest.fixture(autouse=True)
def _own_cache(packages: str, monkeypatch: pytest.MonkeyPatch) -> None:  # pyright: ignore[reportUnusedFunction]
    monkeypatch.setenv("MESHSPEC_CACHE", packages)


def put_to(name: str, loop: int = 2, only: Collection[str] | None = None) -> dict[str, Finding]:
    info = adapters()[name]
    found = judge_target(
        info.target,
        package=info.package,
        subject=name,
        promises=info.promised("breaker"),
        bound=Bound(prefix=0, loop=loop),
        walk=0,
        only=only,
    )
    return {finding.property: finding for finding in found}


def test_every_line_of_the_record_agrees_and_nothing_was_asked_that_is_not_on_record() -> None:
    """Of one package; `meshspec check` has them all."""
    record = next(r for r in RECORDS if r.adapter == "pybreaker")
    found = put_to(record.adapter)
    lines = compare(record, found.values())
    assert [line.property for line in lines if line.answer is not Answer.HOLDS] == []
    assert list(found) == [*record.says, *CONDUCT]
    assert {found[name].answer for name in CONDUCT} == {Answer.HOLDS}


def test_what_agent_loop_guard_is_not_told_it_does_not_use() -> None:
    record = next(r for r in RECORDS if r.adapter == "agent-loop-guard-without-output")
    names = ["trips-on-identical-success", "not-evaded-by-irrelevant-field", "lets-converging-repair-run"]
    found = put_to(record.adapter, loop=1, only=names)
    assert [told(found[name]) for name in names] == [record.says[name] for name in names]
    assert found["trips-on-identical-success"].facts["tripped at step"] == 7  # 5 where it is told


def test_agent_loop_guard_says_by_which_strategy_it_stops_distinct_work() -> None:
    found = put_to("agent-loop-guard", only=["trips-on-identical-success", "lets-distinct-work-run"])
    assert found["trips-on-identical-success"].facts["tripped at step"] == 5
    assert found["lets-distinct-work-run"].facts["promised"] is True
    assert found["lets-distinct-work-run"].counterexample is not None
    assert "cycle_detection" in found["lets-distinct-work-run"].counterexample.steps[-1].note


def test_agent_loop_guard_stops_a_repair_run_with_one_step_between_at_step_7_too() -> None:
    falling = SHAPES.index(Shape("constant", "constant", "decreasing", "absent", False))
    edit = SHAPES.index(Shape("fresh", "fresh", "absent", "fresh", True))
    info = adapters()["agent-loop-guard"]
    with Hosted(Launch(info.target, interpreter(info.package))) as policy:
        outcome = policy.run([Story((), (falling, edit))])[0]
    assert (outcome.word, outcome.step) == ("trip", 7) and outcome.said.startswith("cycle_detection")


def test_pybreaker_promises_what_follows_a_trip_and_nothing_of_loops() -> None:
    found = put_to("pybreaker", only=["lets-distinct-work-run", "half-open-admits-one", "correct-traffic-passes"])
    assert {name: found[name].facts.get("promised") for name in found if name not in CONDUCT} == {
        "lets-distinct-work-run": False,
        "half-open-admits-one": True,
        "correct-traffic-passes": False,
    }
    assert found["correct-traffic-passes"].reason == (
        "calls that are interrupted say nothing of what they call, and after 5 it refused"
    )
    assert (
        found["total"].replay == "meshspec check pybreaker --role breaker --seed 0 --prefix 0 --with pybreaker==1.4.1"
    )
    assert found["total"].subject == "pybreaker"


@pytest.mark.parametrize(
    ("name", "patch", "obligation", "before", "after"),
    [
        ("agent-loop-guard", "guard.action_config.stop_threshold = 5", "trips-on-identical-success", 5, 6),
        ("agent-watchdog", "watchdog.max_identical_calls = 7", "lets-converging-repair-run", 3, 7),
        ("agent-watchdog", "watchdog.pattern_window_size = 12", "trips-on-alternation", NEVER_TRIPS, 12),
        ("pybreaker", "circuit.fail_max = 9", "lets-converging-repair-run", 5, 9),
    ],
)
def test_one_threshold_patched_in_a_package_moves_the_cell(
    name: str, patch: str, obligation: str, before: str | int, after: str | int, tmp_path: Path
) -> None:
    def cell(target: str) -> str | int:
        found = judge_target(target, package=info.package, bound=Bound(0, 3), walk=0, only=[obligation])[0]
        return cast("int | None", found.facts.get("tripped at step")) or told(found)

    info = adapters()[name]
    shipped = Path(info.target.rpartition(":")[0]).read_text(encoding="utf-8")
    init = f"    def __init__(self):\n        super().__init__()\n        self.{patch}\n"
    (tmp_path / "patched.py").write_text(f"{shipped}\n\nclass Patched(Adapter):\n{init}")
    assert (cell(info.target), cell(f"{tmp_path / 'patched.py'}:Patched")) == (before, after)


DO_NOTHING = {
    "agent-loop-guard": (
        "loop_guard",
        "class Calm:\n    is_loop = False\n"
        "class LoopGuard:\n    def check(self, tool, args, output): return Calm()\n"
        "    def reset(self): ...\n",
    ),
    "agent-watchdog": (
        "agent_watchdog",
        "import contextlib\nclass WatchdogHalt(Exception): ...\n"
        "class AgentWatchdog:\n    def __init__(self, timeout_seconds): ...\n"
        "    def watch(self, name): return contextlib.nullcontext()\n"
        "    def record_tool_call(self, tool, args, output): ...\n",
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
    held = [f.property for f in found if f.answer is Answer.HOLDS]
    calm = ["correct-traffic-passes"] if name == "pybreaker" else []  # it lets everything pass
    assert held == [*LETS, "independent-of-wall-clock", *calm, *CONDUCT]
    vacuous = [f.property for f in found if f.answer is Answer.VACUOUS]
    assert {"trip-keeps-holding", "sees-calls-of-worker-threads"} <= set(vacuous)


def test_every_adapter_is_under_forty_lines_and_names_its_package_with_a_version() -> None:
    folder = Path(meshspec.adapters.__file__).parent
    for file in folder.glob("*.py"):
        if file.name != "__init__.py":
            assert len(file.read_text(encoding="utf-8").splitlines()) < 40, file.name
    versions = {info.package: info.version for info in adapters().values() if "breaker" in info.targets}
    assert versions == {
        "agent-loop-guard==0.1.1": "0.1.1",
        "agent-watchdog==0.1.5": "0.1.5",
        "pybreaker==1.4.1": "1.4.1",
    }


def test_what_an_adapter_says_is_promised_are_obligations() -> None:
    for info in adapters().values():
        if "breaker" in info.targets:
            assert info.promised("breaker") == info.promises


def test_a_package_that_cannot_be_had_is_undetermined_and_never_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(command: list[str]) -> None:
        raise CannotInstall("no such version")

    monkeypatch.setattr(environments, "_run", refuse)
    found = judge("pybreaker", package="pybreaker==9999")
    assert {finding.answer for finding in found} == {Answer.UNDETERMINED} and len(found) == 13
    assert {finding.reason for finding in found} == {"pybreaker==9999 cannot be installed: no such version"}


def test_a_name_that_is_no_adapter_and_a_package_that_is_not_its_own_are_refused() -> None:
    with pytest.raises(UsageError, match=r"'tenacity' is no adapter \(agent-loop-guard, .*, pybreaker\)"):
        judge("tenacity")
    with pytest.raises(UsageError, match=r"the adapter pybreaker drives pybreaker, not tenacity==9\.0\.0"):
        judge("pybreaker", package="tenacity==9.0.0")
