"""Interpreter of IF and WHILE whose parts run on different devices: the host chooses the part and moves the values.

:mod:`nnvet.adapters.split.plan` prepares the parts and calls :func:`interpreted` for the whole. Each referenced model
is prepared by itself, and cut into steps where necessary. All sizes have to be known before the execution, so that
memory for the values of a loop is allocated once. Source: docs/contract/hal.md 7.4 and 10.4.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Final

from msgspec.structs import replace

from nnvet.adapters.split.assignment import has_known_size
from nnvet.adapters.split.running import ALIGNMENT, CutModel
from nnvet.driver_kit.arrays import constant
from nnvet.driver_kit.base_prepared_model import BasePreparedModel
from nnvet.hal import types as hal
from nnvet.hal.enums import NO_DEADLINE, ErrorStatus, OperandLifeTime, OperationType
from nnvet.hal.errors import HalError, failure
from nnvet.hal.interfaces import PreparedModel
from nnvet.hal.memory import create_ashmem, mapped

PARTS: Final = {OperationType.IF: (1, 2), OperationType.WHILE: (0, 1)}
"""Positions of the inputs that are models: then and else branch, or condition and body."""
FIRST_VALUE: Final = {OperationType.IF: 3, OperationType.WHILE: 2}
"""The first input that is passed on to a part."""
_CONSTANTS: Final = (OperandLifeTime.CONSTANT_COPY, OperandLifeTime.CONSTANT_REFERENCE)
"""Lifetimes of values that are part of the model."""


def part_models(model: hal.Model, place: int) -> tuple[hal.Model, ...]:
    """Return the referenced models of an operation, each as a model of its own; nothing if it is not control flow."""
    operation = model.main.operations[place]
    positions = PARTS.get(OperationType(operation.type), ()) if operation.type in PARTS else ()
    return tuple(_extract_part(model, operation, position) for position in positions)


def _extract_part(model: hal.Model, operation: hal.Operation, position: int) -> hal.Model:
    subgraph = model.referenced[model.main.operands[operation.inputs[position]].location.offset]
    is_nested = any(operand.lifetime == OperandLifeTime.SUBGRAPH for operand in subgraph.operands)
    return replace(model, main=subgraph, referenced=model.referenced if is_nested else ())


def can_be_interpreted(model: hal.Model, place: int) -> bool:
    """Return True for control flow whose inputs and outputs, and those of its parts, all have known sizes."""
    operation = model.main.operations[place]
    outer = [model.main.operands[index] for index in (*operation.inputs, *operation.outputs)]
    parts = part_models(model, place)
    inner = [
        part.main.operands[index] for part in parts for index in (*part.main.input_indexes, *part.main.output_indexes)
    ]
    return bool(parts) and all(map(has_known_size, (*outer, *inner)))


def interpreted(model: hal.Model, parts: Sequence[PreparedModel], element_bytes: Mapping[int, int]) -> PreparedModel:
    """Return the prepared model of a step that is one IF or WHILE; ``parts`` are its prepared parts, in order."""
    kind = _InterpretedIf if model.main.operations[0].type == OperationType.IF else _InterpretedWhile
    return kind(model, parts, element_bytes)


class _Interpreted(BasePreparedModel, ABC):
    """The common part of IF and WHILE: constants, sizes, and the answer to the client."""

    def __init__(self, model: hal.Model, parts: Sequence[PreparedModel], element_bytes: Mapping[int, int]) -> None:
        super().__init__(model)
        self._parts = tuple(parts)
        self._models = part_models(model, 0)
        self._operation = model.main.operations[0]
        self._element_bytes = element_bytes
        self._constants = self._read_constants()

    def run(self, request: hal.Request, config: hal.ExecutionConfig, deadline_ns: int) -> hal.ExecutionResult:
        """Execute the parts that the conditions select.

        :raises HalError: a part fails, or a loop takes too long.
        """
        execution = _InterpretedRun(self._operation, self.model, request, config, deadline_ns, self._constants)
        shapes = self._interpret(execution)
        by_operand = dict(zip(self._operation.outputs, shapes, strict=True))
        ordered = tuple(by_operand[index] for index in self.model.main.output_indexes)
        is_sufficient = all(shape.is_sufficient for shape in ordered)
        return hal.ExecutionResult(is_sufficient, ordered, execution.timing() if is_sufficient else hal.Timing())

    @abstractmethod
    def _interpret(self, execution: _InterpretedRun) -> Sequence[hal.OutputShape]:
        """Run the selected parts, and return the shapes of the operation's outputs."""

    def _compute_output_sizes(self, number: int) -> list[int]:
        """Return the sizes in bytes of the outputs of part ``number``."""
        part = CutModel(self._models[number], (), (), self._element_bytes)
        main = part.model.main
        return [part.size(index, main.operands[index].dimensions) for index in main.output_indexes]

    def _read_constants(self) -> dict[int, bytes]:
        operands = self.model.main.operands
        found = {}
        for index in self._operation.inputs:
            if operands[index].lifetime in _CONSTANTS:
                value = constant(self.model, operands[index])
                found[index] = b"" if value is None else value.tobytes()
        return found


