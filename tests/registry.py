"""What settles each claim, written into the registry: ``python -m tests.registry``; ``--check`` writes nothing.

Read are the settlements, showings, promises and obligations of ``properties/``. Written are ``paper/claims.toml``
(the lines ``status`` and ``evidence`` of what has evidence there, nothing else) and ``paper/collected.txt`` (for each
name that must not go unchecked, the items that stand for it, as pytest collects them). Exit code 1 when something was
to be written under ``--check``, or a name of :func:`owed` has no item.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import attrs
import pytest

from meshspec.claims import Claim, Registry, Row, load, parse, promises, unknown_names
from meshspec.errors import MeshspecError, ModelError
from meshspec.lang.evidence import Promise
from meshspec.lang.suite import Suite
from meshspec.pytest_plugin.items import EvidenceCollector, EvidenceItem, RoleSuite, ShownItem, SuiteItem
from meshspec.roles.known import role_of
from meshspec.settle import Settlement, Showing
from meshspec.targets import shipped_modules

ROOT = Path(__file__).parent.parent
CLAIMS = ROOT / "paper" / "claims.toml"
COLLECTED = ROOT / "paper" / "collected.txt"
AGAIN = "python -m tests.registry"
LINE = 118

PRIMITIVES = ("P1", "P3", "verdicts")
BEYOND = (
    "VC-ATTEMPT-SCOPED", "VC-AGGREGATE", "TERMINAL-SEEN", "LEASE-AGREE", "LEASE-CLOCK", "LEASE-IDENTITY",
    "BREAKER-RECOVER", "BACKOFF-MONOTONE", "PB-GRADED", "OBSERVER", "KNOB-LIVE",
)  # fmt: skip
"""Names beyond the paper that belong to those primitives."""

HEAD = f"""\
# What stands for each name, as pytest collects it from properties/. Written by `{AGAIN}`; a test compares.
"""


def owed(registry: Registry | None = None) -> tuple[str, ...]:
    """The names for which there must be an item, in the order of the registry."""
    every = (registry or load()).invariants.values()
    return tuple(one.id for one in every if one.primitive in PRIMITIVES or one.id in BEYOND)


# -- what properties/ state ------------------------------------------------------------------------------------


@attrs.frozen
class Stated:
    """The settlements by claim, and the references to what stands for a name, in the order of the files."""

    settled: Mapping[str, Sequence[Settlement]]
    standing: Mapping[str, Sequence[str]]


def settlements() -> Iterator[Settlement]:
    """Every settlement that is shipped."""
    for module in shipped_modules("properties"):
        yield from (one for one in vars(module).values() if isinstance(one, Settlement))


def stated() -> Stated:
    """All that is evidence; raises :class:`ModelError` for a claim settled in two ways, and for an unknown name."""
    settled, standing = defaultdict[str, list[Settlement]](list), defaultdict[str, dict[str, None]](dict)
    for module in shipped_modules("properties"):
        named = module.__name__.removeprefix("meshspec.")
        for name, line in promises(module).items():
            if isinstance(line, Promise):
                for one in line.stands_for:
                    standing[one][f"{named}:{name}"] = None
        for name, value in vars(module).items():
            if isinstance(value, Settlement):
                settled[value.claim].append(value)
            elif isinstance(value, Showing):
                for one in value.names:
                    standing[one][value.reference] = None
            elif isinstance(value, Suite) and value.role:
                for one in (one for duty in role_of(value.role).obligations for one in duty.stands_for):
                    standing[one][f"{named}:{name}"] = None
    twice = {claim: many for claim, many in settled.items() if len({one.status for one in many}) > 1}
    if twice:
        told = (", ".join(f"{one.status} by {one.reference}" for one in many) for many in twice.values())
        lines = [f"{claim} is settled in two ways: {ways}" for claim, ways in zip(twice, told, strict=True)]
        raise ModelError("; ".join(lines))
    if strange := unknown_names([*settled, *standing]):
        raise ModelError("; ".join(strange))
    return Stated(dict(settled), {name: tuple(found) for name, found in standing.items()})


# -- the registry ----------------------------------------------------------------------------------------------


def rewritten(text: str, found: Stated) -> str:
    """The text of the registry with the status and the evidence that follow from what is stated.

    References outside ``properties`` were written by hand and stay, behind the others; a claim that no settlement
    stands for any more is open again. Raises :class:`ModelError` where what comes out is no registry.
    """
    registry, lines, made, row = parse(text.encode(), CLAIMS.name), text.splitlines(keepends=True), list[str](), ""
    rows: dict[str, Row] = {**registry.claims, **registry.invariants}
    at = 0
    while at < len(lines):
        line = lines[at]
        if line.startswith(("[claims.", "[invariants.")):
            row = line.strip()[1:-1].partition(".")[2].strip('"')
        elif line.startswith("["):
            row = ""
        if row and line.startswith("evidence = ["):
            while not lines[at].rstrip().endswith("]"):
                at += 1
            made.append(_list("evidence", references(rows[row].evidence, row, found)))
        elif row and line.startswith("status = "):
            made.append(f'status = "{_status(registry.claims[row], found)}"\n')
        else:
            made.append(line)
        at += 1
    new = "".join(made)
    parse(new.encode(), CLAIMS.name)
    return new


def references(held: Sequence[str], row: str, found: Stated) -> list[str]:
    """The evidence of a row: what settles it, what stands for it, what else was written there by hand."""
    settled = [one.reference for one in found.settled.get(row, ())]
    by_hand = [one for one in held if not one.startswith("properties.")]
    return list(dict.fromkeys([*settled, *found.standing.get(row, ()), *by_hand]))


def _status(claim: Claim, found: Stated) -> str:
    if claim.id in found.settled:
        return found.settled[claim.id][0].status
    lost = any(one.startswith("properties.") for one in claim.evidence) or not claim.evidence
    return "open" if lost and claim.status != "not-checkable" else claim.status


def _list(key: str, values: Sequence[str]) -> str:
    plain = f"{key} = [{', '.join(map(json.dumps, values))}]\n"
    if len(plain) <= LINE:
        return plain
    return f"{key} = [\n" + "".join(f"    {json.dumps(value)},\n" for value in values) + "]\n"


# -- what pytest collects --------------------------------------------------------------------------------------


class _Collector:
    """Keeps what pytest collects, and what it cannot."""

    def __init__(self) -> None:
        self.items: list[pytest.Item] = []
        self.errors: list[str] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.items = list(session.items)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.failed:
            self.errors.append(f"{report.nodeid}: {report.longrepr}")


def names_of(item: pytest.Item) -> tuple[str, ...]:
    """What an item stands for; nothing where it is about the evidence itself, as that its mutants die."""
    if isinstance(item, ShownItem):
        return item.shown.names if isinstance(item.shown, Showing) else ()
    if isinstance(item, EvidenceItem) and isinstance(item.parent, EvidenceCollector):
        name, _, says = item.line.id.partition(" ")
        line = item.parent.evidence.promises.get(name)
        about = says in ("holds", "is proved") or says.startswith("is refuted by ")
        return line.stands_for if about and line is not None else ()
    if isinstance(item, SuiteItem) and isinstance(item.parent, RoleSuite):
        duty = role_of(item.parent.suite.role).owed(item.asks)
        return duty.stands_for if duty is not None else ()
    return ()


def collected() -> dict[str, list[str]]:
    """The ids of the items that stand for each name; raises :class:`ModelError` where a file cannot be collected."""
    kept = _Collector()
    plain = [
        "--collect-only",
        "-s",
        "--assert=plain",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:terminal",
        "-p",
        "no:xdist",
    ]
    with contextlib.redirect_stdout(io.StringIO()):
        pytest.main(
            [*plain, f"--rootdir={ROOT}", "-c", str(ROOT / "pyproject.toml"), str(ROOT / "properties")], [kept]
        )
    if kept.errors or not kept.items:
        raise ModelError("pytest collects not all of properties/: " + "\n".join(kept.errors))
    found = defaultdict[str, list[str]](list)
    for item in kept.items:
        for name in dict.fromkeys(names_of(item)):
            found[name].append(item.nodeid)
    return dict(found)


def listed(items: Mapping[str, Sequence[str]]) -> str:
    """The text of ``collected.txt``."""
    return HEAD + "".join(f"\n{name}\n" + "".join(f"  {id}\n" for id in items.get(name, ())) for name in owed())


def without_item(text: str) -> list[str]:
    """The names of such a list below which nothing stands."""
    lines = [line for line in text.splitlines() if line and not line.startswith("#")]
    pairs = zip(lines, [*lines[1:], ""], strict=True)
    return [line for line, after in pairs if not line.startswith(" ") and not after.startswith(" ")]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog=AGAIN)
    parser.add_argument(
        "--check", action="store_true", help="write nothing; exit with 1 if there were something to write"
    )
    check = parser.parse_args(arguments).check
    try:
        texts = {CLAIMS: rewritten(CLAIMS.read_text(encoding="utf-8"), stated()), COLLECTED: listed(collected())}
    except MeshspecError as error:
        print(error)
        return 1
    changed = False
    for path, text in texts.items():
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        changed = True
        print(f"{path.relative_to(ROOT)} {'is not what would be written' if check else 'written'}")
        if not check:
            path.write_text(text, encoding="utf-8")
    if missing := without_item(texts[COLLECTED]):
        print(f"no item stands for {', '.join(missing)}")
    return 1 if missing or (check and changed) else 0


if __name__ == "__main__":
    sys.exit(main())
