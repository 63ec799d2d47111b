"""What each engine said of each property of one check, side by side, and whether they contradict each other."""

from __future__ import annotations

from collections.abc import Iterator

import attrs

from meshspec.answer import Answer, Finding, overall
from meshspec.display import Shown
from meshspec.engines.check import Answered
from meshspec.errors import Disagreement
from meshspec.report.checked import Checked

SETTLED = (Answer.HOLDS, Answer.VIOLATED)


@attrs.frozen(eq=False)
class Agreement(Shown):
    """Properties by engines.

    Attributes:
        answered: the properties, each with what every engine said of it.
        bug: how two engines contradict each other, where the check was stopped by it.
    """

    model: str
    answered: tuple[Answered, ...]
    bug: str = ""

    @property
    def engines(self) -> tuple[str, ...]:
        """The engines that spoke, in the order in which they did."""
        return tuple(dict.fromkeys(finding.engine for one in self.answered for finding in one.findings))

    def said(self, one: Answered, engine: str) -> Finding | None:
        """What an engine says of a property: the worst of it where it says more than one thing."""
        mine = [finding for finding in one.findings if finding.engine == engine]
        worst = (Answer.VIOLATED, Answer.VACUOUS, Answer.UNDETERMINED, Answer.HOLDS)
        return min(mine, key=lambda finding: worst.index(finding.answer), default=None)

    @property
    def compared(self) -> int:
        """How many properties more than one engine settled."""
        return sum(
            len({finding.engine for finding in one.findings if finding.answer in SETTLED}) > 1
            for one in self.answered
        )

    @property
    def contradictions(self) -> list[str]:
        """Where one engine refutes what another proved, or checked exhaustively in the same scope."""
        return [*([self.bug] if self.bug else []), *self._contradictions()]

    def _contradictions(self) -> Iterator[str]:
        for one in self.answered:
            try:
                overall(one.findings)
            except Disagreement as bug:
                yield str(bug)

    @property
    def verdict(self) -> str:
        """In a sentence: that they contradict each other, that they agree, or that there was nothing to compare."""
        if found := self.contradictions:
            return f"they contradict each other: {'; '.join(found)}"
        asked = f"of {len(self.answered)} propert{'y' if len(self.answered) == 1 else 'ies'}"
        if not self.compared:
            return f"nothing was compared: {asked} none was settled by more than one engine"
        more = "was" if self.compared == 1 else "were"
        settled = f"{self.compared} {more} settled by more than one engine"
        return f"they agree: {asked} {settled}, and none contradicts another"


def agreement(checked: Checked) -> Agreement:
    """What each engine said in a check."""
    return Agreement(checked.model.name, checked.answered, checked.bug)
