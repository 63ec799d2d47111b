"""A model walked by hand in a notebook: buttons where there are widgets, methods everywhere."""

from __future__ import annotations

import importlib
from typing import Any

from meshspec.engines.walk import Walk
from meshspec.errors import Disagreement, UsageError
from meshspec.lang.fences import watching
from meshspec.report.html import html
from meshspec.report.lines import lines
from meshspec.report.text import clean

MOST_BUTTONS = 40
"""The most actions that have a button each."""


class Walker:
    """A model walked by hand: by buttons where there is ipywidgets, by :meth:`take`, :meth:`back` and :meth:`reset`.

    ``walk`` is the :class:`meshspec.engines.walk.Walk` underneath; the methods return the walker, so that a cell that
    ends in one of them shows where it stands.
    """

    def __init__(self, walk: Walk) -> None:
        self.walk = walk
        self.box: Any = None
        try:
            self._widgets: Any = importlib.import_module("ipywidgets")
        except ImportError:
            self._widgets = None
        else:
            self.box = self._widgets.VBox([])
        self.message = ""
        self._drawn()

    # -- steps -------------------------------------------------------------------------------------------------

    @watching()
    def take(self, action: str | int) -> Walker:
        """Take an enabled action, by its name with arguments or its place from 1; :class:`UsageError` for others."""
        many = len(self.walk.enabled)
        if isinstance(action, int) and not 1 <= action <= many:
            raise UsageError(f"there is no action {action}: {many} are enabled, counted from 1")
        self.walk.take(action - 1 if isinstance(action, int) else action)
        return self._stands()

    @watching()
    def back(self) -> Walker:
        """One step back; raises :class:`UsageError` at the start."""
        self.walk.back()
        return self._stands()

    @watching()
    def reset(self, initial: int | None = None) -> Walker:
        """Back to the start, or to another initial state, counted from 1."""
        many = self.walk.initials
        if initial is not None and not 1 <= initial <= many:
            raise UsageError(f"there is no initial state {initial}: there are {many:,}, counted from 1")
        self.walk.reset(None if initial is None else initial - 1)
        return self._stands()

    def _stands(self) -> Walker:
        self.message = ""
        self._drawn()
        return self

    # -- what is shown -----------------------------------------------------------------------------------------

    @property
    def path(self) -> str:
        """The path so far as text, as ``meshspec step --take`` reads it."""
        return ",".join(self.walk.path)

    def __repr__(self) -> str:
        return "\n".join(lines(self.walk))

    def to_dataframe(self) -> Any:
        """A row for the first state and one after each step; :class:`UsageError` where there is no pandas."""
        return self.walk.to_dataframe()

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Any:
        told = {"text/plain": repr(self), "text/html": html(self.walk)}
        if self.box is None:
            return told
        return {**self.box._repr_mimebundle_(include=include, exclude=exclude), **told}

    def _drawn(self) -> None:
        """The widgets anew: where it stands, a button for each enabled action, back and reset, the path to copy."""
        if self.box is None:
            return
        made = self._widgets
        enabled = self.walk.enabled
        wide = made.Layout(width="auto")
        buttons = [
            self._button(action, lambda action=action: self.take(action), wide) for action in enabled[:MOST_BUTTONS]
        ]
        if (left := len(enabled) - MOST_BUTTONS) > 0:
            buttons.append(made.Label(f"… and {left:,} more, with .take(...)"))
        ways = [self._button("back", self.back, wide), self._button("reset", self.reset, wide)]
        for one in ways:
            one.disabled = not self.walk.steps
        shown = [made.HTML(html(self.walk)), made.HBox(buttons, layout=made.Layout(flex_flow="row wrap"))]
        pasted = made.Text(value=self.path, description="path", disabled=False, layout=wide)
        self.box.children = [
            *shown,
            made.HBox(ways),
            pasted,
            *([made.Label(clean(self.message))] if self.message else []),
        ]

    def _say(self, message: str) -> None:
        self.message = message
        self._drawn()

    def _button(self, label: str, press: Any, layout: Any) -> Any:
        said = clean(label)
        short = said if len(said) <= 60 else f"{said[:59]}…"
        button = self._widgets.Button(description=short, tooltip=said, layout=layout)

        def pressed(_: object) -> None:
            try:
                press()
            except UsageError as error:  # pressed twice before the first was drawn
                self._say(str(error))
            except Disagreement as error:
                self._say(f"BUG of meshspec: {error}")
                raise  # which widgets write to a log that few people look at

        button.on_click(pressed)
        return button
