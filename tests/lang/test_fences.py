"""Fences within one process: what a test runner or a notebook gets of them."""

from __future__ import annotations

import io
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from meshspec.lang import audit
from meshspec.lang.fences import Fenced, calling, importing, present, watching
from meshspec.lang.pulse import Pulse
from meshspec.lang.untouched import Before


def test_without_fences_nothing_is_done() -> None:
    assert present() is None
    with calling, importing("mine.py", Path.cwd()):
        assert not audit.AUDITOR.running


def test_a_call_that_hangs_is_ended_and_the_timer_of_others_is_left_as_it_was() -> None:
    rung: list[int] = []
    before = signal.signal(signal.SIGALRM, lambda number, _: rung.append(number))
    signal.setitimer(signal.ITIMER_REAL, 100.0)
    try:
        with (
            watching(0.2),
            pytest.raises(Fenced, match=r"_fences\.py:\d+: it did not come back in 0.2 s"),
            calling,
        ):
            while True:
                pass
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 50
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert rung == []


def test_many_short_calls_may_take_as_long_as_they_like() -> None:
    with watching(0.1):
        for _ in range(30):
            with calling:
                time.sleep(0.02)


def test_on_another_thread_there_is_no_limit_and_the_report_says_so() -> None:
    names: list[str] = []

    def other() -> None:
        with watching(0.1) as fences, calling:
            time.sleep(0.3)
        names.extend(fences.names())

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert "down: a limit on time" in names
    assert "not observed: what other threads do" in names
    assert "0.1 s a call" not in names


def test_fences_inside_fences_are_those_outside() -> None:
    with watching() as outer:
        with watching(0.1) as inner:
            assert inner is outer and outer.limit == 10.0
        assert present() is outer
    assert present() is None


def test_what_is_printed_is_counted_and_its_beginning_kept() -> None:
    with watching() as fences:
        with calling:
            print("x" * 1000)
            sys.stdout.buffer.write(b"raw")
        print("ours")
    (told,) = fences.notes()
    assert told.startswith("what was checked printed 1,004 bytes, kept apart: 'xxx") and len(told) < 300


def test_of_many_notes_the_first_are_told_and_the_others_counted() -> None:
    with watching() as fences:
        for number in range(50):
            fences.note(f"note {number}")
    assert fences.notes()[-1] == "and 30 more like these" and len(fences.notes()) == 21


def test_ctrl_c_that_a_call_swallows_is_not_lost() -> None:
    with watching() as fences, pytest.raises(KeyboardInterrupt), calling:
        fences.interrupted = True


def test_ctrl_c_where_nothing_can_be_raised_is_raised_a_little_later() -> None:
    with watching() as fences, pytest.raises(KeyboardInterrupt):
        fences.lost = True
        time.sleep(5)


def test_a_pulse_tells_a_stage_that_fits_whatever_it_is() -> None:
    pulse = Pulse()
    assert pulse.stage == ""
    pulse.tell("reading \udc80" + "x" * 10_000)
    assert pulse.stage.startswith("reading \\udc80xxx") and len(pulse.stage) == 512


def test_what_a_descriptor_of_a_folder_stands_for_is_known(tmp_path: Path) -> None:
    within = audit.Permitted((str(tmp_path.resolve()),))
    assert within.writing(tmp_path / "a" / "b") and within.writing(str(tmp_path)) and within.writing(3)
    assert not within.writing(f"{tmp_path}x/a") and not within.writing("/") and not within.writing(b"/etc/passwd")
    (tmp_path / "link").symlink_to("/etc")
    assert not within.writing(tmp_path / "link" / "passwd"), "a link out of the folder is no way out"
    assert audit.NOWHERE.writing("/x/__pycache__/y.pyc") and audit.NOWHERE.writing("/dev/null")


def test_nothing_is_found_changed_where_nothing_was() -> None:
    before = Before()
    touched = before.put_back()
    assert (touched.refused, touched.told) == ((), ())


def test_streams_are_back_after_a_call_that_raises() -> None:
    ours = sys.stdout
    with watching(), pytest.raises(ValueError, match="theirs"), calling:
        sys.stdout = io.StringIO()
        raise ValueError("theirs")
    assert sys.stdout is ours
