"""Context in which one TFLite operator is converted to HAL operations.

:class:`HalGraph` builds the HAL model: it checks each operation against its declaration and infers its output shapes.
:class:`Context` gives the function that converts an operator its tensors as HAL operands, its options, and methods that
emit operations.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt
from msgspec.structs import replace

from nnvet.formats.errors import ModelFileError
from nnvet.formats.tflite.schema import Activation, Padding, TensorType
from nnvet.formats.tflite.source import SourceModel, SourceOperator, SourceTensor
from nnvet.hal import types as hal
from nnvet.hal.errors import HalError, invalid
from nnvet.hal.memory import create_ashmem, mapped
from nnvet.hal.operand_types import OPERAND_TYPES
from nnvet.hal.operations.binding import bind, check_ranks
from nnvet.hal.operations.catalogue import declarations
from nnvet.hal.operations.declaration import Argument, Call, OutputSpec, Phase

_LARGEST_COPY = 128
"""Constants of at most so many bytes are copied into the model, larger ones go into its pool, as in NNAPI's runtime."""
_COPY_ALIGNMENT = 4
"""Offsets of constants in the model are multiples of this; in the pool, of the next."""
_POOL_ALIGNMENT = 16
_LARGEST_TENSOR = 2**31 - 1
"""Largest size of a tensor in bytes."""


@dataclass(frozen=True)
class Quantization:
    """Scales and zero points of codes; several ``scales`` run along ``channel_dim``."""

    scale: float = 0.0
    zero_point: int = 0
    channel: hal.SymmPerChannelQuantParams | None = None