class _InterpretedRun:
    """One execution: the places of the operation's values, and the requests to its parts."""

    def __init__(
        self,
        operation: hal.Operation,
        model: hal.Model,
        request: hal.Request,
        config: hal.ExecutionConfig,
        deadline_ns: int,
        constants: Mapping[int, bytes],
    ) -> None:
        self._pools = list(request.pools)
        self._config = config
        self._deadline_ns = deadline_ns
        self._times: list[int] = []
        self.arguments = dict(zip(model.main.input_indexes, request.inputs, strict=True))
        self.arguments |= dict(zip(model.main.output_indexes, request.outputs, strict=True))
        for index in operation.inputs:
            if index in constants:
                (self.arguments[index],) = self.reserve([len(constants[index])])
                self.write(self.arguments[index], constants[index])
            elif index not in self.arguments:
                self.arguments[index] = hal.RequestArgument(has_no_value=True)

    def reserve(self, sizes: Sequence[int]) -> list[hal.RequestArgument]:
        """Allocate one pool, and return an argument in it for each size."""
        number, arguments, end = len(self._pools), list[hal.RequestArgument](), 0
        for size in sizes:
            arguments.append(hal.RequestArgument(location=hal.DataLocation(number, end, size)))
            end += -(-size // ALIGNMENT) * ALIGNMENT
        self._pools.append(create_ashmem(max(end, 1)))
        return arguments

    def execute(
        self, part: PreparedModel, inputs: Sequence[hal.RequestArgument], outputs: Sequence[hal.RequestArgument]
    ) -> Sequence[hal.OutputShape]:
        """Execute a part, and return the shapes of its outputs.

        :raises HalError: the part fails.
        """
        request = hal.Request(tuple(inputs), tuple(outputs), tuple(self._pools))
        result = part.execute_synchronously(request, self._config, self._deadline_ns)
        self._times.append(result.timing.time_on_device_ns)
        return result.output_shapes

    def timing(self) -> hal.Timing:
        """Return the sum of all times on devices, if the client wants it and every part reported one."""
        is_known = self._config.measure_timing and hal.NO_TIMING not in self._times
        return hal.Timing(time_on_device_ns=sum(self._times)) if is_known else hal.Timing()

    def truth(self, argument: hal.RequestArgument, rule: str) -> bool:
        """Return the value of a condition.

        :raises HalError: GENERAL_FAILURE if the argument has no value.
        """
        if argument.has_no_value:
            raise failure("the condition has no value", rule)
        return bool(self.read(argument, 1)[0])

    def read(self, argument: hal.RequestArgument, size: int) -> bytes:
        """Return the first ``size`` bytes of an argument."""
        place = argument.location
        with mapped(self._memory(argument), writable=False) as view:
            return bytes(view[place.offset : place.offset + size])

    def write(self, argument: hal.RequestArgument, data: bytes) -> None:
        """Write into the memory of an argument."""
        place = argument.location
        with mapped(self._memory(argument)) as view:
            view[place.offset : place.offset + len(data)] = data

    def _memory(self, argument: hal.RequestArgument) -> hal.Memory:
        memory = self._pools[argument.location.pool_index]
        assert not isinstance(memory, hal.BufferToken), "requests with device memory are refused"  # noqa: S101
        return memory

    def loop_ends_ns(self) -> int:
        """Return the time on the monotonic clock at which a loop that begins now has taken too long."""
        given = self._config.loop_timeout_duration_ns
        limit = hal.DEFAULT_LOOP_TIMEOUT_DURATION_NS if given == NO_DEADLINE else given
        return time.monotonic_ns() + min(limit, hal.MAXIMUM_LOOP_TIMEOUT_DURATION_NS)


class _InterpretedIf(_Interpreted):
    def _interpret(self, execution: _InterpretedRun) -> Sequence[hal.OutputShape]:
        operation, arguments = self._operation, execution.arguments
        is_true = execution.truth(arguments[operation.inputs[0]], "IF/condition")
        inputs = [arguments[index] for index in operation.inputs[FIRST_VALUE[OperationType.IF] :]]
        # A part has to be given memory for every output, also for one that nobody reads.
        spare = execution.reserve(self._compute_output_sizes(0))
        outputs = [arguments.get(index, other) for index, other in zip(operation.outputs, spare, strict=True)]
        return execution.execute(self._parts[0 if is_true else 1], inputs, outputs)


class _InterpretedWhile(_Interpreted):
    def _interpret(self, execution: _InterpretedRun) -> Sequence[hal.OutputShape]:
        condition, body = self._parts
        sizes = self._compute_output_sizes(1)
        values = [execution.arguments[index] for index in self._operation.inputs[FIRST_VALUE[OperationType.WHILE] :]]
        answer = execution.reserve([1])
        # Two buffers take turns: a round reads one and writes the other.
        spare = [execution.reserve(sizes), execution.reserve(sizes)]
        end_ns = execution.loop_ends_ns()
        while True:
            execution.execute(condition, values, answer)
            if not execution.truth(answer[0], "WHILE/condition.output"):
                break
            if time.monotonic_ns() > end_ns:
                raise HalError(
                    ErrorStatus.MISSED_DEADLINE_TRANSIENT, "WHILE ran longer than the loop timeout", "WHILE/timeout"
                )
            execution.execute(body, values, spare[0])
            values[: len(sizes)] = spare[0]
            spare.reverse()
        operands = self.model.main.operands
        for index, value, size in zip(self._operation.outputs, values, sizes, strict=False):
            argument = execution.arguments.get(index)
            if argument is not None and not argument.has_no_value:
                execution.write(argument, execution.read(value, size))
        return [hal.OutputShape(operands[index].dimensions) for index in self._operation.outputs]
