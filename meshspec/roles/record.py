"""What is on record of a package's policy: which obligations it keeps, and at which step it breaks the others."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from meshspec.answer import Answer, Finding, Strength

KEEPS = "keeps it"
NEVER_TRIPS = "never trips"
BREAKS = "breaks it"


@attrs.frozen
class Record:
    """One adapter's record in a role: for each obligation :data:`KEEPS`, or how it is broken.

    That is :data:`NEVER_TRIPS` or the step of the false trip, of an obligation about stories, and else
    :data:`BREAKS`.
    """

    adapter: str
    package: str
    says: Mapping[str, str | int]
    role: str = "breaker"


def told(finding: Finding) -> str | int:
    """What a finding says, in the terms of a record.

    >>> told(Finding("p", "trips-on-alternation", Answer.HOLDS, "judge", strength=Strength.TESTED))
    'keeps it'
    """
    if finding.answer is Answer.HOLDS:
        return KEEPS
    if finding.answer is not Answer.VIOLATED:
        return str(finding.answer.value)
    if "tripped at step" not in finding.facts:
        return BREAKS
    step = finding.facts.get("tripped at step")
    return step if isinstance(step, int) else NEVER_TRIPS


def compare(record: Record, findings: Iterable[Finding]) -> list[Finding]:
    """One finding for each line of the record: HOLDS where the policy did what is on record.

    VIOLATED where it did something else, UNDETERMINED where it could not be judged, VACUOUS where nobody judged it.
    """
    judged = {finding.property: finding for finding in findings}
    lines: list[Finding] = []
    for name, said in record.says.items():
        found = judged.get(name)
        what = f"{name}: {said if isinstance(said, str) else f'trips at step {said}'}"

        if found is None:
            answer, reason = Answer.VACUOUS, "nobody judged it"
        elif found.answer is Answer.UNDETERMINED:
            answer, reason = Answer.UNDETERMINED, found.reason
        elif told(found) == said:
            answer, reason = Answer.HOLDS, ""
        else:
            answer, reason = Answer.VIOLATED, f"on record: {said}; found now: {told(found)}"
        lines.append(
            Finding(
                record.package,
                what,
                answer,
                "judge",
                kind="evidence",
                strength=Strength.TESTED if answer is Answer.HOLDS else None,
                tested=found.tested if found is not None else None,
                reason=reason,
                facts={"unit": found.facts.get("unit", "stories") if found is not None else "stories"},
            )
        )
    return lines