@dataclass
class HalGraph:
    """The main subgraph of a model being built; operands are named by their index."""

    constant_limit: int
    """Limit of bytes of all constants; tensors of a hostile file may share one buffer and so multiply it."""
    arguments: list[Argument] = field(default_factory=list)
    lifetimes: list[hal.OperandLifeTime] = field(default_factory=list)
    operations: list[hal.Operation] = field(default_factory=list)
    _small: dict[tuple[Any, ...], int] = field(default_factory=dict)

    def tensor(
        self, operand_type: hal.OperandType, dimensions: Sequence[int], quantization: Quantization | None = None
    ) -> int:
        """Return a computed tensor; it has no dimensions if they are still to be inferred."""
        return self._add(operand_type, dimensions, hal.OperandLifeTime.TEMPORARY_VARIABLE, quantization)

    def constant(
        self, operand_type: hal.OperandType, value: npt.ArrayLike, quantization: Quantization | None = None
    ) -> int:
        """Return a constant tensor (a scalar becomes one element) or, for a scalar type, a constant scalar."""
        info = OPERAND_TYPES[operand_type]
        array = np.ascontiguousarray(value, dtype=info.dtype)
        dimensions = (array.shape or (1,)) if info.is_tensor else ()
        self.constant_limit -= array.nbytes
        if self.constant_limit < 0:
            raise invalid("the constants are far larger than the file", "model/pool.valid")
        copied = array.nbytes <= _LARGEST_COPY
        key = (operand_type, dimensions, array.tobytes(), quantization) if copied else ()
        if key in self._small:
            return self._small[key]
        lifetime = hal.OperandLifeTime.CONSTANT_COPY if copied else hal.OperandLifeTime.CONSTANT_REFERENCE
        index = self._add(operand_type, dimensions, lifetime, quantization)
        self.arguments[index] = replace(self.arguments[index], value=array.reshape(dimensions), constant=True)
        if copied:
            self._small[key] = index
        return index

    def omitted(self, operand_type: hal.OperandType, rank: int = 1) -> int:
        """Return an operand without value, declared with dimensions of size 0 (as models of level 1.0 must)."""
        index = self._add(operand_type, (0,) * rank, hal.OperandLifeTime.NO_VALUE, None)
        self.arguments[index] = replace(self.arguments[index], omitted=True)
        return index

    def mark(self, index: int, lifetime: hal.OperandLifeTime) -> None:
        """Make a computed tensor an input or output of the model."""
        self.lifetimes[index] = lifetime

    def operation(self, kind: hal.OperationType, inputs: Sequence[int], outputs: Sequence[int]) -> None:
        """Append an operation after checking every rule that can be checked now; output shapes become known.

        :raises HalError: with the broken rule.
        """
        declaration = declarations().get(kind)
        if declaration is None:
            raise invalid(f"{kind.name} is not declared", "model/operation.type")
        call = bind(declaration, [self.arguments[i] for i in inputs], [self.arguments[i] for i in outputs])
        check_ranks(call, Phase.EXECUTION)
        for rule in declaration.rules:
            if rule.check is not None and not _holds(call, rule.check):
                call.fail(rule.id)
        for index, spec in zip(outputs, declaration.infer(call), strict=True):
            self._resolve(index, spec, kind.name)
        self.operations.append(hal.Operation(kind, tuple(inputs), tuple(outputs)))

    def savepoint(self) -> tuple[int, int, int]:
        """Return what :meth:`restore` needs to take back all that is added from now on."""
        return len(self.arguments), len(self.operations), self.constant_limit

    def restore(self, saved: tuple[int, int, int]) -> None:
        """Take back all operands and operations that were added since."""
        count, operations, self.constant_limit = saved
        del self.arguments[count:], self.lifetimes[count:], self.operations[operations:]
        self._small = {key: index for key, index in self._small.items() if index < count}

    def finish(self, inputs: Sequence[int], outputs: Sequence[int], *, relaxed: bool = False) -> hal.Model:
        """Return the model; its pool, if it has one, belongs to the caller."""
        values, pool = bytearray(), bytearray()
        operands = tuple(
            hal.Operand(
                argument.type,
                argument.dimensions,
                argument.scale,
                argument.zero_point,
                lifetime,
                _place(argument, lifetime, values, pool),
                argument.channel_quant,
            )
            for argument, lifetime in zip(self.arguments, self.lifetimes, strict=True)
        )
        main = hal.Subgraph(operands, tuple(self.operations), tuple(inputs), tuple(outputs))
        pools: tuple[hal.Ashmem, ...] = ()
        if pool:
            pools = (create_ashmem(len(pool), "nnvet-weights"),)
            with mapped(pools[0]) as view:
                view[:] = pool
        return hal.Model(main, (), bytes(values), pools, relaxed)

    def _add(
        self,
        operand_type: hal.OperandType,
        dimensions: Sequence[int],
        lifetime: hal.OperandLifeTime,
        quantization: Quantization | None,
    ) -> int:
        known = quantization or Quantization()
        self.arguments.append(Argument(operand_type, tuple(dimensions), known.scale, known.zero_point, known.channel))
        self.lifetimes.append(lifetime)
        return len(self.arguments) - 1

    def _resolve(self, index: int, spec: OutputSpec, name: str) -> None:
        """Set the inferred dimensions of an output; its quantisation must be what the operation produces."""
        declared = self.arguments[index]
        dimensions = declared.dimensions if spec.dimensions is None else spec.dimensions
        if declared.dimensions not in ((), dimensions):
            raise invalid(f"the output has shape {dimensions}, the file says {declared.dimensions}", f"{name}/output")
        if 0 in dimensions or not dimensions:
            raise invalid(f"the output shape {dimensions or 'is unknown'} is not a full shape", f"{name}/output")
        if math.prod(dimensions) * OPERAND_TYPES[declared.type].size > _LARGEST_TENSOR:
            raise invalid(f"the output of shape {dimensions} is larger than 2 GiB", f"{name}/output")
        scale = declared.scale if spec.scale is None else spec.scale
        zero_point = declared.zero_point if spec.zero_point is None else spec.zero_point
        if np.float32(scale) != np.float32(declared.scale) or zero_point != declared.zero_point:
            raise invalid(
                f"the output has scale {declared.scale} and zero point {declared.zero_point}, NNAPI's operation "
                f"produces {scale} and {zero_point}",
                f"{name}/output.quantization",
            )
        self.arguments[index] = replace(declared, dimensions=tuple(dimensions))


