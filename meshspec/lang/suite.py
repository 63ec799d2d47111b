"""Suites: what a test module says is to be checked, so that a test runner makes one test of each property.

    TestLedger = suite(EffectLedger, scope={Effect: 2})
    TestGuard = suite(role="breaker", policy="mypkg.guard:Guard")

The object says itself what it is, whatever its name. Nothing is checked when it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, NoReturn, cast, overload

import attrs

from meshspec.errors import ModelError, Where
from meshspec.lang.declare import declared, is_model, undecorated
from meshspec.lang.places import where_is, where_now
from meshspec.sorts import Sort, is_sort

REQUIRED = ("proved", "exhaustive")
"""What may be required of an answer."""


MADE: list[Suite] = []
"""Every suite that was made: a test runner tells of those that became no tests."""


@attrs.frozen(eq=False, slots=False)  # pytest without the plugin looks into its __dict__
class Suite:
    """The properties of a model, or the obligations of a role put to a policy.

    Attributes:
        model: a model class, or an instance with its constants chosen; ``None`` for a role.
        scope: sizes of its sorts.
        engines: which are run; ``None`` leaves that to whoever runs them, as for all that is ``None`` here.
        require: call anything weaker undetermined.
        without: declared faults that are taken away.
        max_states: states after which a search is cut off.
        seed: of random walks and of longer stories.
        role, policy: the role, and ``module:attr`` or ``path.py:attr`` of the policy; empty without one.
        prefix: steps, at most, of a breaker's story before its loop; 1 where nothing is said.
        promises: whether a policy is asked only what it promises itself.
        where: file and line of the declaration.
    """

    model: Any = None
    scope: Mapping[type[Sort], int] = MappingProxyType({})
    engines: tuple[str, ...] | None = None
    require: str | None = None
    without: tuple[str, ...] | None = None
    max_states: int | None = None
    seed: int | None = None
    role: str = ""
    policy: str = ""
    prefix: int | None = None
    promises: bool = False
    where: Where | None = None

    __test__ = True  # pytest without the plugin takes it for a test function, and that fails

    @property
    def __wrapped__(self) -> Callable[[], None]:
        return _unplugged

    def __call__(self) -> None:
        """Fail: a suite is no function, and is called only where a test runner does not know what it is.

        Raises :class:`ModelError`.
        """
        raise ModelError("the pytest plugin of meshspec is off, so nothing of this suite is checked", self.where)

    def __mro_entries__(self, bases: object) -> NoReturn:
        """Nothing is made a class of it: a test class that names one as its base is a slip."""
        raise ModelError("a suite is no class to inherit from: write TestLedger = suite(Ledger)", where_now())

    @property
    def cls(self) -> type:
        """The model's class."""
        return self.model if isinstance(self.model, type) else type(self.model)


@overload
def suite(
    model: object,
    /,
    *,
    scope: Mapping[type[Sort], int] = ...,
    engines: Sequence[str] | None = ...,
    require: str | None = ...,
    without: Sequence[str] | None = ...,
    max_states: int | None = ...,
    seed: int | None = ...,
) -> Suite: ...


@overload
def suite(
    *,
    role: str,
    policy: str | None = ...,
    prefix: int | None = ...,
    promises: bool = ...,
    seed: int | None = ...,
) -> Suite: ...


