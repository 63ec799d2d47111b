from __future__ import annotations

import ast
import itertools
import os
import subprocess
import sys
from pathlib import Path

import pytest

from meshspec.roles import story
from meshspec.roles.story import ONCE, SHAPES, Call, Shape, Story, length, multisets, stories_in_all, unroll

FALLING = SHAPES.index(Shape("constant", "constant", "decreasing", "absent", False))
LOOKING = SHAPES.index(Shape("fresh", "fresh", "absent", "absent", True))


def values(code: int, field: str) -> set[str]:
    return {repr(getattr(call, field)) for call in unroll(Story((), (code,)))}


@pytest.mark.parametrize(("kinds", "most"), [(1, 3), (3, 3), (4, 2), (7, 3)])
def test_the_closed_form_counts_what_direct_enumeration_counts(kinds: int, most: int) -> None:
    ordered = (tuple(sorted(t)) for n in range(most + 1) for t in itertools.product(range(kinds), repeat=n))
    assert multisets(kinds, most) == len(set(ordered))


def test_the_count_of_stories_is_that_of_direct_enumeration_at_a_small_size() -> None:
    prefixes = [p for n in range(2) for p in itertools.combinations_with_replacement(range(len(ONCE)), n)]
    loops = [p for n in (1, 2) for p in itertools.combinations_with_replacement(range(len(SHAPES)), n)]
    assert stories_in_all(prefix=1, loop=2) == len(set(itertools.product(prefixes, loops)))
    assert [len(list(story.prefixes(n))) for n in range(4)] == [1, 4, 10, 20]


def test_there_are_108_shapes_and_seven_million_stories() -> None:
    assert len(set(SHAPES)) == 108
    assert stories_in_all() == 35 * 221_814 == 7_763_490


@pytest.mark.parametrize("code", range(len(SHAPES)))
def test_each_field_behaves_as_its_shape_says(code: int) -> None:
    shape, calls = SHAPES[code], list(unroll(Story((), (code,))))
    assert len({call.tool for call in calls}) == 1
    assert len(values(code, "arguments")) == (1 if shape.arguments == "constant" else 54)
    assert len(values(code, "digest")) == (54 if shape.digest == "fresh" else 1)
    assert (calls[0].digest is None) == (shape.digest == "absent")
    changing_text = shape.text == "fresh" or shape.rank == "decreasing"
    assert len(values(code, "text")) == (54 if changing_text else 1)
    assert all(call.success == shape.success for call in calls[:-1])


def test_a_nonce_changes_one_argument_and_fresh_arguments_change_all_but_the_tool() -> None:
    nonce = SHAPES.index(Shape("nonce", "constant", "absent", "constant", True))
    fresh = SHAPES.index(Shape("fresh", "constant", "absent", "constant", True))
    first, second = itertools.islice(unroll(Story((), (nonce,), field="timestamp")), 2)
    assert {k for k in first.arguments if first.arguments[k] != second.arguments[k]} == {"timestamp"}
    first, second = itertools.islice(unroll(Story((), (fresh,))), 2)
    assert {k for k in first.arguments if first.arguments[k] != second.arguments[k]} == {"path", "patch"}


def test_a_falling_rank_falls_strictly_and_ends_green_even_where_the_number_failing_rises() -> None:
    ranks = [call.rank for call in unroll(Story((), (FALLING,)))]
    assert all(rank is not None for rank in ranks) and ranks[-1] == (0, 0)
    known = [rank for rank in ranks if rank is not None]
    assert all(later < earlier for earlier, later in itertools.pairwise(known))
    assert any(later[1] > earlier[1] for earlier, later in itertools.pairwise(known))


@pytest.mark.parametrize("prefix", [(), (0,), (0, 0, 0)])
@pytest.mark.parametrize("loop", [(FALLING,), (LOOKING, FALLING), (LOOKING, FALLING, LOOKING), (LOOKING,)])
def test_a_story_is_as_long_as_it_says_and_never_longer_than_asked(
    prefix: tuple[int, ...], loop: tuple[int, ...]
) -> None:
    tale = Story(prefix, loop)
    calls = list(unroll(tale))
    assert len(calls) == length(tale) <= 54
    assert FALLING not in loop or (calls[-1].success and calls[-1].rank == (0, 0))
    assert length(tale) > 54 - 2 * len(loop)


def test_the_steps_of_a_story_are_told_apart_in_both_renderings() -> None:
    for once, twice in itertools.combinations_with_replacement(range(0, len(SHAPES), 5), 2):
        separate = list(itertools.islice(unroll(Story((once,), (twice, twice))), 3))
        assert len({call.tool for call in separate}) == 3
        shell = list(itertools.islice(unroll(Story((once,), (twice, twice), one_tool=True)), 3))
        assert {call.tool for call in shell} == {"shell"}
        assert len({repr(call.arguments) for call in shell}) == 3


def test_a_call_cannot_be_changed_and_its_arguments_are_nobody_elses() -> None:
    tale = Story((0,), (1, 2))
    for call in unroll(tale):
        call.arguments.clear()
        with pytest.raises(AttributeError):
            call.tool = "other"  # type: ignore[misc]  # pyright: ignore[reportAttributeAccessIssue]
    assert all(call.arguments for call in unroll(tale))


def test_a_story_is_the_same_in_every_process() -> None:
    code = "from meshspec.roles.story import *\nprint([list(unroll(Story((1,), (5, 60), field='nonce')))])"
    told = {
        subprocess.run(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(told) == 1


def test_a_story_is_described_in_the_words_of_the_domain() -> None:
    edit = SHAPES.index(Shape("fresh", "constant", "absent", "fresh", True))
    failed = SHAPES.index(ONCE[1])
    assert story.describe(Story((failed,), (FALLING, edit), one_tool=True)) == (
        "after read_ticket (failed), a loop of 2 steps: run_check (same arguments, rank falls each round, failed); "
        "apply_patch (new arguments, same text, new change, ok), all through one tool"
    )
    call = Call("edit_file", {"path": "a.py"}, "applied", None, "0123456789", True)
    assert story.words(call) == 'edit_file(path=a.py) -> "applied", changed 012345, ok'


@pytest.mark.parametrize("name", ["story.py", "host.py"])
def test_what_runs_in_a_foreign_environment_imports_only_the_standard_library(name: str) -> None:
    tree = ast.parse(Path(story.__file__).with_name(name).read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {module.partition(".")[0] for module in imported} <= sys.stdlib_module_names | {"__future__"}
