"""The pytest plugin: evidence, models and policies as tests, one for each property.

``EVIDENCE = evidence(...)`` is an item a line, ``suite(...)`` an item a property, ``@settles`` and ``@shows`` an item
a function, whatever the module or the object is called; ``meshspec_check`` checks a model in the middle of a test.
Anything but HOLDS fails: VIOLATED is a failure with the argument and none of our frames, UNDETERMINED and VACUOUS are
errors, nothing is skipped.

options    the command line                       session    what one session holds and tells
settings   who has asked what of a check          ends       how an answer ends a test
items      what is collected                      fixtures   ``meshspec_check`` and ``meshspec_policy``
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from pathlib import Path
from typing import Any, cast

import pytest

from meshspec.errors import MeshspecError
from meshspec.lang.evidence import Evidence
from meshspec.lang.suite import Suite
from meshspec.pytest_plugin import options
from meshspec.pytest_plugin.ends import PASSED, Refuted, Unsettled, driving, is_unsettled, reported
from meshspec.pytest_plugin.ends import MeshspecWarning as MeshspecWarning
from meshspec.pytest_plugin.fixtures import meshspec_check as meshspec_check
from meshspec.pytest_plugin.fixtures import meshspec_policy as meshspec_policy
from meshspec.pytest_plugin.items import (
    EvidenceCollector,
    Ours,
    ShownItem,
    SuiteItem,
    bundle_items,
    make,
    readable,
    suite_collector,
)
from meshspec.pytest_plugin.session import ALLOWED, KEY, WAIVED, session_of
from meshspec.pytest_plugin.settings import MARK, MARKED
from meshspec.settle import Settlement, Showing

_SIGN = re.compile(
    r"^(?:EVIDENCE\b[^=\n]*=|@settles\(|@shows\(|\w+\b[^=\n]*=\s*(?:[\[({][^=]{,80}?)?(?:meshspec\.)?\bsuite\()",
    re.MULTILINE,
)
_SHORT = pytest.StashKey[list[str]]()


# -- the session ---------------------------------------------------------------------------------------------------


def pytest_addoption(parser: pytest.Parser) -> None:
    options.register(parser)


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser
) -> Generator[None, object, object]:
    """Short names come last, when every plugin and the first conftest.py have had their say."""
    result = yield
    early_config.stash[_SHORT] = options.register_short(parser)
    return result


def pytest_configure(config: pytest.Config) -> None:
    told = f"{MARK}({', '.join(MARKED)}): what a check below it is asked (see meshspec.suite)"
    config.addinivalue_line("markers", told)
    session = session_of(config)
    session.taken = config.stash.get(_SHORT, session.taken)
    if session.asked.replay and config.args_source != pytest.Config.ArgsSource.ARGS:
        config.args = []  # the bundle alone


def pytest_report_header(config: pytest.Config) -> list[str]:
    return session_of(config).header()


# -- what is collected ---------------------------------------------------------------------------------------------


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a module that states evidence or a suite, though its name is no test's."""
    if file_path.suffix != ".py" or any(file_path.match(p) for p in parent.config.getini("python_files")):
        return None
    if parent.session.isinitpath(file_path):
        return None  # named on the command line: pytest collects it by itself
    try:
        text = file_path.read_text(encoding="utf-8")
        if "meshspec" not in text or not _SIGN.search(text):  # a suite of somebody else's is not to be imported
            return None
    except (OSError, UnicodeDecodeError):
        return None  # not ours to report: whoever imports the file will
    return cast(pytest.Collector, make(pytest.Module, parent, path=file_path))


