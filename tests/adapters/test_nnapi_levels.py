"""Libraries of feature levels below 5: the adapter works without missing functions, or refuses the call."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from nnvet.adapters import INEXPRESSIBLE, execute, open_driver, prepare
from nnvet.adapters.drivers import Driver
from nnvet.conformance import check_driver
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, FenceState
from nnvet.hal.errors import HalError
from nnvet.hal.fences import wait_for_fence
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.types import BufferDesc, BufferRole, ExecutionConfig, ExecutionResult, OutputShape, PrepareModelConfig
from nnvet.reports.events import Verdict
from tests.adapters.models import add_model, add_pool, add_request, result_of
from tests.native.building import build_of_level

MEASURED = ExecutionConfig(measure_timing=True)
FAR_NS = 2**62
PATIENCE_S = 60.0
DEVICES, FENCES = 3, 4
"""The levels that brought devices, and fences with time-outs and device memory."""


@pytest.fixture(scope="module", params=[*(pytest.param(level, marks=pytest.mark.long) for level in (1, 2, 3)), 4])
def level(request: pytest.FixtureRequest) -> int:
    """A level of HIDL."""
    return int(request.param)


@pytest.fixture(scope="module")
def driver(native_folder: Path, level: int) -> Iterator[Driver]:
    """The library of the level, in a process of its own."""
    with open_driver(f"ndk:{build_of_level(native_folder, level)}", timeout_s=PATIENCE_S) as opened:
        yield opened


@pytest.fixture
def prepared(driver: Driver) -> PreparedModel:
    """ADD, prepared with a deadline, which levels before 4 do not know."""
    return prepare(driver.device, add_model(), PrepareModelConfig(deadline_ns=FAR_NS))


def test_the_level_is_found(driver: Driver, level: int) -> None:
    """By the functions that are there: no such library says it. Before level 3 it has no devices with names."""
    assert driver.device.get_feature_level() == level
    name = "nnvet-native" if level >= DEVICES else f"libnnvet_level{level}"
    assert driver.device.name == name
    assert driver.device.get_supported_operations(add_model()) == (True,)


@pytest.mark.parametrize("executor", ["sync", "async", "burst", "reusable"])
def test_executors_do_without(prepared: PreparedModel, level: int, executor: str) -> None:
    """1 + 3 and 2 + 4; timing is there from level 3 on, where asked for."""
    with add_pool(1, 2, 3, 4) as pool:
        request = add_request(pool)
        result: ExecutionResult
        if executor == "sync":
            result = prepared.execute_synchronously(request, MEASURED, FAR_NS)
        elif executor == "async":
            result = execute(prepared, request, MEASURED, FAR_NS)
        elif executor == "burst":
            result = prepared.configure_execution_burst().execute_synchronously(request, (7,), MEASURED, FAR_NS)
        else:
            reusable = prepared.create_reusable_execution(request, MEASURED)
            reusable.execute_synchronously(NO_DEADLINE)
            result = reusable.execute_synchronously(FAR_NS)
        assert result_of(pool) == (4.0, 6.0)
    assert result.output_shapes == (OutputShape((2,)),)
    assert (result.timing.time_in_driver_ns >= 0) == (level >= DEVICES)


def test_fences_need_level_4(prepared: PreparedModel, level: int) -> None:
    """Before it there is no execution behind fences."""
    with add_pool(1, 2, 3, 4) as pool:
        if level < FENCES:
            with pytest.raises(HalError, match="startComputeWithDependencies") as refused:
                prepared.execute_fenced(add_request(pool), (), MEASURED, NO_DEADLINE, NO_DEADLINE)
            assert refused.value.rule == INEXPRESSIBLE
            return
        ended = prepared.execute_fenced(add_request(pool), (), MEASURED, NO_DEADLINE, NO_DEADLINE)
        assert ended.sync_fence is not None
        assert wait_for_fence(ended.sync_fence) is FenceState.SIGNALED
        assert result_of(pool) == (4.0, 6.0)


def test_device_memory_needs_level_4(driver: Driver, prepared: PreparedModel, level: int) -> None:
    """Before it there is none, as drivers say that have none."""
    roles = (BufferRole(0, 0),)
    if level < FENCES:
        with pytest.raises(HalError) as refused:
            driver.device.allocate(BufferDesc(), (prepared,), roles, ())
        assert refused.value.status is ErrorStatus.GENERAL_FAILURE
    else:
        assert driver.device.allocate(BufferDesc(), (prepared,), roles, ())[1] > 0


def test_wrong_models_are_refused(driver: Driver) -> None:
    """The library of any level is the one to refuse them, when it is asked and when it prepares."""
    wrong = replace(add_model(), main=replace(add_model().main, output_indexes=(3, 3)))
    with pytest.raises(HalError, match="BAD_DATA"):
        driver.device.get_supported_operations(wrong)
    with pytest.raises(HalError, match="BAD_DATA"):
        prepare(driver.device, wrong)


@pytest.mark.long
def test_the_suite_asks_no_more_than_the_level_has(native_folder: Path, level: int) -> None:
    """Nothing fails among basic cases, those of ADD and of bursts: what a level lacks is unsupported."""
    only = ("BasicTest/*", "GeneratedTest/*/add_*", "ValidateBurst/*")
    results = check_driver(f"ndk:{build_of_level(native_folder, level)}", only=only).log.results
    found = {
        result.case: result.reason
        for result in results.values()
        if result.verdict not in (Verdict.PASS, Verdict.UNSUPPORTED)
    }
    assert found == {}
    assert any(result.verdict is Verdict.PASS for result in results.values())
