"""Statuses, timings and deadlines of earlier levels, by hand. Source: HAL contract 6 and 14, sample driver sheet 5."""

import pytest

from nnvet.hal.legacy_values import (
    Clocks,
    convert_status,
    convert_timing,
    deadline_after,
    from_microseconds,
    from_steady_deadline,
    to_microseconds,
    to_steady_deadline,
)
from nnvet.hal.types import ErrorStatus, Timing

NO_TIMING_US = 18446744073709551615
LAST_NS = 9223372036854775807


@pytest.mark.parametrize("status", [status for status in ErrorStatus if status <= 4])
def test_first_statuses_are_the_same_everywhere(status: ErrorStatus) -> None:
    """Codes 0 to 4 exist at all levels."""
    assert {convert_status(status, level) for level in range(1, 9)} == {status}


@pytest.mark.parametrize("status", [ErrorStatus(code) for code in (5, 6, 7, 8)])
def test_deadlines_and_resources_begin_at_level_four(status: ErrorStatus) -> None:
    """Codes 5 to 8 are GENERAL_FAILURE for a client of 1.0 to 1.2."""
    failure = ErrorStatus.GENERAL_FAILURE
    assert [convert_status(status, level) for level in range(1, 9)] == [failure] * 3 + [status] * 5


def test_a_death_is_told_at_no_level() -> None:
    """DEAD_OBJECT is what a client finds out; no driver can say it."""
    assert {convert_status(ErrorStatus.DEAD_OBJECT, level) for level in (1, 4, 8)} == {ErrorStatus.GENERAL_FAILURE}


@pytest.mark.parametrize(
    ("nanoseconds", "microseconds"), [(0, 0), (1, 1), (999, 1), (1000, 1), (1001, 2), (-1, NO_TIMING_US)]
)
def test_microseconds_are_rounded_up(nanoseconds: int, microseconds: int) -> None:
    """A part of a microsecond is one; none is the largest unsigned number."""
    assert to_microseconds(nanoseconds) == microseconds


@pytest.mark.parametrize(
    ("microseconds", "nanoseconds"), [(0, 0), (7, 7000), (NO_TIMING_US, -1), (NO_TIMING_US - 1, LAST_NS)]
)
def test_microseconds_back(microseconds: int, nanoseconds: int) -> None:
    """Durations beyond signed nanoseconds saturate."""
    assert from_microseconds(microseconds) == nanoseconds


def test_timings_by_level() -> None:
    """1.0 and 1.1 have none, 1.2 and 1.3 whole microseconds, AIDL nanoseconds; none stays none."""
    timing = Timing(1500, 2001)
    expected = [Timing(), Timing(), Timing(2000, 3000), Timing(2000, 3000), *[timing] * 4]
    assert [convert_timing(timing, level) for level in range(1, 9)] == expected
    assert convert_timing(Timing(-1, 5), 3) == Timing(-1, 1000)


def test_deadlines_from_durations() -> None:
    """The sum saturates; no duration is no deadline."""
    assert deadline_after(20, 300) == 320
    assert deadline_after(LAST_NS, 1) == LAST_NS
    assert deadline_after(-1, 300) == -1


CLOCKS = Clocks(boot_ns=5000, steady_ns=2000)


@pytest.mark.parametrize(("boot", "steady"), [(5100, 2100), (5000, 2000), (LAST_NS, LAST_NS), (-1, None)])
def test_deadlines_move_between_clocks(boot: int, steady: int | None) -> None:
    """What is left is the same on both clocks: 100 ns here; the end of time and none are what they are."""
    assert to_steady_deadline(boot, CLOCKS) == steady
    assert from_steady_deadline(steady, CLOCKS) == boot


def test_deadlines_that_have_passed_are_now() -> None:
    """Time that is left is never negative."""
    assert to_steady_deadline(4000, CLOCKS) == 2000
    assert from_steady_deadline(0, CLOCKS) == 5000


def test_deadlines_beyond_the_end_of_time() -> None:
    """HIDL's deadlines are unsigned, AIDL's are not."""
    assert from_steady_deadline(NO_TIMING_US, CLOCKS) == LAST_NS
    assert from_steady_deadline(LAST_NS - 1, CLOCKS) == LAST_NS


def test_clocks_are_those_of_the_system() -> None:
    """Neither clock goes back."""
    first, second = Clocks.now(), Clocks.now()
    assert first.boot_ns <= second.boot_ns
    assert first.steady_ns <= second.steady_ns
