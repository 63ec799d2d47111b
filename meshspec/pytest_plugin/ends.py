"""How an answer ends a test: HOLDS passes, VIOLATED is a failure, UNDETERMINED and VACUOUS are errors.

pytest calls an error what goes wrong before or after a test, a failure what goes wrong in it, and so does JUnit: what
says :class:`Unsettled` is reported as of the set-up. Nothing is skipped: dashboards draw skips green.
"""

from __future__ import annotations

import importlib
import sys
import warnings
from collections.abc import Generator, Iterable, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import pytest

from meshspec.answer import Answer, Finding
from meshspec.errors import Disagreement, MeshspecError, UsageError, Where
from meshspec.lang.places import shown
from meshspec.pytest_plugin.session import ALLOWED, WAIVED, Session

if TYPE_CHECKING:
    from meshspec.report.checked import Checked

Failed: Any = pytest.fail.Exception


class Ended(Failed):  # type: ignore[misc]  # pytest gives the class as a value
    """What ends a test; the text is the argument, and ``short`` one line of it for summaries."""

    short: str = ""


class Refuted(Ended):
    """A property is VIOLATED."""


class Unsettled(Ended):
    """Nothing was refuted and nothing settled, or the question could not be put."""


class MeshspecWarning(pytest.PytestWarning):
    """A property is UNDETERMINED, and ``--allow-undetermined`` lets that pass."""


PASSED = pytest.StashKey[bool]()
"""Whether the call of a test passed."""

BUG = "a bug of meshspec, not of what it was asked about:"


def unasked(error: MeshspecError) -> Unsettled:
    """For a question that could not be put: a model that cannot be read, a sort that there is not, our own bug."""
    says = f"{BUG} {error}" if isinstance(error, Disagreement) else f"meshspec: {error}"
    return Unsettled(says, pytrace=False)


def end(session: Session, node: pytest.Item, told: Sequence[tuple[Finding, Sequence[str]]]) -> None:
    """End the test as its findings, each with the lines that argue for it, ask: return only if all may pass."""
    failing: list[tuple[Finding, Sequence[str]]] = []
    for finding, lines in told:
        if finding.answer is Answer.HOLDS:
            continue
        if finding.waived:
            node.user_properties.append((WAIVED, _one_line(finding, lines)))
        elif finding.answer is Answer.UNDETERMINED and session.allows_undetermined:
            node.user_properties.append((ALLOWED, _one_line(finding, lines)))
            try:
                warn(node, _one_line(finding, lines))
            except MeshspecWarning:
                failing.append((finding, lines))
        else:
            failing.append((finding, lines))
    if failing:
        violated = any(finding.answer is Answer.VIOLATED for finding, _ in failing)
        text = "\n".join(_headed_once([lines for _, lines in failing]))
        error = (Refuted if violated else Unsettled)(text, pytrace=False)
        error.short = "; ".join(_short(finding) for finding, _ in failing)
        raise error


def _headed_once(arguments: Iterable[Sequence[str]]) -> list[str]:
    """All their lines, what they are about said above the first only."""
    found: list[str] = []
    heading = ""
    for lines in arguments:
        found += lines[1:] if lines[0] == heading else lines
        heading = lines[0]
    return found


def _short(finding: Finding) -> str:
    from meshspec.engines.check import Answered
    from meshspec.report.text import clean, headline

    said = headline(Answered(finding, (finding,))) or finding.reason
    return clean(f"{finding.answer.value} {finding.property}" + (f": {said}" if said else ""))


def _one_line(finding: Finding, lines: Sequence[str]) -> str:
    from meshspec.report.text import clean

    waiver = finding.waiver
    who = f" (until {waiver.expires}, {waiver.owner}: {waiver.reason})" if waiver is not None else ""
    why = f": {finding.reason}" if finding.reason else ""
    return clean(f"{finding.subject}: {finding.property} is {finding.answer.value}{why}{who}")


def warn(node: pytest.Item, text: str) -> None:
    """A warning that filters for all warnings let pass: what is allowed is no error because warnings are.

    A filter that names the category is obeyed.
    """
    with warnings.catch_warnings():
        if not any(category is MeshspecWarning for _, _, category, _, _ in warnings.filters):
            warnings.simplefilter("always", MeshspecWarning)
        line = node.location[1]
        warnings.warn_explicit(MeshspecWarning(text), None, str(node.path), (line or 0) + 1)


def of_checked(session: Session, checked: Checked) -> dict[str, list[tuple[Finding, list[str]]]]:
    """What a check says of each property, waivers applied, with the lines that argue for it.

    A waiver that has had its day stands beside its property. Raises :class:`Unsettled` for a bug of our own, and
    :class:`KeyboardInterrupt` where the user ended the check.
    """
    import attrs

    from meshspec.engines.check import was_interrupted

    if checked.bug:
        raise Unsettled(f"{BUG} {checked.bug}", pytrace=False)
    if was_interrupted(one.answer for one in checked.answered):
        raise KeyboardInterrupt
    answered = session.waived(checked.answered)
    shown = attrs.evolve(checked, answered=tuple(answered))
    found: dict[str, list[tuple[Finding, list[str]]]] = {}
    name = ""
    for one in answered:
        if one.answer.kind != "waiver":
            name = one.answer.property
        found.setdefault(name, []).append((one.answer, shown.argument(one.answer.property, session.width)))
    return found


