"""What a policy was judged to keep of its role's obligations, to be shown: in a notebook, a shell, a data frame."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import cast

import attrs

from meshspec.answer import Finding
from meshspec.display import Shown
from meshspec.engines.check import Answered
from meshspec.errors import UsageError
from meshspec.report import text


@attrs.frozen(slots=False)
class Judged(Shown):
    """One policy in one role: an answer for each obligation, then one for each rule of conduct."""

    policy: str
    role: str
    answered: tuple[Answered, ...]

    @classmethod
    def of_findings(cls, policy: str, role: str, findings: Sequence[Finding]) -> Judged:
        return cls(policy, role, tuple(Answered(finding, (finding,)) for finding in findings))

    @cached_property
    def _by_name(self) -> dict[str, Answered]:
        return {one.answer.property: one for one in self.answered}

    @property
    def title(self) -> str:
        return f"{self.policy}, judged as {'an' if self.role[0] in 'aeiou' else 'a'} {self.role}"

    @property
    def notes(self) -> list[str]:
        """What was not asked, and why; and what the policy printed, which is kept apart."""
        facts: Mapping[str, object] = self.answered[0].answer.facts if self.answered else {}
        told = [f"not asked: {line}" for line in cast("Sequence[str]", facts.get("not asked", ()))]
        if printed := facts.get("printed"):
            told.append(f"it printed {facts['printed bytes']:,} bytes, kept apart: {printed!r}")
        return told

    def of(self, obligation: str) -> Answered:
        """The answer of one obligation; raises :class:`UsageError` for one that was not asked about."""
        if obligation not in self._by_name:
            raise UsageError(f"nothing was asked of {obligation!r}; of {', '.join(self._by_name)}")
        return self._by_name[obligation]

    def lines(self, width: int = text.WIDTH) -> list[str]:
        """All of it as the command line prints it, at most `width` columns wide."""
        told = [self.title]
        for one in self.answered:
            told += [f"  {line}" for line in text.lines_of(one, width - 2)]
            told += [f"  {line}" for line in text.story_lines(one.answer, width - 2)]
        return [*told, *(f"  {note}" for note in self.notes)]
