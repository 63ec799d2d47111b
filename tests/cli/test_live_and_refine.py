"""``meshspec live`` and ``meshspec refine`` on a user's own files."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.conftest import IMPORTS, User

MORE = IMPORTS.replace("require, sometimes", "leads_to, refinement, require, sometimes")
QUEUE = """\
@model
class Queue:
    waits: Map[Effect, bool] = var(False)
    served: Map[Effect, bool] = var(False)

    @action
    def come(self, e: Effect) -> None:
        require(not self.waits[e] and not self.served[e])
        self.waits[e] = True

    @action
    def serve(self, e: Effect) -> None:
        require(self.waits[e])
        self.waits[e] = False
        self.served[e] = True

    @action
    def idle(self) -> None: ...

    @eventually(weak=("serve",))
    def all_are_served(self, e: Effect) -> bool:
        return leads_to(self.waits[e], self.served[e])
"""
UNFAIR = QUEUE.replace('(weak=("serve",))', "")
REFINED = (
    QUEUE
    + """

@model
class Done:
    done: Map[Effect, bool] = var(False)

    @action
    def do(self, e: Effect) -> None:
        require(not self.done[e])
        self.done[e] = True


@refinement(Queue, Done)
def served(c: Queue, a: Done) -> None:
    a.done = each(Effect, lambda e: c.served[e])
"""
)
BROKEN = REFINED + (
    """

@model
class Batch(Queue):
    @action
    def serve(self, e: Effect) -> None:
        require(self.waits[e])
        self.served = each(Effect, lambda x: self.served[x] or self.waits[x])
        self.waits = each(Effect, lambda x: False)


@refinement(Batch, Done)
def at_once(c: Batch, a: Done) -> None:
    a.done = each(Effect, lambda e: c.served[e])
