"""An execution of the library: its arguments, its run, and the shapes and times of its result.

:mod:`nnvet.adapters.nnapi.prepared_model` builds the HAL's executors from such executions
(:class:`NnapiExecution`); :mod:`nnvet.adapters.nnapi.compilation` has made the compilation that they run.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from nnvet.adapters.nnapi.compilation import NnapiCompilation, add_attributes, set_timeout
from nnvet.adapters.nnapi.declarations import NO_DURATION, DurationCode, ResultCode, error_of
from nnvet.adapters.nnapi.device_memory import NnapiBuffers, check_memory, create_memory
from nnvet.adapters.nnapi.inexpressible import check_request
from nnvet.adapters.nnapi.library import NnapiLibrary
from nnvet.hal import types as hal
from nnvet.hal.enums import NO_DEADLINE, NO_TIMING, ErrorStatus, OperandType
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import combine, is_tensor

_LAUNCHED: Final = (DurationCode.ON_HARDWARE, DurationCode.IN_DRIVER)
"""Durations, on the device and in the driver, that begin with the launch."""
_REFUSALS: Final = (ResultCode.BAD_DATA, ResultCode.UNEXPECTED_NULL)
"""Results with which a library says that the client's arguments are wrong."""
_MOST_DIMENSIONS: Final = 2**16
"""Highest plausible rank of an output; no memory is allocated for a larger one, which must be an error."""


