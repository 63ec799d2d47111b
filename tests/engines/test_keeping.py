"""An exploration that was cut, interrupted or killed goes on from its checkpoint, and comes to what it would have."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import pytest

from meshspec import Range, Sort, action, model, require, terminal, var
from meshspec.backends.space import Batch, Stepped
from meshspec.backends.tuples import TupleSpace
from meshspec.engines import checkpoint
from meshspec.engines.explore import explore
from meshspec.engines.limits import Limits, Options
from meshspec.engines.search import search_states
from meshspec.errors import UsageError
from meshspec.lang.lift import lift
from tests.engines.spaces import plain, spaces
from tests.engines.test_explore import CountdownWithAnEnd, Divides, TwoRanges
from tests.models.plain_ledger import Effect, EffectLedger, ResendInDoubt
from tests.models.two_phase_commit import Manager, TwoPhase

SUBJECTS: list[tuple[Any, dict[type[Sort], int], int]] = [
    (TwoPhase, {Manager: 4}, 60),
    (ResendInDoubt, {Effect: 2}, 30),
    (TwoRanges, {}, 3),
    (CountdownWithAnEnd, {}, 3),
    (Divides, {}, 6),
]


def ids(value: Any) -> str:
    return getattr(value, "__name__", "")


@pytest.mark.parametrize(("target", "sizes", "bound"), SUBJECTS, ids=ids)
@pytest.mark.parametrize("symmetry", [True, False])
def test_an_exploration_that_was_cut_goes_on_and_comes_to_the_same(
    target: Any, sizes: dict[type[Sort], int], bound: int, symmetry: bool, tmp_path: Path
) -> None:
    lifted, options = lift(target), Options(symmetry=symmetry, checkpoint=tmp_path / "kept")
    cut = explore(lifted, sizes, Limits(max_states=bound), options=options)
    assert (cut[0].facts["complete"], (tmp_path / "kept").exists()) == (False, True)
    assert (
        cut[0].facts["kept"]
        == f"kept in {tmp_path / 'kept'}: the same command with a higher bound goes on from there"
    )
    whole = explore(lifted, sizes, options=options)
    assert plain(whole) == plain(explore(lifted, sizes, options=Options(symmetry=symmetry)))
    assert not (tmp_path / "kept").exists()


def test_what_was_finished_is_not_stepped_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    lifted, options = lift(TwoPhase), Options(symmetry=False, checkpoint=tmp_path / "kept", space="tuples")
    cut, _ = search_states(lifted, {Manager: 4}, Limits(max_states=400), options=options)
    stepped: list[int] = []
    step = TupleSpace.step

    def counting(self: TupleSpace, batch: Batch, weights: Any) -> Stepped:
        stepped.append(len(batch))
        return step(self, batch, weights)

    monkeypatch.setattr(TupleSpace, "step", counting)
    whole, _ = search_states(lifted, {Manager: 4}, Limits(), options=options)
    finished = sum(len(layer) for layer in cut.layers[: cut.depth])
    assert finished > 0 and sum(stepped) == whole.states - finished


def test_an_exploration_goes_on_in_any_space(tmp_path: Path) -> None:
    expected = plain(explore(lift(TwoPhase), {Manager: 4}))
    for first in spaces():
        for second in spaces():
            kept = tmp_path / f"{first}-{second}"
            explore(
                lift(TwoPhase), {Manager: 4}, Limits(max_states=90), options=Options(space=first, checkpoint=kept)
            )
            found = explore(lift(TwoPhase), {Manager: 4}, options=Options(space=second, checkpoint=kept))
            assert plain(found) == expected


@model
class Jamming:
    """Gets stuck, where it may not, after one step, two, three, or four."""

    number: Annotated[int, Range(0, 4)] = var(0)
    jammed: bool = var(False)

    @action
    def jam(self) -> None:
        require(not self.jammed)
        self.jammed = True

    @action
    def step(self) -> None:
        require(self.number < 4 and not self.jammed)
        self.number += 1

    @terminal
    def at_the_end(self) -> bool:
        return self.number == 4 and not self.jammed


def test_more_counterexamples_may_be_asked_for_as_it_goes_on(tmp_path: Path) -> None:
    lifted, kept = lift(Jamming), tmp_path / "kept"
    explore(lifted, {}, Limits(max_states=8), options=Options(checkpoint=kept))
    found = explore(lifted, {}, options=Options(checkpoint=kept, counterexamples=3))
    assert plain(found) == plain(explore(lifted, {}, options=Options(counterexamples=3)))


def test_ctrl_c_keeps_what_was_finished(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    step, calls = TupleSpace.step, [0]

    def interrupted(self: TupleSpace, batch: Batch, weights: Any) -> Stepped:
        calls[0] += 1
        if calls[0] == 6:
            raise KeyboardInterrupt
        return step(self, batch, weights)

    options = Options(checkpoint=tmp_path / "kept")
    with monkeypatch.context() as patch:
        patch.setattr(TupleSpace, "step", interrupted)
        cut, _ = search_states(lift(TwoPhase), {Manager: 4}, Limits(), options=options)
    assert (cut.cut, cut.depth) == ("interrupted", 5)
    assert plain(explore(lift(TwoPhase), {Manager: 4}, options=options)) == plain(
        explore(lift(TwoPhase), {Manager: 4})
    )


class Killed(BaseException):
    """What ends a process without its leave."""


def test_a_crash_leaves_what_was_written_on_the_way(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def always(self: checkpoint.Pace, now: float) -> bool:
        return True

    step, calls = TupleSpace.step, [0]

    def killed(self: TupleSpace, batch: Batch, weights: Any) -> Stepped:
        calls[0] += 1
        if calls[0] == 5:
            raise Killed
        return step(self, batch, weights)

    options = Options(checkpoint=tmp_path / "kept")
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint.Pace, "due", always)
        patch.setattr(TupleSpace, "step", killed)
        with pytest.raises(Killed):
            explore(lift(TwoPhase), {Manager: 4}, options=options)
    calls.clear()
    found = explore(lift(TwoPhase), {Manager: 4}, options=options)
    assert plain(found) == plain(explore(lift(TwoPhase), {Manager: 4}))


def test_a_checkpoint_of_another_exploration_is_refused_and_left_alone(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    explore(lift(TwoPhase), {Manager: 3}, Limits(max_states=9), options=Options(checkpoint=kept))
    held = kept.read_bytes()
    others: list[tuple[Any, dict[type[Sort], int], Options]] = [
        (TwoPhase, {Manager: 4}, Options(checkpoint=kept)),
        (TwoPhase, {Manager: 3}, Options(checkpoint=kept, symmetry=False)),
        (EffectLedger, {Effect: 3}, Options(checkpoint=kept)),
    ]
    for target, sizes, options in others:
        with pytest.raises(UsageError, match="another exploration"):
            explore(lift(target), sizes, options=options)
    assert kept.read_bytes() == held


def test_a_checkpoint_that_cannot_be_written_is_refused_before_anything_runs(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--checkpoint"):
        explore(lift(TwoPhase), {Manager: 3}, options=Options(checkpoint=tmp_path / "missing" / "kept"))


def test_answers_are_told_where_the_checkpoint_cannot_be_written_after_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*given: object) -> None:
        raise UsageError("--checkpoint kept cannot be written (no space left)")

    monkeypatch.setattr("meshspec.engines.keeping.save", full)
    options = Options(checkpoint=tmp_path / "kept")
    found = explore(lift(TwoPhase), {Manager: 3}, Limits(max_states=9), options=options)
    assert found[0].facts["kept"] == "--checkpoint kept cannot be written (no space left)"
    assert found[0].orbits == 9
