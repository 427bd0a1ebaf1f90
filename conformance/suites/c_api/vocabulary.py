"""Steps that sequences of calls are made of: small models, and objects in each state.

A function that is named after an object in a state, such as :func:`open_compilation`, returns the steps that bring the
object into that state, from nothing on. All of them give the objects the same names: ``model``, ``compilation``,
``execution``, ``result`` (the buffer of the output), ``event``, ``burst``, ``memory``, ``description``. The tables and
``orders.py`` beside this module, and the fuzzer of libraries, are made of these steps.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from nnvet.adapters.nnapi import sequences
from nnvet.adapters.nnapi.declarations import ResultCode
from nnvet.hal.enums import OperandType, OperationType

# Result codes that a call may have.
OK: Final = (int(ResultCode.NO_ERROR),)
NULL: Final = (int(ResultCode.UNEXPECTED_NULL),)
BAD_DATA: Final = (int(ResultCode.BAD_DATA),)
BAD_STATE: Final = (int(ResultCode.BAD_STATE),)
OP_FAILED: Final = (int(ResultCode.OP_FAILED),)
REFUSED: Final = (*NULL, *BAD_DATA)
"""Codes of a null pointer with a length: the contract leaves open which of the two it is."""
NONE: Final = ()
"""A function without result."""

FENCED_LEVEL: Final = 4
"""First feature level with fenced executions."""
REUSABLE_LEVEL: Final = 5
"""First feature level with reusable executions."""
PARTS: Final = {OK: "c_api/accepted", NULL: "c_api/null", REFUSED: "c_api/argument", BAD_STATE: "c_api/state"}
"""Rules that a call breaks if it has none of its codes."""
FAR: Final = 2**32 - 1
"""The highest index."""


@dataclass(frozen=True)
class Base:
    """An addition of two vectors of two elements: type, bytes of the operands and of their sum.

    Cases are made for a base that the device supports.
    """

    type: OperandType
    first: bytes
    second: bytes
    total: bytes
    scale: float = 0.0

    @property
    def size(self) -> int:
        """Return the bytes of each operand."""
        return len(self.first)

    def operand(self, *dimensions: int) -> sequences.OperandTypeData:
        """Return the type of an operand, by default of two elements."""
        return sequences.OperandTypeData(self.type, dimensions or (2,), self.scale)


FLOATS: Final = Base(
    OperandType.TENSOR_FLOAT32,
    bytes.fromhex("0000803f00000040"),  # 1, 2
    bytes.fromhex("0000404000008040"),  # 3, 4
    bytes.fromhex("000080400000c040"),  # 4, 6
)
"""The addition in float32, for cases that need no device."""
HALVES: Final = Base(
    OperandType.TENSOR_FLOAT16, bytes.fromhex("003c0040"), bytes.fromhex("00420044"), bytes.fromhex("00440046")
)
"""The addition in float16."""
CODES: Final = Base(OperandType.TENSOR_QUANT8_ASYMM, bytes((1, 2)), bytes((3, 4)), bytes((4, 6)), 1.0)
"""The addition in 8-bit codes of scale 1."""
BASES: Final = (FLOATS, HALVES, CODES)
"""Kinds of additions, in the order in which a device is asked for them."""

NO_ACTIVATION: Final = bytes(4)
"""Value of the activation's operand."""
A, B, ACTIVATION, SUM = range(4)
"""Indexes of the model's operands."""
INPUTS: Final = sequences.NumberArray("uint32_t", (A, B, ACTIVATION))
"""Inputs of the operation."""
INPUTS_OF_MODEL: Final = sequences.NumberArray("uint32_t", (A, B))
"""Inputs of the model; the activation is a constant."""
OUTPUTS: Final = sequences.NumberArray("uint32_t", (SUM,))
"""Output of the operation and of the model."""
DEVICES: Final = sequences.ObjectPointers("Device", ("device",))
"""The list of the device under test alone."""


NULL_CITED: Final = "a required null pointer → UNEXPECTED_NULL"
"""The sentence about null pointers, which holds for all functions."""
_CITED: Final[dict[tuple[int, ...], str]] = {OK: "getDeviceCount → getDevice(i) → Model_create →", NULL: NULL_CITED}
"""The sentence for calls about which the contract says nothing more: those in the usual order are accepted."""
Given = sequences.Argument | bytes
"""An argument as the tables give it; bytes are read by the function."""


def call(
    function: str,
    *arguments: Given,
    codes: tuple[int, ...] = OK,
    written: tuple[sequences.Written, ...] = (),
    rule: str = "",
    cites: str = "",
) -> sequences.CallStep:
    """Return a step that calls a function, and the codes that it may have.

    ``written`` are the places whose content is compared afterwards. ``rule`` is broken by any other result; by default
    it follows from the codes. ``cites`` is the sentence of docs/contract/c-api.md that demands the result.
    """
    rule = rule or ("c_api/written" if written and codes == OK else PARTS.get(codes, "c_api/argument"))
    given = tuple(sequences.Raw(argument) if isinstance(argument, bytes) else argument for argument in arguments)
    return sequences.CallStep(function, given, codes, written, rule, cites or _CITED.get(codes, ""))


