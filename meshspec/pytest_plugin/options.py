"""What pytest is asked on its command line: the options, and what may not be said twice.

Each option has a long name that is ours, ``--meshspec-policy``. The short one, ``--policy``, is there too unless
another plugin or a conftest.py has taken it: ours comes last and gives way, so that no session fails to start.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import attrs
import pytest

from meshspec.errors import UsageError

ROLE = "breaker"
"""The role in which the policy of the command line is judged where nothing else is said."""


@attrs.frozen
class Option:
    """An option: its own name, its short one, and what argparse is told of it."""

    name: str
    short: str
    help: str
    metavar: str = ""
    many: bool = False

    @property
    def dest(self) -> str:
        return f"meshspec_{self.name.replace('-', '_')}"

    @property
    def long(self) -> str:
        return f"--meshspec-{self.name}"

    @property
    def told(self) -> dict[str, Any]:
        """What argparse is told."""
        if not self.metavar:
            return {"dest": self.dest, "action": "store_true", "default": False, "help": self.help}
        how: dict[str, Any] = {"action": "append"} if self.many else {"action": "store"}
        return {"dest": self.dest, "metavar": self.metavar, "default": None, "help": self.help, **how}


OPTIONS = (
    Option("policy", "--policy", "judge this policy in suites of a role: module:attr or path.py:attr", "TARGET"),
    Option(
        "role",
        "",
        "the role in which the policy is judged: breaker (if none is named), identity, ledger, lease",
        "ROLE",
    ),
    Option("scope", "--scope", "sizes of sorts in suites, whatever they say: Effect=3,Worker=2", "SIZES", many=True),
    Option("require", "", "call anything weaker undetermined: exhaustive, proved", "STRENGTH"),
    Option("allow-undetermined", "--allow-undetermined", "what is undetermined is a counted warning, no error"),
    Option("out", "", "write a bundle of every property that fails to this folder", "DIR"),
    Option("replay", "", "re-execute a bundle: fails with its argument if it is reproduced", "BUNDLE"),
)


def register(parser: pytest.Parser) -> None:
    """The long names, which nobody else has."""
    group = parser.getgroup("meshspec", "meshspec: promises, checked")
    for option in OPTIONS:
        group.addoption(option.long, **option.told)


def register_short(parser: pytest.Parser) -> list[str]:
    """The short names that nobody else has; returns those that somebody has."""
    group, taken = parser.getgroup("meshspec"), list[str]()
    for option in OPTIONS:
        if not option.short:
            continue
        if _is_taken(parser, option):
            taken.append(option.short)
        else:
            group.addoption(option.short, **{**option.told, "help": f"the same as {option.long}"})
    return taken


def _is_taken(parser: pytest.Parser, option: Option) -> bool:
    """Whether the parser knows that option: what it does not know it gives back."""
    tried = f"{option.short}={'1' if option.metavar else ''}" if option.metavar else option.short
    try:
        _, unknown = parser.parse_known_and_unknown_args([tried], argparse.Namespace())
    except (pytest.UsageError, ValueError, SystemExit):
        return True  # known, and of another kind
    return tried not in unknown


@attrs.frozen
class Asked:
    """What the command line asks for; empty or ``None`` where it asks nothing."""

    policy: str = ""
    role: str = ""
    scope: dict[str, int] = attrs.field(factory=dict[str, int])
    require: str | None = None
    allow_undetermined: bool = False
    out: Path | None = None
    replay: Path | None = None


def asked(config: pytest.Config) -> Asked:
    """What this session is asked; raises :class:`UsageError` for what cannot be meant."""
    given: dict[str, Any] = {option.name: config.getoption(option.dest) for option in OPTIONS}
    role = given["role"] or ""
    if role:
        from meshspec.roles.known import NAMES

        if role not in NAMES:
            raise UsageError(f"--meshspec-role {role}: the roles are {', '.join(NAMES)}")
    if given["policy"] == "":
        raise UsageError("--meshspec-policy is empty: write module:attr or path.py:attr")
    if role and not given["policy"]:
        raise UsageError(f"--meshspec-role {role} says how a policy is judged: name one with --meshspec-policy")
    if given["require"] not in (None, "exhaustive", "proved"):
        raise UsageError(f"--meshspec-require {given['require']}: write exhaustive or proved")
    return Asked(
        given["policy"] or "",
        role,
        sizes(given["scope"] or ()),
        given["require"],
        given["allow-undetermined"],
        Path(given["out"]) if given["out"] else None,
        Path(given["replay"]) if given["replay"] else None,
    )


def sizes(given: Sequence[str]) -> dict[str, int]:
    """Sizes of sorts as they are written; raises :class:`UsageError` for what is none."""
    found: dict[str, int] = {}
    for part in (part.strip() for text in given for part in text.split(",")):
        name, sign, size = (piece.strip() for piece in part.partition("="))
        if not sign or not name.isidentifier() or not size.isdecimal() or len(size) > 12 or int(size) < 1:
            raise UsageError(f"--scope {part}: write Sort=size, for instance --scope Effect=3")
        if found.setdefault(name, int(size)) != int(size):
            raise UsageError(f"--scope gives {name} two sizes, {found[name]} and {size}")
    return found
