"""Planted faults at borders between devices: the suite finds them in a device over devices as in any other driver."""

from __future__ import annotations

import pytest

from nnvet.adapters.split.assignment import DrawnDevices
from nnvet.adapters.split.device import SplitDevice
from nnvet.adapters.split.faults import FAULTS
from nnvet.adapters.split.plan import SplitOptions
from nnvet.conformance import check_driver
from nnvet.reference_driver import create
from tests.adapters.split.networks import CountingDevice

GRAPHS = (
    "TestRandomGraph/RandomGraphTest.LargeGraph_TENSOR_FLOAT32_Rank4/*",
    "TestRandomGraph/RandomGraphTest.LargeGraph_TENSOR_FLOAT32_Rank3/*",
)
"""Models of many operations, so of many borders."""
REPEATED = ("GeneratedTest/reusable/add_float_vectors", "TestTrivialModel/AddTwo/*")
"""Executions of one prepared model, and of models of one operation."""


def of_copies(fault: str) -> SplitDevice:
    """Two copies of the bundled driver, which take operations as they are drawn."""
    return SplitDevice([create(""), create("")], SplitOptions(DrawnDevices(1), fault=FAULTS[fault]))


def behind_a_failing_one(fault: str) -> SplitDevice:
    """A driver that takes all and fails at every execution, and one that stands in for it."""
    return SplitDevice(
        [CountingDevice(create(""), lambda _: True), create("")], SplitOptions(fallback="partial", fault=FAULTS[fault])
    )


@pytest.mark.parametrize("fault", ["none", "layout", "state", "small"])
def test_faults_of_borders_are_found(fault: str) -> None:
    """By values that are wrong; without a fault nothing fails."""
    checked = check_driver(lambda: of_copies(fault), only=GRAPHS)
    assert checked.exit_code != 2
    assert bool(list(checked.failures)) == (fault != "none"), checked.failures


@pytest.mark.parametrize("fault", ["none", "wrong-device", "locked"])
def test_faults_of_fallbacks_are_found(fault: str) -> None:
    """A result of the device that failed is wrong, and a device that stays locked fails the next execution."""
    checked = check_driver(lambda: behind_a_failing_one(fault), only=REPEATED, full=True)
    assert checked.exit_code != 2
    assert bool(list(checked.failures)) == (fault != "none"), checked.failures
