"""The kernel's loops: numba compiles them once for every model, over packed states of any number of words.

They expand states by the rows of a model, bring them into canonical form, and keep them in an exact table: a slot
holds a whole state, and two states are the same when all their words are. Only this file imports numba, when it is
first needed; what it compiles is kept on disk.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any, NoReturn

import attrs
import numpy as np

_ZERO, _ONE, _HIGH, _FAR = np.uint64(0), np.uint64(1), np.uint64(32), np.uint64(29)
_SHARD, _SHARDS = np.uint64(16), np.uint64(0xFFFF)  # the bits of a hash that choose a worker

# The head of a row: its action, where its parts are, and what it has.
ACTION_BITS, PART_BITS = 24, 32
ODD, CONDITIONS, MOVES = 1 << 61, 1 << 62, 1 << 63
_ACTIONS, _PART, _PARTS = np.uint64((1 << ACTION_BITS) - 1), np.uint64(ACTION_BITS), np.uint64((1 << PART_BITS) - 1)
_ODD, _CONDITIONS, _MOVES = np.uint64(ODD), np.uint64(CONDITIONS), np.uint64(MOVES)

_PREFETCHED = 16  # how many slots ahead memory is asked for


def _prefetch(table: Any, at: Any) -> NoReturn:
    """Replaced by an instruction of the machine when the kernel is loaded."""
    raise AssertionError


def _expand(
    states: Any, begin: int, end: int, weights: Any, words: int, groups: Any, windows: Any, starts: Any,
    listing: Any, rows: Any, parts: Any, checks: Any, guards: Any, sums: Any, moves: Any, terms: Any,
    coefficients: Any, tables: Any, added: Any, stamps: Any, out: Any, source: Any, odd: Any, stuck: Any, taken: Any,
    counts: Any,
) -> int:  # fmt: skip
    """Take every step from the states of begin..end until `out` or `odd` may not hold those of one more; where it is.

    All arrays are flat. ``counts``: successors written to `out` (each with its `source`), odd steps, stuck states.
    """
    count = np.int64(np.uint32(words))  # not negative, as the compiler sees it: no index is taken from the end
    n, strange, idle = 0, 0, 0
    actions = len(taken)
    room, odd_room = len(source) - actions, len(odd) // 2 - actions
    for j in range(begin, end):
        if n > room or strange > odd_room:
            counts[0], counts[1], counts[2] = n, strange, idle
            return j
        here = j * count
        first = states[here]
        before = n + strange
        for g in range(0, len(groups), 3):
            entry = np.int64(groups[g + 2])
            for v in range(np.int64(groups[g]), np.int64(groups[g + 1]), 4):
                bits = states[here + np.int64(windows[v])] >> windows[v + 1]
                entry += np.int64(np.uint32((bits & windows[v + 2]) << windows[v + 3]))
            for at in range(np.int64(starts[entry]), np.int64(starts[entry + 1])):
                row = np.int64(listing[at])
                if (first & rows[row]) != rows[row + count]:
                    continue
                holds = True
                for w in range(1, count):
                    if (states[here + w] & rows[row + w]) != rows[row + count + w]:
                        holds = False
                if not holds:
                    continue
                head = rows[row + 5 * count]
                part = np.int64(np.uint32((head >> _PART) & _PARTS))
                if head & _CONDITIONS != _ZERO:
                    for c in range(np.int64(parts[part]), np.int64(parts[part + 1]), 4):
                        bit = (states[here + np.int64(checks[c])] >> checks[c + 1]) & checks[c + 2]
                        if (checks[c + 3] >> bit) & _ONE == _ZERO:
                            holds = False
                            break
                    if not holds:
                        continue
                    for k in range(np.int64(parts[part + 2]), np.int64(parts[part + 3]), 3):
                        which = np.int64(np.uint32(guards[k]))
                        if stamps[which] != j:
                            total, place = np.int64(0), np.int64(0)
                            for t in range(np.int64(sums[2 * which]), np.int64(sums[2 * which + 1])):
                                code = np.int64(
                                    (states[here + np.int64(terms[3 * t])] >> terms[3 * t + 1]) & terms[3 * t + 2]
                                )
                                if coefficients[2 * t + 1] == -1:
                                    total += coefficients[2 * t] * code
                                else:
                                    place += coefficients[2 * t] * code
                                    if coefficients[2 * t + 1] >= 0:
                                        total += tables[coefficients[2 * t + 1] + place]
                                        place = np.int64(0)
                            added[which] = total
                            stamps[which] = j
                        if added[which] < guards[k + 1] or added[which] > guards[k + 2]:
                            holds = False
                            break
                    if not holds:
                        continue
                taken[np.int64(np.uint32(head & _ACTIONS))] += weights[j]
                if head & _ODD != _ZERO:
                    odd[2 * strange], odd[2 * strange + 1] = j, part // 6
                    strange += 1
                    continue
                to = n * count
                for w in range(count):
                    kept = (states[here + w] & rows[row + 2 * count + w]) | rows[row + 3 * count + w]
                    out[to + w] = kept + rows[row + 4 * count + w]
                if head & _MOVES != _ZERO:
                    for m in range(np.int64(parts[part + 4]), np.int64(parts[part + 5]), 5):
                        total, place = moves[m + 2], np.int64(0)
                        for t in range(moves[m + 3], moves[m + 4]):
                            code = np.int64(
                                (states[here + np.int64(terms[3 * t])] >> terms[3 * t + 1]) & terms[3 * t + 2]
                            )
                            if coefficients[2 * t + 1] == -1:
                                total += coefficients[2 * t] * code
                            else:
                                place += coefficients[2 * t] * code
                                if coefficients[2 * t + 1] >= 0:
                                    total += tables[coefficients[2 * t + 1] + place]
                                    place = np.int64(0)
                        out[to + moves[m]] |= np.uint64(total) << np.uint64(moves[m + 1])
                source[n] = j
                n += 1
        if n + strange == before:
            stuck[idle] = j
            idle += 1
    counts[0], counts[1], counts[2] = n, strange, idle
    return end


def _insert(
    table: Any, states: Any, begin: int, end: int, words: int, factor: Any, slots: Any, out: Any, kept: int, most: int
) -> Any:
    """Put the states of begin..end into the table until `out` has `most`; where it is, and how many `out` has."""
    count = np.int64(np.uint32(words))
    length = len(table) // count
    size = np.uint64(length)
    for i in range(begin, end):
        h = states[i * count] * factor
        for w in range(1, count):
            h = ((h ^ (h >> _FAR)) ^ states[i * count + w]) * factor
        h = (h ^ (h >> _HIGH)) * factor
        slots[i] = np.uint32(((h >> _HIGH) * size) >> _HIGH)
    for i in range(begin, end):
        if i + _PREFETCHED < end:
            _prefetch(table, np.int64(slots[i + _PREFETCHED]) * count)
        at: Any = np.int64(slots[i])
        first = states[i * count]
        if first == _ZERO:
            continue
        while True:
            held = table[at * count]
            if held == _ZERO:
                if kept >= most:
                    return i, kept
                for w in range(count):
                    table[at * count + w] = states[i * count + w]
                    out[kept * count + w] = states[i * count + w]
                kept += 1
                break
            if held == first:
                same = True
                for w in range(1, count):
                    if table[at * count + w] != states[i * count + w]:
                        same = False
                if same:
                    break
            at += 1
            if at == length:
                at = 0
    return end, kept


def _find(table: Any, states: Any, end: int, words: int, factor: Any, source: Any, found: Any) -> None:
    """Mark in `found` the sources of states that are in the table."""
    count = np.int64(np.uint32(words))
    length = len(table) // count
    size = np.uint64(length)
    for i in range(end):
        h = states[i * count] * factor
        for w in range(1, count):
            h = ((h ^ (h >> _FAR)) ^ states[i * count + w]) * factor
        h = (h ^ (h >> _HIGH)) * factor
        at: Any = np.int64(((h >> _HIGH) * size) >> _HIGH)
        while table[at * count] != _ZERO:
            same = True
            for w in range(count):
                if table[at * count + w] != states[i * count + w]:
                    same = False
            if same:
                found[source[i]] = True
                break
            at += 1
            if at == length:
                at = 0


def _share(states: Any, end: int, words: int, factor: Any, shards: int, out: Any, ends: Any) -> None:
    """Sort states by the worker that keeps them: those of worker `s` are out[ends[s]:ends[s + 1]]."""
    s: Any
    count = np.int64(np.uint32(words))
    for s in range(shards + 1):
        ends[s] = 0
    for i in range(end):
        h = states[i * count] * factor
        for w in range(1, count):
            h = ((h ^ (h >> _FAR)) ^ states[i * count + w]) * factor
        h = (h ^ (h >> _HIGH)) * factor  # as in `insert`, which takes its slot from higher bits than these
        ends[np.int64((((h >> _SHARD) & _SHARDS) * np.uint64(shards)) >> _SHARD) + 1] += 1
    for s in range(shards):
        ends[s + 1] += ends[s]
    for i in range(end):
        h = states[i * count] * factor
        for w in range(1, count):
            h = ((h ^ (h >> _FAR)) ^ states[i * count + w]) * factor
        h = (h ^ (h >> _HIGH)) * factor
        s = np.int64((((h >> _SHARD) & _SHARDS) * np.uint64(shards)) >> _SHARD)
        for w in range(count):
            out[ends[s] * count + w] = states[i * count + w]
        ends[s] += 1
    for s in range(shards, 0, -1):
        ends[s] = ends[s - 1]
    ends[0] = 0


def _canonical(
    states: Any, end: int, words: int, groups: Any, places: Any, keep: Any, ranges: Any, parts: Any, labels: Any,
    block: Any, here: Any, least: Any, fixing: Any,
) -> None:  # fmt: skip
    """Replace states by their canonical forms; `fixing`, if it has room, gets how many permutations keep each.

    ``groups``: of each sort that owns columns where its ``places`` (word, shift) are, and the mask of a column. An
    image keeps the bits of ``keep`` and places the ``parts`` in its range: word, shift, from word, shift, mask, and
    where its labels are, or -1.
    """
    count = np.int64(np.uint32(words))
    for i in range(end):
        many = np.int64(0)
        for image in range(len(ranges) + 1):
            for w in range(count):
                here[w] = states[i * count + w]
            if image > 0:
                for w in range(count):
                    here[w] &= keep[image - 1, w]
                for p in range(ranges[image - 1, 0], ranges[image - 1, 1]):
                    code = (states[i * count + parts[p, 2]] >> np.uint64(parts[p, 3])) & np.uint64(parts[p, 4])
                    if parts[p, 5] >= 0:
                        code = np.uint64(labels[parts[p, 5] + np.int64(code)])
                    here[parts[p, 0]] |= code << np.uint64(parts[p, 1])
            equal = np.int64(1)
            for g in range(len(groups)):
                start, members, mask = groups[g, 0], groups[g, 1], np.uint64(groups[g, 2])
                for d in range(members):
                    x = (here[places[start + d, 0]] >> np.uint64(places[start + d, 1])) & mask
                    k = d - 1
                    while k >= 0 and block[k] > x:
                        block[k + 1] = block[k]
                        k -= 1
                    block[k + 1] = x
                run = np.int64(1)
                for d in range(members):
                    word, shift = places[start + d, 0], np.uint64(places[start + d, 1])
                    here[word] = (here[word] & ~(mask << shift)) | (block[d] << shift)
                    if d > 0:
                        run = run + 1 if block[d] == block[d - 1] else np.int64(1)
                        equal *= run
            order = 0
            for w in range(count):
                if image > 0 and order == 0 and here[w] != least[w]:
                    order = -1 if here[w] < least[w] else 1
            if image == 0 or order < 0:
                for w in range(count):
                    least[w] = here[w]
            if len(fixing) > 0:
                same = True
                for w in range(count):
                    if here[w] != states[i * count + w]:
                        same = False
                if same:
                    many += equal
        if len(fixing) > 0:
            fixing[i] = many
        for w in range(count):
            states[i * count + w] = least[w]


@attrs.frozen
class Kernel:
    """The compiled loops."""

    expand: Callable[..., Any]
    insert: Callable[..., Any]
    find: Callable[..., Any]
    share: Callable[..., Any]
    canonical: Callable[..., Any]


@cache
def unavailable() -> str:
    """Why the kernel cannot be had here; empty if it can."""
    try:
        import numba
    except ImportError as error:
        return f"numba cannot be imported ({error}): pip install 'meshspec[fast]'"
    return "" if hasattr(numba, "njit") else "numba has no njit"


def available() -> bool:
    """Whether the kernel can be had here; :func:`unavailable` says why not."""
    return not unavailable()


@cache
def load() -> Kernel:
    """The compiled loops; compiled at their first call, or taken from the disk."""
    import numba
    from numba.core import cgutils, types
    from numba.extending import intrinsic

    numba_: Any = numba
    globals()["_prefetch"] = _prefetching(intrinsic, cgutils, types)

    def compiled(loop: Callable[..., Any]) -> Callable[..., Any]:
        try:
            made: Callable[..., Any] = numba_.njit(cache=True, nogil=True)(loop)
        except RuntimeError:  # no folder to keep it in: neither beside this file nor in the user's cache
            made = numba_.njit(nogil=True)(loop)
        return made

    loops: list[Any] = [_expand, _insert, _find, _share, _canonical]
    return Kernel(*map(compiled, loops))


def _prefetching(intrinsic: Any, cgutils: Any, types: Any) -> Any:
    """An instruction that asks for the memory at a place of a flat table of words."""
    ir: Any = importlib.import_module("llvmlite.ir")  # it has no types

    def prefetch(_context: Any, table: Any, at: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array = context.make_array(signature.args[0])(context, builder, args[0])
            byte, word = ir.IntType(8).as_pointer(), ir.IntType(32)
            kind = ir.FunctionType(ir.VoidType(), [byte, word, word, word])
            function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
            place = builder.bitcast(builder.gep(array.data, [args[1]]), byte)
            builder.call(function, [place, word(1), word(3), word(1)])
            return context.get_dummy_value()

        return types.void(table, at), code

    return intrinsic(prefetch)