def suite(
    model: object = None,
    /,
    *,
    scope: Mapping[type[Sort], int] = MappingProxyType({}),
    engines: Sequence[str] | None = None,
    require: str | None = None,
    without: Sequence[str] | None = None,
    max_states: int | None = None,
    seed: int | None = None,
    role: str | None = None,
    policy: str | None = None,
    prefix: int | None = None,
    promises: bool = False,
) -> Suite:
    """A model's properties as tests, one each; or the obligations of a role, put to a policy.

    Of a model: `scope` gives sizes of its sorts, 2 where nothing is said (of a shipped model, those of its evidence);
    `engines`, `require` (``"proved"`` or ``"exhaustive"``), `without` (faults to take away), `max_states` and `seed`
    are those of ``meshspec check``. Of a role: `policy` is ``module:attr`` or ``path.py:attr``, else the one that the
    test runner was given or the shipped reference; `promises` asks only what it promises itself; `prefix` bounds the
    steps of a breaker's story before its loop, 1 where nothing is said.

    Raises :class:`ModelError` for what is no model, no sort or no size, for a requirement that there is not, and
    where both a model and a role are given, or neither.
    """
    here = where_now()
    if (model is None) == (role is None):
        raise ModelError('a suite is of a model or of a role: suite(Ledger) or suite(role="breaker")', here)
    if role is not None:
        of_a_model = {"scope": scope, "engines": engines, "require": require, "without": without}
        for name, given in {**of_a_model, "max_states": max_states}.items():
            if given:
                raise ModelError(f"{name} is of a model, and this suite is of the role {role}: leave it out", here)
        if prefix is not None and (type(prefix) is not int or prefix < 0):
            raise ModelError(f"prefix={prefix!r}: write a number of steps, 0 or more", here)
        return _made(Suite(role=role, policy=policy or "", prefix=prefix, promises=promises, seed=seed, where=here))
    if promises:
        raise ModelError('promises narrows what a policy is asked: suite(role="breaker", promises=True)', here)
    if policy is not None:
        raise ModelError('a policy is judged in a role: suite(role="breaker", policy=...)', here)
    cls = model if isinstance(model, type) else type(model)
    if not is_model(cls):
        problem = undecorated(cls) or f"{cls.__name__} is no model: decorate it with @model, or name one that is"
        raise ModelError(problem, where_is(cls) if undecorated(cls) else here)
    declared(cls)
    require_of(require, here)
    if max_states is not None and (type(max_states) is not int or max_states < 1):
        raise ModelError(f"max_states={max_states!r}: write a number of states, 1 or more", here)
    return _made(
        Suite(
            model,
            sizes_of(scope, here),
            _names("engines", engines, here),
            require,
            _names("without", without, here),
            max_states,
            seed,
            where=here,
        )
    )


def _unplugged() -> None:
    """What pytest takes the arguments of a suite from where it takes it for a function: it has none."""


def _made(suite: Suite) -> Suite:
    MADE.append(suite)
    return suite


def require_of(given: object, where: Where | None) -> str | None:
    """What is required, looked at; raises :class:`ModelError` for what there is not."""
    if given is not None and given not in REQUIRED:
        raise ModelError(f"require={given!r}: write {' or '.join(map(repr, REQUIRED))}", where)
    return str(given) if given is not None else None


def sizes_of(given: object, where: Where | None) -> dict[type[Sort], int]:
    """Sizes of sorts, looked at; raises :class:`ModelError` for what is no sort and for what is no size."""
    if not isinstance(given, Mapping):
        raise ModelError(f"scope={given!r}: write sizes of sorts, scope={{Effect: 2}}", where)
    for sort, size in cast("Mapping[object, object]", given).items():
        if not is_sort(sort):
            raise ModelError(
                f"scope={{{sort!r}: {size!r}}}: the class of a sort stands here, as in {{Effect: 2}}", where
            )
        if type(size) is not int or size < 1:
            raise ModelError(f"a sort has at least one member: {getattr(sort, '__name__', sort)}: {size!r}", where)
    return dict(cast("Mapping[type[Sort], int]", given))


def _names(what: str, given: object, where: Where | None) -> tuple[str, ...] | None:
    return None if given is None else names_of(what, given, where)


def names_of(what: str, given: object, where: Where | None) -> tuple[str, ...]:
    """Names in a list, looked at; raises :class:`ModelError` for one text and for what is no text."""
    parts = [] if isinstance(given, str) or not isinstance(given, Sequence) else list(cast("Sequence[object]", given))
    if not all(isinstance(part, str) for part in parts) or (not parts and given not in ((), [])):
        raise ModelError(f'{what}={given!r}: write names in a list, {what}=["..."]', where)
    if what == "engines" and not parts:
        raise ModelError(f"engines={given!r}: with no engine nothing is checked; leave it out, or name one", where)
    return tuple(dict.fromkeys(cast("list[str]", parts)))