def written(session: Session, told: Sequence[tuple[Finding, list[str]]], about: Any = None) -> None:
    """Write the bundle of each property that is refuted, if that was asked for, and say where in its lines.

    `about` is the question that is answered; a policy needs none.
    """
    folder = session.out
    if folder is None:
        return
    from meshspec.report.bundle import UNWRITTEN, bundle_of

    for finding, lines in told:
        if finding.answer is Answer.VIOLATED:
            made = bundle_of(finding, about)
            files = made.write(folder) if made is not None else []
            why = UNWRITTEN if finding.engine == "judge" else "there is no path to run again"
            lines += [f"  written: {path}" for path in files] or [f"  not written: {why}"]


# -- the hook ------------------------------------------------------------------------------------------------------


def reported(report: pytest.TestReport, item: pytest.Item, error: BaseException) -> None:
    """Make of a report what its exception asks: summaries say what was found, at the test's own place.

    A machine that was driven fails with its argument alone, and what is wrong with its model is told alone.
    """
    if (plain := _plainly(item, error)) is not None:
        error = plain
        report.longrepr = _raised(plain).getrepr(style="value")
    crash: Any = getattr(report.longrepr, "reprcrash", None)
    if isinstance(error, Ended) and crash is not None:
        crash.message = error.short or str(error)
        crash.path, crash.lineno = str(item.path), (item.location[1] or 0) + 1


def _plainly(item: pytest.Item, error: BaseException) -> Ended | None:
    """What a driven machine ended with, without the frames of Hypothesis and ours; ``None`` for anything else."""
    driven: Any = sys.modules.get("meshspec.engines.driven")
    if driven is not None and isinstance(error, driven.Refuted):
        lines = [str(error), *getattr(error, "__notes__", ())]
        plain = Refuted("\n".join(lines), pytrace=False)
        plain.short = f"VIOLATED {cast(Any, error).property}"
        return plain
    machine: Any = sys.modules.get("meshspec.engines.machine")
    if not isinstance(error, MeshspecError) or machine is None:
        return None
    cls: object = getattr(item, "cls", None)
    if isinstance(cls, type) and issubclass(cls, machine.ModelTestCase):
        return unasked(error)
    place = _call_beside(error)
    if place is None:
        return None
    named = getattr(error, "where", None) is not None  # it begins with a place of its own
    return unasked(error if named else UsageError(f"{place}: {error}"))


def _call_beside(error: BaseException) -> Where | None:
    """The author's call of ``drive_beside`` that an exception came through; ``None`` where there is none."""
    beside: Any = sys.modules.get("meshspec.engines.beside")
    trace, place = error.__traceback__, None
    while trace is not None and beside is not None:
        code = trace.tb_frame.f_code
        if code is beside.drive_beside.__code__:
            return place
        place = Where(shown(code.co_filename), trace.tb_lineno)
        trace = trace.tb_next
    return None


@contextmanager
def driving(session: Session, node: pytest.Item) -> Generator[None, None, None]:
    """While a test runs: what it drives is excused where the project's waivers say so, and counted."""
    with ExitStack() as stack:
        if session.is_configured and session.config.waivers:
            tested = importlib.import_module("meshspec.engines.tested")
            stack.enter_context(tested.excusing(partial(_excused, session, node)))
        mine = not getattr(getattr(node, "obj", None), "is_hypothesis_test", False)
        if mine and node.config.getoption("--hypothesis-show-statistics", default=False):
            told = list[str]()

            def note(text: str) -> None:
                told.append(text)
                cast("Any", node).hypothesis_statistics = "\n".join(told)  # its plugin shows them

            machine = importlib.import_module("meshspec.engines.machine")
            stack.enter_context(machine.counting(note, node.nodeid))
        yield


def _excused(session: Session, node: pytest.Item, error: Any) -> bool:
    from meshspec.engines.check import Answered

    finding = error.finding
    answer = session.waived([Answered(finding, (finding,))])[0].answer
    if answer.waived:
        node.user_properties.append((WAIVED, _one_line(answer, ())))
    return answer.waived


def _raised(error: Ended) -> pytest.ExceptionInfo[BaseException]:
    try:
        raise error
    except Ended:
        return pytest.ExceptionInfo[BaseException].from_current()


def is_unsettled(error: BaseException) -> bool:
    """Whether an exception says that nothing was refuted: ours, or one that carries such an answer."""
    if isinstance(error, Unsettled | MeshspecError):
        return True
    if isinstance(error, BaseExceptionGroup):
        group = cast("BaseExceptionGroup[BaseException]", error)
        return all(is_unsettled(one) for one in group.exceptions)
    return getattr(error, "answer", None) in (Answer.UNDETERMINED, Answer.VACUOUS)
