"""The comparison page says what was measured, and nothing else."""

from __future__ import annotations

import json

from tests.benchmarks.page import PAGE, page
from tests.benchmarks.record import FILE


def test_the_page_is_what_the_figures_make_of_it() -> None:
    assert PAGE.read_text(encoding="utf-8") == page(), "python -m tests.benchmarks.page writes it anew"


def test_every_comparison_counted_the_same_states() -> None:
    for name, held in json.loads(FILE.read_text(encoding="utf-8")).items():
        counted = {row["states"] for row in held["engines"].values()}
        assert len(counted) == 1, f"{name}: {counted}"
