"""Functions that set what an execution is to do."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

from nnvet.adapters.nnapi.exported.arguments import ClientArgument, argument_of, check_place, check_pointer
from nnvet.adapters.nnapi.exported.compilation import add_hint
from nnvet.adapters.nnapi.exported.execution import ClientExecution
from nnvet.adapters.nnapi.exported.memories import ClientMemory, DriverMemory, SharedMemory
from nnvet.adapters.nnapi.exported.refusals import Functions, bad_data, bad_state
from nnvet.hal.dimensions import combine
from nnvet.hal.enums import MAXIMUM_LOOP_TIMEOUT_DURATION_NS
from nnvet.hal.types import Operand

Place = Callable[[Operand], ClientArgument]


def _set(execution: ClientExecution, index: int, place: Place, *, is_input: bool) -> None:
    execution.check_open()
    operand = execution.compilation.operand(index, is_input=is_input)
    arguments = execution.inputs if is_input else execution.outputs
    if arguments[index] is not None:
        raise bad_state(f"{'input' if is_input else 'output'} {index} is set already")
    arguments[index] = place(operand)


def _setter(*, is_input: bool) -> Callable[..., None]:
    """``setInput`` or ``setOutput``."""

    def set_argument(execution: ClientExecution, index: int, given: Any, buffer: Any, length: int) -> None:
        def place(operand: Operand) -> ClientArgument:
            check_pointer(buffer, length)
            if not buffer:
                return ClientArgument()
            argument = argument_of(operand, given, length, is_input=is_input, padded=execution.is_padded)
            return replace(argument, pointer=buffer)

        _set(execution, index, place, is_input=is_input)

    return set_argument


def _setter_from_memory(*, is_input: bool) -> Callable[..., None]:
    """``setInputFromMemory`` or ``setOutputFromMemory``."""

    def set_argument(
        execution: ClientExecution, index: int, given: Any, memory: ClientMemory, offset: int, length: int
    ) -> None:
        def place(operand: Operand) -> ClientArgument:
            if isinstance(memory, DriverMemory):
                if (offset, length) != (0, 0):
                    raise bad_data("device memory is used whole, with offset and length 0")
                return _in_device_memory(execution, index, operand, given, memory, is_input=is_input)
            if not isinstance(memory, SharedMemory):
                raise bad_data("the memory is none that executions can use")
            check_place(memory, offset, length)
            argument = argument_of(operand, given, length, is_input=is_input, padded=execution.is_padded)
            return replace(argument, memory=memory, offset=offset)

        _set(execution, index, place, is_input=is_input)

    return set_argument


def _in_device_memory(
    execution: ClientExecution, index: int, operand: Operand, given: Any, memory: DriverMemory, *, is_input: bool
) -> ClientArgument:
    if (execution.compilation, is_input, index) not in memory.roles:
        raise bad_data(f"device memory has no role as {'input' if is_input else 'output'} {index}")
    # What an input has in device memory has dimensions of its own.
    argument = argument_of(operand, given, None, is_input=False, padded=False)
    if combine(argument.dimensions, memory.operand.dimensions) is None:
        raise bad_data(f"dimensions {list(argument.dimensions)}, the memory has {list(memory.operand.dimensions)}")
    known = combine(argument.dimensions, memory.dimensions) if is_input else None
    if known is not None:
        argument = replace(argument, dimensions=known, is_redimensioned=known != operand.dimensions)
    return replace(argument, memory=memory)


def _set_timeout(execution: ClientExecution, duration_ns: int) -> None:
    execution.check_open()
    execution.compilation.check_one_device("a time-out")
    execution.timeout_ns = duration_ns


def _set_loop_timeout(execution: ClientExecution, duration_ns: int) -> None:
    execution.check_open()
    execution.loop_timeout_ns = min(duration_ns, MAXIMUM_LOOP_TIMEOUT_DURATION_NS)


def _set_measured(execution: ClientExecution, measure: bool) -> None:  # noqa: FBT001 - as C calls it
    execution.check_open()
    execution.compilation.check_one_device("measured timing")
    execution.is_measured = bool(measure)


def _set_reusable(execution: ClientExecution, reusable: bool) -> None:  # noqa: FBT001 - same
    execution.check_open()
    execution.is_reusable = bool(reusable)


def _enable_padding(execution: ClientExecution, enable: bool) -> None:  # noqa: FBT001 - same
    execution.check_open()
    if any(argument is not None for argument in (*execution.inputs, *execution.outputs)):
        raise bad_state("an input or output has been set")
    execution.is_padded = bool(enable)


def _add_attribute(execution: ClientExecution, name: Any, code: int, data: Any, length: int) -> None:
    execution.check_open()
    execution.compilation.check_one_device("an attribute of an extension")
    add_hint(execution.hints, name, code, data, length)


FUNCTIONS: Final[Functions] = {
    "Execution_create": ClientExecution,
    # One that is under way is ended by the thread that runs it.
    "Execution_free": lambda _execution: None,
    "Execution_setInput": _setter(is_input=True),
    "Execution_setOutput": _setter(is_input=False),
    "Execution_setInputFromMemory": _setter_from_memory(is_input=True),
    "Execution_setOutputFromMemory": _setter_from_memory(is_input=False),
    "Execution_setTimeout": _set_timeout,
    "Execution_setLoopTimeout": _set_loop_timeout,
    "Execution_setMeasureTiming": _set_measured,
    "Execution_setReusable": _set_reusable,
    "Execution_enableInputAndOutputPadding": _enable_padding,
    "Execution_addExtensionAttribute": _add_attribute,
}
