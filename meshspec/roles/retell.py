"""What does this policy do with one story? Told to it again, in two processes apart from ours."""

from __future__ import annotations

import hashlib
import os
import sys
from contextlib import ExitStack
from pathlib import Path

from meshspec.errors import UsageError
from meshspec.roles.breaker import Obligation, fields_of
from meshspec.roles.environments import CannotInstall, interpreter
from meshspec.roles.hosted import Hosted, Launch, NotLoaded
from meshspec.roles.protocol import About, Outcome
from meshspec.roles.story import FIELDS, SHAPES, Story

MOST = 10_000
"""Steps that a story which is told again may have; the longest that is ever told has a few hundred."""


def launch_of(
    target: str, package: str | None, python: str | None = None, limit: float = 10.0, memory: int = 4 << 30
) -> Launch:
    """Where a policy runs: in `python`, else in the environment of its `package`, else in ours.

    Raises :class:`CannotInstall` for a package that cannot be had.
    """
    if package is not None and python is None:
        python = interpreter(package)
    here = os.getcwd()  # noqa: PTH109
    ours = tuple(entry for entry in (here, *sys.path) if entry) if python is None else ()
    return Launch(target, python or sys.executable, ours, () if ours else (here,), limit, memory)


def retold(target: str, story: Story, package: str | None = None) -> tuple[About, tuple[Outcome, Outcome]]:
    """What the policy is, and what it makes of the story in each of two processes with different hash seeds.

    Raises :class:`UsageError` where its package cannot be installed or it does not load.
    """
    try:
        launch = launch_of(target, package)
        with ExitStack() as stack:
            one, other = (stack.enter_context(Hosted(launch, hash_seed)) for hash_seed in (1, 2))
            return one.about, (one.run([story])[0], other.run([story])[0])
    except CannotInstall as error:
        raise UsageError(f"{package} cannot be installed: {error}") from None
    except NotLoaded as error:
        raise UsageError(f"{target}: {error}") from None


def refuse_untold(story: Story) -> None:
    """Raise :class:`UsageError` for a story that is none: shapes that there are not, no loop, too many steps."""
    codes = (*story.prefix, *story.loop)
    if not story.loop or any(not 0 <= code < len(SHAPES) for code in codes):
        raise UsageError(f"the story has a loop, and its steps are numbered from 0 to {len(SHAPES) - 1}")
    if not len(story.prefix) < story.steps <= MOST or len(story.loop) > MOST:
        raise UsageError(f"the story is unrolled to {story.steps} steps: more than its prefix has, at most {MOST:,}")
    if story.field not in FIELDS:
        raise UsageError(f"the irrelevant field {story.field[:40]!r} is none of {', '.join(FIELDS)}")


def owes(obligation: Obligation, story: Story) -> bool:
    """Whether a story is one that the obligation speaks of, in any order of its loop."""
    size = len(story.loop)
    loops = obligation.premise.loops(size) if size <= 3 else ()
    whole = obligation.story(story.prefix, story.loop, story.one_tool, story.field, story.steps)
    return (
        tuple(sorted(story.loop)) in {tuple(sorted(loop)) for loop in loops}
        and story.field in fields_of(story.loop)
        and whole == story
    )


def source_of(about: About) -> str:
    """A digest of the file that a policy is written in; empty where it cannot be read."""
    try:
        return f"sha256:{hashlib.sha256(Path(about.file).read_bytes()).hexdigest()}" if about.file else ""
    except OSError:
        return ""
