"""The pin on skipped tests notices every way to skip, and nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

CONFTEST = (Path(__file__).parent / "conftest.py").read_text(encoding="utf-8")


def run(pytester: pytest.Pytester, tests: str, *arguments: str) -> pytest.RunResult:
    pytester.makeconftest(CONFTEST)
    pytester.makepyfile(test_skips=f"import pytest\n{tests}", test_passes="def test_passes():\n    pass")
    if "-n" in arguments:
        return pytester.runpytest_subprocess("-p", "no:cacheprovider", *arguments)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
        return pytester.runpytest_inprocess("-p", "no:cacheprovider", *arguments)


SKIPS = {
    "in the body": "def test_skips():\n    pytest.skip('why')",
    "by a mark": "@pytest.mark.skip(reason='why')\ndef test_skips():\n    pass",
    "by a condition": "@pytest.mark.skipif(True, reason='why')\ndef test_skips():\n    pass",
    "in a fixture": "@pytest.fixture\ndef f():\n    pytest.skip('why')\ndef test_skips(f):\n    pass",
    "the whole file": "pytest.skip('why', allow_module_level=True)",
    "what cannot be imported": "pytest.importorskip('no_such_module')",
}


@pytest.mark.parametrize("how", SKIPS)
def test_a_skip_fails_the_session_in_ci(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, how: str) -> None:
    monkeypatch.setenv("CI", "true")
    result = run(pytester, SKIPS[how])
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.assert_outcomes(passed=1, skipped=1)
    result.stdout.fnmatch_lines(["1 skipped where tests/conftest.py says 0:", "  test_skips.py*"])


def test_a_skip_in_a_worker_is_counted(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    result = run(pytester, SKIPS["in the body"], "-n", "2")
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["1 skipped where tests/conftest.py says 0:"])


def test_an_expected_failure_is_no_skip(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")
    result = run(pytester, "@pytest.mark.xfail(reason='why')\ndef test_fails():\n    assert 0")
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(passed=1, xfailed=1)


def test_outside_ci_a_skip_is_let_be(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    result = run(pytester, SKIPS["in the body"])
    assert result.ret == pytest.ExitCode.OK
    result.assert_outcomes(passed=1, skipped=1)
