"""Context in which one ONNX node is converted to HAL operations: its inputs as operands, attributes, and emission.

The functions that ``operators.py`` lists get a :class:`NodeContext`. All nodes share an :class:`OnnxConversion`, which
``reader.py`` makes. The HAL model is built by ``HalGraph``, which the TFLite reader uses as well.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from nnvet.formats.errors import ModelFileError
from nnvet.formats.tflite.context import HalGraph, Quantization
from nnvet.hal.errors import HalError
from nnvet.hal.types import OperandType, OperationType

_T = OperandType
_INTEGERS: Final = ("int2", "uint2", "int4", "uint4", "int8", "uint8", "int16", "uint16", "uint32", "int64", "uint64")
HAL_TYPES: Final = {
    "float32": _T.TENSOR_FLOAT32,
    "float16": _T.TENSOR_FLOAT16,
    "int32": _T.TENSOR_INT32,
    "bool": _T.TENSOR_BOOL8,
    **dict.fromkeys(_INTEGERS, _T.TENSOR_INT32),
}
"""HAL types by NumPy's names. All integers are held in 32 bits, which larger ones have to fit; narrow ones may be codes
with a scale as well, see :mod:`nnvet.formats.onnx.quantised`."""
CODES: Final = {"uint8": _T.TENSOR_QUANT8_ASYMM, "int8": _T.TENSOR_QUANT8_ASYMM_SIGNED}
"""HAL types of codes of one scale and zero point."""
WIDE: Final = ("Expand", "Reshape", "Squeeze", "Tile", "Unsqueeze")
"""Operators on more than four dimensions."""
MOST_RANK: Final = 4
"""Most dimensions of most of the contract's operations."""
_FUSING: Final = (OperationType.ADD, OperationType.SUB, OperationType.MUL, OperationType.DIV)
"""Operations with an operand for a fused activation."""
_INT32: Final = np.iinfo(np.int32)


class CodeScales(NamedTuple):
    """Scales and zero points of constant codes; several of them run along ``axis``."""

    scale: npt.NDArray[Any]
    zero: npt.NDArray[Any]
    axis: int


@dataclass
class OnnxConversion:
    """The whole model: HAL operands and constants by the name of the value, and what ``onnx`` infers of each.

    ``quantizations`` are scales and zero points of values that hold codes. ``reals`` are the codes behind values of
    DequantizeLinear: DEQUANTIZE is emitted when somebody needs the real numbers. ``scales`` are those of constant
    codes. ``wide`` are the shapes of more than four dimensions; their operands have the same elements in a shape that
    the contract has. ``infinite`` are values with infinite elements, such as masks.
    """

    source: str
    graph: HalGraph
    types: dict[str, str]
    shapes: Mapping[str, tuple[int, ...]]
    constants: dict[str, npt.NDArray[Any]]
    opset: int
    operands: dict[str, int] = field(default_factory=dict)
    quantizations: dict[str, Quantization] = field(default_factory=dict)
    reals: dict[str, str] = field(default_factory=dict)
    scales: dict[str, CodeScales] = field(default_factory=dict)
    wide: dict[str, tuple[int, ...]] = field(default_factory=dict)
    infinite: set[str] = field(default_factory=set)

    def operand(self, name: str) -> int | None:
        """Return the operand of a value that is computed or an input, None without one."""
        codes = self.reals.get(name)
        if name not in self.operands and codes in self.operands:
            index = self.graph.tensor(HAL_TYPES[self.types[name]], ())
            self.graph.operation(OperationType.DEQUANTIZE, [self.operands[codes]], [index])
            self.operands[name] = index
        return self.operands.get(name)


@dataclass(frozen=True)
class OnnxNode:
    """A node of the graph."""

    name: str
    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]


def along(array: npt.NDArray[Any], axis: int, rank: int) -> npt.NDArray[Any]:
    """Return a vector as an array of ``rank`` dimensions, all of size 1 except ``axis``, so that it broadcasts."""
    return array.reshape([-1 if place == axis else 1 for place in range(rank)])


