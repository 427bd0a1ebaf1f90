"""Models that a client of the exported C API builds, call by call.

Each call is checked at once, as a runtime does, and changes a :class:`ClientModel`. ``FUNCTIONS`` at the end lists the
C API's functions on models, which :mod:`nnvet.adapters.nnapi.exported.serving` exports.
:mod:`nnvet.adapters.nnapi.exported.finishing` turns a finished model into a model of the HAL.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any, Final

from msgspec.structs import replace

from nnvet.adapters.nnapi.declarations import MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES
from nnvet.adapters.nnapi.exported import calling
from nnvet.adapters.nnapi.exported.devices import code_of, is_registered, type_of_extension
from nnvet.adapters.nnapi.exported.memories import ClientMemory, SharedMemory
from nnvet.hal.enums import OperandLifeTime, OperandType, OperationType
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import fully_known, is_extension, type_info
from nnvet.hal.operations.binding import bind_checked, model_argument
from nnvet.hal.operations.catalogue import declarations, operation_name
from nnvet.hal.types import ExtensionParams, Model, Operand, Operation, Subgraph, SymmPerChannelQuantParams
from nnvet.hal.validation.operands import MAX_BYTES, byte_size, check_operand
from nnvet.hal.validation.subgraph import CONTROL_FLOW

_NO_MODEL: Final = Model(Subgraph((), (), (), ()))
"""An empty model, for the HAL's check of an operand whose model does not exist yet."""
_PER_CHANNEL: Final = OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL


@dataclass(eq=False)
class ClientValue:
    """Value of an operand: copied bytes, bytes to copy when the model is finished, memory, or a referenced model."""

    copied: bytes = b""
    pointer: Any = None
    length: int = 0
    memory: SharedMemory | None = None
    offset: int = 0
    model: ClientModel | None = None

    def settle(self) -> None:
        """Copy bytes that have not been copied yet, because the client may change them from now on."""
        if self.pointer is not None:
            self.copied, self.pointer = bytes(calling.FFI.buffer(self.pointer, self.length)), None


@dataclass(eq=False)
class ClientModel:
    """A model of the C API: operands and operations in the order in which they were added.

    ``finished`` is the HAL model, None until it is built; ``order`` has, for each of its operations, the position at
    which the client added the operation.
    """

    operands: list[Operand] = field(default_factory=list)
    values: dict[int, ClientValue] = field(default_factory=dict)
    operations: list[Operation] = field(default_factory=list)
    inputs: tuple[int, ...] = ()
    outputs: tuple[int, ...] = ()
    is_relaxed: bool = False
    is_closed: bool = False
    finished: Model | None = None
    level: int = 1
    order: tuple[int, ...] = ()

    def check_open(self) -> None:
        """Check that the model may still be changed.

        :raises RefusalError: BAD_STATE after an attempt to finish it.
        """
        if self.is_closed:
            raise calling.bad_state("the model has been finished")

    def check_finished(self) -> Model:
        """Return the HAL model.

        :raises RefusalError: BAD_STATE if the model is not finished, or was refused when the client finished it.
        """
        if self.finished is None:
            raise calling.bad_state("the model is not finished")
        return self.finished

    def operand(self, index: int) -> Operand:
        """Return an operand of a model that may still be changed; raises BAD_STATE and BAD_DATA."""
        self.check_open()
        calling.check_index(index, len(self.operands), "operand")
        return self.operands[index]


def add_operand(model: ClientModel, operand_type: Any) -> None:
    """Add an operand without a value."""
    model.check_open()
    operand = operand_of(operand_type)
    if not is_registered(operand.type):
        raise calling.bad_data(f"operand type {operand.type:#x} is of no extension that has been asked for")
    if (_size_in_extension(operand) or 0) > MAX_BYTES:
        raise calling.bad_data(f"dimensions {list(operand.dimensions)} are too large")
    if operand.type != OperandType.SUBGRAPH:
        _check_operand_type(operand)
    model.operands.append(operand)


def operand_of(operand_type: Any) -> Operand:
    """Return the operand that a structure of the C API describes.

    :raises RefusalError: BAD_DATA if count and pointer of its dimensions contradict each other.
    """
    count, pointer = operand_type.dimensionCount, operand_type.dimensions
    if bool(count) != bool(pointer):
        raise calling.bad_data(f"{count} dimensions, and the pointer to them is {'' if pointer else 'not '}given")
    dimensions = tuple(calling.FFI.unpack(pointer, count)) if count else ()
    return Operand(operand_type.type, dimensions, operand_type.scale, operand_type.zeroPoint)