class NnapiExecution:
    """An execution of the library with all its arguments set."""

    def __init__(
        self,
        compilation: NnapiCompilation,
        buffers: NnapiBuffers,
        request: hal.Request,
        config: hal.ExecutionConfig,
        *,
        unspecified_outputs: bool = True,
        reusable: bool = False,
    ) -> None:
        """Create an execution, and set arguments and options, except options that an older library has no function for.

        :raises HalError: the library's error if it refuses; INVALID_ARGUMENT with the rule ``adapter/inexpressible``
            for a request that the C API cannot express; then the library gets no part of it. The library has to refuse
            every other invalid request, at the latest at the end of its run: see :meth:`check_accepted`.
        """
        built = compilation.built
        self.is_valid = check_request(
            request, config, built.model, is_valid=built.is_valid, unspecified_outputs=unspecified_outputs
        )
        library = self.library = compilation.library
        self._memories = _list_memories(library, request, buffers)
        main = built.model.main
        self._compilation = compilation
        self._is_measured = config.measure_timing and library.has("Execution_setMeasureTiming")
        # A wrong number of arguments is passed on, because the library has to find it out.
        pairs = zip(main.output_indexes, request.outputs, strict=False)
        self._outputs = [(main.operands[index], argument) for index, argument in pairs]
        self.pointer = library.create("Execution_create", compilation.pointer, keeps=(compilation, self._memories))
        if self._is_measured:
            library.call("Execution_setMeasureTiming", self.pointer, True)
        self.is_reusable = reusable and library.has("Execution_setReusable")
        if self.is_reusable:
            library.call("Execution_setReusable", self.pointer, True)
        if config.loop_timeout_duration_ns != NO_DEADLINE and library.has("Execution_setLoopTimeout"):
            library.call("Execution_setLoopTimeout", self.pointer, config.loop_timeout_duration_ns)
        names = config.extension_name_to_prefix
        add_attributes(library, "Execution_addExtensionAttribute", self.pointer, config.execution_hints, names)
        if any(argument.location.padding for argument in (*request.inputs, *request.outputs)):
            library.call("Execution_enableInputAndOutputPadding", self.pointer, True)
        self._set("Execution_setInput", request.inputs, main.input_indexes)
        self._set("Execution_setOutput", request.outputs, main.output_indexes)

    def compute(self, deadline_ns: int) -> hal.ExecutionResult:
        """Run to the end.

        :raises HalError: the library's error; MISSED_DEADLINE_PERSISTENT if the deadline has passed.
        """
        set_timeout(self.library, "Execution_setTimeout", self.pointer, deadline_ns)
        if not self.library.has("Execution_compute"):
            event = self._create_event("Execution_startCompute")
            return self.result(self.library.result("Event_wait", event))
        return self.result(self.library.result("Execution_compute", self.pointer))

    def compute_in(self, burst: Any, deadline_ns: int) -> hal.ExecutionResult:
        """Run in a burst of the library; raises like :meth:`compute`."""
        set_timeout(self.library, "Execution_setTimeout", self.pointer, deadline_ns)
        return self.result(self.library.result("Execution_burstCompute", self.pointer, burst))

    def start(self, deadline_ns: int) -> Any | None:
        """Launch the execution, and return the event of its end; None: the library cannot launch such an execution.

        :raises HalError: the library refuses it; MISSED_DEADLINE_PERSISTENT if the deadline has passed.
        """
        library = self.library
        if library.has("Execution_startCompute"):
            set_timeout(library, "Execution_setTimeout", self.pointer, deadline_ns)
            return self._create_event("Execution_startCompute")
        if any(_is_unspecified(operand, argument) for operand, argument in self._outputs):
            # A support library can launch only executions with dependencies.
            return None
        return self.start_after((), deadline_ns, 0)

    def start_after(self, dependencies: Sequence[Any], deadline_ns: int, duration_ns: int) -> Any:
        """Launch after events, for at most ``duration_ns`` from the last one on (0: no limit); see :meth:`start`."""
        library = self.library
        set_timeout(library, "Execution_setTimeout", self.pointer, deadline_ns)
        events = library.ffi.new("ANeuralNetworksEvent*[]", list(dependencies)) if dependencies else library.ffi.NULL
        starter = "Execution_startComputeWithDependencies"
        return self._create_event(starter, events, len(dependencies), duration_ns, dependencies=dependencies)

    def check_accepted(self, event: Any) -> None:
        """Wait for the end of a run that the library should have refused: the event may be the first to report that.

        :raises HalError: INVALID_ARGUMENT, if the event refuses.
        """
        if not self.is_valid:
            code = self.library.result("Event_wait", event)
            if code in _REFUSALS:
                raise error_of(code, "Event_wait")

    def result(self, code: int) -> hal.ExecutionResult:
        """Return the result of a run that ended with ``code``.

        :raises HalError: the run failed for another reason than too little space for outputs.
        """
        if code not in (ResultCode.NO_ERROR, ResultCode.OUTPUT_INSUFFICIENT_SIZE):
            raise error_of(code, "the execution")
        shapes = tuple(
            self._read_shape(index, operand, argument) for index, (operand, argument) in enumerate(self._outputs)
        )
        if code == ResultCode.OUTPUT_INSUFFICIENT_SIZE:
            return hal.ExecutionResult(False, shapes)
        return hal.ExecutionResult(True, shapes, self.timing(*_LAUNCHED))

    def timing(self, on_device: DurationCode, in_driver: DurationCode) -> hal.Timing:
        """Return the durations of a successful run, if they are measured."""
        return (
            hal.Timing(*(self._read_duration(code) for code in (on_device, in_driver)))
            if self._is_measured
            else hal.Timing()
        )

    def _create_event(self, starter: str, *arguments: Any, dependencies: Sequence[Any] = ()) -> Any:
        """Launch the execution by the function ``starter``, and return the event of its end."""
        # An event may be used for longer than the execution; both objects stay until it is freed.
        kept = (self.pointer, tuple(dependencies))
        return self.library.create(starter, self.pointer, *arguments, kind="Event", keeps=kept)

    def _read_duration(self, code: DurationCode) -> int:
        duration: int = self.library.value("Execution_getDuration", "uint64_t", self.pointer, code)
        return NO_TIMING if duration == NO_DURATION else duration

    def _read_shape(self, index: int, operand: hal.Operand, argument: hal.RequestArgument) -> hal.OutputShape:
        """Return the shape that the library reports; without such a function, the shape that model and request give."""
        library = self.library
        if not library.has("Execution_getOutputOperandRank"):
            return hal.OutputShape(combine(operand.dimensions, argument.dimensions) or ())
        rank = library.ffi.new("uint32_t*")
        sufficient = self._read_output("Execution_getOutputOperandRank", index, rank)
        if rank[0] > _MOST_DIMENSIONS:
            raise HalError(ErrorStatus.GENERAL_FAILURE, f"output {index} has rank {rank[0]}", "driver/reply")
        if not rank[0]:
            return hal.OutputShape((), sufficient)
        dimensions = library.ffi.new("uint32_t[]", rank[0])
        sufficient = self._read_output("Execution_getOutputOperandDimensions", index, dimensions) and sufficient
        return hal.OutputShape(tuple(dimensions), sufficient)

    def _read_output(self, getter: str, index: int, place: Any) -> bool:
        """Let the library write the rank or dimensions of an output; return True if the output has enough space."""
        code = self.library.result(getter, self.pointer, index, place)
        if code not in (ResultCode.NO_ERROR, ResultCode.OUTPUT_INSUFFICIENT_SIZE):
            raise error_of(code, getter)
        return code == ResultCode.NO_ERROR

    def _set(self, setter: str, arguments: Sequence[hal.RequestArgument], indexes: Sequence[int]) -> None:
        for position, argument in enumerate(arguments):
            # Too many arguments are passed on, because the library has to find it out.
            operand = (
                self._compilation.built.model.main.operands[indexes[position]] if position < len(indexes) else None
            )
            self._set_argument(setter, position, argument, operand)

    def _set_argument(
        self, setter: str, position: int, argument: hal.RequestArgument, operand: hal.Operand | None
    ) -> None:
        library, location = self.library, argument.location
        null = library.ffi.NULL
        if argument.has_no_value:
            library.call(setter, self.pointer, position, null, null, 0)
            return
        structure = dimensions = null
        if operand is not None and argument.dimensions and is_tensor(operand.type):
            built = self._compilation.built
            structure, dimensions = built.operand_type(built.pointer, operand, argument.dimensions)
        # The C API has one length for the data and its padding.
        memory, length = self._memories[location.pool_index], location.length + location.padding
        library.call(f"{setter}FromMemory", self.pointer, position, structure, memory, location.offset, length)
        # The structure points to the dimensions, so they had to live until here.
        del dimensions


def _list_memories(library: NnapiLibrary, request: hal.Request, buffers: NnapiBuffers) -> list[Any]:
    """Return the library's objects for the pools of a request, after a check of reading and writing."""
    read, written = (
        {argument.location.pool_index for argument in arguments if not argument.has_no_value}
        for arguments in (request.inputs, request.outputs)
    )
    for number, pool in enumerate(request.pools):
        if isinstance(pool, hal.BufferToken):
            buffers.find(pool.token)
        else:
            check_memory(pool, "request/pool.valid", is_read=number in read, is_written=number in written)
    return [
        buffers.find(pool.token) if isinstance(pool, hal.BufferToken) else create_memory(library, pool)
        for pool in request.pools
    ]


def _is_unspecified(operand: hal.Operand, argument: hal.RequestArgument) -> bool:
    """Return True for a tensor whose rank or whose dimensions neither model nor request give."""
    known = combine(operand.dimensions, argument.dimensions)
    return is_tensor(operand.type) and operand.type != OperandType.OEM and (not known or 0 in known)
