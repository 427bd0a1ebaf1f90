"""CTS's tests of its runtime, by their names, on the functions that an exported library consists of.

They run on these functions themselves, so that every driver can be made for its test; that the library calls them is
in ``test_exported_division.py``. Expected answers are CTS's (docs/contract/cts-tests.md).
"""

from __future__ import annotations

import struct
import threading
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from nnvet.adapters.nnapi.declarations import RESULTS, ResultCode
from nnvet.adapters.nnapi.exported import running
from nnvet.adapters.nnapi.exported.arguments import ClientArgument
from nnvet.adapters.nnapi.exported.calling import RefusalError
from nnvet.adapters.nnapi.exported.compilation import ClientCompilation, Folder, compilation_functions
from nnvet.adapters.nnapi.exported.devices import (
    LEVEL_VARIABLE,
    NUMBERS_OF_LEVELS,
    ExportedDevice,
    check_usable,
    device_functions,
)
from nnvet.adapters.nnapi.exported.execution import FUNCTIONS as EXECUTIONS
from nnvet.adapters.nnapi.exported.execution import ClientEvent, ClientExecution
from nnvet.adapters.nnapi.exported.finishing import PARTITION_VARIABLE, supported_by
from nnvet.adapters.nnapi.exported.memories import SharedMemory
from nnvet.adapters.nnapi.exported.model import ClientModel
from nnvet.driver_kit.base_device import BaseDevice
from nnvet.driver_kit.base_prepared_model import BasePreparedModel
from nnvet.graphs.hal_model import create_pool
from nnvet.hal.enums import ErrorStatus, FeatureLevel, OperandType, OperationType
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.memory import create_ashmem, mapped
from nnvet.hal.types import (
    ExecutionConfig,
    ExecutionResult,
    MappableFile,
    Model,
    NumberOfCacheFiles,
    Operation,
    OutputShape,
    PrepareModelConfig,
    Request,
    Subgraph,
)
from nnvet.reference_driver import create
from tests.adapters.split.test_cts_partitioning import MUL, FigureDevice, graph, replace_outer
from tests.adapters.split.test_interpreting import ADD, LOOP

FLOAT = OperandType.TENSOR_FLOAT32
RELU, SQRT = OperationType.RELU, OperationType.SQRT
SUM = graph([(ADD, (0, 1), 2)], [2])


def exported(*drivers: Device) -> tuple[ExportedDevice, ...]:
    """These drivers as devices of a library."""
    return tuple(map(ExportedDevice, drivers))


def client_model(model: Model) -> ClientModel:
    """A finished model of a client."""
    main = model.main
    return ClientModel(
        operands=list(main.operands),
        inputs=main.input_indexes,
        outputs=main.output_indexes,
        is_closed=True,
        finished=model,
    )


def finished(
    devices: Sequence[ExportedDevice], model: Model, *, is_explicit: bool = False, cache: Folder | None = None
) -> ClientCompilation:
    """A compilation that is finished.

    :raises RefusalError, HalError: as finishing fails.
    """
    compilation = ClientCompilation(client_model(model), tuple(devices), is_explicit, cache=cache)
    compilation_functions(tuple(devices))["Compilation_finish"](compilation)
    return compilation


def execution_of(compilation: ClientCompilation, *values: float) -> tuple[ClientExecution, SharedMemory]:
    """An execution of numbers, whose outputs lie in the memory, 64 bytes apart."""
    execution = ClientExecution(compilation)
    read = SharedMemory(create_pool(256, [(64 * n, struct.pack("f", value)) for n, value in enumerate(values)]))
    written = SharedMemory(create_ashmem(256))
    for arguments, memory in ((execution.inputs, read), (execution.outputs, written)):
        for number in range(len(arguments)):
            arguments[number] = ClientArgument((1,), size=4, memory=memory, offset=64 * number, length=4)
    return execution, written


def number_in(memory: SharedMemory) -> float:
    """The first number in a memory."""
    with mapped(memory.pool) as view:
        return float(struct.unpack_from("f", view)[0])


def code_of_call(call: Callable[[], Any]) -> ResultCode:
    """The result code of a call, as the library makes it."""
    try:
        call()
    except RefusalError as error:
        return error.code
    except HalError as error:
        return RESULTS[error.status]
    return ResultCode.NO_ERROR


