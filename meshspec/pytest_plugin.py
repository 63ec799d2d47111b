"""The pytest plugin: one item for each line of evidence.

A module that holds ``EVIDENCE = evidence(...)`` is collected whatever its name; each line is an item with a readable
id. Anything but HOLDS fails.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from meshspec.answer import Answer, Finding
from meshspec.lang.evidence import Evidence

_SIGN = "EVIDENCE = evidence("


class NotConfirmed(Exception):
    """A line of evidence that is not what its file says."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(f"{finding.answer.value}: {finding.reason}")
        self.finding = finding


class EvidenceItem(pytest.Item):
    """One line of evidence."""

    def __init__(self, *, line: Any, **more: Any) -> None:
        super().__init__(**more)
        self.line = line

    def runtest(self) -> None:
        finding = self.line.confirm()
        if finding.answer is not Answer.HOLDS:
            raise NotConfirmed(finding)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """The argument without our frames; anything else as pytest shows it."""
        if isinstance(excinfo.value, NotConfirmed):
            from meshspec.engines.check import Answered
            from meshspec.report.text import lines_of

            finding = excinfo.value.finding
            return "\n".join(lines_of(Answered(finding, (finding,))))
        return super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name


class EvidenceCollector(pytest.Collector):
    """The lines of one ``EVIDENCE``."""

    def __init__(self, *, evidence: Evidence, **more: Any) -> None:
        super().__init__(**more)
        self.evidence = evidence

    def collect(self) -> Iterator[pytest.Item]:
        from meshspec.engines.confirm import Confirmation

        for line in Confirmation(self.evidence).lines():
            name = line.id.replace(" ", "-")
            yield EvidenceItem.from_parent(self, name=name, line=line)


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a module that states evidence, though its name is no test's."""
    if file_path.suffix != ".py" or any(file_path.match(p) for p in parent.config.getini("python_files")):
        return None
    try:
        if _SIGN not in file_path.read_text(encoding="utf-8"):
            return None
    except (OSError, UnicodeDecodeError):
        return None  # not ours to report: whoever imports the file will
    module: pytest.Module = pytest.Module.from_parent(parent, path=file_path)
    return module


def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> pytest.Collector | None:
    """Turn ``EVIDENCE`` into its items."""
    if isinstance(obj, Evidence):
        made: pytest.Collector = EvidenceCollector.from_parent(collector, name=obj.model.__name__, evidence=obj)
        return made
    return None
