"""What is a story, how many are there, and which calls does one consist of?

A story is a prefix (things done once) and a loop (things done over and over). The loop's steps are *shapes*: every
field is constant, fresh each round or, for ranks, strictly decreasing. :func:`unroll` turns a story into the calls a
policy observes. Nothing here is random, hashed per process, or read from a clock: a story is the same calls
everywhere.

Only the standard library is imported, and nothing of meshspec: the child process (:mod:`meshspec.roles.host`) loads
this file by its path inside environments that have no meshspec. It runs on Python 3.9 and later.
"""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

HORIZON = 54
"""Steps a story is unrolled to: the length of the identical-success loop of the incident that gave the rule."""


class Call(NamedTuple):
    """One step as a policy observes it: what was called, with what, and what came back.

    Attributes:
        tool: the tool's name.
        arguments: the arguments by name; a fresh dict for every call.
        text: the result as text. Where there is a rank, the text says it in words.
        rank: ``(phase, failing)`` of a check, lower is better, ``(0, 0)`` is green; None for anything but a check.
        digest: a digest of what the call changed, None where nothing is known to have changed.
        success: whether the *call* succeeded; a check that reports failures may well have.

    >>> print(words(Call("run_check", {"name": "integration"}, "5 failed; phase unit", (3, 5), None, False)))
    run_check(name=integration) -> "5 failed; phase unit", failed
    """

    tool: str
    arguments: dict[str, Any]
    text: str
    rank: tuple[int, int] | None
    digest: str | None
    success: bool


class Shape(NamedTuple):
    """How each field of a step behaves from round to round.

    ``arguments`` is constant, ``nonce`` (all but one field constant) or fresh; ``rank`` and ``digest`` may be absent.
    A step with a rank is called a *check*. The text of a check is constant or fresh apart from the rank it reports.
    """

    arguments: str
    text: str
    rank: str
    digest: str
    success: bool


ARGUMENTS = ("constant", "nonce", "fresh")
TEXTS = ("constant", "fresh")
RANKS = ("absent", "constant", "decreasing")
DIGESTS = ("absent", "constant", "fresh")
SHAPES = tuple(Shape(*fields) for fields in itertools.product(ARGUMENTS, TEXTS, RANKS, DIGESTS, (True, False)))
ONCE = tuple(
    Shape("constant", "constant", rank, digest, success)
    for rank, digest, success in (
        ("absent", "constant", True),  # a change that was made
        ("absent", "absent", False),  # a call that failed
        ("constant", "absent", True),  # a check that ran and reports failures
        ("constant", "absent", False),  # a check that failed
    )
)
"""The four things a prefix is made of. For what happens once, constant and fresh are the same, which leaves rank,
digest and success; of those eight kinds these four are the ones that occur (a check changes nothing, a change says
what it changed). Longer walks use all eight."""

FIELDS = ("request_id", "timestamp", "nonce")
"""Names an irrelevant field goes by; a policy may know some of them and not others."""

PHASES = ("green", "acceptance", "integration", "unit", "types", "imports", "syntax")
PER_PHASE = 10
"""Failing counts in one phase: a falling rank goes (2, 1), (1, 10): fewer phases to go, more failing in this one."""

_TOOLS = {
    "loop": {
        "check": ("run_check", "run_types", "run_lint"),
        "change": ("edit_file", "apply_patch", "write_file"),
        "look": ("read_file", "search_code", "list_dir"),
    },
    "before": {
        "check": ("run_build", "run_smoke", "run_audit"),
        "change": ("create_branch", "install_package", "move_file"),
        "look": ("read_ticket", "query_logs", "fetch_page"),
    },
}
_CHECKS = ("integration", "core", "app")


class Story(NamedTuple):
    """A prefix, a loop, and how they are rendered. Prefix and loop hold indices into :data:`SHAPES`.

    A policy reads names, so a story is driven in several renderings: with ``one_tool`` every step is a command of
    one and the same tool, else each step has a tool of its own; ``field`` is the name of the irrelevant argument.
    ``steps`` is the length it is unrolled to, prefix included; it ends sooner when a falling rank reaches green.
    """

    prefix: tuple[int, ...]
    loop: tuple[int, ...]
    one_tool: bool = False
    field: str = FIELDS[0]
    steps: int = HORIZON


