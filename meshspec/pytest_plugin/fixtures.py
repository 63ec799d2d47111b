"""The fixtures: a model checked in the middle of a test, and the policy that the session was given."""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import pytest

from meshspec.errors import MeshspecError, ModelError, UsageError
from meshspec.pytest_plugin import ends, settings
from meshspec.pytest_plugin.session import Session, session_of
from meshspec.sorts import Sort

if TYPE_CHECKING:
    from meshspec.report.checked import Checked


class Check(Protocol):
    """What ``meshspec_check`` gives."""

    def __call__(
        self,
        model: Any,
        /,
        *,
        scope: Mapping[type[Sort], int] | None = None,
        engines: Sequence[str] | None = None,
        require: str | None = None,
        without: Sequence[str] | None = None,
        max_states: int | None = None,
        seed: int | None = None,
    ) -> Checked:
        """Check a model; return what was answered if all of it holds, else fail the test with the argument."""
        ...


@pytest.fixture
def meshspec_check(request: pytest.FixtureRequest) -> Generator[Check, None, None]:
    """Check a model in a test: ``meshspec_check(EffectLedger, scope={Effect: 3})``.

    Returns what was answered when everything holds. Else the test fails with the argument (for what is undetermined
    or vacuous it is an error). Takes what ``@pytest.mark.meshspec`` takes; what is said in the call comes first.
    A test that passes and never called it is an error.
    """
    node: pytest.Item = request.node  # pyright: ignore[reportUnknownMemberType]  # pytest's own
    session = session_of(request.config)

    called = False

    def meshspec_check(model: Any, /, **asked: Any) -> Checked:
        __tracebackhide__ = True
        nonlocal called
        called = True
        try:
            own = settings.layer("meshspec_check", asked)
            checked = settings.check(session, node, model, own)
            told = [one for some in ends.of_checked(session, checked).values() for one in some]
            ends.written(session, told, checked.asked)
        except MeshspecError as error:
            raise ends.unasked(error) from None
        ends.end(session, node, told)
        return checked

    yield meshspec_check
    if not called and node.stash.get(ends.PASSED, False):
        raise ends.Unsettled("meshspec_check was never called: nothing was checked", pytrace=False)


@pytest.fixture
def meshspec_policy(request: pytest.FixtureRequest) -> Any:
    """A fresh policy: an instance of what ``--policy`` names. It is an error to ask for one where none was named."""
    session = session_of(request.config)
    try:
        return policy(session)
    except MeshspecError as error:
        raise ends.unasked(error) from None


def policy(session: Session) -> Any:
    """A new instance of the session's policy, made in this process.

    Raises :class:`UsageError` where none was named or there is no such thing, and :class:`ModelError` for one that
    cannot be made.
    """
    from meshspec.lang import loading
    from meshspec.lang.places import where_raised

    text = session.asked.policy
    if not text:
        raise UsageError("meshspec_policy: no policy was named: pytest --policy mypkg.guard:Guard")
    head, colon, attribute = text.rpartition(":")
    if not colon or not head or not attribute:
        raise UsageError(f"--policy {text}: a test is given a policy of this process: module:attr or path.py:attr")
    load: Any = loading.load_file if head.endswith(".py") else loading.load_module
    made: Any = session.once(("policy", head), lambda: load(Path(head) if head.endswith(".py") else head))
    for part in attribute.split("."):
        if not hasattr(made, part):
            raise UsageError(f"--policy {text}: {head} has no {attribute!r}")
        made = getattr(made, part)
    if not callable(made):
        raise UsageError(f"--policy {text}: that is no class, and no function of no arguments that makes a policy")
    session.used.add("policy")
    try:
        return made()
    except Exception as error:
        raise ModelError(f"{text} cannot be made: {type(error).__name__}: {error}", where_raised(error)) from None