def _check_operand_type(operand: Operand) -> None:
    """Check type, dimensions and quantization by the HAL's rules; raises BAD_DATA."""
    if operand.type == _PER_CHANNEL and operand.extra_params is None:
        # A later call sets the scales of a per-channel type; its other attributes follow the rules of the plain type.
        operand = replace(operand, type=OperandType.TENSOR_QUANT8_SYMM, scale=1.0)
    try:
        check_operand(operand, _NO_MODEL, "the model", 0)
    except HalError as error:
        raise calling.refusal(error) from error


def set_channel_params(model: ClientModel, index: int, params: Any) -> None:
    """Give an operand per-channel scales."""
    operand = model.operand(index)
    if not params.scales:
        raise calling.bad_data("the scales are null")
    scales = tuple(calling.FFI.unpack(params.scales, params.scaleCount))
    operand = replace(operand, extra_params=SymmPerChannelQuantParams(scales, params.channelDim))
    _check_operand_type(operand)
    model.operands[index] = operand


def set_extension_data(model: ClientModel, index: int, data: Any, length: int) -> None:
    """Give an operand of an extension its parameters."""
    operand = model.operand(index)
    if not is_extension(operand.type):
        raise calling.bad_data(f"operand {index} is of no extension")
    if bool(data) != bool(length):
        raise calling.bad_data(f"{length} bytes of data, and the pointer to them is {'' if data else 'not '}given")
    params = ExtensionParams(bytes(calling.FFI.buffer(data, length))) if length else None
    model.operands[index] = replace(operand, extra_params=params)


def set_value(model: ClientModel, index: int, buffer: Any, length: int) -> None:
    """Make an operand a constant or an omitted one; long values are read when the model is finished."""
    operand = model.operand(index)
    if not buffer:
        if length:
            raise calling.unexpected_null(f"the value of {length} bytes is null")
        _store_value(model, index, OperandLifeTime.NO_VALUE, ClientValue())
        return
    _check_length(operand, length)
    if length <= MAX_SIZE_OF_IMMEDIATELY_COPIED_VALUES:
        value = ClientValue(copied=bytes(calling.FFI.buffer(buffer, length)))
    else:
        value = ClientValue(pointer=buffer, length=length)
    _store_value(model, index, OperandLifeTime.CONSTANT_COPY, value)


def set_value_from_memory(model: ClientModel, index: int, memory: ClientMemory, offset: int, length: int) -> None:
    """Make an operand a constant that lies in memory."""
    operand = model.operand(index)
    if not isinstance(memory, SharedMemory):
        raise calling.bad_data("constants cannot lie in device memory")
    _check_length(operand, length)
    if offset + length > memory.size:
        raise calling.bad_data(f"bytes {offset} to {offset + length} of {memory.size}")
    value = ClientValue(memory=memory, offset=offset, length=length)
    _store_value(model, index, OperandLifeTime.CONSTANT_REFERENCE, value)


def set_value_from_model(model: ClientModel, index: int, value: ClientModel) -> None:
    """Make an operand a reference to a finished model."""
    operand = model.operand(index)
    value.check_finished()
    if operand.type != OperandType.SUBGRAPH:
        raise calling.bad_data(f"operand {index} is no model")
    _store_value(model, index, OperandLifeTime.SUBGRAPH, ClientValue(model=value))


def _store_value(model: ClientModel, index: int, lifetime: OperandLifeTime, value: ClientValue) -> None:
    model.operands[index] = replace(model.operands[index], lifetime=lifetime)
    model.values[index] = value


def _check_length(operand: Operand, length: int) -> None:
    """Check that a constant of ``length`` bytes fits an operand; raises BAD_DATA."""
    if operand.type == OperandType.SUBGRAPH:
        raise calling.bad_data("the value of a model is a model")
    if is_extension(operand.type) or operand.type in (OperandType.OEM, OperandType.TENSOR_OEM_BYTE):
        size = _size_in_extension(operand)
        if size is not None and (not size or length != size):
            raise calling.bad_data(f"{length} bytes for a constant of dimensions {list(operand.dimensions)}")
        return
    if type_info(operand.type).is_tensor and not fully_known(operand.dimensions):
        raise calling.bad_data(f"a constant of dimensions {list(operand.dimensions)}")
    size = byte_size(operand.type, operand.dimensions)
    if length != size:
        raise calling.bad_data(f"{length} bytes, type and dimensions need {size}")


