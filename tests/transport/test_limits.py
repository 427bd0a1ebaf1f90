"""Time limits by what a driver does, on a clock and with processes that the test makes up."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nnvet.transport.wire.limits import LONGEST_TIMES, PROCESSOR_TIMES, Activity, WaitLimit, longest_s

T = 20.0

Driver = Callable[[float], Activity | None]
"""Activity of a driver until a time."""


class Clock:
    """A clock that waiting alone moves; ``late_s``: how much later than asked for a wait ends."""

    def __init__(self, late_s: float = 0.0) -> None:
        """Begin anywhere."""
        self.now = 1000.0
        self.late_s = late_s

    def time(self) -> float:
        """The time."""
        return self.now

    def sleep(self, seconds: float | None) -> bool:
        """Wait in vain."""
        assert seconds is not None
        self.now += seconds + self.late_s
        return False


def ended_after(driver: Driver, late_s: float = 0.0) -> tuple[float, WaitLimit]:
    """Seconds until the limit is over, and the limit."""
    clock = Clock(late_s)
    began = clock.now
    limit = WaitLimit(T, lambda: driver(clock.now - began), clock.time)
    assert not limit.wait(clock.sleep)
    return clock.now - began, limit


def idle(_: float) -> Activity:
    """Nothing is done, although something was before."""
    return Activity(100.0, 100.0)


def busy(passed: float) -> Activity:
    """One thread computes all the time."""
    return Activity(passed, 0.0, 1)


def starved(passed: float) -> Activity:
    """Thirty others have the processors most of the time."""
    return Activity(passed / 30, passed * 29 / 30, 1)


def test_an_idle_driver_has_its_limit() -> None:
    """T seconds, to the moment."""
    seconds, limit = ended_after(idle)
    assert seconds == pytest.approx(T)
    assert str(limit) == "20.0 s"


def test_of_an_unseen_driver_nothing_is_assumed() -> None:
    """Its limit is T seconds too."""
    assert ended_after(lambda _: None)[0] == pytest.approx(T)


def test_an_endless_loop_ends() -> None:
    """By its processor time."""
    seconds, limit = ended_after(busy)
    assert PROCESSOR_TIMES * T <= seconds <= PROCESSOR_TIMES * T + 2 * T / 10
    assert str(limit) == "20.0 s, nor after 60 s of processor time"
    assert limit.processor_s >= PROCESSOR_TIMES * T


def test_many_threads_do_not_shorten_the_limit() -> None:
    """Sixteen of them have used three times the limit long before it is over."""
    seconds, _ = ended_after(lambda passed: Activity(16 * passed, 0.0, 16))
    assert seconds == pytest.approx(T)


def test_a_starved_driver_is_waited_for_up_to_the_maximum() -> None:
    """And then no longer."""
    seconds, limit = ended_after(starved)
    assert seconds == pytest.approx(LONGEST_TIMES * T, abs=T / 10)
    assert seconds <= longest_s(T)
    assert "300 s" in str(limit)


def test_work_that_ends_in_sleep_is_a_hang_after_the_limit() -> None:
    """The limit counts from the last work on."""
    seconds, _ = ended_after(lambda passed: busy(min(passed, 30.0))._replace(runnable=int(passed < 30.0)))
    assert 30.0 + T <= seconds <= 30.0 + T + 2 * T / 10


def test_a_thread_that_ticks_is_no_work() -> None:
    """A hundredth of a processor."""
    assert ended_after(lambda passed: Activity(passed / 100, 0.0))[0] == pytest.approx(T)


def test_runnable_threads_are_at_work_where_the_kernel_counts_no_waiting() -> None:
    """They show at two looks in a row."""
    assert ended_after(lambda _: Activity(0.0, 0.0, 1))[0] > 2 * T
    ticks = iter([1, 0] * 1000)
    assert ended_after(lambda _: Activity(0.0, 0.0, next(ticks)))[0] == pytest.approx(T)


def test_time_in_which_the_suite_was_stopped_is_not_the_drivers() -> None:
    """A wait that ends late counts as two steps."""
    seconds, _ = ended_after(idle, late_s=1000.0)
    assert seconds > 4 * 1000.0


def test_an_answer_ends_the_wait() -> None:
    """Also one that comes with the last look."""
    clock = Clock()
    limit = WaitLimit(T, lambda: idle(0.0), clock.time)
    assert limit.wait(lambda seconds: clock.sleep(seconds) or clock.now >= 1000.0 + T)


def test_no_limit_is_never_over() -> None:
    """It is waited for without a pause."""
    limit = WaitLimit(None)
    assert limit.pause_s() is None
    assert not limit.is_over()


def test_a_look_before_its_time_changes_nothing() -> None:
    """Whoever is woken for nothing may ask."""
    clock = Clock()
    limit = WaitLimit(T, lambda: pytest.fail("nobody is to look yet"), clock.time)
    clock.now += T / 100
    assert not limit.is_over()


def test_another_answer_has_the_limit_anew() -> None:
    """From the moment on at which it is asked for."""
    clock = Clock()
    limit = WaitLimit(T, lambda: idle(0.0), clock.time)
    assert not limit.wait(clock.sleep)
    began, again = clock.now, limit.again()
    assert not again.wait(clock.sleep)
    assert clock.now - began == pytest.approx(T)
