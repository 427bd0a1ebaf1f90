"""Defaults of BaseDevice and BasePreparedModel; expected values are by hand."""

import os
import struct
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest
from msgspec.structs import replace

from nnvet.adapters.calls import ExecutionRecorder, PreparedModelRecorder
from nnvet.driver_kit.arrays import Array, constant
from nnvet.driver_kit.base_device import BaseDevice, BasePreparedModel
from nnvet.hal.arguments import boot_time_ns
from nnvet.hal.calling import Client, serve
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.memory import close, create_ashmem, mapped
from nnvet.hal.types import (
    NO_DEADLINE,
    Ashmem,
    BufferDesc,
    BufferRole,
    BufferToken,
    DataLocation,
    DeviceType,
    ErrorStatus,
    ExecutionConfig,
    ExecutionResult,
    FeatureLevel,
    Handle,
    MappableFile,
    Memory,
    Model,
    NumberOfCacheFiles,
    Operand,
    OperandType,
    Operation,
    OutputShape,
    PrepareModelConfig,
    Request,
    RequestArgument,
    Timing,
)
from tests.adapters.models import add_model, add_pool, add_request, result_of

PATIENCE_S = 30.0
PLAIN = ExecutionConfig()
MAX_TIME = 2**63 - 1


class Adder(BasePreparedModel):
    """Adds, after what ``before`` does."""

    def __init__(self, model: Model, before: Callable[[], object] = lambda: None) -> None:
        """Keep what is to be done first."""
        super().__init__(model)
        self.before = before

    def compute(self, inputs: Sequence[Array]) -> Sequence[Array]:
        """The sum."""
        self.before()
        return [inputs[0] + inputs[1]]


@dataclass
class AddDevice(BaseDevice):
    """Compiles as ``make`` says."""

    make: Callable[[Model], PreparedModel] = Adder
    supported: bool = True
    asked: list[Operation] = field(default_factory=list)

    def supports(self, model: Model, operation: Operation) -> bool:
        """As constructed."""
        del model
        self.asked.append(operation)
        return self.supported

    def compile(self, model: Model, config: PrepareModelConfig) -> PreparedModel:
        """As constructed."""
        del config
        return self.make(model)


@pytest.fixture
def pool() -> Iterator[Ashmem]:
    """1, 2 and 3, 4 are to be added: 4, 6."""
    with add_pool(1, 2, 3, 4) as memory:
        yield memory


def raising(error: Exception) -> Callable[..., Any]:
    """A function that raises."""

    def fail(*_: object) -> None:
        raise error

    return fail


def outcome(device: BaseDevice, model: Model, config: PrepareModelConfig) -> tuple[ErrorStatus, ErrorStatus | None]:
    """Status that is notified, and the one that is raised."""
    callback = PreparedModelRecorder()
    raised = None
    try:
        device.prepare_model(model, config, callback)
    except HalError as error:
        raised = error.status
    assert callback.wait(PATIENCE_S)
    ((status, prepared),) = callback.notifications
    assert (prepared is not None) == (status is ErrorStatus.NONE)
    return status, raised


def test_defaults() -> None:
    """A device that says nothing of itself claims nothing."""
    device = BaseDevice()
    assert isinstance(device, Device)
    assert device.get_feature_level() is FeatureLevel.FL8
    assert device.get_type() is DeviceType.CPU
    assert device.get_version_string()
    assert device.get_supported_extensions() == ()
    assert device.get_number_of_cache_files_needed() == NumberOfCacheFiles(0, 0)
    assert device.get_capabilities().if_performance.exec_time == 1.0
    assert device.get_supported_operations(add_model()) == (False,)


def test_supported_operations_are_asked_one_by_one() -> None:
    """``supports`` is asked for each operation of a valid model, and never for an invalid one."""
    device = AddDevice()
    assert device.get_supported_operations(add_model()) == (True,)
    assert device.asked == list(add_model().main.operations)
    with pytest.raises(HalError) as refused:
        device.get_supported_operations(Model(add_model().main))
    assert refused.value.status is ErrorStatus.INVALID_ARGUMENT
    assert len(device.asked) == 1


