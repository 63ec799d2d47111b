"""A bundle as a Mermaid diagram: of a model the states it goes through, of a policy what it is told and answers."""

from __future__ import annotations

from collections.abc import Iterator

from meshspec.report.bundled import FORMAT, VERSION, Bundle
from meshspec.report.text import clean

_AT_MOST = 12  # variables that the first state shows
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 _.,()=")


def escaped(text: str) -> str:
    """Text in which Mermaid, and HTML after it, find nothing to obey: the rest is written as ``#code;``.

    >>> escaped('a["b"]')
    'a#91;#34;b#34;#93;'
    """
    return "".join(c if c in _PLAIN or (ord(c) > 127 and c.isalnum()) else f"#{ord(c)};" for c in clean(text))


def diagram(bundle: Bundle) -> str:
    """The diagram: a state diagram for a path of a model, a sequence diagram for a story."""
    lines = [f"%% {FORMAT} {VERSION}", *(_story(bundle) if bundle.of == "policy" else _states(bundle))]
    return "\n".join(lines) + "\n"


def _states(bundle: Bundle) -> Iterator[str]:
    yield "stateDiagram-v2"
    changing = dict.fromkeys(name for move in bundle.steps for name in move.changes)
    shown = [f"{name} = {bundle.initial[name]}" for name in changing if name in bundle.initial]
    more = [f"and {len(shown) - _AT_MOST} more"] if len(shown) > _AT_MOST else []
    yield from _described(0, [*shown[:_AT_MOST], *more] or ["the start"])
    yield "    [*] --> s0"
    last = len(bundle.steps)
    for number, move in enumerate(bundle.steps, 1):
        goes_back = bundle.loop is not None and bundle.loop < last == number
        target = bundle.loop if goes_back and bundle.loop is not None else number
        if not goes_back:
            changed = [f"{name} = {change.after}" for name, change in move.changes.items()]
            yield from _described(number, [*changed, move.note] if move.note else changed or ["nothing changed"])
        yield f"    s{number - 1} --> s{target}: {escaped(f'{number}. {move.action}')}"
    end = last if bundle.loop is None or bundle.loop == last else last - 1
    yield f"    note right of s{end}"
    yield f"        so {escaped(bundle.failed)}"
    if bundle.loop == last:
        yield "        and nothing more happens"
    yield "    end note"


def _described(number: int, lines: list[str]) -> Iterator[str]:
    yield from (f"    s{number}: {escaped(line)}" for line in lines)


def _story(bundle: Bundle) -> Iterator[str]:
    yield "sequenceDiagram"
    yield "    participant A as agent"
    yield f"    participant P as {escaped(bundle.subject)}"
    for number, move in enumerate(bundle.steps, 1):
        place = number if move.at is None else move.at
        yield f"    A->>P: {escaped(f'{place}. {move.action}' if place else move.action)}"
        yield f"    P-->>A: {escaped(move.note) or 'no answer'}"
    yield f"    Note over A,P: so {escaped(bundle.failed)}"
