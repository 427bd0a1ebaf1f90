"""A driver as a contender of the benchmark (:mod:`nnvet.models.contenders`).

Requests and memory are made once and used for all inferences, with the fastest executor of the driver's level; state
outputs are fed back. The time to reach the driver is measured in the same manner, with a model of one RELU on one
number. The result includes the driver's own time for the RELU, so it is an upper bound.
"""

from __future__ import annotations

import hashlib
import mmap
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from nnvet.adapters.calls import find_miscount
from nnvet.adapters.driver import Driver
from nnvet.conformance.engine.target import Target
from nnvet.conformance.kit.executing import EXECUTOR_LEVELS, Answer, Execution, Executor, TestConfig, open_execution
from nnvet.formats.tflite.importer import ImportedModel
from nnvet.hal import memory
from nnvet.hal import types as hal
from nnvet.hal.errors import HalError
from nnvet.hal.interfaces import Device, PreparedModel
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.catalogue import operation_name
from nnvet.models.compiling import SUSTAINED, CacheFiles, Compiler, calling, fault
from nnvet.models.conditions import family
from nnvet.models.contenders import BenchModel, CompileRun, ContenderError
from nnvet.models.datasets import Array, element_type
from nnvet.reports.events import OUR_BACKEND, Verdict
from nnvet.transport.burst.polling import Announcer, polling_for
from nnvet.transport.wire.failures import DriverGone

_WARM_UP: Final = 20
"""Least number of inferences of the warm-up."""
_WARM_UP_S: Final = 0.1
"""Time after which the system has moved client and service, which both poll, to different cores."""
_INFERENCES: Final = 200
"""Number of inferences whose median is reported."""
_BUDGET_S: Final = 1.0
"""Seconds of inferences after which a slow driver is not measured further."""
_OPERANDS: Final = (
    hal.Operand(hal.OperandType.TENSOR_FLOAT32, (1,), lifetime=hal.OperandLifeTime.SUBGRAPH_INPUT),
    hal.Operand(hal.OperandType.TENSOR_FLOAT32, (1,), lifetime=hal.OperandLifeTime.SUBGRAPH_OUTPUT),
)
NEXT_TO_NOTHING: Final = hal.Model(
    hal.Subgraph(_OPERANDS, (hal.Operation(hal.OperationType.RELU, (0,), (1,)),), (0,), (1,))
)
"""Model of one RELU on one number."""


def measure_overhead(device: Device, level: int, timeout_s: float) -> float | None:
    """Return the median seconds of an inference of :data:`NEXT_TO_NOTHING`; None if the driver does not run it."""
    try:
        if not all(device.get_supported_operations(NEXT_TO_NOTHING)):
            return None
        prepared = Compiler(device, NEXT_TO_NOTHING, timeout_s).compile(hal.PrepareModelConfig())
        with ExitStack() as stack:
            arenas = [Arena([operand]) for operand in _OPERANDS]
            for arena in arenas:
                stack.callback(arena.close)
            sources, results = arenas
            request = hal.Request(sources.arguments(0), results.arguments(1), (sources.pool, results.pool))
            run = open_run(stack, prepared, request, fastest_executor(level), timeout_s)
            warm = _latencies(run, _WARM_UP, _WARM_UP_S)
            return median(_latencies(run, _INFERENCES, 0) if sum(warm) < _BUDGET_S else warm)
    except (HalError, ContenderError, DriverGone):
        return None


def _latencies(run: Callable[[], Answer], inferences: int, at_least_s: float) -> list[float]:
    """Return the seconds of inferences, of a least number for a least time, but within a budget.

    :raises HalError: if an inference fails.
    """
    latencies: list[float] = []
    total = 0.0
    while (len(latencies) < inferences or total < at_least_s) and total < _BUDGET_S:
        started = time.perf_counter_ns()
        answer = run()
        latencies.append((time.perf_counter_ns() - started) / 1e9)
        total += latencies[-1]
        if answer.status is not hal.ErrorStatus.NONE:
            raise HalError(answer.status, answer.message, answer.rule)
    return latencies