def _size_in_extension(operand: Operand) -> int | None:
    """Return the bytes of an operand of a device's extension, 0 if they are unknown; None for all other types."""
    known = type_of_extension(operand.type)
    if known is None:
        return None
    return known.byte_size * prod(operand.dimensions if operand.dimensions or not known.is_tensor else (0,))


def add_operation(
    model: ClientModel, code: int, input_count: int, inputs: Any, output_count: int, outputs: Any
) -> None:
    """Add an operation on operands that have been added."""
    model.check_open()
    operation = Operation(
        code, tuple(calling.FFI.unpack(inputs, input_count)), tuple(calling.FFI.unpack(outputs, output_count))
    )
    for index in (*operation.inputs, *operation.outputs):
        calling.check_index(index, len(model.operands), "operand")
    if is_extension(code):
        if not is_registered(code):
            raise calling.bad_data(f"operation {code:#x} is of no extension that has been asked for")
    elif code != OperationType.OEM_OPERATION and code not in CONTROL_FLOW:
        _check_operands(model, operation)
    model.operations.append(operation)


def _check_operands(model: ClientModel, operation: Operation) -> None:
    """Check that an operation of the contract takes operands of these types; raises BAD_DATA."""
    declaration = declarations().get(operation.type)
    if declaration is None:
        raise calling.bad_data(f"there is no operation {operation.type}")
    sides = (operation.inputs, operation.outputs)
    inputs, outputs = ([model_argument(model.operands[index]) for index in side] for side in sides)
    try:
        bind_checked(declaration, inputs, outputs)
    except HalError as error:
        raise calling.refusal(
            HalError(error.status, f"{operation_name(operation.type)}: {error.message}", error.rule)
        ) from error


def identify(model: ClientModel, input_count: int, inputs: Any, output_count: int, outputs: Any) -> None:
    """Set the operands that are the model's inputs and outputs."""
    model.check_open()
    listed = tuple(calling.FFI.unpack(inputs, input_count)), tuple(calling.FFI.unpack(outputs, output_count))
    lifetimes = [operand.lifetime for operand in model.operands]
    for indexes, lifetime in zip(
        listed, (OperandLifeTime.SUBGRAPH_INPUT, OperandLifeTime.SUBGRAPH_OUTPUT), strict=True
    ):
        for index in indexes:
            calling.check_index(index, len(lifetimes), "operand")
            if lifetimes[index] != OperandLifeTime.TEMPORARY_VARIABLE:
                raise calling.bad_data(f"operand {index} is {OperandLifeTime(lifetimes[index]).name} already")
            lifetimes[index] = lifetime
    model.inputs, model.outputs = listed
    pairs = zip(model.operands, lifetimes, strict=True)
    model.operands = [replace(operand, lifetime=lifetime) for operand, lifetime in pairs]


def relax(model: ClientModel, allow: bool) -> None:  # noqa: FBT001 - as C calls it
    """Let float32 be computed in float16."""
    model.check_open()
    model.is_relaxed = bool(allow)


def _get_extension_code(_model: ClientModel, name: Any, number: int, place: Any) -> None:
    place[0] = code_of(calling.FFI.string(name).decode(errors="replace"), number)


FUNCTIONS: Final[calling.Functions] = {
    "Model_create": ClientModel,
    "Model_free": lambda _model: None,
    "Model_addOperand": add_operand,
    "Model_setOperandSymmPerChannelQuantParams": set_channel_params,
    "Model_setOperandExtensionData": set_extension_data,
    "Model_setOperandValue": set_value,
    "Model_setOperandValueFromMemory": set_value_from_memory,
    "Model_setOperandValueFromModel": set_value_from_model,
    "Model_addOperation": add_operation,
    "Model_identifyInputsAndOutputs": identify,
    "Model_relaxComputationFloat32toFloat16": relax,
    "Model_getExtensionOperandType": _get_extension_code,
    "Model_getExtensionOperationType": _get_extension_code,
}