def _place(argument: Argument, lifetime: hal.OperandLifeTime, values: bytearray, pool: bytearray) -> hal.DataLocation:
    """Append a constant's content where its lifetime says."""
    if not argument.constant or argument.value is None:
        return hal.DataLocation()
    copied = lifetime == hal.OperandLifeTime.CONSTANT_COPY
    where, alignment = (values, _COPY_ALIGNMENT) if copied else (pool, _POOL_ALIGNMENT)
    where.extend(bytes(-len(where) % alignment))
    location = hal.DataLocation(offset=len(where), length=argument.value.nbytes)
    where.extend(argument.value.tobytes())
    return location


def _holds(call: Call, check: Any) -> bool:
    """Return True if a rule holds; a rule on values that only an execution knows is left to the driver."""
    try:
        return bool(check(call))
    except HalError as error:
        if error.rule == "operation/omitted":
            return True
        raise


_T = hal.OperandType
HAL_TYPES = {
    TensorType.FLOAT32: _T.TENSOR_FLOAT32,
    TensorType.FLOAT16: _T.TENSOR_FLOAT16,
    TensorType.INT32: _T.TENSOR_INT32,
    TensorType.INT64: _T.TENSOR_INT32,
    TensorType.UINT8: _T.TENSOR_QUANT8_ASYMM,
    TensorType.INT8: _T.TENSOR_QUANT8_ASYMM_SIGNED,
    TensorType.INT16: _T.TENSOR_QUANT16_SYMM,
    TensorType.BOOL: _T.TENSOR_BOOL8,
}
_INT32 = np.iinfo(np.int32)
_FUSED = (Activation.NONE, Activation.RELU, Activation.RELU_N1_TO_1, Activation.RELU6)
"""Activations whose codes are the same in NNAPI; TFLite knows more."""


@dataclass
class StateLink:
    """A variable tensor, as the model input and output that stand for it."""

    tensor: SourceTensor
    input: int
    output: int


