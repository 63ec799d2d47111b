"""``meshspec explain``: what a word, an obligation, a model or a name of the registry means."""

from __future__ import annotations

from meshspec.cli import runs
from meshspec.report import explain as words
from meshspec.report.text import paragraph


def explain(*word: str) -> int:
    """Say what a word of a report means, where it is from, what goes wrong in production, and how that is mended.

    A word is an answer, a strength, a property, an engine, an obligation, a model, an incident, a promise, a name of
    the registry or an exit code. Without one, all are listed by group.
    """
    report = runs.Report()
    if not word:
        for group, names in words.groups().items():
            report.say(f"{group}:")
            for line in paragraph("; ".join(names), report.width - 4):
                report.say(f"    {line.strip()}")
        report.say("claims of the texts: meshspec claims lists them")
        return 0
    for number, entry in enumerate(words.found(" ".join(word))):
        if number:
            report.say()
        for line in words.lines(entry, report.width):
            report.say(line)
    return 0