@pytest.mark.parametrize(
    "config",
    [
        PrepareModelConfig(preference=3),
        PrepareModelConfig(preference=-1),
        PrepareModelConfig(priority=3),
        PrepareModelConfig(deadline_ns=-2),
    ],
    ids=["preference", "negative preference", "priority", "deadline"],
)
def test_invalid_arguments_are_raised_and_notified(config: PrepareModelConfig) -> None:
    """Bad arguments of a preparation have both answers, with the same status."""
    expected = (ErrorStatus.INVALID_ARGUMENT, ErrorStatus.INVALID_ARGUMENT)
    assert outcome(AddDevice(), add_model(), config) == expected


def test_invalid_model_is_raised_and_notified() -> None:
    """So has an invalid model: here a constant outside the operand values."""
    expected = (ErrorStatus.INVALID_ARGUMENT, ErrorStatus.INVALID_ARGUMENT)
    assert outcome(AddDevice(), Model(add_model().main), PrepareModelConfig()) == expected


@pytest.mark.parametrize(
    ("device", "config", "notified"),
    [
        (AddDevice(), PrepareModelConfig(), ErrorStatus.NONE),
        (AddDevice(), PrepareModelConfig(deadline_ns=MAX_TIME), ErrorStatus.NONE),
        (AddDevice(), PrepareModelConfig(deadline_ns=0), ErrorStatus.MISSED_DEADLINE_PERSISTENT),
        (AddDevice(supported=False), PrepareModelConfig(), ErrorStatus.INVALID_ARGUMENT),
        (
            AddDevice(raising(HalError(ErrorStatus.DEVICE_UNAVAILABLE, "busy"))),
            PrepareModelConfig(),
            ErrorStatus.DEVICE_UNAVAILABLE,
        ),
        (AddDevice(raising(MemoryError())), PrepareModelConfig(), ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT),
        (AddDevice(raising(ValueError("bug"))), PrepareModelConfig(), ErrorStatus.GENERAL_FAILURE),
    ],
    ids=["success", "distant deadline", "deadline passed", "unsupported", "refused", "memory", "bug"],
)
def test_outcome_of_a_launched_preparation_is_notified_only(
    device: AddDevice, config: PrepareModelConfig, notified: ErrorStatus
) -> None:
    """Once the arguments are found good, the answer is the notification alone."""
    assert outcome(device, add_model(), config) == (notified, None)