"""
)


@pytest.mark.parametrize("command", [("live",), ("check",), ("check", "--engine", "explore,live")])
def test_what_holds_under_the_stated_fairness_exits_0_and_says_which(user: User, command: tuple[str, ...]) -> None:
    user.write(QUEUE, imports=MORE)
    said, report = user.json(command[0], "mine.py", *command[1:])
    assert said.code == 0
    assert "HOLDS all_are_served in scope (exhaustive, 9 states, Effect=2) under weak fairness of serve" in said.words
    entry = next(e for e in report["properties"] if e["property"] == "all_are_served")
    assert (entry["engine"], entry["facts"]["assumed"], entry["loop"]) == (
        "live",
        "under weak fairness of serve",
        None,
    )


@pytest.mark.parametrize("command", ["live", "check"])
def test_a_lasso_exits_1_and_is_shown_again_by_its_replay_command(user: User, command: str) -> None:
    user.write(UNFAIR, imports=MORE)
    said, report = user.json(command, "mine.py", "--scope", "Effect=1")
    assert said.code == 1
    assert "1. come(effect0) waits[effect0] False -> True then for ever: 2. idle" in said.words
    entry = next(e for e in report["properties"] if e["property"] == "all_are_served")
    assert (entry["answer"], entry["loop"]) == ("VIOLATED", 1)
    program, *again = entry["replay"].split()
    assert (program, again[0]) == ("meshspec", "live")
    code, out = user.run(*again).code, user.run(*again).words
    assert code == 1
    assert "then for ever: 2. idle" in out


def test_a_cut_is_in_the_replay_command_and_exits_3(user: User) -> None:
    user.write(QUEUE, imports=MORE)
    said, report = user.json("live", "mine.py", "--max-states", "4")
    assert said.code == 3
    (entry,) = report["properties"]
    assert entry["replay"] == "meshspec live mine.py --scope Effect=2 --max-states 4"
    assert user.run("live", "mine.py", "--max-states", "4", "--allow-undetermined").code == 0


def test_a_model_that_waits_for_nothing_exits_4(user: User) -> None:
    user.write(QUEUE.partition("    @eventually")[0], imports=MORE)
    assert user.run("live", "mine.py").code == 4


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            '(weak=("served",))',
            "all_are_served counts on 'served', which is no action; the actions are come, serve, idle",
        ),
        ('(weak="serve")', "weak='serve': give a tuple of names of actions, weak=(\"serve\",)"),
    ],
)
def test_a_wrong_fairness_exits_2_with_its_line(user: User, wrong: str, message: str) -> None:
    user.write(QUEUE.replace('(weak=("serve",))', wrong), imports=MORE)
    said = user.run("live", "mine.py")
    assert said.code == 2
    line = next(n for n, one in enumerate((MORE + QUEUE).splitlines(), 1) if "@eventually" in one)
    assert f"mine.py:{line}: " in said.err
    assert message in " ".join(said.err.split())


def test_a_refinement_that_holds_exits_0(user: User) -> None:
    user.write(REFINED, imports=MORE)
    for target in ("mine.py:served", "mine.py"):
        said, report = user.json("refine", target, "--scope", "Effect=3")
        assert said.code == 0
        assert "HOLDS refines Done by served in scope (exhaustive, 27 states, Effect=3)" in said.words
        (entry,) = report["properties"]
        assert (entry["model"], entry["kind"], entry["engine"]) == ("Queue", "refines", "refine")
        assert entry["replay"] == f"meshspec refine {target} --scope Effect=3"


def test_a_step_that_does_not_map_exits_1(user: User) -> None:
    user.write(BROKEN, imports=MORE)
    said = user.run("refine", "mine.py:at_once")
    assert said.code == 1
    assert "so the last step is seen as done[effect0] False -> True, done[effect1] False -> True" in said.words
    assert "nearest is do(effect0): done[effect0] False -> True" in said.words


def test_a_cut_refinement_exits_3(user: User) -> None:
    user.write(REFINED, imports=MORE)
    said = user.run("refine", "mine.py", "--max-states", "4")
    assert (said.code, "cut off by --max-states of 4" in said.words) == (3, True)
    assert "again: meshspec refine mine.py --scope Effect=2 --max-states 4" in said.words


def test_ctrl_c_while_steps_are_mapped_exits_3(user: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def presses_ctrl_c(*_: Any) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("meshspec.engines.refine.Seen.__call__", presses_ctrl_c)
    user.write(REFINED, imports=MORE)
    said, report = user.json("refine", "mine.py")
    assert said.code == 3
    assert report["properties"][0]["reason"] == "interrupted"


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("mine.py:nothing", "mine.py has no 'nothing'; it has served, at_once"),
        ("mine.py:Queue", "mine.py holds no refinement called 'Queue'; it has served, at_once"),
        ("mine.py", "mine.py holds 2 refinements; it has served, at_once: write mine.py:NAME"),
        ("Queue", "Queue names no refinement: write path.py:NAME or module:NAME of a @refinement"),
        ("none.py", "none.py does not exist"),
        ("nowhere:served", "there is no module 'nowhere' to import here"),
        (
            "empty.py",
            "empty.py holds 0 refinements; it has none: decorate a mapping with @refinement(Model, Simpler)",
        ),
    ],
)
def test_what_names_no_refinement_exits_2(user: User, target: str, message: str) -> None:
    user.write(BROKEN, imports=MORE)
    user.write(QUEUE, "empty.py", imports=MORE)
    said = user.run("refine", target)
    assert said.code == 2
    assert message in " ".join(said.err.split())


def test_a_mapping_that_raises_exits_2_with_its_line(user: User) -> None:
    text = REFINED.replace("a.done = each(Effect, lambda e: c.served[e])", "a.done = 1 // 0")
    user.write(text, imports=MORE)
    said = user.run("refine", "mine.py")
    assert said.code == 2
    line = (MORE + text).splitlines().index("    a.done = 1 // 0") + 1
    assert f"mine.py:{line}: served raises ZeroDivisionError" in " ".join(said.err.split())


def test_a_scope_that_no_model_has_exits_2(user: User) -> None:
    user.write(REFINED, imports=MORE)
    said = user.run("refine", "mine.py", "--scope", "Worker=3")
    assert (said.code, "--scope Worker=3: served ranges over Effect" in said.err) == (2, True)