@dataclass
class Conversion:
    """The conversion of a whole model: HAL operands by tensor index, and states in the order of their operators."""

    source: SourceModel
    graph: HalGraph
    operands: dict[int, int] = field(default_factory=dict)
    states: list[StateLink] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Context:
    """One operator of a conversion. Positions count the operator's own inputs and outputs."""

    conversion: Conversion
    operator: SourceOperator

    @property
    def graph(self) -> HalGraph:
        """The HAL model that the file's operators are added to."""
        return self.conversion.graph

    def fail(self, reason: str, advice: str) -> NoReturn:
        """Refuse the operator.

        :raises ModelFileError: with file, operator, reason and advice.
        """
        raise ModelFileError(f"{self.conversion.source.source}: {self.operator.label}: {reason}; {advice}")

    def option(self, name: str) -> Any:
        """Return a field of the operator's options table."""
        return self.operator.options[name]

    def has(self, position: int) -> bool:
        """Return True if the input is given."""
        inputs = self.operator.inputs
        return position < len(inputs) and inputs[position] >= 0

    def tensor(self, position: int) -> SourceTensor:
        """Return the tensor of an input."""
        if not self.has(position):
            self.fail(f"input {position} is missing", "convert the model again")
        return self.conversion.source.tensors[self.operator.inputs[position]]

    def input(self, position: int) -> int:
        """Return the operand of an input; constants are made as they are first needed."""
        tensor = self.tensor(position)
        if tensor.index not in self.conversion.operands:
            self.conversion.operands[tensor.index] = self.constant(tensor)
        return self.conversion.operands[tensor.index]

    def inputs(self, first: int = 0) -> list[int]:
        """Return the operands of all inputs from ``first`` on."""
        return [self.input(position) for position in range(first, len(self.operator.inputs))]

    def shape(self, position: int) -> tuple[int, ...]:
        """Return the dimensions of an input."""
        return self.graph.arguments[self.input(position)].dimensions

    def type(self, position: int) -> int:
        """Return the operand type of an input."""
        return self.graph.arguments[self.input(position)].type

    def values(self, position: int) -> list[int]:
        """Return the elements of a constant integer input, such as axes, in order."""
        tensor = self.tensor(position)
        if tensor.value is None or tensor.type not in (TensorType.INT32, TensorType.INT64):
            self.fail(f"input {position} ({tensor.label}) is not a constant of integers", "convert with fixed shapes")
        values: list[int] = tensor.value.reshape(-1).tolist()
        return values

    def axis(self, value: int, rank: int) -> int:
        """Return a possibly negative axis as 0 … rank - 1."""
        if not -rank <= value < rank:
            self.fail(f"axis {value} is out of range for rank {rank}", "convert the model again")
        return value % rank

    def activation(self) -> int:
        """Return the operand of the fused activation code."""
        code = self.option("activation")
        if code not in _FUSED:
            name = Activation(code).name if code in tuple(Activation) else code
            self.fail(f"NNAPI cannot fuse the activation {name}", "convert the model with it as an operator of its own")
        return self.i32(code)

    def padding(self) -> int:
        """Return the operand of the implicit padding code."""
        code = self.option("padding")
        if code not in tuple(Padding):
            self.fail(f"padding scheme {code} is unknown", "convert the model again")
        return self.i32(code + 1)

    def i32(self, value: int) -> int:
        """Return a constant INT32."""
        if not _INT32.min <= value <= _INT32.max:
            self.fail(f"the parameter {value} does not fit 32 bits", "convert the model again")
        return self.graph.constant(_T.INT32, value)

    def f32(self, value: float) -> int:
        """Return a constant FLOAT32."""
        return self.graph.constant(_T.FLOAT32, value)

    def flag(self, value: object) -> int:
        """Return a constant BOOL."""
        return self.graph.constant(_T.BOOL, bool(value))

    def ints(self, values: Sequence[Any]) -> int:
        """Return a constant TENSOR_INT32."""
        array = np.asarray(values, dtype=np.int64)
        if array.size and not (_INT32.min <= array.min() and array.max() <= _INT32.max):
            self.fail(f"the parameters {list(values)} do not fit 32 bits", "convert the model again")
        return self.graph.constant(_T.TENSOR_INT32, array)

    def quantization(self, position: int) -> Quantization:
        """Return the scales and zero points of an input's operand."""
        argument = self.graph.arguments[self.input(position)]
        return Quantization(argument.scale, argument.zero_point, argument.channel_quant)

    def output_tensor(self, position: int = 0) -> SourceTensor:
        """Return the tensor of an output."""
        if position >= len(self.operator.outputs):
            self.fail(f"output {position} is missing", "convert the model again")
        return self.conversion.source.tensors[self.operator.outputs[position]]

    def output(self, position: int = 0) -> int:
        """Return a new operand for an output, to be written by the operation that is emitted next."""
        tensor = self.output_tensor(position)
        if tensor.index in self.conversion.operands:
            self.fail(f"{tensor.label} is written a second time", "convert the model again")
        quantization = self.hal_quantization(tensor)
        if quantization.channel:
            self.fail(f"{tensor.label} is computed, but has scales per channel", "quantise activations per tensor")
        index = self.graph.tensor(self.hal_type(tensor), (), quantization)
        self.conversion.operands[tensor.index] = index
        return index

    def outputs(self) -> list[int]:
        """Return new operands for all outputs."""
        return [self.output(position) for position in range(len(self.operator.outputs))]

    def like(self, operand: int) -> int:
        """Return a new computed tensor with type and quantisation of ``operand``, its shape still unknown."""
        argument = self.graph.arguments[operand]
        return self.graph.tensor(hal.OperandType(argument.type), (), Quantization(argument.scale, argument.zero_point))

    def emit(self, kind: hal.OperationType, inputs: Sequence[int], outputs: Sequence[int] | None = None) -> None:
        """Append an operation that writes ``outputs``, by default those of the operator.

        :raises ModelFileError: if the contract does not allow it, with the rule.
        """
        try:
            self.graph.operation(kind, inputs, self.outputs() if outputs is None else outputs)
        except HalError as error:
            weights = self._hybrid(kind, error.rule, inputs)
            if weights:
                # The rule's message lists the types of all inputs, which would hide the cause.
                more = f" and {len(weights) - 1} more" if len(weights) > 1 else ""
                self.fail(
                    f"8-bit weights with float activations (hybrid quantisation) are not in NNAPI: {weights[0]}{more} "
                    f"[{error.rule}]",
                    "convert the model to full integer quantisation or to float",
                )
            advice = f"NNAPI's {kind.name} cannot express this: convert the model in another way"
            self.fail(f"{error.message} [{error.rule}]", advice)

    def constant(self, tensor: SourceTensor, shape: Sequence[int] = ()) -> int:
        """Return a new operand of a tensor that nothing has computed, in its own or another ``shape``."""
        if tensor.value is None:
            self.fail(f"{tensor.label} is read before it is computed", "convert the model again")
        value = tensor.value
        if not value.size:
            self.fail(f"{tensor.label} is an empty constant", "convert the model with full shapes")
        if tensor.type == TensorType.INT64 and not (_INT32.min <= value.min() and value.max() <= _INT32.max):
            self.fail(f"{tensor.label} holds 64-bit integers that do not fit 32 bits", "convert with 32-bit integers")
        quantization = self.hal_quantization(tensor)
        channel = quantization.channel
        if channel and value.shape[channel.channel_dim : channel.channel_dim + 1] != (len(channel.scales),):
            self.fail(f"{tensor.label} has {len(channel.scales)} scales for shape {value.shape}", "quantise it again")
        kind = _T.TENSOR_QUANT8_SYMM_PER_CHANNEL if channel else self.hal_type(tensor)
        return self.graph.constant(kind, value.reshape(shape or value.shape), quantization)

    def hal_type(self, tensor: SourceTensor) -> hal.OperandType:
        """Return the HAL type of a tensor."""
        kind = HAL_TYPES.get(tensor.type)
        if kind is None or (tensor.type == TensorType.INT64 and tensor.value is None):
            self.fail(f"{tensor.label} has the element type {tensor.type.name}", "NNAPI has none such: convert again")
        return kind

    def hal_quantization(self, tensor: SourceTensor) -> Quantization:
        """Return the quantisation of a tensor; 8-bit tensors without any count as plain numbers (scale 1)."""
        if tensor.type not in (TensorType.UINT8, TensorType.INT8, TensorType.INT16):
            return Quantization()
        if len(tensor.scales) > 1:
            if tensor.type != TensorType.INT8 or any(tensor.zero_points):
                self.fail(f"{tensor.label} has per-channel quantisation other than symmetric int8", "quantise it again")
            return Quantization(channel=hal.SymmPerChannelQuantParams(tensor.scales, tensor.quantized_dimension))
        return Quantization((tensor.scales or (1.0,))[0], (tensor.zero_points or (0,))[0])

    def _hybrid(self, kind: hal.OperationType, rule: str, inputs: Sequence[int]) -> list[str]:
        """Return the 8-bit weights beside which activations are float, if those break the rule."""
        types = {self.graph.arguments[index].type for index in inputs}
        if rule != f"{kind.name}/types" or _T.TENSOR_FLOAT32 not in types:
            return []
        tensors = [self.tensor(position) for position in range(len(self.operator.inputs)) if self.has(position)]
        return [
            tensor.label
            for tensor in tensors
            if tensor.value is not None and tensor.type in (TensorType.INT8, TensorType.UINT8)
        ]
