"""``report/explain.py``: every word of a report can be looked up, and so can every word that an entry uses."""

from __future__ import annotations

import re
from typing import get_args

import pytest

from meshspec.answer import Answer, Finding, Strength
from meshspec.backends.layout import NO_RAISE
from meshspec.claims import STATUSES, load
from meshspec.cli.commands import app
from meshspec.engines.check import ENGINES
from meshspec.engines.explore import ENDS, FIRES, STRIKES
from meshspec.errors import UsageError
from meshspec.lang.declare import Kind
from meshspec.report.explain import entries, found, groups, is_explained, lines
from meshspec.report.glossary import GROUPS
from meshspec.roles.breaker import obligations
from meshspec.roles.known import ROLES
from meshspec.roles.telling import CONDUCT
from meshspec.targets import shipped_evidence, shipped_models

KINDS = re.findall(r"``(\w+)``", Finding.__doc__ or "")


def group(word: str) -> set[str]:
    return {entry.group for entry in found(word)}


def test_every_answer_and_strength_has_an_entry() -> None:
    assert all(group(answer.value) == {"answers"} for answer in Answer)
    assert all(group(strength.value) == {"strengths"} for strength in Strength)


def test_every_exit_code_has_an_entry_however_it_is_asked_for() -> None:
    for code in (0, 1, 2, 3, 4, 70, 141):
        for asked in (f"exit {code}", str(code), f"exit code {code}"):
            assert group(asked) == {"exit codes"}, asked


def test_every_kind_of_property_has_an_entry() -> None:
    kinds = {"always", "sometimes", "eventually", "lemma", "range", "total", "fires", "terminal", "refines", "check"}
    assert kinds <= set(KINDS), "these are the kinds of a finding"
    for kind in (*kinds, *get_args(Kind), "obligation", "evidence", NO_RAISE, FIRES, STRIKES, ENDS):
        assert is_explained(kind), kind
    assert found("charges stays in 0..2")[0].name == "range"
    assert found("n stays in -1..2")[0].name == "range" and found("refines Board by seen")[0].name == "refines"


def test_every_engine_is_explained_by_its_own_docstring() -> None:
    for engine in (*ENGINES, "coverage", "mutate", "refine"):
        (entry,) = [entry for entry in found(engine) if entry.group == "engines"]
        assert "?" in entry.says and re.search(r"\bSound\b", entry.says) and "Misses" in entry.says, engine
        assert "`" not in entry.says and "*" not in entry.says, "no markup"
        assert f"meshspec {engine} " in entry.says and engine in app, "the command that it names exists"


def test_every_obligation_and_rule_of_conduct_is_explained_in_the_words_of_its_role() -> None:
    for one in obligations():
        (entry,) = found(one.name)
        assert one.says[1:] in entry.says and entry.wrong == one.in_production
        assert set(one.stands_for) <= set(entry.see) and "breaks it" in entry.mended
    for name, says in CONDUCT.items():
        assert any(says[1:] in entry.says for entry in found(name))


def test_every_shipped_incident_says_what_it_breaks_and_what_to_change_back() -> None:
    for evidence in shipped_evidence().values():
        for name, promise in evidence.promises.items():
            assert any(evidence.model.__name__ in entry.says for entry in found(name))
            for incident, path in promise.refuted_by.items():
                (entry,) = found(incident.__name__)
                assert f"breaks {name}, by {', '.join(path)}" in entry.says
                assert entry.mended.startswith(f"as {evidence.model.__name__} does it: ")
    (naive,) = found("ResendInDoubt")
    assert naive.mended.endswith("recovery = ASK instead of RESEND")
    (eager,) = found("ExecuteThenRecord")
    assert re.search(r"send as at \S*models/effect_ledger.py:\d+ instead of \S*models/incidents", eager.mended)
    (cached,) = found("TableInACache")
    assert re.search(r": without evict, which is added at \S*models/incidents", cached.mended)


