"""Findings as JUnit XML: a suite for each model or policy, a test case for each property.

What is violated is a failure, what is undetermined or vacuous an error; nothing is ever skipped, for dashboards draw
skips green. What is waived passes, and says so. There is no time in it: the same answers give the same file.
"""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree
from xml.etree.ElementTree import Element, SubElement

from meshspec.answer import Answer
from meshspec.engines.check import Answered
from meshspec.report.plain import argument, by_subject, facts, message, short, stands_at
from meshspec.report.text import clean

_LONGEST_NAME = 1000


def junit(answered: Sequence[Answered], *, notes: Sequence[str] = ()) -> str:
    """A whole XML document; `notes` are told as the output of the whole."""
    suites = {subject: _suite(subject, of) for subject, of in by_subject(answered).items()}
    root = Element("testsuites", {"name": "meshspec", **_counts(answered)})
    root.extend(suites.values())
    if notes and suites:
        last = list(suites.values())[-1]
        SubElement(last, "system-out").text = "\n".join(clean(note) for note in notes)
    ElementTree.indent(root, " ")
    return f'<?xml version="1.0" encoding="utf-8"?>\n{ElementTree.tostring(root, encoding="unicode")}\n'


def _counts(answered: Sequence[Answered]) -> dict[str, str]:
    failing = [
        one.answer.answer for one in answered if not one.answer.waived and one.answer.answer is not Answer.HOLDS
    ]
    violated = failing.count(Answer.VIOLATED)
    counted = {"tests": len(answered), "failures": violated, "errors": len(failing) - violated, "skipped": 0}
    return {name: str(count) for name, count in counted.items()}


def _suite(subject: str, answered: Sequence[Answered]) -> Element:
    suite = Element("testsuite", {"name": short(subject, _LONGEST_NAME), **_counts(answered)})
    suite.extend(_case(one) for one in answered)
    return suite


def _case(one: Answered) -> Element:
    finding = one.answer
    named = {"classname": short(finding.subject, _LONGEST_NAME), "name": short(finding.property, _LONGEST_NAME)}
    stated = stands_at(finding)
    if stated is not None:
        named |= {"file": clean(stated.file), "line": str(stated.line)}
    case = Element("testcase", named)
    properties = SubElement(case, "properties")
    for name, value in facts(finding):
        SubElement(properties, "property", {"name": name, "value": clean(value)})
    argued = "\n".join(argument(one))
    if finding.answer is Answer.HOLDS or finding.waived:
        SubElement(case, "system-out").text = argued
    else:
        word = "failure" if finding.answer is Answer.VIOLATED else "error"
        SubElement(case, word, {"message": message(one), "type": finding.answer.value}).text = argued
    return case
