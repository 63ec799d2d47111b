"""Policies of other people, each driven in an environment of its own: a file for a package in a role, under 40 lines.

An adapter translates and supplies nothing: over a stand-in that does nothing it fails what it must. It imports the
package when it is made, and nothing of meshspec, for it runs where there may be none. Each file says which package
and version (``PACKAGE``), what the package's own documentation promises (``PROMISES``), in which role it is judged
(``ROLE``, a breaker where nothing is said), and has a class ``Adapter``. ``OTHERS`` names further classes, of the
package configured in another way.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Collection, Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

import attrs

from meshspec.answer import Finding
from meshspec.errors import Disagreement, UsageError
from meshspec.progress import Progress, silent
from meshspec.roles.known import judge as roles_judge
from meshspec.roles.known import refuse_unknown, role_of
from meshspec.roles.promises import METHODS, lacking, promised, suited


@attrs.frozen
class AdapterInfo:
    """A package that can be judged: pinned as in ``pybreaker==1.4.1``, with its adapters as targets by role.

    ``target`` is the first of them.
    """

    name: str
    package: str
    promises: frozenset[str]
    target: str
    targets: Mapping[str, str]

    @property
    def version(self) -> str:
        return self.package.partition("==")[2]

    def promised(self, role: str) -> frozenset[str]:
        """The obligations of that role which its documentation promises."""
        return self.promises & {one.name for one in role_of(role).obligations}


@lru_cache(maxsize=1)
def adapters() -> Mapping[str, AdapterInfo]:
    """All shipped adapters by the name of their package.

    >>> sorted(adapters()["pybreaker"].targets)
    ['breaker']
    """
    found: dict[str, AdapterInfo] = {}
    for module in pkgutil.iter_modules(__path__):
        adapter = import_module(f"{__name__}.{module.name}")
        name = adapter.PACKAGE.partition("==")[0]
        file = Path(str(adapter.__file__)).resolve()
        for called, cls in {name: "Adapter", **getattr(adapter, "OTHERS", {})}.items():
            target, role = f"{file}:{cls}", str(getattr(adapter, "ROLE", "breaker"))
            info = found.setdefault(called, AdapterInfo(called, adapter.PACKAGE, frozenset(), target, {}))
            if role in info.targets or info.package != adapter.PACKAGE:
                raise Disagreement(f"{module.name}: {called} is judged as {role} elsewhere, or in another version")
            promises = info.promises | frozenset(adapter.PROMISES)
            found[called] = attrs.evolve(info, promises=promises, targets={**info.targets, role: target})
    return MappingProxyType(found)


@attrs.frozen
class Chosen:
    """What is judged: a target, the package it needs, by which name it is reported, and what it promises."""

    target: str
    package: str | None = None
    subject: str | None = None
    promises: frozenset[str] | None = None


def chosen(target: str, role: str, package: str | None = None) -> Chosen:
    """What a target stands for in a role: the shipped adapter of that name, or the policy itself.

    Raises :class:`UsageError` where it is neither a name nor ``module:attr`` nor ``path.py:attr``, and for an adapter
    that is none in that role; where `package` is given beside a name it must be that adapter's, of whatever version.
    """
    refuse_unknown(role)
    if target.endswith(".py"):
        raise UsageError(f"{target} is a file: name the class in it, {target}:Guard")
    info = adapters().get(target)
    if info is None:
        if ":" not in target and (classes := suited(target, role)):
            written = " or ".join(f"{target}:{name}" for name in classes)
            raise UsageError(f"{target!r} is a module: name the class in it, write {written}")
        if ":" not in target:
            known = ", ".join(sorted(name for name, one in adapters().items() if role in one.targets))
            raise UsageError(f"{target!r} is no adapter ({known}), module:attr or path.py:attr")
        return Chosen(target, package, None, promised(target, role))
    drives = info.package.partition("==")[0]
    if package is not None and package.partition("==")[0] != drives:
        raise UsageError(f"the adapter {info.name} drives {drives}, not {package}")
    if role not in info.targets:
        roles = " and ".join(info.targets)
        raise UsageError(f"the adapter {info.name} has the role {roles}, and is not judged as {role_of(role).a}")
    return Chosen(info.targets[role], package or info.package, info.name, info.promised(role))


def narrowed(target: str, role: str, package: str | None = None) -> tuple[frozenset[str], tuple[str, ...]]:
    """With ``--promises``: the obligations that the policy promises, which are asked, and those that are not.

    Raises :class:`UsageError` where it promises none, or says nothing of what it promises.
    """
    promises = chosen(target, role, package).promises
    owed = tuple(one.name for one in role_of(role).obligations)
    if not promises and (missing := lacking(chosen(target, role, package).target, role)):
        raise UsageError(f"{target} has no method {missing}: the role {role} needs {', '.join(METHODS[role])}")
    if promises is None:
        wanted = f'PROMISES = ("{owed[0]}", ...)'
        raise UsageError(
            f"{target} does not say what it promises: write {wanted} into the class or its file, plain names of "
            f"obligations; or leave out --promises, and everything is asked"
        )
    if not promises:
        raise UsageError(
            f"{target} promises none of what {role_of(role).a} owes ({', '.join(owed)}): nothing would be asked; "
            f"without --promises everything is"
        )
    return promises, tuple(name for name in owed if name not in promises)


def judge(
    target: str,
    *,
    role: str = "breaker",
    package: str | None = None,
    seed: int = 0,
    time_limit_per_story: float = 10.0,
    python: str | None = None,
    time_limit: float = 600.0,
    only_promised: bool = False,
    only: Collection[str] | None = None,
    progress: Progress = silent,
    **more: Any,
) -> list[Finding]:
    """:func:`meshspec.roles.known.judge`, which also knows the shipped adapters by name.

    With ``only_promised`` nothing is asked but what the policy promises, with `only` nothing but these; `more` is
    what a role has of its own, as ``bound`` and ``walk`` of a breaker. Raises :class:`UsageError` as :func:`chosen`
    and :func:`narrowed` do.
    """
    what = chosen(target, role, package)
    only = narrowed(target, role, package)[0] if only_promised else only
    return roles_judge(
        what.target,
        role=role,
        package=what.package,
        seed=seed,
        time_limit_per_story=time_limit_per_story,
        python=python,
        time_limit=time_limit,
        subject=what.subject,
        promises=what.promises,
        only=only,
        progress=progress,
        **more,
    )
