"""Hopeless executions are refused before they begin, but not for ever."""

import pytest

from nnvet.hal.enums import NO_DEADLINE, ErrorStatus
from nnvet.hal.errors import HalError
from nnvet.reference_driver.prepared import Estimates, Shapes

SHAPES: Shapes = ((2, 3), ())


def refused(estimates: Estimates, left_ns: int, shapes: Shapes = SHAPES) -> bool:
    """Return True if an execution with so much time left is refused, with the right status."""
    try:
        estimates.check(shapes, 1000 + left_ns, now_ns=1000)
    except HalError as error:
        return error.status is ErrorStatus.MISSED_DEADLINE_PERSISTENT
    return False


def test_the_fastest_execution_decides() -> None:
    """Whatever leaves less time than the fastest execution took is refused, and nothing else."""
    estimates = Estimates()
    assert not refused(estimates, 1)
    for duration_ns in (500, 300, 400, 900):
        estimates.record(SHAPES, duration_ns)
    assert not refused(estimates, 300)
    assert refused(estimates, 299)
    estimates.check(SHAPES, NO_DEADLINE, now_ns=10**18)


def test_shapes_are_distinguished() -> None:
    """Times of large inputs say nothing about small ones."""
    estimates = Estimates()
    estimates.record(((1000,),), 10**9)
    assert not refused(estimates, 10, ((1,),))


def test_refusals_are_forgiven() -> None:
    """Every refusal forgets one execution, so that in the end it is tried again."""
    estimates = Estimates()
    for _ in range(3):
        estimates.record(SHAPES, 500)
    assert [refused(estimates, 1) for _ in range(4)] == [True, True, True, False]


def test_old_executions_are_forgotten() -> None:
    """Sixteen executions count, and sixteen shapes."""
    estimates = Estimates()
    estimates.record(SHAPES, 1)
    for _ in range(16):
        estimates.record(SHAPES, 500)
    assert refused(estimates, 499)
    for size in range(16):
        estimates.record(((size,),), 500)
    assert not refused(estimates, 1)


@pytest.mark.parametrize("deadline_ns", [0, 999])
def test_passed_deadlines(deadline_ns: int) -> None:
    """A deadline in the past leaves less time than anything takes."""
    estimates = Estimates()
    estimates.record(SHAPES, 0)
    with pytest.raises(HalError):
        estimates.check(SHAPES, deadline_ns, now_ns=1000)