def test_preparation_needs_no_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model is compiled in the thread of the call, so one that no thread can be started for is prepared."""
    monkeypatch.setattr(threading.Thread, "start", raising(RuntimeError("can't start new thread")))
    monkeypatch.setattr("nnvet.driver_kit.base_prepared_model._idle", deque())
    assert outcome(AddDevice(), add_model(), PrepareModelConfig()) == (ErrorStatus.NONE, None)


@pytest.mark.parametrize(
    ("deadline_ns", "status"), [(NO_DEADLINE, ErrorStatus.GENERAL_FAILURE), (-2, ErrorStatus.INVALID_ARGUMENT)]
)
def test_caching_is_refused(deadline_ns: int, status: ErrorStatus) -> None:
    """Preparation from a cache that does not exist is raised and notified."""
    callback = PreparedModelRecorder()
    with pytest.raises(HalError) as refused:
        BaseDevice().prepare_model_from_cache(deadline_ns, (), (), bytes(32), callback)
    assert refused.value.status is status
    assert callback.notifications == [(status, None)]


def test_null_callbacks() -> None:
    """Null callbacks are refused; there is nobody to notify."""
    null: Any = None
    calls: tuple[Callable[[], object], ...] = (
        lambda: BaseDevice().prepare_model(add_model(), PrepareModelConfig(), null),
        lambda: BaseDevice().prepare_model_from_cache(-1, (), (), bytes(32), null),
        lambda: Adder(add_model()).execute(Request((), ()), PLAIN, NO_DEADLINE, null),
    )
    for call in calls:
        with pytest.raises(HalError) as refused:
            call()
        assert refused.value.status is ErrorStatus.INVALID_ARGUMENT


def test_device_memory_is_refused() -> None:
    """Device memory is not supported; without models or roles the caller is at fault."""
    model = Adder(add_model())
    for models, roles, status in (
        ((model,), (BufferRole(0, 0),), ErrorStatus.GENERAL_FAILURE),
        ((), (BufferRole(0, 0),), ErrorStatus.INVALID_ARGUMENT),
        ((model,), (), ErrorStatus.INVALID_ARGUMENT),
    ):
        with pytest.raises(HalError) as refused:
            BaseDevice().allocate(BufferDesc(), models, roles, ())
        assert refused.value.status is status


def asynchronously(model: Adder, request: Request, config: ExecutionConfig, deadline_ns: int) -> Timing:
    """Execute and wait for the only notification."""
    callback = ExecutionRecorder()
    model.execute(request, config, deadline_ns, callback)
    assert callback.wait(PATIENCE_S)
    ((status, shapes, timing),) = callback.notifications
    if status is not ErrorStatus.NONE:
        raise HalError(status, "notified")
    assert shapes == (OutputShape((2,)),)
    return timing


def fenced(execute: Callable[..., Any], *arguments: Any) -> Timing:
    """Execute behind no fence."""
    result = execute(*arguments)
    assert result.sync_fence is None
    status, launched, after_fences = result.callback.get_execution_info()
    assert status is ErrorStatus.NONE
    assert after_fences.time_in_driver_ns <= launched.time_in_driver_ns
    timing: Timing = launched
    return timing


Execute = Callable[[Adder, Request, ExecutionConfig, int], Timing]
EXECUTORS: dict[str, Execute] = {
    "synchronous": lambda m, r, c, d: m.execute_synchronously(r, c, d).timing,
    "asynchronous": asynchronously,
    "fenced": lambda m, r, c, d: fenced(m.execute_fenced, r, (), c, d, NO_DEADLINE),
    "reusable": lambda m, r, c, d: m.create_reusable_execution(r, c).execute_synchronously(d).timing,
    "reusable fenced": lambda m, r, c, d: fenced(m.create_reusable_execution(r, c).execute_fenced, (), d, NO_DEADLINE),
    "burst": lambda m, r, c, d: m.configure_execution_burst().execute_synchronously(r, (-1,), c, d).timing,
}


@pytest.mark.parametrize("execute", EXECUTORS.values(), ids=EXECUTORS.keys())
def test_every_executor(execute: Execute, pool: Ashmem) -> None:
    """All executors compute the same, and measure exactly when asked."""
    model, request = Adder(add_model()), add_request(pool)
    assert execute(model, request, PLAIN, NO_DEADLINE) == Timing()
    assert result_of(pool) == (4.0, 6.0)
    timing = execute(model, request, ExecutionConfig(measure_timing=True), MAX_TIME)
    assert 0 <= timing.time_on_device_ns <= timing.time_in_driver_ns


@pytest.mark.parametrize("execute", EXECUTORS.values(), ids=EXECUTORS.keys())
@pytest.mark.parametrize(
    ("deadline_ns", "loop_timeout_ns", "status"),
    [
        (-2, NO_DEADLINE, ErrorStatus.INVALID_ARGUMENT),
        (NO_DEADLINE, -2, ErrorStatus.INVALID_ARGUMENT),
        (0, NO_DEADLINE, ErrorStatus.MISSED_DEADLINE_PERSISTENT),
    ],
    ids=["deadline", "loop timeout", "passed"],
)
def test_times_are_checked(
    execute: Execute, pool: Ashmem, deadline_ns: int, loop_timeout_ns: int, status: ErrorStatus
) -> None:
    """Negative times are invalid and passed deadlines missed, whatever the executor."""
    config = ExecutionConfig(loop_timeout_duration_ns=loop_timeout_ns)
    with pytest.raises(HalError) as refused:
        execute(Adder(add_model()), add_request(pool), config, deadline_ns)
    assert refused.value.status is status
    assert result_of(pool) == (0.0, 0.0)


def test_invalid_execution_is_raised_and_notified(pool: Ashmem) -> None:
    """An invalid request has both answers."""
    callback = ExecutionRecorder()
    with pytest.raises(HalError) as refused:
        Adder(add_model()).execute(add_request(pool, output_bytes=4), PLAIN, NO_DEADLINE, callback)
    assert refused.value.rule == "request/length"
    assert callback.notifications == [(ErrorStatus.INVALID_ARGUMENT, (), Timing())]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (HalError(ErrorStatus.DEVICE_UNAVAILABLE, "busy"), ErrorStatus.DEVICE_UNAVAILABLE),
        (MemoryError(), ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT),
        (ZeroDivisionError(), ErrorStatus.GENERAL_FAILURE),
    ],
    ids=["refused", "memory", "bug"],
)
def test_failures_of_compute_are_notified(pool: Ashmem, error: Exception, status: ErrorStatus) -> None:
    """Whatever goes wrong on the thread of an execution is notified once."""
    with pytest.raises(HalError) as failed:
        asynchronously(Adder(add_model(), raising(error)), add_request(pool), PLAIN, NO_DEADLINE)
    assert failed.value.status is status


def test_too_small_an_output(pool: Ashmem) -> None:
    """An output of unknown size that does not fit is reported with its shape, without timing, and not written."""
    model, request = Adder(add_model((0,))), add_request(pool, output_bytes=4)
    expected = ExecutionResult(False, (OutputShape((2,), False),), Timing())
    assert model.execute_synchronously(request, ExecutionConfig(True), NO_DEADLINE) == expected
    assert result_of(pool) == (0.0, 0.0)
    callback = ExecutionRecorder()
    model.execute(request, ExecutionConfig(True), NO_DEADLINE, callback)
    assert callback.wait(PATIENCE_S)
    assert callback.notifications == [(ErrorStatus.OUTPUT_INSUFFICIENT_SIZE, expected.output_shapes, expected.timing)]


def test_fenced_execution_needs_known_outputs(pool: Ashmem) -> None:
    """Outputs of unknown dimensions are invalid behind fences."""
    with pytest.raises(HalError) as refused:
        Adder(add_model((0,))).execute_fenced(add_request(pool), (), PLAIN, NO_DEADLINE, NO_DEADLINE)
    assert refused.value.rule == "request/dimensions.output"


def test_arguments_without_memory(pool: Ashmem) -> None:
    """Unknown device memory is the caller's error, an input without value a failure; an output may be unwanted."""
    request = add_request(pool)
    model = Adder(add_model())
    nothing = RequestArgument(has_no_value=True)
    token = RequestArgument(location=DataLocation(pool_index=0))
    for refused, status in (
        (Request((token, token), (token,), (BufferToken(5),)), ErrorStatus.INVALID_ARGUMENT),
        (Request((nothing, request.inputs[1]), request.outputs, request.pools), ErrorStatus.GENERAL_FAILURE),
    ):
        with pytest.raises(HalError) as failed:
            model.execute_synchronously(refused, PLAIN, NO_DEADLINE)
        assert failed.value.status is status
    unwanted = Request(request.inputs, (nothing,), request.pools)
    assert model.execute_synchronously(unwanted, PLAIN, NO_DEADLINE).output_sufficient_size