def multisets(kinds: int, most: int, least: int = 0) -> int:
    """How many multisets of `least` to `most` members there are over `kinds` kinds.

    >>> multisets(4, 3), multisets(108, 3, least=1)
    (35, 221814)
    """
    return sum(math.comb(kinds + n - 1, n) for n in range(least, most + 1))


def stories_in_all(prefix: int = 3, loop: int = 3) -> int:
    """How many stories there are up to order, renderings not counted: prefixes times loops.

    >>> stories_in_all()
    7763490
    """
    return multisets(len(ONCE), prefix) * multisets(len(SHAPES), loop, least=1)


def prefixes(length: int) -> Iterator[tuple[int, ...]]:
    """All prefixes of that length, up to order."""
    return itertools.combinations_with_replacement(sorted(SHAPES.index(once) for once in ONCE), length)


def token(*parts: object) -> str:
    """Eight hexadecimal digits that differ wherever the parts do; the same in every process.

    >>> token("loop", 0, 1) == token("loop", 0, 1), token("loop", 0, 1) == token("loop", 0, 2)
    (True, False)
    """
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:8]


def _name(place: str, kind: str, slot: int) -> str:
    names = _TOOLS[place][kind]
    return names[slot % len(names)] + (f"_{slot // len(names) + 1}" if slot >= len(names) else "")


