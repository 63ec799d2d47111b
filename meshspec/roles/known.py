"""Which roles are there? By name; each is loaded when it is first used.

A role is a module with a ``ROLE`` and a function ``judge(target, *, package, seed, python, time_limit, subject,
promises, only, progress)`` that returns a finding for each obligation and then for each rule of conduct; of the
breaker, which is older, both are put together here.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache
from importlib import import_module
from typing import Any, cast

from meshspec.answer import Finding
from meshspec.errors import MeshspecError, UsageError
from meshspec.progress import Progress, silent
from meshspec.roles.owed import Role

_MODULES = {
    "breaker": "meshspec.roles.breaker",
    "identity": "meshspec.roles.identity",
    "ledger": "meshspec.roles.ledger",
    "lease": "meshspec.roles.lease",
}

_JUDGES = {**_MODULES, "breaker": "meshspec.roles.judge"}

NAMES = tuple(_MODULES)
"""The names of the roles; asking for them loads none."""


class _Roles(Mapping[str, Role]):
    """The roles by name. One that is only listed is not loaded."""

    def __getitem__(self, name: str) -> Role:
        return _loaded(name)

    def __contains__(self, name: object) -> bool:
        return name in _MODULES

    def __iter__(self) -> Iterator[str]:
        return iter(_MODULES)

    def __len__(self) -> int:
        return len(_MODULES)


ROLES: Mapping[str, Role] = _Roles()


@cache
def _loaded(name: str) -> Role:
    return _breaker() if name == "breaker" else cast(Role, import_module(_MODULES[name]).ROLE)


def _breaker() -> Role:
    from meshspec.roles.life import owed
    from meshspec.roles.policies import INCIDENTS
    from meshspec.roles.telling import CONDUCT

    return Role(
        name="breaker",
        contract='observe(step) answers "CONTINUE", "TRIP" or ("TRIP", reason); called once for every step of a run',
        obligations=owed(),
        reference="meshspec.roles.policies:Reference",
        incidents={name: f"{cls.__module__}:{cls.__qualname__}" for name, cls in INCIDENTS.items()},
        conduct=CONDUCT,
        where="meshspec/roles/breaker.py",
    )


def role_of(name: str) -> Role:
    """The role of that name; raises :class:`UsageError`, which names the roles, for what is none."""
    refuse_unknown(name)
    return ROLES[name]


def refuse_unknown(name: str) -> None:
    """Raise :class:`UsageError` for what is no role; loads none."""
    if name not in _MODULES:
        raise UsageError(f"there is no role {name!r}: the roles are {', '.join(_MODULES)}")


def refuse_unowed(role: str, names: Collection[str]) -> None:
    """Raise :class:`UsageError` for promises that are no obligations of the role."""
    owed = [one.name for one in role_of(role).obligations]
    if wrong := sorted(set(names) - set(owed)):
        raise UsageError(f"{', '.join(wrong)}: no obligation of the role {role}, which has {', '.join(owed)}")


def asked_of(role: str, target: str, package: str | None = None) -> tuple[str, ...]:
    """Everything that this policy is answered for in the role; loads a breaker, to see what it offers.

    What cannot be loaded is asked what everybody is asked, and says then why it cannot be.
    """
    if role != "breaker":
        return role_of(role).names
    from meshspec.roles.environments import CannotInstall
    from meshspec.roles.hosted import Hosted, NotLoaded
    from meshspec.roles.living import not_asked
    from meshspec.roles.retell import launch_of

    offered: Collection[str] = ()
    with (
        contextlib.suppress(MeshspecError, NotLoaded, CannotInstall),
        Hosted(launch_of(target, package)) as hosted,
    ):
        offered = hosted.about.offers
    off = {line.partition(":")[0] for line in not_asked(list(offered))}
    return tuple(name for name in role_of(role).names if name not in off)


def judge(
    target: str,
    *,
    role: str,
    package: str | None = None,
    seed: int = 0,
    python: str | None = None,
    time_limit: float = 600.0,
    subject: str | None = None,
    promises: Collection[str] | None = None,
    only: Collection[str] | None = None,
    progress: Progress = silent,
    **more: Any,
) -> list[Finding]:
    """Judge a policy in a role: one finding for each obligation, then one for each rule of conduct.

    Args:
        target: ``module:attr`` or ``path.py:attr``, a class or a function of no arguments that makes a policy.
        role: one of :data:`ROLES`.
        package: ``name==version`` of a package to install into an environment of its own and run there.
        seed: of whatever is drawn at random.
        python: the interpreter to run, instead of this one or the package's.
        time_limit: seconds in all; what is not tried by then is UNDETERMINED.
        subject: the name to report instead of the target.
        promises: the obligations the package itself promises, where that is known; told beside each answer.
        only: ask these obligations alone, and the rules of conduct.
        progress: is told what is being done.
        more: what a role has of its own: ``bound``, ``walk``, ``time_limit_per_story`` of a breaker.

    Raises :class:`UsageError` for an unknown role or target and :class:`meshspec.errors.ModelError`, with the user's
    file and line, for a policy that cannot be loaded or made.
    """
    refuse_unknown(role)
    if only is not None:
        refuse_unowed(role, only)
    asked = cast("Callable[..., list[Finding]]", import_module(_JUDGES[role]).judge)
    return asked(
        target,
        package=package,
        seed=seed,
        python=python,
        time_limit=time_limit,
        subject=subject,
        promises=promises,
        only=only,
        progress=progress,
        **more,
    )