@dataclass(frozen=True)
class NodeContext:
    """One node. Positions count its own inputs and outputs."""

    conversion: OnnxConversion
    node: OnnxNode

    @property
    def operator(self) -> str:
        """Name of the operator."""
        return self.node.operator

    @property
    def input_names(self) -> tuple[str, ...]:
        """Names of the inputs, empty where one is left out."""
        return self.node.inputs

    @property
    def output_names(self) -> tuple[str, ...]:
        """Names of the outputs."""
        return self.node.outputs

    @property
    def attributes(self) -> Mapping[str, Any]:
        """Values of the attributes that are given."""
        return self.node.attributes

    def fail(self, reason: str) -> NoReturn:
        """Refuse the node.

        :raises ModelFileError: with file, operator, node and reason.
        """
        node = f" ({self.node.name})" if self.node.name else ""
        raise ModelFileError(f"{self.conversion.source}: {self.operator}{node}: {reason}")

    @property
    def graph(self) -> HalGraph:
        """The HAL model in the making."""
        return self.conversion.graph

    def attribute(self, name: str, default: Any = None) -> Any:
        """Return the value of an attribute."""
        return self.attributes.get(name, default)

    def has(self, position: int) -> bool:
        """Return True if the input is given."""
        return position < len(self.input_names) and self.input_names[position] != ""

    def array(self, position: int) -> npt.NDArray[Any] | None:
        """Return the value of a constant input; None if the network computes it."""
        return self.conversion.constants.get(self.input_names[position])

    def values(self, position: int, attribute: str = "") -> list[Any] | None:
        """Return the elements of a constant input, or of the attribute of older versions; None without either."""
        if attribute and attribute in self.attributes:
            found = self.attributes[attribute]
            return list(found) if isinstance(found, Sequence) else [found]
        if not self.has(position):
            return None
        array = self.array(position)
        if array is None:
            self.fail(f"input {position} decides shapes or is a parameter, and is no constant")
        elements: list[Any] = array.reshape(-1).tolist()
        return elements

    def input(self, position: int) -> int:
        """Return the operand of an input; a constant is made when it is first needed, a scalar as one element."""
        if not self.has(position):
            self.fail(f"input {position} is missing")
        name = self.input_names[position]
        if name in self.conversion.wide and self.operator not in WIDE:
            self.fail(f"the contract has no tensors of {len(self.conversion.wide[name])} dimensions")
        found = self.conversion.operand(name)
        if found is None:
            array = self.array(position)
            if array is None:
                self.fail(f"{name} is read before it is computed")
            found = self.conversion.operands[name] = self.constant(array)
        return found

    def inputs(self) -> list[int]:
        """Return the operands of all inputs."""
        return [self.input(position) for position in range(len(self.input_names))]

    def constant(self, array: npt.NDArray[Any]) -> int:
        """Return a constant tensor."""
        if not array.size:
            self.fail("a constant is empty")
        kind = self.hal_type(str(array.dtype))
        if array.dtype.kind in "iu" and not (_INT32.min <= array.min() and array.max() <= _INT32.max):
            self.fail("a constant holds 64-bit integers that do not fit 32 bits")
        return self.graph.constant(kind, array)

    def hal_type(self, dtype: str) -> OperandType:
        """Return the HAL type of NumPy's name of a type."""
        if dtype not in HAL_TYPES:
            self.fail(f"the contract has no tensors of {dtype}")
        return HAL_TYPES[dtype]

    def dtype(self, position: int) -> str:
        """Return NumPy's name of the element type of an input, empty if it is not known."""
        return self.conversion.types.get(self.input_names[position], "")

    def shape(self, position: int) -> tuple[int, ...]:
        """Return the dimensions of an input; a scalar has one."""
        if self.has(position) and self.input_names[position] in self.conversion.wide:
            return self.conversion.wide[self.input_names[position]]
        if self.has(position) and (array := self.array(position)) is not None:
            return array.shape or (1,)
        return self.graph.arguments[self.input(position)].dimensions

    def rank_of(self, position: int) -> int:
        """Return the rank of an input."""
        return len(self.shape(position))

    def type_of(self, operand: int) -> OperandType:
        """Return the type of an operand."""
        return OperandType(self.graph.arguments[operand].type)

    def axis(self, value: int, rank: int) -> int:
        """Return a possibly negative axis as 0 … rank - 1."""
        if not -rank <= value < rank:
            self.fail(f"axis {value} is out of range for rank {rank}")
        return value % rank

    def i32(self, value: int) -> int:
        """Return a constant INT32."""
        if not _INT32.min <= value <= _INT32.max:
            self.fail(f"the parameter {value} does not fit 32 bits")
        return self.graph.constant(_T.INT32, value)

    def ints(self, values: Sequence[int]) -> int:
        """Return a constant TENSOR_INT32."""
        return self.graph.constant(_T.TENSOR_INT32, np.clip(np.asarray(values, np.int64), _INT32.min, _INT32.max))

    def flag(self, value: bool) -> int:  # noqa: FBT001 - the parameter is a truth value
        """Return a constant BOOL."""
        return self.graph.constant(_T.BOOL, value)

    def scalar(self, value: float, like: int) -> int:
        """Return a scalar of the number type of an operand; of codes the real number."""
        kinds = {_T.TENSOR_FLOAT16: _T.FLOAT16, _T.TENSOR_INT32: _T.INT32}
        return self.graph.constant(kinds.get(self.type_of(like), _T.FLOAT32), value)

    def number(self, value: Any, like: int) -> int:
        """Return a constant tensor of a number, or of an array, of the type of an operand."""
        array = np.asarray(value)
        return self.graph.constant(self.type_of(like), array if array.shape else array.reshape(1))

    def moved(self, position: int, order: Sequence[int], added: tuple[int, ...] = ()) -> int:
        """Return an input with its dimensions in another order; a TRANSPOSE is emitted unless the input is constant.

        ``added`` are the positions of further dimensions of size 1 in the result.
        """
        array = self.array(position)
        if array is not None:
            return self.constant(np.ascontiguousarray(np.expand_dims(array.transpose(order), added)))
        found = self.new(OperationType.TRANSPOSE, [self.input(position), self.ints(order)])
        shape = list(self.graph.arguments[found].dimensions)
        for place in added:
            shape.insert(place, 1)
        return self.reshaped(found, shape)

    def bias(self, position: int, weights: int, count: int) -> int:
        """Return the bias of an operation with weights: an input, or zeros."""
        return self.input(position) if self.has(position) else self.number(np.zeros(count), weights)

    def activation(self) -> int:
        """Return the fused activation of the node."""
        return self.i32(0)

    def output(self, position: int = 0, quantization: Quantization | None = None) -> int:
        """Return a new operand for an output; codes have the quantisation that is given, or that of the value."""
        name = self.output_names[position]
        types, known = self.conversion.types, self.conversion.quantizations
        if name not in types:
            self.fail(f"onnx does not infer the type of {name}")
        quantization = quantization or known.get(name)
        if quantization is not None:
            known[name] = quantization
        kind = self.hal_type(types[name]) if quantization is None else CODES[types[name]]
        index = self.graph.tensor(kind, (), quantization)
        self.conversion.operands[name] = index
        return index

    def alias(self, operand: int) -> None:
        """Make an existing operand the output of the node, which changes nothing."""
        if self.type_of(operand) == _T.TENSOR_BOOL8:
            self.emit(OperationType.CAST, [operand])
            return
        # Inputs of a model cannot be its outputs: a RESHAPE to the same shape copies.
        self.emit(OperationType.RESHAPE, [operand, self.ints(self.graph.arguments[operand].dimensions)])

    def new(self, kind: OperationType, inputs: Sequence[int], like: int | None = None) -> int:
        """Return the intermediate result of an operation, of the type of its first input or of ``like``."""
        source = self.graph.arguments[inputs[0] if like is None else like]
        index = self.graph.tensor(OperandType(source.type), (), Quantization(source.scale, source.zero_point))
        self.emit(kind, inputs, [index])
        return index

    def truth(self, kind: OperationType, *inputs: int) -> int:
        """Return the intermediate result of a comparison."""
        index = self.graph.tensor(_T.TENSOR_BOOL8, ())
        self.emit(kind, inputs, [index])
        return index

    def reshaped(self, operand: int, shape: Sequence[int]) -> int:
        """Return an operand in another shape."""
        if self.graph.arguments[operand].dimensions == tuple(shape):
            return operand
        return self.new(OperationType.RESHAPE, [operand, self.ints(shape)])

    def enlarged(self, source: int, wanted: tuple[int, ...]) -> int:
        """Return an operand broadcast to a shape."""
        given = self.graph.arguments[source].dimensions
        if given == wanted:
            return source
        if self.type_of(source) == OperandType.TENSOR_BOOL8:
            return self.new(OperationType.LOGICAL_OR, [source, self.number(np.zeros(wanted), source)])
        lifted = self.reshaped(source, (*[1] * (len(wanted) - len(given)), *given))
        times = np.floor_divide(wanted, self.graph.arguments[lifted].dimensions)
        return self.new(OperationType.TILE, [lifted, self.ints(times.tolist())])

    def emit(self, kind: OperationType, inputs: Sequence[int], outputs: Sequence[int] | None = None) -> None:
        """Append an operation that writes ``outputs``, by default the first of the node; arithmetic fuses nothing.

        :raises ModelFileError: the contract does not allow it, with the rule.
        """
        if kind in _FUSING:
            inputs = [*inputs, self.activation()]
        try:
            self.graph.operation(kind, inputs, [self.output()] if outputs is None else outputs)
        except HalError as error:
            self.fail(f"{kind.name}: {error.message} [{error.rule}]")
