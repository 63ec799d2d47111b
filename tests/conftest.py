"""Every test runs: in CI, a session that skips more or fewer tests than :data:`SKIPPED` fails.

No test reads or fills the cache of certificates, of the user or of one another, unless it makes a folder for it: a
fault planted in our own code would go unnoticed beside a certificate from before.
"""

from __future__ import annotations

import compileall
import os
import sys
from pathlib import Path

import pytest

SKIPPED = 0

# jsonschema would build 38 grammars of it as it is imported, three seconds in each worker, for formats that no schema
# of ours has.
sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]  # this is how an import is refused


class SkipCount:
    """Counts the tests and the files that were skipped; an expected failure is not a skip."""

    def __init__(self) -> None:
        self.skipped: set[str] = set()

    @property
    def wrong(self) -> bool:
        return len(self.skipped) != SKIPPED

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self.skipped.add(report.nodeid)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self.skipped.add(report.nodeid)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.wrong and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.wrong:
            terminalreporter.section("skips")
            terminalreporter.line(f"{len(self.skipped)} skipped where tests/conftest.py says {SKIPPED}:")
            for nodeid in sorted(self.skipped):
                terminalreporter.line(f"  {nodeid}")


@pytest.fixture(scope="session")
def packages(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cache for the environments of other people's packages: each is made once, for all workers of a session."""
    base = tmp_path_factory.getbasetemp()
    return str((base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "packages")


def pytest_configure(config: pytest.Config) -> None:
    os.environ["MESHSPEC_CACHE"] = "off"  # also for the processes that tests start
    if os.environ.get("CI") == "true" and not hasattr(config, "workerinput"):
        config.pluginmanager.register(SkipCount(), "meshspec-skip-count")
    if not hasattr(config, "workerinput"):  # hundreds of processes import this, and may not be let to write it down
        for folder in ("meshspec", "models", "properties"):
            compileall.compile_dir(Path(__file__).parent.parent / folder, quiet=2)
