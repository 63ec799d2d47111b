"""What a policy was judged to keep, shown: the command line's words in a notebook, a shell and a data frame."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from meshspec import notebook as nb
from meshspec.answer import Answer
from meshspec.cli import main
from meshspec.display import html_of
from meshspec.errors import UsageError
from meshspec.report.judged import Judged
from tests.report.showing import read

KEYS = """\
class Keys:
    \"""Every call of a tool is one effect.\"""

    def key(self, effect):
        print("asked")
        return effect.tool
"""


@pytest.fixture(scope="module")
def target(tmp_path_factory: pytest.TempPathFactory) -> str:
    file = tmp_path_factory.mktemp("keys") / "keys.py"
    file.write_text(KEYS, encoding="utf-8")
    return f"{file}:Keys"


@pytest.fixture(scope="module")
def judged(target: str) -> Judged:
    return nb.judge(target, role="identity")


def test_it_says_what_the_command_line_says(
    judged: Judged, target: str, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "120")
    assert main(["check", target, "--role", "identity"]) == 1
    printed = " ".join(capfd.readouterr().out.split())
    for one in judged.lines(120)[1:-1]:  # the title tells more there, and the note is wrapped
        assert " ".join(one.split()) in printed


def test_each_answer_is_reached_by_its_name(judged: Judged) -> None:
    assert judged.of("different-effects-differ").answer.answer is Answer.VIOLATED
    assert judged.of("deterministic").answer.answer is Answer.HOLDS
    with pytest.raises(UsageError, match="nothing was asked of 'differs'; of different-effects-differ, "):
        judged.of("differs")


def test_html_and_text_say_what_is_owed_and_what_was_printed(judged: Judged) -> None:
    for text in (read(html_of(judged)), str(judged).replace("\n", " ")):
        text = " ".join(text.split())
        assert "judged as an identity" in text
        assert "owed: two effects that whoever receives them can tell apart get two keys" in text
        assert "in production: A payment is taken for the one before it" in text
        assert "kept apart: 'asked" in text


def test_the_table_has_a_row_for_each_obligation(judged: Judged) -> None:
    table = judged.to_dataframe()
    assert list(table["property"]) == [one.answer.property for one in judged.answered]
    assert set(table["answer"]) == {"VIOLATED", "HOLDS"}
    assert "model" not in table and table["policy"].nunique() == 1


def test_a_class_is_judged_by_its_name_and_one_of_a_cell_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from meshspec.policies.identity import CanonicalIdentity

    assert nb.judge(CanonicalIdentity, role="identity").policy == "meshspec.policies.identity:CanonicalIdentity"
    cell = type("Mine", (), {"__module__": "__main__"})
    with pytest.raises(UsageError, match=r"__main__:Mine stands in a cell: begin it with %%writefile NAME.py"):
        nb.judge(cell, role="identity")
    assert sys.modules["__main__"]


def test_what_does_not_belong_to_a_role_is_refused(target: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no role 'breakers': the roles are breaker, identity"):
        nb.judge(target, role="breakers")
    with pytest.raises(UsageError, match="prefix is of a breaker's stories, and this is the role identity"):
        nb.judge(target, role="identity", prefix=1)
    with pytest.raises(UsageError):
        nb.judge(f"{tmp_path}/nowhere.py:Keys", role="identity")
