"""The generator of models reaches the whole language, and what it writes is valid, typed and the same everywhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

from meshspec.engines.limits import Limits
from meshspec.engines.search import search_states
from meshspec.lang.lift import Lifted
from tests.agreement.models import ALL, CI, generated
from tests.agreement.test_branches import has_four_paths, has_match, has_nested_maps, returns_early
from tests.generator import GeneratedModel, make
from tests.generator.coverage import CONSTRUCTS, NODES, WORDS, constructs_in, nodes_in, words_in
from tests.generator.models import Writer

SHARES: dict[Callable[[Lifted], bool], float] = {
    has_four_paths: 0.4,
    has_nested_maps: 0.15,
    has_match: 0.3,
    returns_early: 0.2,
}


def missing(wanted: Sequence[str], count: Callable[[GeneratedModel], Counter[str]]) -> tuple[list[str], str]:
    """What is in none of the models, and how often everything is; no more are made than it takes to have it all."""
    found = Counter[str]()
    for seed in ALL:
        found += count(generated(seed))
        if all(found[name] for name in wanted):
            break
    table = "\n".join(f"{found[name]:8,}  {name}" for name in wanted)
    return [name for name in wanted if not found[name]], table


def test_every_node_operator_and_outcome_is_reached() -> None:
    never, table = missing(NODES, nodes_in)
    assert not never, f"never: {never}\n{table}"


def test_every_word_of_the_vocabulary_is_used() -> None:
    never, table = missing(WORDS, words_in)
    assert not never, f"never: {never}\n{table}"


def test_every_listed_construct_of_python_is_used() -> None:
    never, table = missing(CONSTRUCTS, constructs_in)
    assert not never, f"never: {never}\n{table}"


def test_many_models_have_what_is_hard_to_read() -> None:
    """Four paths in an action, a map read at what a map holds, match, early return."""
    models = [generated(seed) for seed in CI]
    for feature, wanted in SHARES.items():
        having = sum(any(map(feature, (*m.lifted.actions, *m.lifted.claims))) for m in models)
        assert having >= wanted * len(models), f"{feature.__name__}: {having} of {len(models)}"


def test_few_texts_ask_too_much_to_be_lifted() -> None:
    again = [seed for seed in CI if generated(seed).attempt > 0]
    assert len(again) <= 0.05 * len(CI), again


def test_state_spaces_are_small_and_not_trivial() -> None:
    sizes: list[int] = []
    for seed in CI:
        search, _ = search_states(generated(seed).lifted, generated(seed).scope, Limits(max_states=3000))
        sizes.append(search.states)
    assert sum(size > 4 for size in sizes) > 0.5 * len(sizes)
    assert sum(size > 2999 for size in sizes) < 0.05 * len(sizes)


def test_one_seed_makes_one_text() -> None:
    for seed in range(20):
        assert Writer(seed).write() == Writer(seed).write()
    assert len({Writer(seed).write()[0] for seed in range(20)}) == 20


def test_a_model_has_a_file_and_its_methods_have_lines(tmp_path: Path) -> None:
    model = make(3, tmp_path)
    where = model.lifted.actions[0].method.where
    line = (tmp_path / "generated_3.py").read_text(encoding="utf-8").splitlines()[where.line - 1]
    assert where.file.endswith("generated_3.py") and line.strip() in ("@action", "@fault")
    model.forget()
