"""Context in which one ONNX node is converted to HAL operations: its inputs as operands, attributes, and emission."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

import numpy as np
import numpy.typing as npt

from nnvet.formats.errors import ModelFileError
from nnvet.formats.tflite.context import HalGraph
from nnvet.hal.errors import HalError
from nnvet.hal.types import OperandType, OperationType

_T = OperandType
HAL_TYPES: Final = {
    "float32": _T.TENSOR_FLOAT32,
    "float16": _T.TENSOR_FLOAT16,
    "int32": _T.TENSOR_INT32,
    "int64": _T.TENSOR_INT32,
    "bool": _T.TENSOR_BOOL8,
}
"""HAL types by NumPy's names; 64-bit integers are indices and sizes, which have to fit 32 bits."""
_INT32: Final = np.iinfo(np.int32)
_LOW_RANK: Final = 1


@dataclass
class OnnxConversion:
    """The whole model: HAL operands and constants by the name of the value, and what ``onnx`` infers of types."""

    source: str
    graph: HalGraph
    types: Mapping[str, str]
    constants: dict[str, npt.NDArray[Any]]
    opset: int
    operands: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class NodeContext:
    """One node. Positions count its own inputs and outputs."""

    conversion: OnnxConversion
    name: str
    operator: str
    input_names: Sequence[str]
    output_names: Sequence[str]
    attributes: Mapping[str, Any]

    def fail(self, reason: str) -> NoReturn:
        """Refuse the node.

        :raises ModelFileError: with file, operator, node and reason.
        """
        node = f" ({self.name})" if self.name else ""
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
        operands = self.conversion.operands
        if name not in operands:
            array = self.array(position)
            if array is None:
                self.fail(f"{name} is read before it is computed")
            operands[name] = self.constant(array)
        return operands[name]

    def constant(self, array: npt.NDArray[Any]) -> int:
        """Return a constant tensor."""
        if not array.size:
            self.fail("a constant is empty")
        if array.dtype == np.int64 and not (_INT32.min <= array.min() and array.max() <= _INT32.max):
            self.fail("a constant holds 64-bit integers that do not fit 32 bits")
        return self.graph.constant(self.hal_type(str(array.dtype)), array)

    def hal_type(self, dtype: str) -> OperandType:
        """Return the HAL type of NumPy's name of a type."""
        if dtype not in HAL_TYPES:
            self.fail(f"the contract has no tensors of {dtype} without a scale")
        return HAL_TYPES[dtype]

    def shape(self, position: int) -> tuple[int, ...]:
        """Return the dimensions of an input; a scalar has one."""
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
        """Return a scalar of the floating-point type of an operand."""
        is_half = self.type_of(like) == _T.TENSOR_FLOAT16
        return self.graph.constant(_T.FLOAT16 if is_half else _T.FLOAT32, value)

    def number(self, value: Any, like: int, rank: int = _LOW_RANK) -> int:
        """Return a constant tensor of a number, or of an array, of the type of an operand."""
        array = np.asarray(value)
        return self.graph.constant(self.type_of(like), array if array.shape else array.reshape((1,) * rank))

    def output(self, position: int = 0) -> int:
        """Return a new operand for an output."""
        name = self.output_names[position]
        if name not in self.conversion.types:
            self.fail(f"onnx does not infer the type of {name}")
        index = self.graph.tensor(self.hal_type(self.conversion.types[name]), ())
        self.conversion.operands[name] = index
        return index

    def alias(self, operand: int) -> None:
        """Make an operand the output, where the node changes nothing."""
        # Inputs of a model cannot be its outputs: a RESHAPE to the same shape copies.
        self.emit(OperationType.RESHAPE, [operand, self.ints(self.graph.arguments[operand].dimensions)])

    def new(self, kind: OperationType, inputs: Sequence[int], like: int | None = None) -> int:
        """Return the result of an operation between, of the type of its first input or of ``like``."""
        index = self.graph.tensor(self.type_of(inputs[0] if like is None else like), ())
        self.emit(kind, inputs, [index])
        return index

    def emit(self, kind: OperationType, inputs: Sequence[int], outputs: Sequence[int] | None = None) -> None:
        """Append an operation that writes ``outputs``, by default the first of the node.

        :raises ModelFileError: the contract does not allow it, with the rule.
        """
        try:
            self.graph.operation(kind, inputs, [self.output()] if outputs is None else outputs)
        except HalError as error:
            self.fail(f"{kind.name}: {error.message} [{error.rule}]")
