"""A table drawn, in one style: what a notebook shows of a run, and the very table that it was drawn from.

Every figure is made of columns of a data frame and adds nothing to them. This file alone knows matplotlib.

>>> import pandas
>>> frame = pandas.DataFrame({"round": [1, 2, 3], "failing": [7, 5, 2]})
>>> drawing = figure(frame, x="round", y="failing", title="What is left to repair", bounds={"green": 0})
>>> drawing.to_dataframe() is frame
True
>>> drawing.svg().startswith("<?xml")
True
"""

from __future__ import annotations

import importlib
import io
import numbers
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, get_args

import attrs

from meshspec.errors import UsageError

if TYPE_CHECKING:
    from pandas import DataFrame

Kind = Literal["bars", "steps", "points"]
KINDS: tuple[str, ...] = get_args(Kind)

COLOURS = ("#2f6fb3", "#c2571a", "#17692f", "#6639a6", "#7a4f01", "#57606a")
MARKS = ("o", "s", "^", "D", "v", "P")
HATCHES = ("", "//", "..", "xx", "--", "\\\\")
"""Series differ in shape as well as in colour."""

STYLE: Mapping[str, object] = MappingProxyType(
    {
        "figure.figsize": (7.0, 3.4),
        "figure.dpi": 100,
        "font.size": 10,
        "axes.titlesize": 11,
        "axes.titlelocation": "left",
        "axes.titleweight": "bold",
        "axes.edgecolor": "#57606a",
        "axes.labelcolor": "#1f2328",
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "axes.grid.axis": "y",
        "axes.axisbelow": True,
        "grid.color": "#e1e5ea",
        "xtick.color": "#57606a",
        "ytick.color": "#57606a",
        "legend.frameon": False,
        "svg.fonttype": "none",  # text stays text: it can be searched and read aloud
        "svg.hashsalt": "meshspec",  # the same figure has the same bytes
    }
)


@attrs.frozen
class Figure:
    """A drawing, and the table it was drawn from; a notebook shows it as it is.

    ``alt`` says in words what is drawn, for who cannot see it.
    """

    table: DataFrame
    x: str
    y: tuple[str, ...]
    kind: str
    title: str
    label: str
    bounds: Mapping[str, float]

    def to_dataframe(self) -> DataFrame:
        """The table, not a copy."""
        return self.table

    @property
    def alt(self) -> str:
        """What is drawn, in words."""
        told = f"{self.title or 'a figure'}: {', '.join(self.y)} by {self.x}, {len(self.table)} {self.kind}"
        return told + "".join(f"; a line at {value:g}, {name}" for name, value in self.bounds.items())

    def svg(self) -> str:
        """The drawing as SVG; the same figure has the same text everywhere that has the same matplotlib."""
        return self._saved(format="svg", metadata={"Date": None, "Title": self.alt}).decode()

    def png(self) -> bytes:
        """The drawing as PNG."""
        return self._saved(format="png", metadata={"Software": None, "Title": self.alt})

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, object]:
        return {"image/svg+xml": self.svg(), "text/plain": self.alt}

    def _saved(self, **how: object) -> bytes:
        library, canvas_of = _matplotlib()
        with library.rc_context({**library.rcParamsDefault, **STYLE}):
            canvas = canvas_of(layout="constrained")
            self._draw(canvas.subplots())
            out = io.BytesIO()
            canvas.savefig(out, **how)
            return out.getvalue()

    def _draw(self, axes: Any) -> None:
        positions = list(range(len(self.table)))
        for number, name in enumerate(self.y):
            self._series(axes, positions, number, [float(value) for value in self.table[name]])
        for name, value in self.bounds.items():
            axes.axhline(value, color="#b3261e", linewidth=1, linestyle=(0, (4, 3)))
            axes.annotate(name, (1, value), xycoords=("axes fraction", "data"), xytext=(4, 0),
                          textcoords="offset points", va="center", color="#b3261e")  # fmt: skip
        every = max(1, len(positions) // 18)
        axes.set_xticks(positions[::every], [str(value) for value in self.table[self.x]][::every])
        axes.set_xlabel(self.x)
        axes.set_ylabel(self.label or (self.y[0] if len(self.y) == 1 else ""))
        if all(float(value).is_integer() for name in self.y for value in self.table[name]):
            axes.yaxis.get_major_locator().set_params(integer=True)
        axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
        axes.set_title(self.title)
        if len(self.y) > 1:
            axes.legend(loc="best")

    def _series(self, axes: Any, positions: Sequence[int], number: int, values: Sequence[float]) -> None:
        colour, name = COLOURS[number % len(COLOURS)], self.y[number]
        if self.kind == "bars":
            width = 0.8 / len(self.y)
            places = [place - 0.4 + width * (number + 0.5) for place in positions]
            hatch = HATCHES[number % len(HATCHES)]
            axes.bar(places, values, width, label=name, color=colour, edgecolor="white", hatch=hatch)
        elif self.kind == "steps":
            mark = MARKS[number % len(MARKS)] if len(positions) <= 60 else None
            axes.step(positions, values, where="mid", label=name, color=colour, marker=mark, markersize=4)
        else:
            axes.plot(positions, values, MARKS[number % len(MARKS)], label=name, color=colour, markersize=5)


def figure(
    table: DataFrame,
    *,
    x: str,
    y: str | Sequence[str],
    kind: str = "bars",
    title: str = "",
    label: str = "",
    bounds: Mapping[str, float] = MappingProxyType({}),
) -> Figure:
    """Draw columns `y` of a table over its column `x`, one place a row, as ``bars``, ``steps`` or ``points``.

    `label` names the vertical axis, with its unit; `bounds` are lines across, by what they stand for. Raises
    :class:`UsageError` for a column or a kind that there is not, an empty table, a value that is no number, and where
    matplotlib is not installed.
    """
    names = (y,) if isinstance(y, str) else tuple(y)
    if kind not in KINDS:
        raise UsageError(f"kind={kind!r}: write {', '.join(map(repr, KINDS))}")
    columns = [str(column) for column in table.columns]
    for name in (x, *names):
        if name not in columns:
            raise UsageError(f"the table has no column {name!r}; it has {', '.join(columns)}")
    if not names or not len(table):
        raise UsageError("there is nothing to draw: name a column, and give a table that has a row")
    for name in names:
        for value in table[name]:
            if not isinstance(value, numbers.Real):
                raise UsageError(f"the column {name!r} holds {value!r}, which is no number")
    _matplotlib()  # to say now that it is not there, and not when the figure is shown
    return Figure(table, x, names, kind, title, label, dict(bounds))


def _matplotlib() -> tuple[Any, Any]:
    """matplotlib, and its class of figures that belong to no window."""
    try:
        return importlib.import_module("matplotlib"), importlib.import_module("matplotlib.figure").Figure
    except ImportError:
        raise UsageError("a figure needs matplotlib: pip install 'meshspec[notebook]'") from None