@pytest.mark.parametrize("name", ["burst", "reusable"])
def test_one_execution_in_flight(name: str, pool: Ashmem) -> None:
    """A second execution while one runs is a failure; afterwards the object can be used again."""
    running, go_on = threading.Event(), threading.Event()

    def pause() -> None:
        running.set()
        assert go_on.wait(PATIENCE_S)

    model, request = Adder(add_model(), pause), add_request(pool)
    burst, reusable = model.configure_execution_burst(), model.create_reusable_execution(request, PLAIN)
    runs: dict[str, Callable[[], ExecutionResult]] = {
        "burst": lambda: burst.execute_synchronously(request, (-1,), PLAIN, NO_DEADLINE),
        "reusable": lambda: reusable.execute_synchronously(NO_DEADLINE),
    }
    run = runs[name]
    first = threading.Thread(target=run)
    first.start()
    assert running.wait(PATIENCE_S)
    with pytest.raises(HalError) as refused:
        run()
    assert refused.value.rule == "execution/in_flight"
    go_on.set()
    first.join()
    assert run().output_sufficient_size


@pytest.mark.parametrize("tokens", [(), (-1, -1), (-2,)])
def test_burst_checks_its_tokens(pool: Ashmem, tokens: tuple[int, ...]) -> None:
    """A burst wants one token of at least -1 for each pool; unknown tokens can be released, bad ones not."""
    burst = Adder(add_model()).configure_execution_burst()
    with pytest.raises(HalError) as refused:
        burst.execute_synchronously(add_request(pool), tokens, PLAIN, NO_DEADLINE)
    assert refused.value.rule == "burst/tokens"
    burst.release_memory_resource(77)
    with pytest.raises(HalError):
        burst.release_memory_resource(-2)


