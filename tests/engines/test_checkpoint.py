"""Checkpoints: what is written is read again, and nothing else is taken for it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from enum import Enum
from pathlib import Path
from typing import Annotated, Any

import attrs
import msgspec
import pytest

from meshspec import Map, Range, Sort, action, any_of, model, require, var
from meshspec.backends.generated import Generator
from meshspec.backends.layout import Layout, State
from meshspec.backends.serial import MOST_STATES, packed
from meshspec.backends.symmetry import Symmetry, symmetry_of
from meshspec.engines import checkpoint
from meshspec.engines.checkpoint import (
    Layer,
    described,
    discard,
    load,
    refuse_unwritable,
    save,
)
from meshspec.errors import UsageError
from meshspec.lang.lift import lift
from tests.models.two_phase_commit import Manager, TwoPhase

HUGE = 7**40


class Worker(Sort):
    """Whoever works."""


class Phase(Enum):
    IDLE = 0
    BUSY = 1


@model
class Mixed:
    """Entries of every type, optional ones and ints without a Range among them."""

    limit: int = 2
    phase: Phase = Phase.IDLE
    on: Map[Worker, bool] = var(False)
    count: int = var(0)
    small: Annotated[int, Range(0, 3)] = var(0)
    at: Worker | None = var(None)
    spent: int | None = var(None)
    maybe: bool | None = var(None)
    mode: Phase | None = var(any_of(None, Phase))

    @action
    def take(self, w: Worker) -> None:
        require(not self.on[w] and self.count < self.limit)
        self.on[w] = True
        self.at = w
        self.count += 1


@model
class MixedOtherwise(Mixed):
    @action
    def take(self, w: Worker) -> None:
        require(not self.on[w] and self.count <= self.limit)
        self.on[w] = True
        self.at = w
        self.count += 1


LAYOUT = Layout(lift(Mixed), {Worker: 2})
ABOUT = described(LAYOUT, None, {"partial order": "off"})
STATES: list[State] = [
    (False, True, 0, 0, None, None, None, None),
    (True, True, -1, 3, 1, -HUGE, False, 1),
    (True, False, HUGE, 1, 0, 0, True, 0),
]
OUTSIDE: State = (False, False, 5, 17, None, 200, None, None)
LAYERS = [
    Layer([STATES], 2**70, (0, 0)),
    Layer([STATES[:1], STATES[1:2]], 4, (3, 2**80), (0, 2), 2, (1,), {OUTSIDE: [2, 0]}, 6),
    Layer([], 0, (0, 1)),
]


@attrs.frozen
class Plain:
    """A layer that can be compared."""

    states: list[State]
    rest: tuple[object, ...]


def plainly(layers: Sequence[Layer]) -> list[Plain]:
    return [
        Plain(
            [state for some in one.states for state in some],
            (
                one.count, [*one.taken], [*one.stuck], one.deadlocks, [*one.raising],
                {state: [*sources] for state, sources in one.outside.items()}, one.closed,
            ),
        )
        for one in layers
    ]  # fmt: skip


def loaded(file: Path, about: dict[str, str] | None = None, layout: Layout = LAYOUT) -> list[Layer]:
    found = load(file, about or ABOUT, layout)
    assert found is not None
    return found


def types(states: Sequence[State]) -> list[list[type]]:
    return [list(map(type, state)) for state in states]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "search.ckpt"


def refused(file: Path, about: dict[str, str] | None = None, layout: Layout = LAYOUT) -> str:
    try:  # many a time in some tests, and pytest.raises takes milliseconds
        for layer in load(file, about or ABOUT, layout) or ():
            list(layer.states)
    except UsageError as error:
        assert str(error).startswith(f"--checkpoint {file}")
        return str(error)
    raise AssertionError("it was read")


# -- round trips -----------------------------------------------------------------------------------------------


def test_what_is_saved_is_loaded(file: Path) -> None:
    save(file, ABOUT, LAYERS)
    found = plainly(loaded(file))
    assert found == plainly(LAYERS)
    assert types(found[0].states) == types(STATES)


def test_where_there_is_no_file_there_is_no_checkpoint(file: Path) -> None:
    assert load(file, ABOUT, LAYOUT) is None
    save(file, ABOUT, [])
    assert load(file, ABOUT, LAYOUT) == []
    discard(file)
    discard(file)
    assert load(file, ABOUT, LAYOUT) is None


EDGES = [127, 128, -128, -129, 2**15, 2**31 - 1, 2**31, -(2**31), 2**63 - 1, 2**63, -(2**63)]


@pytest.mark.parametrize("value", EDGES)
def test_ints_at_the_edges_of_their_bytes_come_back(file: Path, value: int) -> None:
    states = [(False, False, value, 0, None, None, None, None), STATES[0], (True, True, -value, 0, 1, value, None, 0)]
    save(file, ABOUT, [Layer([states], 3, (0, 0))])
    assert plainly(loaded(file)) == plainly([Layer([states], 3, (0, 0))])


@pytest.mark.parametrize(
    ("low", "high", "kind"),
    [
        (-128, 127, "b"),
        (-129, 0, "h"),
        (-1, 128, "h"),
        (0, 255, "bytes"),
        (0, 256, "h"),
        (-(2**15), 2**15 - 1, "h"),
        (2**15, 0, "i"),
        (-(2**31), 0, "i"),
    ],
)
def test_values_take_no_more_bytes_than_they_need(low: int, high: int, kind: str) -> None:
    (chunk,) = packed([(low, None), (high, True)])
    assert [one[0] for one in chunk.columns] == [kind, "bytes"]


def test_layers_longer_than_a_chunk_keep_their_order(file: Path) -> None:
    layout = Layout(lift(Mixed), {Worker: 1})
    about = described(layout, None, {})
    states = [(bool(n % 2), n, n % 4, None, -n, None, n % 2) for n in range(MOST_STATES + 5)]
    save(file, about, [Layer([states, states[:2]], 7, (0,))])
    (layer,) = loaded(file, about, layout)
    assert [len(some) for some in layer.states] == [MOST_STATES, 5, 2]
    assert [state for some in layer.states for state in some] == states + states[:2]


def test_a_search_that_goes_on_from_each_of_its_layers_finds_what_one_run_finds(file: Path) -> None:
    layout = Layout(lift(TwoPhase), {Manager: 3})
    about = described(layout, None, {})
    step = Generator(layout).successors()
    actions = len(layout.ground_actions())

    def rest(layers: list[Layer]) -> Iterator[list[Layer]]:
        known = {state for layer in layers for some in layer.states for state in some}
        while layers[-1].count:
            new, taken = dict[State, None](), [0] * actions
            for some in layers[-1].states:
                for state in some:
                    for number, after, _ in step(state):
                        taken[number] += 1
                        if after is not None and after not in known:
                            new[after] = None
            known.update(new)
            layers = [*layers, Layer([list(new)], len(new), taken)]
            yield layers

    begin = [Layer([list(layout.initial_states())], 1, [0] * actions)]
    runs = [begin, *rest(begin)]
    assert sum(layer.count for layer in runs[-1]) == 288
    for run in runs:
        save(file, about, run)
        again = loaded(file, about, layout)
        assert plainly([again, *rest(again)][-1]) == plainly(runs[-1])


# -- files that are refused ------------------------------------------------------------------------------------


def test_a_file_cut_short_at_any_byte_is_refused(file: Path) -> None:
    save(file, ABOUT, LAYERS)
    whole = file.read_bytes()
    for length in range(len(whole)):
        file.write_bytes(whole[:length])
        assert "cut short or damaged" in refused(file)


def test_a_file_with_any_byte_changed_is_refused(file: Path) -> None:
    save(file, ABOUT, LAYERS[:2])
    whole = file.read_bytes()
    for at in range(len(whole)):
        file.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        refused(file)


def test_a_file_with_something_after_its_end_is_refused(file: Path) -> None:
    save(file, ABOUT, LAYERS)
    file.write_bytes(file.read_bytes() + b"\0")
    assert "cut short or damaged" in refused(file)


def test_foreign_files_are_told_from_those_of_other_versions(file: Path) -> None:
    for text in (b"PK\3\4", b"print('hello')\n" * 9):
        file.write_bytes(text)
        assert "it is no checkpoint of meshspec" in refused(file)
    file.write_bytes(b"meshspec checkpoint 2\n" + bytes(99))
    assert "it is of another version of meshspec" in refused(file)


def test_what_differs_is_named(file: Path) -> None:
    symmetry = symmetry_of(LAYOUT)
    assert isinstance(symmetry, Symmetry)
    save(file, ABOUT, LAYERS)
    lifted = lift(Mixed)

    def why(layout: Layout, symmetry: Symmetry | None = None, order: str = "off") -> str:
        return refused(file, described(layout, symmetry, {"partial order": order}), layout).partition(": ")[2]

    larger = Layout(lifted, {Worker: 3})
    begin, end = "it is of another exploration: ", "; delete the file to begin anew, or name another"
    assert why(larger) == f"{begin}scope there is Worker=2, here Worker=3{end}"
    assert why(LAYOUT, symmetry) == f"{begin}symmetry there is off, here on for Worker{end}"
    assert why(LAYOUT, order="on") == f"{begin}partial order there is off, here on{end}"
    changed = Layout(lift(Mixed(limit=3)), {Worker: 2})
    assert why(changed) == f"{begin}constants there is limit=2, phase=IDLE, here limit=3, phase=IDLE{end}"
    other = Layout(lift(MixedOtherwise), {Worker: 2})
    assert why(other) == f"{begin}model there is Mixed, here MixedOtherwise{end}"


def test_a_changed_guard_is_another_model_even_under_the_same_name(file: Path) -> None:
    other = Layout(lift(MixedOtherwise), {Worker: 2})
    save(file, {**described(other, None, {}), "model": "Mixed"}, [])
    assert "the model was changed since" in refused(file, described(LAYOUT, None, {}))


def test_the_description_is_the_same_for_the_same_model_lifted_again() -> None:
    assert described(Layout(lift(Mixed), {Worker: 2}), None, {"partial order": "off"}) == ABOUT


def frames(*parts: object) -> bytes:
    """A file with a right checksum and whatever in it."""
    text = checkpoint.MAGIC
    for part in parts:
        payload = part if isinstance(part, bytes) else msgspec.msgpack.encode(part)
        text += len(payload).to_bytes(8, "little") + payload
    return text + hashlib.sha256(text).digest()


def column(kind: str, data: bytes, absent: bytes = b"") -> list[Any]:
    return [kind, data, absent]


GOOD: dict[str, Any] = {
    "count": "1", "taken": ["0", "0"], "stuck": [], "deadlocks": "0", "raising": [], "outside": [], "sources": [],
    "closed": "0", "chunks": 1,
}  # fmt: skip
ZERO, GONE = column("b", b"\0"), column("b", b"\0", b"\1")
COLUMNS = [ZERO, ZERO, ZERO, ZERO, GONE, GONE, GONE, GONE]


def crafted(head: dict[str, Any], columns: list[list[Any]], size: int = 1) -> bytes:
    return frames(ABOUT, list[object]({**GOOD, **head}.values()), [size, columns])


def test_a_crafted_file_that_is_well_made_is_read(file: Path) -> None:
    file.write_bytes(crafted({}, COLUMNS))
    (layer,) = loaded(file)
    assert list(layer.states) == [[(*STATES[0][:1], False, *STATES[0][2:])]]


HEADS: list[dict[str, Any]] = [
    {"count": "-1"}, {"count": ""}, {"count": 1}, {"count": "0x1"}, {"count": " 1"}, {"deadlocks": "1_0"},
    {"taken": ["0"]}, {"taken": ["0", "0", "0"]}, {"stuck": [0]}, {"stuck": [-1]}, {"raising": [7]}, {"chunks": 2},
    {"chunks": 10**15}, {"chunks": 0}, {"chunks": "1"}, {"sources": [[0]]}, {"sources": [[]]}, {"closed": None},
    {"outside": [[1, COLUMNS]], "sources": []}, {"outside": [[1, COLUMNS], [1, COLUMNS]], "sources": [[], []]},
    {"outside": [[10**12, COLUMNS]], "sources": [[]]}, {"outside": [[1, COLUMNS[1:]]], "sources": [[]]},
]  # fmt: skip


@pytest.mark.parametrize("head", HEADS)
def test_a_crafted_file_with_an_impossible_layer_is_refused(file: Path, head: dict[str, Any]) -> None:
    file.write_bytes(crafted(head, COLUMNS))
    assert "malformed" in (why := refused(file)) or "no state of the model" in why


BAD_COLUMNS: list[tuple[int, list[Any]]] = [
    (0, column("b", b"\2")), (0, column("bytes", b"\2")), (0, column("bytes", b"\0\0")), (3, column("bytes", b"\4")),
     (0, GONE), (0, column("b", b"")), (0, column("b", b"\0\0")), (0, column("z", b"\0")),
    (0, column("", b"")), (0, column("bb", b"\0\0")), (0, column("h", b"\0")), (2, column("huge", b"0x")),
    (2, column("huge", b"")), (2, column("huge", b"0x1 0x2")), (2, column("huge", b"\xff")), (2, GONE),
    (3, column("b", b"\4")), (3, column("b", b"\xff")), (4, column("b", b"\2")), (4, column("b", b"\xff")),
    (4, column("b", b"\0", b"\0\0")), (6, column("b", b"\2")), (7, column("b", b"\2")),
    (7, column("b", b"\0", b"")[:2]), (7, ["b", "text", b""]),
]  # fmt: skip


@pytest.mark.parametrize(("at", "bad"), BAD_COLUMNS)
def test_a_crafted_file_with_values_of_no_state_is_refused(file: Path, at: int, bad: list[Any]) -> None:
    file.write_bytes(crafted({}, [*COLUMNS[:at], bad, *COLUMNS[at + 1 :]]))
    assert "no state of the model" in (why := refused(file)) or "malformed" in why


@pytest.mark.parametrize("size", [0, 2, -1, 10**15, MOST_STATES + 1])
def test_a_crafted_file_whose_chunk_is_of_another_size_is_refused(file: Path, size: int) -> None:
    file.write_bytes(crafted({}, COLUMNS, size))
    assert "no state of the model" in (why := refused(file)) or "malformed" in why


def test_every_value_of_a_crafted_column_is_looked_at(file: Path) -> None:
    for bad in (b"\0\4", b"\xff\0", b"\4\0", b"\0\xff"):
        columns = [column(kind, data * 2, gone * 2) for kind, data, gone in COLUMNS]
        file.write_bytes(crafted({}, [*columns[:3], column("b", bad), *columns[4:]], 2))
        assert "no state of the model" in refused(file)


def test_a_crafted_chunk_with_a_column_too_many_or_too_long_is_refused(file: Path) -> None:
    for columns in ([*COLUMNS, GONE], COLUMNS[:-1]):
        file.write_bytes(crafted({}, columns))
        assert "no state of the model" in refused(file)
    size = MOST_STATES + 1
    long = [column(kind, data * size, gone * size) for kind, data, gone in COLUMNS]
    file.write_bytes(crafted({}, long, size))
    assert "malformed" in refused(file)


def test_crafted_frames_that_are_no_messages_are_refused(file: Path) -> None:
    for bad in (frames(), frames(b""), frames(b"\xc1"), frames([1, 2]), frames({"model": 3}), frames(ABOUT, b"")):
        file.write_bytes(bad)
        assert "malformed" in refused(file)
    text = checkpoint.MAGIC + (2**63).to_bytes(8, "little")
    file.write_bytes(text + hashlib.sha256(text).digest())
    assert "malformed" in refused(file)


@model
class Nothing:
    """A model without a variable: its only state is empty."""


def test_the_empty_state_is_kept_once_and_not_more_often(file: Path) -> None:
    layout = Layout(lift(Nothing), {})
    about = described(layout, None, {})
    save(file, about, [Layer([[()]], 1, ())])
    assert plainly(loaded(file, about, layout)) == plainly([Layer([[()]], 1, ())])
    file.write_bytes(frames(about, list[object]({**GOOD, "taken": list[str]()}.values()), [60_000, list[object]()]))
    assert "no state of the model" in refused(file, about, layout)


# -- where and when it is written ------------------------------------------------------------------------------


def test_a_crash_in_the_middle_of_writing_leaves_the_old_file(file: Path) -> None:
    save(file, ABOUT, LAYERS)
    before = file.read_bytes()

    def dying() -> Iterator[Layer]:
        yield LAYERS[0]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        save(file, ABOUT, dying())
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_a_full_disk_leaves_the_old_file_and_is_said(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(file, ABOUT, LAYERS)
    before = file.read_bytes()

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(UsageError, match=r"cannot be written \(No space left on device\)"):
        save(file, ABOUT, LAYERS[:1])
    assert file.read_bytes() == before
    assert list(file.parent.iterdir()) == [file]


def test_the_new_file_takes_the_place_of_the_old_in_one_move(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    save(file, ABOUT, LAYERS)
    before = file.read_bytes()
    moves: list[tuple[Path, bytes]] = []

    def move(source: Path, target: Path) -> None:
        moves.append((target, target.read_bytes()))
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Path, "replace", move)
    with pytest.raises(UsageError, match="Input/output error"):
        save(file, ABOUT, LAYERS[:1])
    assert moves == [(file, before)] and list(file.parent.iterdir()) == [file]


def test_a_place_that_cannot_be_written_is_refused_before_the_search(tmp_path: Path) -> None:
    refuse_unwritable(tmp_path / "new")
    assert list(tmp_path.iterdir()) == []
    for bad in (tmp_path, tmp_path / "no" / "such" / "folder", Path(os.devnull)):
        with pytest.raises(UsageError, match=r"cannot be written"):
            refuse_unwritable(bad)
    for bad in (tmp_path, Path(os.devnull)):
        with pytest.raises(UsageError, match=r"cannot be read \(it is no file\)"):
            load(bad, ABOUT, LAYOUT)
    with pytest.raises(UsageError, match=r"cannot be written \(No such file or directory\)"):
        save(tmp_path / "no" / "file", ABOUT, [])
