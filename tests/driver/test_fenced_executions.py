"""Fenced executions of the bundled driver: they return at once, and fence and callback tell the outcome together."""

import errno
import os
from collections.abc import Callable, Iterator, Sequence

import numpy as np
import pytest

from nnvet.adapters import prepare
from nnvet.graphs.builder import endless_loop, sum_of_two
from nnvet.graphs.hal_model import PackedRequest, build_model, pack_request
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.calling import Client, calling_client, serve
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, FenceState
from nnvet.hal.errors import HalError
from nnvet.hal.fences import create_fence, fence_state, wait_for_fence
from nnvet.hal.interfaces import FencedExecutionResult
from nnvet.hal.types import ExecutionConfig, Handle, Timing
from nnvet.reference_driver import create
from nnvet.reference_driver.prepared import ReferencePreparedModel

PATIENCE_NS = 20 * 10**9
MAX_TIME = 2**63 - 1
TEST = sum_of_two("sum", [1.0, 2.0], [3.0, 5.0], [4.0, 7.0])
Launch = Callable[..., FencedExecutionResult]


@pytest.fixture
def packed() -> Iterator[PackedRequest]:
    """The request of TEST."""
    packed = pack_request(TEST)
    yield packed
    packed.close()


def prepared_sum() -> ReferencePreparedModel:
    """The model of TEST, prepared."""
    prepared = prepare(create(), build_model(TEST))
    assert isinstance(prepared, ReferencePreparedModel)
    return prepared


def launcher(packed: PackedRequest, *, reusable: bool, measure: bool = False) -> Launch:
    """A function of fences, deadline and duration that executes TEST."""
    prepared, config = prepared_sum(), ExecutionConfig(measure_timing=measure)
    if reusable:
        return prepared.create_reusable_execution(packed.request, config).execute_fenced
    return lambda fences, deadline_ns, duration_ns: prepared.execute_fenced(
        packed.request, fences, config, deadline_ns, duration_ns
    )


def outcome(result: FencedExecutionResult) -> tuple[FenceState, ErrorStatus]:
    """State of the fence at the end, and what the callback says."""
    assert result.sync_fence is not None
    state = wait_for_fence(result.sync_fence, boot_time_ns() + PATIENCE_NS)
    return state, result.callback.get_execution_info()[0]


def values(packed: PackedRequest) -> list[float]:
    """The output."""
    return list(np.frombuffer(packed.output_bytes()[0], np.float32))


BOTH = pytest.mark.parametrize("reusable", [False, True], ids=["plain", "reusable"])


@BOTH
def test_it_returns_before_the_fences_signal(packed: PackedRequest, *, reusable: bool) -> None:
    """Nothing is written and no outcome notified until the last fence has signalled."""
    launch = launcher(packed, reusable=reusable)
    (first, signal_first), (second, signal_second) = create_fence(), create_fence()
    result = launch([first, second], NO_DEADLINE, NO_DEADLINE)
    signal_second.signal()
    assert result.sync_fence is not None
    assert fence_state(result.sync_fence) is FenceState.ACTIVE
    assert result.callback.get_execution_info() == (ErrorStatus.GENERAL_FAILURE, Timing(), Timing())
    assert values(packed) == [0.0, 0.0]
    signal_first.signal()
    assert outcome(result) == (FenceState.SIGNALED, ErrorStatus.NONE)
    assert values(packed) == [4.0, 7.0]


@BOTH
def test_errors_propagate(packed: PackedRequest, *, reusable: bool) -> None:
    """A fence that fails fails the execution, and with it the one that waits for it."""
    launch, waiting = launcher(packed, reusable=reusable), launcher(packed, reusable=reusable)
    fence, source = create_fence()
    result = launch([fence], NO_DEADLINE, NO_DEADLINE)
    assert result.sync_fence is not None
    second = waiting([result.sync_fence], NO_DEADLINE, NO_DEADLINE)
    source.fail()
    for execution in (result, second):
        assert outcome(execution) == (FenceState.ERROR, ErrorStatus.GENERAL_FAILURE)
    assert values(packed) == [0.0, 0.0]


@BOTH
@pytest.mark.parametrize(
    ("deadline_ns", "duration_ns", "status"),
    [
        (0, NO_DEADLINE, ErrorStatus.MISSED_DEADLINE_PERSISTENT),
        (-2, NO_DEADLINE, ErrorStatus.INVALID_ARGUMENT),
        (NO_DEADLINE, -2, ErrorStatus.INVALID_ARGUMENT),
    ],
)
def test_what_is_refused_at_once(
    packed: PackedRequest, deadline_ns: int, duration_ns: int, status: ErrorStatus, *, reusable: bool
) -> None:
    """Times in the past and negative ones are refused by the call; a reusable execution can be used afterwards."""
    launch = launcher(packed, reusable=reusable)
    with pytest.raises(HalError) as refused:
        launch([], deadline_ns, duration_ns)
    assert refused.value.status is status
    assert outcome(launch([], MAX_TIME, MAX_TIME)) == (FenceState.SIGNALED, ErrorStatus.NONE)


def bad_fences() -> Sequence[Handle]:
    """No descriptor, and a fence that is in error already."""
    broken, source = create_fence()
    source.fail()
    return Handle(-1), broken