def test_fences_are_waited_for(pool: Ashmem) -> None:
    """An execution starts when the last fence has signalled, and a fence in error or without descriptor fails it."""
    signalled, signal = os.pipe()
    waiting, never = os.pipe()
    dead, broken = os.pipe()
    os.close(dead)
    os.write(signal, b"x")
    model, request = Adder(add_model()), add_request(pool)

    def status(fences: Sequence[int], deadline_ns: int = NO_DEADLINE, duration_ns: int = NO_DEADLINE) -> ErrorStatus:
        try:
            handles = [Handle(fence) for fence in fences]
            model.execute_fenced(request, handles, PLAIN, deadline_ns, duration_ns)
        except HalError as error:
            return error.status
        return ErrorStatus.NONE

    assert status([signalled, signalled]) is ErrorStatus.NONE
    assert status([signalled, -1]) is ErrorStatus.INVALID_ARGUMENT
    assert status([9999]) is ErrorStatus.INVALID_ARGUMENT
    assert status([broken]) is ErrorStatus.GENERAL_FAILURE
    assert status([signalled, waiting], boot_time_ns() + 1_000_000) is ErrorStatus.MISSED_DEADLINE_TRANSIENT
    assert status([signalled], NO_DEADLINE, 0) is ErrorStatus.MISSED_DEADLINE_PERSISTENT
    assert status([signalled], MAX_TIME, -2) is ErrorStatus.INVALID_ARGUMENT
    late = threading.Thread(target=os.write, args=(never, b"x"))
    late.start()
    assert status([waiting], MAX_TIME) is ErrorStatus.NONE
    late.join()
    for descriptor in (signalled, signal, waiting, never, broken):
        os.close(descriptor)


def test_constants() -> None:
    """Constants come as arrays of their type, from the values or from a pool; other operands are none."""
    memory = create_ashmem(16)
    with mapped(memory) as view:
        view[4:12] = struct.pack("<2f", 0.5, -2)
    model = Model(add_model().main, operand_values=struct.pack("<xxxi", 70000), pools=(memory,))
    copied = Operand(OperandType.INT32, lifetime=3, location=DataLocation(offset=3, length=4))
    pooled = Operand(OperandType.TENSOR_FLOAT32, (1, 2), lifetime=4, location=DataLocation(0, 4, 8))
    for operand, expected in ((copied, 70000), (pooled, [[0.5, -2.0]])):
        value = constant(model, operand)
        assert value is not None
        assert value.tolist() == expected
    assert constant(model, add_model().main.operands[0]) is None
    close(memory)


def test_fences_of_a_client_that_has_gone_are_not_waited_for(pool: Ashmem) -> None:
    """Nobody would ever signal them, and the driver's thread would wait for ever."""
    waiting, never = os.pipe()
    client, model, statuses = Client("one that goes"), Adder(add_model()), []

    def execute() -> None:
        serve(client)
        client.leave()
        with pytest.raises(HalError) as missed:
            model.execute_fenced(add_request(pool), [Handle(waiting)], PLAIN, NO_DEADLINE, NO_DEADLINE)
        statuses.append(missed.value.status)

    thread = threading.Thread(target=execute, daemon=True)
    thread.start()
    thread.join(PATIENCE_S)
    assert statuses == [ErrorStatus.MISSED_DEADLINE_TRANSIENT]
    for descriptor in (waiting, never):
        os.close(descriptor)


@pytest.mark.parametrize("broken", [Ashmem(Handle(0), 2**62), MappableFile(Handle(0), 16, 0)])
def test_constants_that_cannot_be_read_fail_the_preparation(broken: Memory) -> None:
    """Before ``compile`` is called: a driver that reads its constants later would find out too late."""
    asked: list[Model] = []

    def make(model: Model) -> PreparedModel:
        asked.append(model)
        return Adder(model)

    status, _ = outcome(AddDevice(make=make), replace(add_model(), pools=(broken,)), PrepareModelConfig())
    assert status is ErrorStatus.GENERAL_FAILURE
    assert not asked
