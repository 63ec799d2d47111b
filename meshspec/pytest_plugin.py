"""The pytest plugin: one item for each line of evidence.

A module that holds ``EVIDENCE = evidence(...)`` is collected whatever its name; each line is an item with a readable
id. Anything but HOLDS fails; in JUnit what is violated is a failure, what is undetermined or vacuous an error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import pytest

from meshspec.answer import Answer, Finding
from meshspec.errors import MeshspecError
from meshspec.lang.evidence import Evidence

if TYPE_CHECKING:
    from meshspec.engines.confirm import Line

_SIGN = re.compile(r"^EVIDENCE\b[^=\n]*=", re.MULTILINE)


class EvidenceItem(pytest.Item):
    """One line of evidence."""

    def __init__(self, *, line: Any, **more: Any) -> None:
        super().__init__(**more)  # pyright: ignore[reportUnknownMemberType]  # pytest's own
        self.line: Line = line
        self.finding: Finding | None = None

    def setup(self) -> None:
        """Confirm the line. What is neither held nor refuted ends here, so that JUnit calls it an error."""
        try:
            finding = self.finding = self.line.confirm()
        except MeshspecError as error:
            pytest.fail(f"meshspec: {error}", pytrace=False)
        if finding.answer in (Answer.UNDETERMINED, Answer.VACUOUS):
            pytest.fail(argument(finding), pytrace=False)

    def runtest(self) -> None:
        """Fail for what is violated."""
        assert self.finding is not None
        if self.finding.answer is not Answer.HOLDS:
            pytest.fail(argument(self.finding), pytrace=False)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.path, None, self.name


def argument(finding: Finding) -> str:
    """A finding to be read, without a frame of ours."""
    from meshspec.engines.check import Answered
    from meshspec.report.text import lines_of

    return "\n".join(lines_of(Answered(finding, (finding,))))


class EvidenceCollector(pytest.Collector):
    """The lines of one ``EVIDENCE``."""

    def __init__(self, *, evidence: Evidence, **more: Any) -> None:
        super().__init__(**more)  # pyright: ignore[reportUnknownMemberType]  # pytest's own
        self.evidence = evidence

    def collect(self) -> Iterator[pytest.Item]:
        from meshspec.claims import unknown_names
        from meshspec.engines.confirm import Confirmation

        for line in Confirmation(self.evidence, unknown_names).lines():
            name = line.id.replace(" ", "-")
            item: pytest.Item = cast(Any, EvidenceItem).from_parent(self, name=name, line=line)
            yield item


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Collect a module that states evidence, though its name is no test's."""
    if file_path.suffix != ".py" or any(file_path.match(p) for p in parent.config.getini("python_files")):
        return None
    if parent.session.isinitpath(file_path):
        return None  # named on the command line: pytest collects it by itself
    try:
        if not _SIGN.search(file_path.read_text(encoding="utf-8")):
            return None
    except (OSError, UnicodeDecodeError):
        return None  # not ours to report: whoever imports the file will
    module: pytest.Module = cast(Any, pytest.Module).from_parent(parent, path=file_path)
    return module


def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> pytest.Collector | None:
    """Turn ``EVIDENCE`` into its items."""
    if name == "EVIDENCE" and isinstance(obj, Evidence):
        made: pytest.Collector = cast(Any, EvidenceCollector).from_parent(
            collector, name=obj.model.__name__, evidence=obj
        )
        return made
    return None