_ALIGNMENT: Final = 64
"""Arrays begin at multiples of this in their pool."""
_FASTEST: Final = (Executor.BURST, Executor.ASYNC)
"""Executors from the fastest on. Reusable executions are not among them, since their requests go through a socket."""

_POLLING_S: Final = 0.005
"""Seconds for which the client polls for a result, longer than most networks take. It has nothing else to do then."""


class Arena:
    """One shared-memory pool with an array for each operand; the arrays are views of the pool."""

    def __init__(self, operands: Sequence[hal.Operand]) -> None:
        """Lay out operands, whose dimensions are all known, one after the other."""
        self._locations: list[hal.DataLocation] = []
        end = 0
        for operand in operands:
            info = OPERAND_TYPES[operand.type]
            start = -(-end // _ALIGNMENT) * _ALIGNMENT
            size = info.size * int(np.prod(operand.dimensions, dtype=np.int64))
            self._locations.append(hal.DataLocation(offset=start, length=size))
            end = start + size
        self.pool = memory.create_ashmem(end, "nnvet-bench")
        self._mapping: mmap.mmap = memory.map_memory(self.pool)
        self.arrays: list[npt.NDArray[Any]] = [
            np.ndarray(operand.dimensions, OPERAND_TYPES[operand.type].dtype, self._mapping, location.offset)
            for operand, location in zip(operands, self._locations, strict=True)
        ]

    def arguments(self, pool_index: int) -> tuple[hal.RequestArgument, ...]:
        """Return the arguments of a request that has this pool under the number ``pool_index``."""
        return tuple(
            hal.RequestArgument(location=hal.DataLocation(pool_index, location.offset, location.length))
            for location in self._locations
        )

    def close(self) -> None:
        """Unmap and close the pool; the arrays must not be used any more."""
        self.arrays.clear()
        self._mapping.close()
        memory.close(self.pool)


@dataclass(frozen=True)
class RepeatedRequest:
    """Callable that executes one request each time it is called."""

    execute: Execution
    ends: Sequence[Announcer] = ()

    def announce(self) -> None:
        """Wake the service, because an execution follows soon whose time must not include the waking."""
        for end in self.ends:
            end.announce()

    def __call__(self) -> Answer:
        """Execute the request."""
        return self.execute()


def fastest_executor(level: int) -> Executor:
    """Return the fastest executor of a feature level.

    Drivers from level 3 on have bursts; older ones only have the asynchronous execution with a callback.
    """
    return next(candidate for candidate in _FASTEST if EXECUTOR_LEVELS[candidate] <= level)


def open_run(
    stack: ExitStack,
    prepared: PreparedModel,
    request: hal.Request,
    executor: Executor,
    timeout_s: float,
    polling_s: float = _POLLING_S,
) -> RepeatedRequest:
    """Return a function that executes ``request`` by ``executor``, until ``stack`` is closed.

    :raises HalError: if the driver refuses to set the executions up.
    """
    with polling_for(polling_s) as ends:
        return RepeatedRequest(
            stack.enter_context(open_execution(prepared, request, TestConfig(executor), timeout_s)), ends
        )


_SDK_OF_LEVEL_ZERO: Final = 26
"""SDK before that of feature level 1, which is 27; each later SDK up to 31 brought one more level."""
_MAX_NAMES: Final = 5
"""Most operations that a message names."""


@dataclass
class DriverContender:
    """A driver behind its device interface, in a service process or in this one.

    ``selector`` names it in results. ``renew_device`` gives a fresh device after a crash or hang; without it the
    driver is lost for all models that follow. ``processes`` returns the ids of its processes.
    """

    selector: str
    device: Device
    renew_device: Callable[[], Device] | None = None
    compile_timeout_s: float = 60.0
    execute_timeout_s: float = 60.0
    processes: Callable[[], Sequence[int]] = tuple

    @property
    def backend(self) -> str:
        """``nnvet:`` and the selector."""
        return OUR_BACKEND + self.selector

    @property
    def is_accelerator(self) -> bool:
        """True if the driver says that it represents a GPU or another accelerator."""
        try:
            return self.device.get_type() in (hal.DeviceType.GPU, hal.DeviceType.ACCELERATOR)
        except (HalError, DriverGone):
            return False

    def open(self, model: BenchModel) -> DriverModel:
        """Compile the model if the driver supports all its operations.

        :raises ContenderError: UNSUPPORTED, or a verdict for the driver's fault.
        """
        return self.open_lanes(model, 1)[0]

    def open_lanes(self, model: BenchModel, count: int, executor: Executor | None = None) -> list[DriverModel]:
        """Compile the model once, for ``count`` executions in flight by an executor, or else by the fastest.

        :raises ContenderError: UNSUPPORTED, also for an executor that the level lacks, or a verdict for the fault.
        """
        imported, level = self.supported(model)
        chosen = executor or fastest_executor(level)
        if EXECUTOR_LEVELS[chosen] > level:
            needed = f"{chosen} executions need feature level {EXECUTOR_LEVELS[chosen]}, the driver has {level}"
            raise ContenderError(Verdict.UNSUPPORTED, needed)
        prepared = Compiler(self.device, imported.model, self.compile_timeout_s).compile(SUSTAINED)
        # Clients that poll take processors from each other.
        polling_s = _POLLING_S if count == 1 else 0.0
        with ExitStack() as undo:
            lanes = []
            for _ in range(count):
                lanes.append(DriverModel(imported, model, prepared, chosen, self.execute_timeout_s, polling_s))
                undo.callback(lanes[-1].close)
            undo.pop_all()
        return lanes

    def renew(self) -> None:
        """Get a fresh device.

        :raises ContenderError: CRASH if no device can be had.
        """
        if self.renew_device is None:
            raise ContenderError(Verdict.CRASH, "the driver was lost with an earlier model")
        self.device = self.renew_device()

    def overhead_s(self) -> float | None:
        """Return the time of an inference that computes almost nothing."""
        try:
            level = self.device.get_feature_level()
        except (HalError, DriverGone):
            return None
        return measure_overhead(self.device, level, self.execute_timeout_s)

    def compile_runs(self, model: BenchModel, folder: Path) -> dict[str, CompileRun]:
        """Return compilation without a cache and, if the driver supports caching, into and from a cache."""
        imported, _ = self.supported(model)
        compiler = Compiler(self.device, imported.model, self.compile_timeout_s)
        plain = _CompileRun(lambda: None, lambda: compiler.compile(SUSTAINED))
        with calling("getNumberOfCacheFilesNeeded"):
            needed = self.device.get_number_of_cache_files_needed()
        if not needed.num_model_cache and not needed.num_data_cache:
            return {"compile_without_cache": plain}
        cache = CacheFiles(folder, needed.num_model_cache, needed.num_data_cache)
        token = hashlib.sha256(model.data).digest()
        compiler.save(cache, token)
        if not cache.size:
            return {"compile_without_cache": plain}
        return {
            "compile_without_cache": plain,
            "save_to_cache": _CompileRun(cache.clear, lambda: compiler.save(cache, token)),
            # It gets no model, so that success alone shows that the cache was used.
            "prepare_from_cache": _CompileRun(lambda: None, lambda: compiler.load(cache, token)),
        }

    def supported(self, model: BenchModel) -> tuple[ImportedModel, int]:
        """Return the HAL model if the driver claims to support all of it, and the driver's level.

        :raises ContenderError: UNSUPPORTED, NOT_RUN without a HAL model, or a verdict for the driver's fault.
        """
        if model.imported is None:
            raise ContenderError(Verdict.NOT_RUN, model.import_error)
        with calling("getFeatureLevel"):
            level = self.device.get_feature_level()
        needed = max(model.imported.feature_level, _level_of_sdk(model.entry.min_sdk_version))
        if level < needed:
            raise ContenderError(Verdict.UNSUPPORTED, f"the model needs feature level {needed}, the driver has {level}")
        with calling("getSupportedOperations"):
            answers = self.device.get_supported_operations(model.imported.model)
        operations = model.imported.model.main.operations
        if wrong := find_miscount(answers, model.imported.model):
            raise ContenderError(Verdict.FAIL, wrong)
        refused = sorted({operation_name(op.type) for op, yes in zip(operations, answers, strict=True) if not yes})
        if refused:
            more = f" and {len(refused) - _MAX_NAMES} more" if len(refused) > _MAX_NAMES else ""
            raise ContenderError(
                Verdict.UNSUPPORTED, f"the driver does not take {', '.join(refused[:_MAX_NAMES])}{more}"
            )
        return model.imported, level


@dataclass(frozen=True)
class _CompileRun:
    """One kind of compilation: ``prepare`` is not timed, ``run`` compiles and is timed."""

    prepare: Callable[[], None]
    run: Callable[[], PreparedModel]

    def compile(self) -> None:
        """Compile, and drop the result."""
        self.run()


class DriverModel:
    """A prepared model with one request, whose memory serves every inference."""

    def __init__(
        self,
        imported: ImportedModel,
        model: BenchModel,
        prepared: PreparedModel,
        executor: Executor,
        timeout_s: float,
        polling_s: float = _POLLING_S,
    ) -> None:
        """Lay out one pool of inputs and one of outputs. An execution may take ``timeout_s`` seconds.

        :raises ContenderError: if the driver refuses the request.
        """
        dtype, first = np.dtype(element_type(model.entry)).name, imported.inputs[0]
        if OPERAND_TYPES[first.type].dtype != dtype or len(imported.inputs) > 1:
            own = OPERAND_TYPES[first.type].dtype
            raise ContenderError(
                Verdict.NOT_RUN,
                f"{model.path}: the list gives one input of {dtype} (dataSize {model.entry.data_size}), "
                f"the model has {len(imported.inputs)}, the first of {own} {list(first.shape)}; correct the list",
            )
        self._imported = imported
        self._stack = ExitStack()
        main = imported.model.main
        self._inputs = Arena([main.operands[index] for index in main.input_indexes])
        self._outputs = Arena([main.operands[index] for index in main.output_indexes])
        request = hal.Request(
            self._inputs.arguments(0), self._outputs.arguments(1), (self._inputs.pool, self._outputs.pool)
        )
        try:
            with calling("setting up executions"):
                self._run = open_run(self._stack, prepared, request, executor, timeout_s, polling_s)
        except ContenderError:
            self.close()
            raise

    def reset(self) -> None:
        """Write zero into every state, which is the zero point for codes."""
        for state in self._imported.states:
            self._inputs.arrays[state.input_index][...] = state.zero

    def put(self, data: bytes) -> None:
        """Copy the input."""
        self._run.announce()
        target = self._inputs.arrays[0]
        target[...] = np.frombuffer(data, dtype=target.dtype).reshape(target.shape)

    def invoke(self) -> None:
        """Execute the request.

        :raises ContenderError: FAIL, HANG or CRASH.
        """
        with calling("the execution"):
            answer = self._run()
        if answer.status is hal.ErrorStatus.OUTPUT_INSUFFICIENT_SIZE:
            raise ContenderError(Verdict.FAIL, "the driver calls an output buffer of the full size too small")
        if answer.status is not hal.ErrorStatus.NONE:
            raise fault("the execution", HalError(answer.status, answer.message, answer.rule))

    def take(self) -> tuple[Array, ...]:
        """Return copies of the file's own outputs, and copy state outputs into state inputs."""
        for state in self._imported.states:
            self._inputs.arrays[state.input_index][...] = self._outputs.arrays[state.output_index]
        return tuple(array.reshape(-1).copy() for array in self._outputs.arrays[: len(self._imported.outputs)])

    def close(self) -> None:
        """Release the burst or execution, and the memory."""
        with suppress(HalError, DriverGone):
            self._stack.close()
        self._inputs.close()
        self._outputs.close()


def _level_of_sdk(sdk: int) -> int:
    """Return the feature level that came with an Android SDK; 0 for SDKs before NNAPI."""
    return max(0, sdk - _SDK_OF_LEVEL_ZERO)


def contender_of(driver: Driver, target: Target) -> DriverContender:
    """Return a contender whose driver is started again when it is lost, with the target's time limit for each call."""

    def renew() -> Device:
        driver.restart()
        return driver.device

    def processes() -> list[int]:
        return [] if driver.pid is None else family(driver.pid)

    return DriverContender(target.selector, driver.device, renew, target.timeout_s, target.timeout_s, processes)