def test_every_role_is_explained_with_its_contract_what_keeps_it_and_what_breaks_each_part() -> None:
    for role in ROLES.values():
        (entry,) = found(role.name)
        assert entry.group == "roles of policies" and f"The contract: {role.contract}." in entry.says
        assert role.reference in entry.mended and set(role.names) <= set(entry.see)
        for one in role.obligations:
            (told,) = found(one.name)
            assert told.group == f"obligations of {role.a}" and told.wrong == one.in_production
            incident = role.incidents[one.name].partition(":")[2]
            assert f"{incident} in " in told.mended and " breaks it: " in told.mended
        for name, rule in role.conduct.items():
            assert any(f"Of {role.a}: {rule}." in told.says for told in found(name))
    (once,) = found("agent-once")
    assert "no tenant and no number" in once.says and "equal-effects-agree: keeps it" in once.says


def test_every_shipped_model_and_every_name_of_the_registry_has_an_entry() -> None:
    registry = load()
    for name in (*shipped_models(), *registry.invariants, *registry.claims, *STATUSES):
        assert is_explained(name), name
    (entry,) = found("EL-AT-MOST-ONCE")
    assert "properties.effect_ledger:at_most_once" in entry.source and "Fig6.naive" in entry.see


def test_every_name_that_an_entry_refers_to_can_itself_be_explained() -> None:
    known = {entry.name for entry in entries()} | {alias for entry in entries() for alias in entry.aliases}
    for entry in entries():
        assert set(entry.see) <= known, (entry.name, set(entry.see) - known)
        assert entry.name not in entry.see or entry.group not in GROUPS, entry.name
    for names in groups().values():
        assert set(names) <= known
        assert all(is_explained(name) for name in names)


def test_every_command_in_a_text_exists() -> None:
    commands = {
        word for entry in entries() for word in re.findall(r"\bmeshspec ([a-z]+)\b", f"{entry.says} {entry.mended}")
    }
    assert {"step", "coverage", "mutate", "claims"} <= commands
    assert all(command in app for command in commands - {"explain"}), commands
    assert "explain" in app


def test_the_glossary_is_short_and_in_whole_sentences() -> None:
    for entry in entries():
        if entry.group in GROUPS:
            for text in (entry.says, entry.wrong, entry.mended):
                assert text == "" or text.endswith("."), text
                assert not text[:1].islower() or text.startswith("meshspec "), text
            assert len(lines(entry, 100)) <= 14, entry.name
    names = [(entry.group, entry.name, entry.source) for entry in entries()]  # two models may promise one name
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("vacous", "VACUOUS"),
        ("exhaustiv", "exhaustive"),
        ("trips-on-alternatin", "trips-on-alternation"),
        ("el-at-most", "EL-AT-MOST-ONCE"),
        ("resend", "ResendInDoubt"),
        ("lassso", "lasso"),
    ],
)
def test_a_word_that_means_nothing_is_told_what_is_near_it(asked: str, expected: str) -> None:
    with pytest.raises(UsageError, match=expected):
        found(asked)


@pytest.mark.parametrize(
    "asked", ["", " ", "\x1b[31m", "zzzzqqqq", "x" * 10_000, "9" * 5000, "exit 5", "(", "a stays in"]
)
def test_whatever_is_asked_is_answered_in_words(asked: str) -> None:
    with pytest.raises(UsageError, match="there is nothing to explain under") as error:
        found(asked)
    assert len(str(error.value)) < 600


@pytest.mark.parametrize(
    "asked", ["holds", "At_Most_Once", "at-most-once", "@always", "trips_on_alternation", "cti", "Proved"]
)
def test_case_and_dashes_do_not_matter(asked: str) -> None:
    assert found(asked)


@pytest.mark.parametrize(
    ("asked", "entry"),
    [
        ("orbits", "orbit"),
        ("Policies", "policy"),
        ("witnesses", "witness"),
        ("killed", "kill"),
        ("steps deep", "deep"),
        ("transitions", "transition"),
        ("not examined", "not examined"),
        ("then for ever", "then for ever"),
        ("exit code 141", "exit 141"),
        ("weak fairness", "weak fairness"),
    ],
)
def test_a_word_is_explained_as_it_is_printed(asked: str, entry: str) -> None:
    assert [one.name for one in found(asked)] == [entry]
