"""What a function said here and in other processes, compared input by input."""

from __future__ import annotations

import pickle
from collections.abc import Sequence

import attrs

from meshspec.adequacy import host
from meshspec.adequacy.function import Said, same, size_of, text_of
from meshspec.adequacy.said import Shown, Tally, literal, replay, some
from meshspec.adequacy.worlds import Told, World, visit
from meshspec.answer import Finding

_DIFFERENT = "the values are not equal, and it is one input in two processes"
_MOVE = f"import os; os.environ['HOME'] = {host.MOVED!r}; os.chdir({host.MOVED!r})"
_COMPARED = ("value", "refused", "raised")


@attrs.frozen
class Asked:
    """An input, what it is called in a list of refusals, and an expression that makes it again, if there is one."""

    given: object
    label: str
    before: str = ""
    expression: str = ""


def elsewhere(tally: Tally, inputs: Sequence[Asked], worlds: Sequence[World], time_limit: float) -> Finding | None:
    """What other processes show: VIOLATED or UNDETERMINED, or nothing where they all say what is said here.

    Counts every comparison, notes what is refused, and which processes were run.
    """
    function = tally.function
    if function.found is None:
        return tally.undetermined(
            f"{function.name} was asked in this process alone: {function.why}",
            "a function that can be imported: module:attribute or file.py:attribute",
        )
    sent, unsent = _sent(inputs)
    here = [function.ask(asked.given) for asked, _ in sent]
    told = list(visit(function, [data for _, data in sent], worlds, time_limit))
    ran = [one for one in told if not one.missing]
    tally.processes = [one.text for one in ran]
    tally.locales_not_here = list(dict.fromkeys(one.world.locale for one in told if one.no_locale))
    shown: list[Shown] = []
    unknown: list[str] = [f"{one.text}: {one.missing}" for one in told if one.missing and not one.no_locale]
    for one in ran:
        before = tally.asked
        for (asked, _), first, second in zip(sent, here, one.said, strict=True):
            if "unread" in (first.kind, second.kind):
                tally.not_there.append(f"{asked.label} in Python {one.version}: {second.value}")
            elif second.kind not in _COMPARED:
                unknown.append(f"{text_of(asked.given)}: its value cannot be sent ({second.value})")
            elif first.kind == second.kind == "refused":
                tally.refused.append(asked.label)
            elif first.kind == second.kind == "raised":
                shown.append(
                    _apart(tally, asked, (first, second), one, "it raised, which is neither a value nor a refusal")
                )
            elif first.kind != second.kind or not same(first.value, second.value):
                shown.append(_apart(tally, asked, (first, second), one, _DIFFERENT))
            else:
                tally.asked += 1
        if sent and tally.asked == before and all(said.kind == "unread" for said in one.said):
            unknown.append(f"{one.text}: none of the inputs can be had there ({one.said[0].value})")
    tally.refused[:] = dict.fromkeys(tally.refused)
    tally.not_there[:] = dict.fromkeys(tally.not_there)
    if shown:
        shown.sort(key=lambda each: size_of(each.one))
        apart = list(dict.fromkeys(each.name for each in shown))
        tally.facts["apart"] = tuple(apart)
        return tally.violated(shown[0], f"{len(apart)} inputs have no one value in all processes: {some(apart)}")
    if unsent:
        unknown.append(f"{len(unsent)} inputs cannot be sent to another process, the first is {unsent[0]}")
    if unknown:
        return tally.undetermined(unknown[0], "the same question where every process answers")
    return None


def _sent(inputs: Sequence[Asked]) -> tuple[list[tuple[Asked, bytes]], list[str]]:
    sent: list[tuple[Asked, bytes]] = []
    unsent: list[str] = []
    for asked in inputs:
        try:
            sent.append((asked, pickle.dumps(asked.given, host.PROTOCOL)))
        except Exception as error:
            unsent.append(f"{text_of(asked.given)} ({host.told(error)})")
    return sent, unsent


def _apart(tally: Tally, asked: Asked, said: tuple[Said, Said], there: Told, failed: str) -> Shown:
    expression = asked.expression or literal(asked.given)
    environment = " ".join(f"{name}={value}" for name, value in there.world.environment.items())
    before = "; ".join(filter(None, [asked.before, _MOVE if there.world.moved else ""]))
    again = replay(tally.function, [expression], before=before, environment=environment) if expression else ""
    return Shown(
        asked.given,
        asked.given,
        said,
        failed,
        again,
        asked.label,
        ("in this process", there.text),
    )
