"""Figures: they show the table they were given and nothing else, the same bytes every time."""

from __future__ import annotations

import importlib
import sys
from typing import Any
from xml.etree import ElementTree

import pandas
import pytest

from meshspec import notebook as nb
from meshspec.errors import UsageError
from meshspec.report.figures import KINDS, Figure, figure

TABLE = pandas.DataFrame({"round": ["r1", "r2", "r3"], "failing": [7, 5, 2], "seconds": [0.5, 0.25, 0.125]})


def texts(drawn: Figure) -> list[str]:
    """All that is written in the drawing."""
    tree = ElementTree.fromstring(drawn.svg())
    return ["".join(node.itertext()).strip() for node in tree.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_says_what_it_draws_and_is_the_same_every_time(kind: str) -> None:
    drawn = figure(TABLE, x="round", y=["failing", "seconds"], kind=kind, title="Repair", bounds={"green": 0})
    assert {"r1", "r2", "r3", "round", "failing", "seconds", "Repair", "green"} <= set(texts(drawn))
    again = figure(TABLE, x="round", y=["failing", "seconds"], kind=kind, title="Repair", bounds={"green": 0})
    assert (drawn.svg(), drawn.png()) == (again.svg(), again.png())
    assert drawn.alt == f"Repair: failing, seconds by round, 3 {kind}; a line at 0, green"


def test_other_numbers_are_another_drawing_of_another_table() -> None:
    other = TABLE.assign(failing=[7, 5, 3])
    one, two = (figure(table, x="round", y="failing") for table in (TABLE, other))
    assert one.svg() != two.svg()
    assert one.to_dataframe() is TABLE
    assert two.to_dataframe() is other


def test_whole_numbers_have_whole_ticks() -> None:
    ticks = [text for text in texts(figure(TABLE, x="round", y="failing")) if text.replace(".", "").isdigit()]
    assert ticks and not any("." in tick for tick in ticks)


def test_a_notebook_shows_it_as_it_is_and_says_in_words_what_it_shows() -> None:
    bundle = nb.figure(TABLE, x="round", y="failing", title="Repair")._repr_mimebundle_()  # pyright: ignore[reportPrivateUsage]
    assert str(bundle["image/svg+xml"]).startswith("<?xml")
    assert bundle["text/plain"] == "Repair: failing by round, 3 bars"


def test_what_cannot_be_drawn_is_refused_with_what_to_write() -> None:
    refused: list[tuple[str, dict[str, Any]]] = [
        ("no column 'falling'; it has round, failing, seconds", {"y": "falling"}),
        ("kind='pie': write 'bars', 'steps', 'points'", {"y": "failing", "kind": "pie"}),
        ("the column 'round' holds 'r1', which is no number", {"y": "round"}),
        ("there is nothing to draw", {"y": []}),
    ]
    for message, arguments in refused:
        with pytest.raises(UsageError, match=message):
            figure(TABLE, x="round", **arguments)
    with pytest.raises(UsageError, match="there is nothing to draw"):
        figure(TABLE.head(0), x="round", y="failing")


def test_without_matplotlib_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "matplotlib"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError):
        importlib.import_module("matplotlib")
    with pytest.raises(UsageError, match=r"a figure needs matplotlib: pip install 'meshspec\[notebook\]'"):
        figure(TABLE, x="round", y="failing")
