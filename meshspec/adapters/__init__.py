"""Policies of other people, each driven in an environment of its own: one file a package, under 40 lines.

An adapter translates and supplies nothing: over a stand-in that does nothing it fails what it must. It imports the
package when it is made, and nothing of meshspec, for it runs where there may be none. Each file says which package
and version (``PACKAGE``), what the package's own documentation promises (``PROMISES``), and has a class ``Adapter``.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from functools import lru_cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType

import attrs

from meshspec.answer import Finding
from meshspec.errors import UsageError
from meshspec.progress import Progress, silent
from meshspec.roles import judge as roles_judge
from meshspec.roles.breaker import Bound


@attrs.frozen
class AdapterInfo:
    """A shipped adapter: ``package`` is pinned as in ``pybreaker==1.4.1``, ``target`` is its class as a target."""

    name: str
    package: str
    promises: frozenset[str]
    target: str

    @property
    def version(self) -> str:
        return self.package.partition("==")[2]


@lru_cache(maxsize=1)
def adapters() -> Mapping[str, AdapterInfo]:
    """All shipped adapters by the name of their package.

    >>> sorted(adapters())
    ['agent-loop-guard', 'pybreaker']
    """
    found: dict[str, AdapterInfo] = {}
    for module in pkgutil.iter_modules(__path__):
        adapter = import_module(f"{__name__}.{module.name}")
        name = adapter.PACKAGE.partition("==")[0]
        target = f"{Path(str(adapter.__file__)).resolve()}:Adapter"
        found[name] = AdapterInfo(name, adapter.PACKAGE, frozenset(adapter.PROMISES), target)
    return MappingProxyType(found)


def judge(
    target: str,
    *,
    role: str = "breaker",
    package: str | None = None,
    seed: int = 0,
    time_limit_per_story: float = 10.0,
    python: str | None = None,
    bound: Bound | None = None,
    walk: int = 100,
    time_limit: float = 600.0,
    progress: Progress = silent,
) -> list[Finding]:
    """:func:`meshspec.roles.judge.judge`, which also knows the shipped adapters by name.

    Raises :class:`UsageError` where the target is neither a name nor ``module:attr`` nor ``path.py:attr``; where
    `package` is given beside a name it must be the package of that adapter, of whatever version.
    """
    roles_judge.known_role(role)
    info = adapters().get(target)
    if target.endswith(".py"):
        raise UsageError(f"{target} is a file: name the class in it, {target}:Guard")
    if info is None and ":" not in target:
        raise UsageError(f"{target!r} is no adapter ({', '.join(sorted(adapters()))}), module:attr or path.py:attr")
    if info is not None and package is not None and package.partition("==")[0] != info.name:
        raise UsageError(f"the adapter {info.name} drives {info.name}, not {package}")
    return roles_judge.judge(
        info.target if info else target,
        role=role,
        package=package or (info.package if info else None),
        seed=seed,
        time_limit_per_story=time_limit_per_story,
        python=python,
        bound=bound,
        walk=walk,
        time_limit=time_limit,
        subject=info.name if info else None,
        promises=info.promises if info else None,
        progress=progress,
    )