@pytest.mark.parametrize(
    ("level", "forced", "reported"),
    [
        *(("2", "", 2), ("2", "3", 2), ("2", "2", 2), ("2", "1", 1)),
        *(("4", "", 4), ("4", "5", 4), ("4", "4", 4), ("4", "3", 3), ("4", "2", 2)),
    ],
)
def test_forced_levels(level: str, forced: str, reported: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """WhiteboxFeatureLevelTest: a device reports the smaller one of its level and the runtime's."""
    monkeypatch.setenv(LEVEL_VARIABLE, forced)
    devices = exported(create(f"level_{level}"))
    functions, place = device_functions(devices), [0]
    functions["Device_getFeatureLevel"](devices[0], place)
    assert place[0] == NUMBERS_OF_LEVELS[FeatureLevel(reported)]
    if forced:
        assert functions["_getRuntimeFeatureLevel"]() == NUMBERS_OF_LEVELS[FeatureLevel(int(forced))]


def beside_relu(loop: Model) -> Model:
    """RELU of one number, and a loop that has nothing to do with it."""
    main, count = loop.main, len(loop.main.operands)
    read, written = graph([(RELU, (0,), 1)], [1]).main.operands[:2]
    operations = (Operation(RELU, (count,), (count + 1,)), *main.operations)
    both = Subgraph(
        (*main.operands, read, written),
        operations,
        (*main.input_indexes, count),
        (*main.output_indexes, count + 1),
    )
    return Model(both, loop.referenced, loop.operand_values)


@pytest.mark.parametrize(
    ("level", "model", "expected"),
    [
        pytest.param("2", beside_relu(LOOP), (True, False), id="ControlFlowNotSupported"),
        pytest.param("4", beside_relu(LOOP), (True, True), id="ControlFlowSupported"),
        pytest.param("4", beside_relu(replace_outer(LOOP, ())), (False, False), id="ControlFlowFailedToSlice"),
    ],
)
def test_slices_of_control_flow(level: str, model: Model, expected: tuple[bool, ...]) -> None:
    """IntrospectionSlicingTest of loops: what is too new is left out, and what no driver may get is nobody's."""
    assert supported_by(exported(create(f"level_{level}")), model) == expected


def test_order_of_operations_that_are_supported() -> None:
    """IntrospectionControlTest.PartialModelNotSupportedOrder: a device of ADD alone is asked about MUL before ADD."""
    devices = exported(FigureDevice(0.9, ADD))
    model = graph([(MUL, (0, 1), 2), (ADD, (2, 3), 4)], [4])
    assert supported_by(devices, model) == (False, True)
    assert code_of_call(lambda: finished(devices, model, is_explicit=True)) == ResultCode.BAD_DATA


@pytest.mark.parametrize(
    ("mode", "code"),
    [("0", ResultCode.NO_ERROR), ("1", ResultCode.NO_ERROR), ("2", ResultCode.OP_FAILED)],
)
def test_modes(mode: str, code: ResultCode, monkeypatch: pytest.MonkeyPatch) -> None:
    """PartitioningTest.SetPartitioning: one device for all, a failure that another device hides, a failure."""
    monkeypatch.setenv(PARTITION_VARIABLE, mode)
    failing, other = RefusingDevice(0.5, ADD), FigureDevice(1.0)
    model = graph([(ADD, (0, 1), 2), (MUL, (2, 3), 4)], [4])
    assert code_of_call(lambda: finished(exported(failing, other), model)) == code
    assert [len(received.main.operations) for received in other.models] == {"0": [2], "1": [1, 1], "2": []}[mode]


class RefusingDevice(FigureDevice):
    """A driver that prepares nothing of what it supports."""

    def prepare_model(self, model: Model, config: PrepareModelConfig, callback: object) -> None:
        """Fail.

        :raises HalError: always.
        """
        raise failure("refused for a test", "prepare/supported")


def test_a_failing_driver_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """FailingDriverTest.SimplePlan: the driver takes all, fails, and the other one's result is the exact one."""
    monkeypatch.setenv(PARTITION_VARIABLE, "1")
    failing, other = FigureDevice(0.5, SQRT), FigureDevice(1.0)
    failing.fails = lambda _: True
    execution, written = execution_of(finished(exported(failing, other), graph([(SQRT, (0,), 1)], [1])), 144)
    running.compute(execution)
    assert number_in(written) == 12
    assert [len(failing.executions), len(other.executions)] == [1, 1]


class StatusModel(BasePreparedModel):
    """A prepared model whose executions end as the device says, once its gate is open."""

    def __init__(self, device: StatusDevice, model: Model) -> None:
        """Belong to a device."""
        super().__init__(model)
        self.feature_level = device.feature_level
        self._device = device

    def run(self, request: Request, config: ExecutionConfig, deadline_ns: int) -> ExecutionResult:
        """End with the status.

        :raises HalError: it is an error.
        """
        del request, config, deadline_ns
        self._device.gate.wait()
        if self._device.status is ErrorStatus.OUTPUT_INSUFFICIENT_SIZE:
            return ExecutionResult(output_sufficient_size=False, output_shapes=(OutputShape((1,), False),))
        if self._device.status is not ErrorStatus.NONE:
            raise HalError(self._device.status, "as the test says")
        return ExecutionResult(output_sufficient_size=True, output_shapes=(OutputShape((1,)),))


class StatusDevice(BaseDevice):
    """A driver of any level that supports everything; executions end with a status."""

    def __init__(self, level: str, status: ErrorStatus) -> None:
        """Be of this level."""
        self.feature_level = create(f"level_{level}").get_feature_level()
        self.status = status
        self.gate = threading.Event()
        self.gate.set()

    def supports(self, model: Model, operation: Operation) -> bool:
        """Everything."""
        return True

    def compile(self, model: Model, config: PrepareModelConfig) -> PreparedModel:
        """Prepare it."""
        return StatusModel(self, model)


STATUSES = {
    ErrorStatus.NONE: ResultCode.NO_ERROR,
    ErrorStatus.DEVICE_UNAVAILABLE: ResultCode.UNAVAILABLE_DEVICE,
    ErrorStatus.GENERAL_FAILURE: ResultCode.OP_FAILED,
    ErrorStatus.OUTPUT_INSUFFICIENT_SIZE: ResultCode.OUTPUT_INSUFFICIENT_SIZE,
    ErrorStatus.INVALID_ARGUMENT: ResultCode.BAD_DATA,
}
"""Of the first three versions of the interface."""
LATER = {
    ErrorStatus.MISSED_DEADLINE_TRANSIENT: ResultCode.MISSED_DEADLINE_TRANSIENT,
    ErrorStatus.MISSED_DEADLINE_PERSISTENT: ResultCode.MISSED_DEADLINE_PERSISTENT,
    ErrorStatus.RESOURCE_EXHAUSTED_TRANSIENT: ResultCode.RESOURCE_EXHAUSTED_TRANSIENT,
    ErrorStatus.RESOURCE_EXHAUSTED_PERSISTENT: ResultCode.RESOURCE_EXHAUSTED_PERSISTENT,
}


def run_and_wait(execution: ClientExecution) -> None:
    """Launch it, and wait for its end.

    :raises RefusalError: it fails.
    """
    EXECUTIONS["Event_wait"](running.start_compute(execution))


def run_behind_nothing(execution: ClientExecution) -> None:
    """Launch it behind no fence, and wait for its end.

    :raises RefusalError: it fails.
    """
    event: ClientEvent = running.start_after(execution, NO_EVENTS, 0, 0)
    EXECUTIONS["Event_wait"](event)


class NoEvents:
    """An empty array."""

    def take(self, count: int) -> list[object]:
        """Nothing."""
        assert not count
        return []


NO_EVENTS: Any = NoEvents()


def run_in_burst(execution: ClientExecution) -> None:
    """Run it in a burst of its own.

    :raises RefusalError: it fails.
    """
    running.burst_compute(execution, running.ClientBurst(execution.compilation))


EXECUTORS = (running.compute, run_and_wait, run_behind_nothing, run_in_burst)


@pytest.mark.parametrize(
    ("level", "is_reusable"),
    [
        pytest.param(level, reusable, id=f"ExecutionTest1{int(level) - 1}.Wait{'Reusable' if reusable else ''}")
        for level in "1234"
        for reusable in (False, True)
    ],
)
def test_statuses_of_executions(level: str, is_reusable: bool) -> None:
    """ExecutionTest10.Wait, ExecutionTest10.WaitReusable, ExecutionTest11.Wait, ExecutionTest11.WaitReusable.

    ExecutionTest12.Wait, ExecutionTest12.WaitReusable, ExecutionTest13.Wait, ExecutionTest13.WaitReusable: whatever way
    an execution is started, it ends with the code of the driver's status, as often as it is run. Behind fences all
    sizes are known, so no output is too small.
    """
    for status, code in {**STATUSES, **(LATER if level == "4" else {})}.items():
        compilation = finished(exported(StatusDevice(level, status)), SUM, is_explicit=True)
        for executor in EXECUTORS:
            if executor is run_behind_nothing and status is ErrorStatus.OUTPUT_INSUFFICIENT_SIZE:
                continue
            execution, _ = execution_of(compilation, 1, 2)
            execution.is_reusable = is_reusable
            for _ in range(2 if is_reusable else 1):
                assert code_of_call(partial(executor, execution)) == code, (status, executor)
            again = code_of_call(partial(executor, execution))
            assert again == (code if is_reusable else ResultCode.BAD_STATE)


def test_dimensions_of_an_execution_that_runs() -> None:
    """They are asked for while the driver is at it, which is too early, and then are there."""
    device = StatusDevice("4", ErrorStatus.NONE)
    execution, _ = execution_of(finished(exported(device), SUM), 1, 2)
    device.gate.clear()
    event = running.start_compute(execution)
    rank = partial(EXECUTIONS["Execution_getOutputOperandRank"], execution, 0, [0])
    assert code_of_call(rank) == ResultCode.BAD_STATE
    device.gate.set()
    EXECUTIONS["Event_wait"](event)
    assert code_of_call(rank) == ResultCode.NO_ERROR


class FilesDevice(BaseDevice):
    """A driver of ADD that wants so many cache files, and writes known bytes into each; its calls are kept."""

    name = "files"

    def __init__(self, models: int, data: int, status: ErrorStatus = ErrorStatus.NONE) -> None:
        """``status`` is that of the answer about files, and of preparations from the cache."""
        self._needed = NumberOfCacheFiles(models, data)
        self._status = status
        self.calls: list[tuple[str, int, int]] = []

    def get_number_of_cache_files_needed(self) -> NumberOfCacheFiles:
        """So many."""
        return self._needed

    def supports(self, model: Model, operation: Operation) -> bool:
        """Everything."""
        return True

    def compile(self, model: Model, config: PrepareModelConfig) -> PreparedModel:
        """Prepare it, and write 0, 1, 2 and so on into files of models, and 1, 2, 3 into those of data."""
        self.calls.append(("prepareModel", len(config.model_cache), len(config.data_cache)))
        for files, begin in ((config.model_cache, 0), (config.data_cache, 1)):
            for file in files:
                open_at_start(file).write(bytes((begin + index) % 256 for index in range(256)))
        return StatusModel(StatusDevice("4", ErrorStatus.NONE), model)

    def compile_from_cache(
        self, model_cache: Sequence[MappableFile], data_cache: Sequence[MappableFile], token: bytes
    ) -> PreparedModel:
        """Read what was written.

        :raises HalError: as the test wants it.
        """
        self.calls.append(("prepareModelFromCache", len(model_cache), len(data_cache)))
        for files, begin in ((model_cache, 0), (data_cache, 1)):
            for file in files:
                assert open_at_start(file).read() == bytes((begin + index) % 256 for index in range(256))
        if self._status is not ErrorStatus.NONE:
            raise HalError(self._status, "as the test says")
        return StatusModel(StatusDevice("4", ErrorStatus.NONE), SUM)


def open_at_start(file: MappableFile) -> Any:
    """The file, to read and write from its beginning, without a buffer."""
    opened = open(file.handle.fd, "r+b", buffering=0, closefd=False)  # noqa: SIM115 - it closes nothing
    opened.seek(0)
    return opened


COUNTS = [(models, data) for models in (0, 1, 32) for data in (0, 1, 32)]
LOADING = (
    ErrorStatus.NONE,
    ErrorStatus.GENERAL_FAILURE,
    ErrorStatus.DEVICE_UNAVAILABLE,
    ErrorStatus.INVALID_ARGUMENT,
)


def test_devices_that_are_listed() -> None:
    """DeviceRegistrationTest.CachingFailure: those that say how many cache files they want, and want at most 32."""

    class Unavailable(FilesDevice):
        def get_number_of_cache_files_needed(self) -> NumberOfCacheFiles:
            raise HalError(ErrorStatus.DEVICE_UNAVAILABLE, "as the test says")

    for models in (0, 1, 32, 33):
        for data in (0, 1, 32, 33):
            (device,) = exported(FilesDevice(models, data))
            assert (code_of_call(partial(check_usable, device)) == ResultCode.NO_ERROR) == (max(models, data) <= 32)
            (device,) = exported(Unavailable(models, data))
            assert code_of_call(partial(check_usable, device)) == ResultCode.UNAVAILABLE_DEVICE


@pytest.mark.parametrize("status", LOADING, ids=lambda status: status.name)
def test_calls_for_caching(tmp_path: Path, status: ErrorStatus) -> None:
    """CompilationCachingTest.TokenProvidedAndCacheNotExist, CompilationCachingTest.TokenProvidedAndCacheExist.

    CompilationCachingTest.TokenNotProvided: the driver is asked for what it has saved only if it saves anything and
    there are files, and to prepare anew if it fails at that. Without a token it gets no files.
    """
    for models, data in COUNTS:
        folder = tmp_path / f"{models}-{data}"
        folder.mkdir()
        saves = bool(models or data)
        device = FilesDevice(models, data, status)
        given = partial(finished, exported(device), SUM, is_explicit=True)
        given(cache=Folder(str(folder), bytes(32)))
        assert device.calls == [("prepareModel", models, data)]
        device.calls.clear()
        given(cache=Folder(str(folder), bytes(32)))
        anew = [("prepareModel", models, data)] if status is not ErrorStatus.NONE or not saves else []
        assert device.calls == ([("prepareModelFromCache", models, data)] if saves else []) + anew
        device.calls.clear()
        given()
        assert device.calls == [("prepareModel", 0, 0)]
