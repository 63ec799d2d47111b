"""Files spoiled: what a writer wrote, with something in it changed, cut, repeated or made enormous.

Everything here is a function of the bytes and of a seed.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any, cast

DEEP = 100_000

_MARK = "\ue000"
_TOKENS = (
    "NaN", "-Infinity", "1e400", "-0", "1" * 5000, "1E-999999", "0.1", "null", "true", "{}", "[]", '""', "[[[]]]",
    '"\\ud800"', '"\\u0000"', '"\\u001b[31m"', '"\\u202e"', '{"a":1,"a":2}', "9223372036854775808", "-1",
    "18446744073709551616", "1.5", '"a\\nb"', '"__class__"', '"../../x"', '"/etc/passwd"', '"\\ud83d\\ude00"',
)  # fmt: skip
"""JSON that no writer of ours writes, or that means something else."""

_PIECES = (
    b"\x00", b"\xff", b"\xef\xbb\xbf", b"\r\n", b"\n", b"\xe9", b"\xed\xa0\x80", b"\x1b[31m", b"=", b"==", b":", b",",
    b'"', b"'", b"[", b"]", b"{", b"}", b"#", b"\\", b"/", b"..", b".py", b"0", b"-", b"1e400", b"nan", b"inf",
    "٣²".encode(), "日本語".encode(), b"9" * 20, b"9" * 5000, b"_", b" ", b"\t", b"\x7f", b"\xf4\x90\x80\x80",
)  # fmt: skip


def hostile(seed: bytes) -> Iterator[bytes]:
    """What every reader should be shown, some of it made from a file that is as it should be."""
    yield from (b"", b"\n", b"\x00", b"\xff\xfe", b"\xef\xbb\xbf", b" " * 10_000, b"\x00" * 10_000)
    yield from (b"[" * DEEP, b'{"a":' * DEEP, b"[" * DEEP + b"]" * DEEP, b'{"a":' * DEEP + b"1" + b"}" * DEEP)
    yield from (b"a=" + b"[" * DEEP, b"a=" + b"{a=" * DEEP, b"a." * DEEP + b"a=1", b"(" * DEEP, b"-" * DEEP + b"1")
    yield from (token.encode() for token in _TOKENS)
    yield from (b"1" * 1_000_000, b'"' + b"x" * 1_000_000 + b'"', b"a" * 100_000 + b"=1", b"\x80" * 1000)
    yield from (b"\xef\xbb\xbf" + seed, seed.replace(b"\n", b"\r\n"), seed.replace(b"\n", b"\r"), seed + seed)
    yield from (seed + b"\x00", seed + b"\xe9", b"\n" * 1000 + seed, seed + b"\n" * 1000, seed.swapcase())
    for encoding in ("utf-16", "utf-32", "utf-7", "latin-1"):
        yield seed.decode("utf-8", "replace").encode(encoding, "replace")


def cut(seed: bytes, most: int) -> Iterator[bytes]:
    """The file truncated at every byte, or at `most` places spread over it."""
    step = max(1, -(-len(seed) // most))
    return (seed[:size] for size in range(0, len(seed), step))


def changed(data: bytes, draw: random.Random, others: tuple[bytes, ...] = ()) -> bytes:
    """The file with a few things changed, in its structure where it is JSON, else in its lines and bytes."""
    for _ in range(draw.choice((1, 1, 1, 2, 4))):
        way = draw.random()
        made = _in_structure(data, draw) if way < 0.5 else _in_lines(data, draw) if way < 0.65 else None
        data = _in_bytes(data, draw, others) if made is None else made
    return data


def _in_bytes(data: bytes, draw: random.Random, others: tuple[bytes, ...]) -> bytes:
    at = draw.randrange(len(data) + 1)
    to = min(len(data), at + draw.choice((0, 1, 1, 2, 8, 64)))
    match draw.randrange(6):
        case 0:
            return data[:at] + draw.choice(_PIECES) + data[at:]
        case 1:
            return data[:at] + draw.choice(_PIECES) + data[to:]
        case 2:
            return data[:at] + data[to:]
        case 3:
            return data[:at] + data[at:to] * draw.choice((2, 3, 100)) + data[to:]
        case 4 if others:
            other = draw.choice(others)
            return data[:at] + other[draw.randrange(len(other) + 1) :]
        case _:
            return data[:at] + bytes([draw.randrange(256)]) + data[at + 1 :]


def _in_lines(data: bytes, draw: random.Random) -> bytes | None:
    lines = data.split(b"\n")
    if len(lines) < 3:
        return None
    one, two = draw.randrange(len(lines)), draw.randrange(len(lines))
    match draw.randrange(3):
        case 0:
            lines[one], lines[two] = lines[two], lines[one]
        case 1:
            lines.insert(one, lines[two])
        case _:
            del lines[one]
    return b"\n".join(lines)


def _in_structure(data: bytes, draw: random.Random) -> bytes | None:
    try:
        value: object = json.loads(data)
    except (ValueError, RecursionError):
        return None
    places = list(_places(value))
    if not places:
        return draw.choice(_TOKENS).encode()
    holder, key = draw.choice(places)
    match draw.randrange(5):
        case 0:
            del holder[key]
        case 1 if isinstance(holder, dict):
            holder[draw.choice((f"{key} ", "", str(key) * 2, "version", "\ud800"))] = holder[key]
        case 2:
            holder[key] = draw.choice(places)[0] if _size(value) < 20_000 else 0
            value = _acyclic(value)
        case 3 if isinstance(holder, list):
            cast("Any", holder).insert(key, cast("Any", holder)[key])
        case _:
            number = draw.randrange(len(_TOKENS))
            holder[key] = f"{_MARK}{number}{_MARK}"
            text = json.dumps(value, indent=draw.choice((None, 1)), ensure_ascii=False)
            return text.replace(f'"{_MARK}{number}{_MARK}"', _TOKENS[number]).encode("utf-8", "surrogatepass")
    return json.dumps(value, indent=draw.choice((None, 1)), ensure_ascii=draw.random() < 0.5).encode(
        "utf-8", "surrogatepass"
    )


def _places(value: object) -> Iterator[tuple[Any, Any]]:
    """Every holder with every key in it."""
    left: list[object] = [value]
    while left:
        found = left.pop()
        if isinstance(found, (dict, list)):
            held: Any = cast("Any", found)
            for key in list(held if isinstance(found, dict) else range(len(held))):
                yield found, key
                left.append(held[key])


def _size(value: object) -> int:
    return sum(1 for _ in _places(value))


def _acyclic(value: object, above: tuple[int, ...] = ()) -> object:
    """A tree of it: where a thing holds itself, it holds nothing there."""
    within = (*above, id(cast("Any", value)))
    if id(cast("Any", value)) in above or len(above) > 40:
        return None
    if isinstance(value, dict):
        return {key: _acyclic(inner, within) for key, inner in cast("dict[str, object]", value).items()}
    if isinstance(value, list):
        return [_acyclic(inner, within) for inner in cast("list[object]", value)]
    return value