def free(name: str, kind: str) -> sequences.CallStep:
    """Return the step that frees an object; it has no result."""
    return sequences.CallStep(f"{kind}_free", (name,), NONE)


Steps = tuple[sequences.CallStep, ...]
"""A part of a sequence of calls."""


def open_model(name: str = "model") -> Steps:
    """Return the step that makes an empty model."""
    return (call("Model_create", sequences.New(name)),)


def with_operands(base: Base, name: str = "model") -> Steps:
    """Return steps that make a model with four operands, one of which has a value."""
    return (
        *open_model(name),
        *(call("Model_addOperand", name, base.operand()) for _ in (A, B)),
        call("Model_addOperand", name, sequences.OperandTypeData(OperandType.INT32)),
        call("Model_addOperand", name, base.operand()),
        call("Model_setOperandValue", name, ACTIVATION, NO_ACTIVATION, 4),
    )


def addition_arguments(name: str = "model") -> tuple[Given, ...]:
    """Return the arguments of ``Model_addOperation`` for the addition."""
    return (name, int(OperationType.ADD), 3, INPUTS, 1, OUTPUTS)


def complete_model(base: Base, name: str = "model") -> Steps:
    """Return steps that make a complete model, which is not finished yet."""
    return (
        *with_operands(base, name),
        call("Model_addOperation", *addition_arguments(name)),
        call("Model_identifyInputsAndOutputs", name, 2, INPUTS_OF_MODEL, 1, OUTPUTS),
    )


def finished_model(base: Base, name: str = "model") -> Steps:
    """Return steps that make and finish a model."""
    return (*complete_model(base, name), call("Model_finish", name))


def open_compilation(base: Base, name: str = "compilation", *, devices: sequences.ObjectPointers = DEVICES) -> Steps:
    """Return steps that make a compilation of the finished model, for the given devices."""
    create = call("Compilation_createForDevices", "model", devices, len(devices.names), sequences.New(name))
    return (*finished_model(base), create)


def finished_compilation(base: Base, name: str = "compilation") -> Steps:
    """Return steps that make and finish a compilation."""
    return (*open_compilation(base, name), call("Compilation_finish", name))


def open_execution(base: Base) -> Steps:
    """Return steps that make an execution without arguments."""
    return (*finished_compilation(base), call("Execution_create", "compilation", sequences.New("execution")))


def set_arguments(base: Base, execution: str = "execution", result: str = "result") -> Steps:
    """Return steps that set all arguments of an execution of the model."""
    return (
        call("Execution_setInput", execution, 0, None, base.first, base.size),
        call("Execution_setInput", execution, 1, None, base.second, base.size),
        call(
            "Execution_setOutput", execution, 0, None, sequences.WritablePlace(result, "uint8_t", base.size), base.size
        ),
    )


def ready_execution(base: Base) -> Steps:
    """Return steps that make an execution with all arguments."""
    return (*open_execution(base), *set_arguments(base))


def right_result(base: Base, result: str = "result") -> tuple[sequences.Written, ...]:
    """Return what the place of the result has to hold: the sum."""
    return (sequences.Written(result, tuple(base.total)),)


COMPUTE: Final = call("Execution_compute", "execution", rule="c_api/accepted")
"""The step that runs the execution in the calling thread."""


def computed_execution(base: Base) -> Steps:
    """Return steps that make and run an execution, and check its result."""
    return (*ready_execution(base), call("Execution_compute", "execution", written=right_result(base)))


def launch_fenced(event: str = "event", execution: str = "execution") -> sequences.CallStep:
    """Return the step that launches a fenced execution without fences to wait for."""
    return call("Execution_startComputeWithDependencies", execution, None, 0, 0, sequences.New(event))


def launched_execution(base: Base) -> Steps:
    """Return steps that make and launch a fenced execution."""
    return (*ready_execution(base), launch_fenced())


def shared_memory(content: bytes, name: str = "memory", file: str = "file") -> Steps:
    """Return steps that make a memory object of a file that can be read and written."""
    read_and_write = 3
    return (
        sequences.CallStep(sequences.FILE, (file, sequences.Raw(content))),
        call("Memory_createFromFd", len(content), read_and_write, sequences.Descriptor(file), 0, sequences.New(name)),
    )


def ask_for_support(base: Base) -> Steps:
    """Return steps that ask for support; the last one differs if the device does not support the addition."""
    wanted = (sequences.Written("supported", (1,)),)
    ask = "Model_getSupportedOperationsForDevices"
    return (
        *finished_model(base),
        call(ask, "model", DEVICES, 1, sequences.WritablePlace("supported", "bool"), written=wanted),
    )