@pytest.mark.parametrize("index", [0, 1], ids=["none", "broken"])
def test_bad_fences_are_invalid(packed: PackedRequest, index: int) -> None:
    """docs/contract/hal.md 10.4.1: what can never signal is an invalid argument."""
    with pytest.raises(HalError) as refused:
        launcher(packed, reusable=False)([bad_fences()[index]], NO_DEADLINE, NO_DEADLINE)
    assert refused.value.status is ErrorStatus.INVALID_ARGUMENT


@pytest.mark.parametrize(
    ("deadline", "duration_ns", "status"),
    [
        (lambda: boot_time_ns() + 300_000_000, NO_DEADLINE, ErrorStatus.MISSED_DEADLINE_TRANSIENT),
        (lambda: NO_DEADLINE, 0, ErrorStatus.MISSED_DEADLINE_PERSISTENT),
    ],
    ids=["deadline", "duration"],
)
def test_time_limits(packed: PackedRequest, deadline: Callable[[], int], duration_ns: int, status: ErrorStatus) -> None:
    """The deadline also ends the waiting; the duration counts from the last fence."""
    fence, source = create_fence()
    result = launcher(packed, reusable=False)([fence], deadline(), duration_ns)
    if duration_ns == 0:
        source.signal()
    assert outcome(result) == (FenceState.ERROR, status)
    assert result.callback.get_execution_info()[1:] == (Timing(), Timing())


def test_one_fenced_run_in_flight(packed: PackedRequest) -> None:
    """A reusable execution is busy until its fence has signalled, then it is free at once."""
    prepared = prepared_sum()
    execution = prepared.create_reusable_execution(packed.request, ExecutionConfig())
    fence, source = create_fence()
    result = execution.execute_fenced([fence], NO_DEADLINE, NO_DEADLINE)
    calls: list[Callable[[], object]] = [
        lambda: execution.execute_synchronously(NO_DEADLINE),
        lambda: execution.execute_fenced([], NO_DEADLINE, NO_DEADLINE),
    ]
    for call in calls:
        with pytest.raises(HalError) as refused:
            call()
        assert (refused.value.status, refused.value.rule) == (ErrorStatus.GENERAL_FAILURE, "execution/in_flight")
    source.signal()
    assert outcome(result) == (FenceState.SIGNALED, ErrorStatus.NONE)
    assert execution.execute_synchronously(NO_DEADLINE).output_sufficient_size
    assert outcome(execution.execute_fenced([], NO_DEADLINE, NO_DEADLINE))[0] is FenceState.SIGNALED


def test_times(packed: PackedRequest) -> None:
    """Both pairs of times end together; the first begins with the call, the second when the fence signals."""
    fence, source = create_fence()
    called = boot_time_ns()
    result = launcher(packed, reusable=False, measure=True)([fence], NO_DEADLINE, NO_DEADLINE)
    returned = boot_time_ns()
    while (signalled := boot_time_ns()) < returned + 2_000_000:
        pass
    source.signal()
    assert outcome(result)[0] is FenceState.SIGNALED
    ended = boot_time_ns()
    _, launched, fenced = result.callback.get_execution_info()
    assert signalled - returned <= launched.time_in_driver_ns <= ended - called
    assert 0 <= fenced.time_on_device_ns <= fenced.time_in_driver_ns <= ended - signalled
    assert launched.time_on_device_ns == fenced.time_on_device_ns


def test_a_fence_that_cannot_be_signalled(packed: PackedRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever waits is woken by the error state, and the callback says the cause instead of NONE."""

    def refuse(_descriptor: int, _data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "write", refuse)
    result = launcher(packed, reusable=False)([], NO_DEADLINE, NO_DEADLINE)
    assert result.sync_fence is not None
    assert wait_for_fence(result.sync_fence, boot_time_ns() + PATIENCE_NS) is FenceState.ERROR
    with pytest.raises(HalError, match=r"cannot be signalled: .*No space left"):
        result.callback.get_execution_info()


def test_the_last_reference_may_go(packed: PackedRequest) -> None:
    """An execution under way needs neither its prepared model nor its callback to be kept by the client."""
    fence, source = create_fence()
    ended = launcher(packed, reusable=True)([fence], NO_DEADLINE, NO_DEADLINE).sync_fence
    assert ended is not None
    source.signal()
    assert wait_for_fence(ended, boot_time_ns() + PATIENCE_NS) is FenceState.SIGNALED
    assert values(packed) == [4.0, 7.0]


def test_a_client_that_dies_leaves_nothing_running(packed: PackedRequest) -> None:
    """Executions that wait for a fence or run in a loop end when the client goes."""
    usual, client = calling_client(), Client("mortal")
    loop = endless_loop()
    looping = pack_request(loop)
    serve(client)
    try:
        device = create()
        waiting, running = prepare(device, build_model(TEST)), prepare(device, build_model(loop))
        fence, _source = create_fence()
        limit = ExecutionConfig(loop_timeout_duration_ns=15 * 10**9)
        results = [
            waiting.execute_fenced(packed.request, [fence], ExecutionConfig(), NO_DEADLINE, NO_DEADLINE),
            running.execute_fenced(looping.request, [], limit, NO_DEADLINE, NO_DEADLINE),
        ]
    finally:
        serve(usual)
    began = boot_time_ns()
    client.leave()
    for result in results:
        assert outcome(result)[0] is FenceState.ERROR
    assert boot_time_ns() - began < 15 * 10**9
    looping.close()