def _rank(shape: Shape, left: int) -> tuple[int, int] | None:
    if shape.rank == "absent":
        return None
    if shape.rank == "constant":
        return (3, 5)
    return (0, 0) if left == 0 else (1 + (left - 1) // PER_PHASE, 1 + (left - 1) % PER_PHASE)


def _call(place: str, slot: int, shape: Shape, one_tool: bool, field: str, round_: int, left: int) -> Call:
    """The call of one step in one round, `left` rounds before green."""
    kind = _kind(shape)
    rank = _rank(shape, left)
    success = shape.success or rank == (0, 0)
    fresh = token(place, slot, round_)
    odd = fresh if shape.arguments == "fresh" else ""
    tool = _name(place, kind, slot)
    subject = f"{'src' if place == 'loop' else 'doc'}/{odd or slot}.py"
    if kind == "check":
        subject = odd or f"{_CHECKS[slot % 3]}{slot // 3 or ''}"
    arguments: dict[str, Any] = {"name" if kind == "check" else "path": subject}
    if one_tool:
        verb = tool.removeprefix("run_").partition("_")[0]
        tool, arguments = "shell", {"cmd": f"{verb} {subject}"}
    if kind == "change":
        arguments["patch"] = token("patch", fresh) if odd else f"p{slot}"
    if shape.arguments == "nonce":
        arguments[field] = 1764400000 + 12 * round_ if field == "timestamp" else fresh
    told = f"{token('told', fresh)} {token('more', fresh)}" if shape.text == "fresh" else ""
    if rank is None:
        done = told or ("applied" if kind == "change" else f"{214 + slot} bytes")
        text = done if success else f"error: {told or 'refused'}"
    else:
        phase = PHASES[rank[0]] if rank[0] < len(PHASES) else f"phase {rank[0]}"
        text = f"{rank[1]} failed; phase {phase}" + (f"; seed {told}" if told else "")
    digest = {"absent": None, "constant": token("digest", place, slot), "fresh": token("digest", fresh)}[shape.digest]
    return Call(tool, arguments, text, rank, digest, success)


@cache
def _track(place: str, slot: int, code: int, one_tool: bool, field: str, rounds: int) -> list[Call]:
    """One slot's calls, round by round."""
    shape = SHAPES[code]
    return [_call(place, slot, shape, one_tool, field, r, rounds - 1 - r) for r in range(rounds)]


def converges(story: Story) -> bool:
    """Whether some rank in the loop falls: such a story ends when it is green."""
    return any(SHAPES[code].rank == "decreasing" for code in story.loop)


def length(story: Story) -> int:
    """The number of calls the story consists of.

    >>> falling = SHAPES.index(Shape("constant", "constant", "decreasing", "absent", False))
    >>> length(Story((), (0, 0))), length(Story((), (0, falling, 0)))
    (54, 53)
    """
    if not converges(story):
        return story.steps
    rounds = max(1, (story.steps - len(story.prefix)) // len(story.loop))
    last = max(i for i, code in enumerate(story.loop) if SHAPES[code].rank == "decreasing")
    return len(story.prefix) + (rounds - 1) * len(story.loop) + last + 1


def unroll(story: Story) -> Iterator[Call]:
    """The calls of a story, first to last. Arguments are a fresh dict each time, for a policy may change them.

    >>> falling = SHAPES.index(Shape("constant", "constant", "decreasing", "absent", False))
    >>> for call in unroll(Story((), (falling,), steps=3)): print(words(call))
    run_check(name=integration) -> "2 failed; phase acceptance", failed
    run_check(name=integration) -> "1 failed; phase acceptance", failed
    run_check(name=integration) -> "0 failed; phase green", ok
    """
    # Half the time of Call(...): this is the innermost loop.
    new: Any = tuple.__new__  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    for tool, arguments, text, rank, digest, success in _calls(story):
        yield new(Call, (tool, arguments.copy(), text, rank, digest, success))


def _calls(story: Story) -> list[Call]:
    """The calls of a story as shared objects."""
    prefix, loop, one_tool, field, _ = story
    size, room = len(loop), story.steps - len(prefix)
    rounds = max(1, room // size) if converges(story) else -(-room // size)
    tracks = [_track("loop", slot, code, one_tool, field, rounds) for slot, code in enumerate(loop)]
    calls = [_track("before", slot, code, one_tool, field, 1)[0] for slot, code in enumerate(prefix)]
    for calls_of_a_round in zip(*tracks):  # noqa: B905  # `strict` is younger than 3.9
        calls += calls_of_a_round
    return calls[: length(story)]


def words(call: Call) -> str:
    """A call in the words of the domain, on one line."""
    arguments = ", ".join(f"{name}={value}" for name, value in call.arguments.items())
    changed = f", changed {call.digest[:6]}" if call.digest else ""
    return f'{call.tool}({arguments}) -> "{call.text}"{changed}, {"ok" if call.success else "failed"}'


def describe(story: Story) -> str:
    """The story in a sentence: what comes first, what the loop does, and how it is rendered.

    >>> describe(Story((), (SHAPES.index(Shape("nonce", "constant", "absent", "absent", True)),)))
    'a loop of 1 step: read_file (a new request_id, same text, ok)'
    """
    first = [_says("before", slot, SHAPES[code]) for slot, code in enumerate(story.prefix)]
    again = [_says("loop", slot, SHAPES[code], story.field) for slot, code in enumerate(story.loop)]
    said = f"after {', '.join(first)}, " if first else ""
    said += f"a loop of {len(again)} step{'s' if len(again) > 1 else ''}: {'; '.join(again)}"
    return said + (", all through one tool" if story.one_tool else "")


def _kind(shape: Shape) -> str:
    return "check" if shape.rank != "absent" else "look" if shape.digest == "absent" else "change"


def _says(place: str, slot: int, shape: Shape, field: str = "") -> str:
    """One step of a story in words: what it calls and how that behaves from round to round."""
    tool = _name(place, _kind(shape), slot)
    said = [{"constant": "same arguments", "nonce": f"a new {field}", "fresh": "new arguments"}[shape.arguments]]
    if shape.rank == "decreasing":
        said.append("rank falls each round")
    if shape.rank != "decreasing" or shape.text == "fresh":
        said.append("same text" if shape.text == "constant" else "new text")
    if shape.rank == "constant":
        said.append("rank never moves")
    if shape.digest != "absent":
        said.append("same change" if shape.digest == "constant" else "new change")
    ending = "ok" if shape.success else "failed"
    return f"{tool} ({ending})" if place == "before" else f"{tool} ({', '.join([*said, ending])})"
