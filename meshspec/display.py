"""How an object shows itself in a notebook: the report that draws it is loaded by name, and when it is asked for."""

from __future__ import annotations

import importlib
import traceback
from typing import TYPE_CHECKING, Any, cast

if TYPE_CHECKING:
    from pandas import DataFrame


_PRETTY = "_repr_pretty_"


def html_of(thing: object) -> str:
    """The object as HTML, styles and all; see :mod:`meshspec.report.html`."""
    report: Any = importlib.import_module("meshspec.report.html")
    return cast(str, report.html(thing))


def frame_of(thing: object) -> DataFrame:
    """The object as a table of pandas; see :mod:`meshspec.report.frames`.

    Raises :class:`meshspec.errors.UsageError` where pandas is not installed.
    """
    report: Any = importlib.import_module("meshspec.report.frames")
    return cast("DataFrame", report.frame(thing))


def lines_of(thing: object) -> list[str]:
    """The object as lines of plain text; see :mod:`meshspec.report.lines`."""
    report: Any = importlib.import_module("meshspec.report.lines")
    return cast("list[str]", report.lines(thing))


def traceback_of(error: BaseException) -> list[str]:
    """The lines of an author's that an exception came through, and what it says."""
    places: Any = importlib.import_module("meshspec.lang.places")
    told = [f"{type(error).__name__}: {error}"]
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if places.is_authors(frame.filename) and not places.is_installed(frame.filename):
            told.insert(0, f"{places.shown(frame.filename)}:{frame.lineno}: {frame.line}".rstrip(": "))
    return told


class Shown:
    """What shows itself at the end of a notebook's cell and can be had as a table; there is nothing to import."""

    __slots__ = ()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        setattr(cls, _PRETTY, vars(Shown)[_PRETTY])  # IPython looks no further than the first class with a __repr__

    def __str__(self) -> str:
        return "\n".join(lines_of(self))

    def _repr_html_(self) -> str:
        return html_of(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """The same as plain text, for what shows no HTML; IPython asks for both, and a ``repr`` may be huge."""
        printer.text(str(self))

    def to_dataframe(self) -> DataFrame:
        """The same as a table of pandas, in plain values.

        Raises :class:`meshspec.errors.UsageError` where pandas is not installed.
        """
        return frame_of(self)
