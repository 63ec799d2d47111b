"""What a bundle holds: one counterexample with all that is needed to run it again.

The same in every file of a bundle. It is data: nothing here is believed before it was run again.
"""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal

import attrs

from meshspec.answer import Answer, Counterexample, Finding, Step

FORMAT = "meshspec-bundle"
VERSION = 1

Plain = bool | int | str | None
"""A value of a model in JSON: members of enums and sorts by name."""


@attrs.frozen
class Change:
    """A value before and after a step, as text."""

    before: str
    after: str


@attrs.frozen
class Move:
    """A step: the action as text, its arguments and the choices it makes by name, and only what changed.

    A tuple is a list. Of a story, ``action`` is what was called in words and ``note`` what the policy answered;
    ``at`` is its number where steps before it are left out, 0 for the line that says so.
    """

    action: str
    arguments: Mapping[str, Plain | list[Plain]] = attrs.field(factory=dict[str, Plain | list[Plain]])
    choices: Mapping[str, Plain] = attrs.field(factory=dict[str, Plain])
    changes: Mapping[str, Change] = attrs.field(factory=dict[str, Change])
    note: str = ""
    at: int | None = None


@attrs.frozen
class Tale:
    """A story that a policy was told, and how it ended.

    ``prefix`` and ``loop`` number the shapes of steps (:data:`meshspec.roles.story.SHAPES`), ``steps`` is the length
    it is unrolled to. ``word`` is how it ended, after step ``step``: ``done``, ``trip``, ``raised`` or ``nonsense``.
    ``package`` is what the policy needs, as in ``pybreaker==1.4.1``.
    """

    role: str
    prefix: list[int]
    loop: list[int]
    one_tool: bool
    field: str
    steps: int
    word: str
    step: int
    said: str = ""
    package: str = ""


@attrs.frozen
class Bundle:
    """A counterexample, whole.

    Attributes:
        of: what it is about: a ``model``, or a ``policy`` that was told a story.
        target: the name by which a command line reaches it; empty where there is none.
        source: a digest of the files that state it; empty where they cannot be read.
        subject, property, kind, engine, where: as in :class:`meshspec.answer.Finding`.
        constants: the model's constants as text; ``scope`` the sizes of its sorts; ``without`` the faults taken away.
        claim: arguments for which the claim fails; ``cell`` the variable that has left its Range.
        failed: the clause that is false at the end, with its values.
        initial, steps, how, loop: as in :class:`meshspec.answer.Counterexample`.
        seed: of the random walks of the engine that found it.
        command: what finds it again.
        tale: the story, for a policy.
        states: of a bundle that was read from a trace, the names of its variables and constants, then its states.
        run: the path as CPython has it (:class:`meshspec.engines.rerun.Rerun`), where it was run in this process.
    """

    of: Literal["model", "policy"]
    target: str
    subject: str
    property: str
    kind: str
    failed: str
    source: str = ""
    constants: Mapping[str, str] = attrs.field(factory=dict[str, str])
    scope: Mapping[str, int] = attrs.field(factory=dict[str, int])
    without: list[str] = attrs.field(factory=list[str])
    claim: Mapping[str, Plain | list[Plain]] = attrs.field(factory=dict[str, Plain | list[Plain]])
    cell: str = ""
    initial: Mapping[str, str] = attrs.field(factory=dict[str, str])
    steps: list[Move] = attrs.field(factory=list[Move])
    how: str = "shortest"
    loop: int | None = None
    engine: str = ""
    seed: int = 0
    command: str = ""
    where: str = ""
    reason: str = ""
    tale: Tale | None = None
    states: list[Mapping[str, object]] = attrs.field(factory=list[Mapping[str, object]], repr=False)
    run: Any = attrs.field(default=None, eq=False, repr=False)  # a Rerun: nothing that a file holds

    @builtins.property
    def path(self) -> Counterexample:
        """The counterexample as every report tells it."""
        steps = (
            Step(m.action, {name: (c.before, c.after) for name, c in m.changes.items()}, m.note, m.at)
            for m in self.steps
        )
        return Counterexample(self.initial, tuple(steps), self.failed, self.how, self.loop)

    @builtins.property
    def finding(self) -> Finding:
        """What was found, as every report tells it."""
        return Finding(
            self.subject,
            self.property,
            Answer.VIOLATED,
            self.engine,
            kind=self.kind,
            scope=self.scope,
            counterexample=self.path,
            reason=self.reason,
            replay=self.command,
            where=self.where,
        )

    def write(self, folder: Path) -> list[Path]:
        """Write the bundle: ``NAME.json`` first, then trace, test and diagram, those that there can be.

        Raises :class:`meshspec.errors.UsageError` where a file cannot be written, or is there and none of ours.
        """
        from meshspec.report.bundle_files import write  # which needs this file

        return write(self, folder)
