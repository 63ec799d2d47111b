"""Findings as SARIF 2.1.0, for code scanning: at the claim, with the steps that lead there as a code flow.

A rule is a kind of property, or an obligation of a role. What is violated is an error, what is undetermined or
vacuous a warning; what is waived is suppressed, with the reason. Files are named relative to the folder of the run
(``%SRCROOT%``), and a fingerprint says which property it is: not where, in which order, or after how many steps.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from pathlib import PurePosixPath, PureWindowsPath
from typing import Any
from urllib.parse import quote, urlunsplit

from meshspec.answer import Answer, Finding, Step
from meshspec.engines.check import Answered
from meshspec.report.plain import Place, argument, facts, message, place, stands_at, title
from meshspec.report.text import clean, waiver_text

SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"
ROOT = "%SRCROOT%"
FINGERPRINT = "meshspecProperty/v1"

_HELP = {
    "always": "What must be true in every state that can be reached. The path shows how it becomes false.",
    "sometimes": "What must be true in some state that can be reached; if none is found, the model may be too tight.",
    "eventually": "What must come about on every run as fair as the claim says. The run shown never gets there.",
    "lemma": "What a proof rests on. A lemma that fails proves nothing, and promises nothing by itself.",
    "range": "A variable stays within the bounds that it is declared with.",
    "total": "No action raises where it is enabled.",
    "fires": "Every action is taken and every fault strikes in some state: a rule that never fires was not checked.",
    "terminal": "A run may end only in the states that the model declares.",
    "refines": "Every step of the finer model is a step of the coarser one, or changes nothing there.",
    "obligation": "What a policy owes in its role.",
    "contract": "What a policy may do in its role, whatever it decides.",
    "deterministic": "What is asked again is answered in the same way each time.",
    "evidence": "What stands behind a promise, confirmed line by line.",
    "waiver": "A waiver is deleted when its day is over, or when it is no longer needed.",
    "check": "The check itself: that there was something to check, and that it ran to its end.",
}
"""What a rule of each kind asks, in one or two sentences."""

_LEVEL = {Answer.VIOLATED: "error", Answer.UNDETERMINED: "warning", Answer.VACUOUS: "warning"}


def sarif(answered: Sequence[Answered], *, exit_code: int, notes: Sequence[str] = ()) -> dict[str, Any]:
    """A whole log with one run; `exit_code` is that of the command, `notes` what it said beside the answers."""
    from meshspec import __version__  # stands at the top of the package

    rules: dict[str, dict[str, Any]] = {}
    for one in answered:
        rules.setdefault(_rule_id(one.answer), _rule(one.answer))
    numbers = {name: number for number, name in enumerate(rules)}
    invocation: dict[str, Any] = {"executionSuccessful": exit_code not in (2, 70), "exitCode": exit_code}
    if notes:
        told = [{"level": "error" if exit_code == 2 else "note", "message": _message(clean(note))} for note in notes]
        invocation["toolExecutionNotifications"] = told
    driver = {
        "name": "meshspec",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": list(rules.values()),
    }
    run = {
        "tool": {"driver": driver},
        "invocations": [invocation],
        "originalUriBaseIds": {ROOT: {"description": _message("The folder in which the command was run.")}},
        "columnKind": "unicodeCodePoints",
        "results": [_result(one, numbers) for one in answered if one.answer.answer is not Answer.HOLDS],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


# -- rules -----------------------------------------------------------------------------------------------------


def _rule_id(finding: Finding) -> str:
    return f"obligation/{clean(finding.property)}" if finding.kind == "obligation" else finding.kind


def _rule(finding: Finding) -> dict[str, Any]:
    general = _HELP.get(finding.kind, "A property of a model or policy.")
    owed = clean(finding.facts.get("says") or "") if finding.kind == "obligation" else ""
    wrong = clean(finding.facts.get("in production") or "") if finding.kind == "obligation" else ""
    said = owed or general
    helped = " ".join(part for part in (said, wrong and f"In production: {wrong}", *_WORDS) if part)
    return {
        "id": _rule_id(finding),
        "name": "".join(part.capitalize() for part in _rule_id(finding).replace("/", "-").split("-")),
        "shortDescription": {"text": said},
        "fullDescription": {"text": general if not wrong else f"{said} In production: {wrong}"},
        "help": {"text": helped},
        "defaultConfiguration": {"level": "error"},
        "properties": {"tags": ["reliability"]},
    }


_WORDS = (
    "VIOLATED: a path refutes it, and the command in the message shows the path again.",
    "UNDETERMINED: it was neither refuted nor confirmed, for the reason given.",
    "VACUOUS: nothing was checked that could have failed.",
)


# -- results ---------------------------------------------------------------------------------------------------


def _result(one: Answered, numbers: dict[str, int]) -> dict[str, Any]:
    finding = one.answer
    made: dict[str, Any] = {
        "ruleId": _rule_id(finding),
        "ruleIndex": numbers[_rule_id(finding)],
        "kind": "fail",
        "level": _LEVEL[finding.answer],
        "message": _message("\n".join([f"{title(finding)}: {message(one)}", *argument(one)])),
        "locations": [_stated(finding)],
        "partialFingerprints": {FINGERPRINT: fingerprint(finding)},
        "properties": {name: clean(value) for name, value in facts(finding)},
    }
    path = finding.counterexample
    if path is not None and path.steps:
        made["codeFlows"] = [{"threadFlows": [{"locations": [_step(n, s) for n, s in enumerate(path.steps, 1)]}]}]
        last = path.steps[-1]
        if (at := _physical(place(last.where))) is not None:
            said = _message(f"the last step: {clean(last.action)}")
            made["relatedLocations"] = [{"id": 1, "physicalLocation": at, "message": said}]
    if finding.waived:
        made["suppressions"] = [{"kind": "external", "justification": clean(waiver_text(finding))}]
    return made


def _stated(finding: Finding) -> dict[str, Any]:
    """Where the claim stands; only its name where no file is told."""
    name = {"name": clean(finding.property), "fullyQualifiedName": title(finding)}
    at = _physical(stands_at(finding))
    return {"logicalLocations": [name]} | ({"physicalLocation": at} if at is not None else {})


def _step(number: int, step: Step) -> dict[str, Any]:
    changed = [f"{name} {old} -> {new}" for name, (old, new) in step.changes.items()]
    said = "; ".join(part for part in (", ".join(changed), step.note) if part)
    counted = number if step.at is None else step.at  # 0: a line for steps that are left out
    text = clean((f"{counted}. " if counted else "") + step.action + (f"  {said}" if said else ""))
    at = _physical(place(step.where))
    location: dict[str, Any] = {"message": _message(text or "a step")}
    return {"location": location | ({"physicalLocation": at} if at is not None else {}), "executionOrder": number}


def _physical(found: Place | None) -> dict[str, Any] | None:
    if found is None:
        return None
    return {"artifactLocation": _artifact(found.file), "region": {"startLine": found.line}}


def _artifact(file: str) -> dict[str, str]:
    """A file below the folder of the run is named relative to it; any other by its whole path."""
    windows = PureWindowsPath(file)
    slashed = windows.as_posix() if windows.is_absolute() or "/" not in file else file
    absolute = PurePosixPath(slashed).is_absolute() or windows.is_absolute()
    quoted = quote(_bytes(slashed), safe="/")
    if not absolute:
        return {"uri": quoted, "uriBaseId": ROOT}
    return {"uri": urlunsplit(("file", "", f"/{quoted.lstrip('/')}", "", ""))}


def _bytes(path: str) -> bytes:
    """A path's bytes; those that are no UTF-8 as the system has them."""
    try:
        return path.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return path.encode("utf-8", "surrogatepass")


def fingerprint(finding: Finding) -> str:
    """The same for the same property of the same model, wherever the files lie and whatever was found."""
    subject = finding.subject.replace("\\", "/").rpartition("/")[2]
    stated = place(finding.where)
    file = stated.file.replace("\\", "/").rpartition("/")[2] if stated is not None else ""
    told = json.dumps([subject, finding.kind, finding.property, file], ensure_ascii=True)
    return hashlib.sha256(told.encode("ascii")).hexdigest()


def _message(text: str) -> dict[str, str]:
    """A message; braces and links mean something in one, so that they are doubled and parted."""
    return {"text": text.replace("{", "{{").replace("}", "}}").replace("](", "] (")}
