"""What a pasted test calls beside the model's own methods: a file near by, choices, ends, runs that never end."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from meshspec import (
    Blocked,
    Map,
    ModelError,
    Sort,
    action,
    always,
    choose,
    eventually,
    leads_to,
    model,
    require,
    scope,
    var,
)
from meshspec.errors import UsageError
from meshspec.report.byhand import comes_about, near, picking, stuck


class Job(Sort): ...


class Tray(Sort): ...


@model
class Desk:
    handed_in: Map[Job, bool] = var(False)
    lies_in: Map[Job, Tray | None] = var(None)
    read: Map[Job, bool] = var(False)

    @action
    def hand_in(self, d: Job) -> None:
        require(not self.handed_in[d])
        self.handed_in[d] = True
        self.lies_in[d] = choose(Tray)

    @action
    def read_it(self, d: Job) -> None:
        require(self.handed_in[d] and not self.read[d])
        self.read[d] = True

    @action
    def shuffle(self, d: Job) -> None:
        require(self.handed_in[d] and not self.read[d])
        self.lies_in[d] = choose(Tray)

    @eventually
    def is_read(self, d: Job) -> bool:
        return leads_to(self.handed_in[d], self.read[d])

    @eventually(weak=("read_it",))
    def is_read_by_the_willing(self, d: Job) -> bool:
        return leads_to(self.handed_in[d], self.read[d])

    @always
    def lies_somewhere(self, d: Job) -> bool:
        return not self.handed_in[d] or self.lies_in[d] is not None


J, T = Job(0), (Tray(0), Tray(1))


def test_choices_are_answered_in_the_order_in_which_the_body_asks() -> None:
    with scope({Job: 1, Tray: 2}):
        desk = Desk()
        picking(desk.hand_in, T[1])(J)
        assert desk.lies_in[J] is T[1]
        with pytest.raises(ModelError, match="shuffle asks otherwise now than to be answered 3"):
            picking(desk.shuffle, 3)(J)
        with pytest.raises(Blocked):
            picking(desk.hand_in, T[0])(J)


def test_a_model_is_stuck_where_nothing_is_enabled() -> None:
    with scope({Job: 1, Tray: 2}):
        desk = Desk()
        assert not stuck(desk)
        picking(desk.hand_in, T[0])(J)
        desk.read_it(J)
        assert stuck(desk)


def test_a_loop_on_which_it_never_comes_about_keeps_no_claim_but_a_fair_one() -> None:
    with scope({Job: 1, Tray: 2}):
        desk = Desk()
        stem = [(picking(desk.hand_in, T[0]), J)]
        loop = [(picking(desk.shuffle, T[1]), J), (picking(desk.shuffle, T[0]), J)]
        assert not comes_about(desk, "is_read", J, stem=stem, loop=loop)
        fair = Desk()
        assert comes_about(
            fair,
            "is_read_by_the_willing",
            J,
            stem=[(picking(fair.hand_in, T[0]), J)],
            loop=[(picking(fair.shuffle, T[0]), J)],
        )


def test_a_run_that_comes_to_it_or_is_none_that_never_ends_keeps_the_claim() -> None:
    with scope({Job: 1, Tray: 2}):
        desk = Desk()
        assert comes_about(desk, "is_read", J, stem=[(picking(desk.hand_in, T[0]), J), (desk.read_it, J)])
        other = Desk()
        assert comes_about(other, "is_read", J, stem=[(picking(other.hand_in, T[0]), J)]), "read_it is enabled there"
        third = Desk()
        assert comes_about(third, "is_read", J, loop=[(picking(third.hand_in, T[0]), J)]), "it does not return"
        with pytest.raises(Blocked):
            comes_about(Desk(), "is_read", J, stem=[(Desk().read_it, J)])


def test_what_there_is_not_is_told() -> None:
    with scope({Job: 1, Tray: 2}):
        desk = Desk()
        with pytest.raises(UsageError, match="Desk has no @eventually 'lies_somewhere'"):
            comes_about(desk, "lies_somewhere", J)
        with pytest.raises(UsageError, match="is_read takes no tray0"):
            comes_about(desk, "is_read", T[0])
        with pytest.raises(UsageError, match=r"Desk has no action lies_somewhere\(job0\)"):
            comes_about(desk, "is_read", J, stem=[(desk.lies_somewhere, J)])


def test_a_file_is_found_in_the_folders_above_and_then_in_the_present_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "path", list(sys.path))
    (tmp_path / "repo" / "tests").mkdir(parents=True)
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "only-here.py").write_text("NAME = 'elsewhere'", encoding="utf-8")
    (tmp_path / "elsewhere" / "mine.py").write_text("NAME = 'elsewhere'", encoding="utf-8")
    (tmp_path / "repo" / "mine.py").write_text("NAME = 'repo'", encoding="utf-8")
    monkeypatch.chdir(tmp_path / "elsewhere")
    test = str(tmp_path / "repo" / "tests" / "test_it.py")
    assert near(test, "mine.py").NAME == "repo"
    assert near(test, "only-here.py").NAME == "elsewhere"
    with pytest.raises(UsageError, match=r"gone\.py is in no folder above test_it\.py, and not in the present one"):
        near(test, "gone.py")