def pytest_pycollect_makeitem(
    collector: Any, name: str, obj: object
) -> pytest.Collector | list[pytest.Collector] | None:
    """Turn ``EVIDENCE`` and suites into their items, and those in a list, a tuple or a dict."""
    session = session_of(collector.config)
    if isinstance(obj, Suite):
        session.collected(obj)
        return suite_collector(collector, name, obj)
    if type(obj) in (list, tuple, dict):
        entries = enumerate(cast("Sequence[object]", obj))
        held = cast("dict[object, object]", obj) if type(obj) is dict else dict[object, object](entries)
        suites = {key: one for key, one in held.items() if isinstance(one, Suite)}
        for one in suites.values():
            session.collected(one)
        names = readable([f"{name}-{key}".replace("::", ".").replace("[", "(").replace("]", ")") for key in suites])
        return [suite_collector(collector, *one) for one in zip(names, suites.values(), strict=True)] or None
    if isinstance(obj, (Settlement, Showing)):
        plain = readable([f"{name}[{obj.id}]"])[0]
        return cast(pytest.Collector, make(ShownItem, collector, name=plain, shown=obj))
    if name == "EVIDENCE" and isinstance(obj, Evidence):
        made = make(EvidenceCollector, collector, name=obj.model.__name__, evidence=obj)
        return cast(pytest.Collector, made)
    return None


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """A module that cannot be collected for what meshspec says of it tells that, and shows no frame of ours."""
    report = yield
    if isinstance(collector, pytest.Module):
        session_of(collector.config).modules.add(str(collector.path))
    error = report.call.excinfo.value if report.call is not None and report.call.excinfo is not None else None
    if report.failed and isinstance(error, MeshspecError):
        report.longrepr = f"meshspec: {error}"
    return report


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    replay = session_of(config).asked.replay
    if replay is not None:
        items[:0] = bundle_items(session, replay)


def pytest_report_collectionfinish(config: pytest.Config, items: list[pytest.Item]) -> list[str]:
    """What suites are about."""
    suites = dict.fromkeys(item.parent for item in items if isinstance(item, SuiteItem))
    told = dict.fromkeys(suite.subject() for suite in suites)
    return [f"meshspec: {'; '.join(told)}"] if told else []


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """A mark on a test that has nothing to do with us asks for a check, and there is none."""
    names: Sequence[str] = getattr(item, "fixturenames", ())
    ours = isinstance(item, Ours) or {"meshspec_check", "request"}.intersection(names)
    if not ours and any(mark.name == MARK for mark in item.own_markers):
        told = f"@pytest.mark.{MARK} on a test that does not use meshspec_check: nothing is checked"
        raise Unsettled(told, pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    with driving(session_of(item.config), item):
        return (yield)


# -- how tests end -------------------------------------------------------------------------------------------------


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[Any]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """What refutes nothing is an error, wherever it is raised, and not a failure."""
    report = yield
    error = call.excinfo.value if call.excinfo is not None else None
    if report.when == "call":
        item.stash[PASSED] = report.passed
    if report.failed and error is not None:
        reported(report, item, error)
    if report.failed and report.when == "call" and error is not None:
        ours = isinstance(item, Ours) and not isinstance(error, Refuted)
        report.when = "setup" if ours or is_unsettled(error) else "call"
    return report


# -- what is told at the end ---------------------------------------------------------------------------------------


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """A worker of pytest-xdist hands over what it knows."""
    told = getattr(node, "workeroutput", {}).get("meshspec", {})
    session = session_of(node.config)
    session.used |= set(told.get("used", ()))
    session.complaints.update(dict.fromkeys(told.get("complaints", ())))


def pytest_sessionfinish(session: pytest.Session, exitstatus: int | pytest.ExitCode) -> None:
    """What was asked for and not done is no success."""
    config = session.config
    ours = config.stash.get(KEY, None)
    if ours is None or config.getoption("collectonly"):
        return
    ours.complain()
    ours.complaints.update(dict.fromkeys(ours.lost()))
    output: dict[str, Any] | None = getattr(config, "workeroutput", None)
    if output is not None:
        output["meshspec"] = {
            "used": sorted(ours.used),
            "complaints": list(ours.complaints),
        }
        return
    ours.complaints.update(dict.fromkeys(ours.unused()))
    if ours.complaints and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """What was let pass, counted; and what was asked for and not done."""
    reports = [one for some in terminalreporter.stats.values() for one in some if hasattr(one, "user_properties")]
    session, lines = session_of(config), list[str]()
    for name, how in ((ALLOWED, "undetermined, allowed"), (WAIVED, "waived")):
        found = dict.fromkeys((r.nodeid, text) for r in reports for key, text in r.user_properties if key == name)
        lines += [f"{len(found)} {how}:"] if found else []
        lines += [f"  {text}" for _, text in found]
    lines += [*session.complaints, *session.notes()]
    if lines:
        terminalreporter.section("meshspec")
        for line in lines:
            terminalreporter.line(line)
