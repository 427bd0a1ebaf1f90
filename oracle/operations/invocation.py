"""One operation of a model together with the values of its operands: what the meaning of an operation is given.

Operands are read by their positions, as the specification lists them, and not by way of ``hal/operations``, so that
the oracle and the declarations are two statements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, TypeAlias

import msgspec
import numpy as np

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import SymmPerChannelQuantParams
from nnvet.oracle.operations.tensor import Array, Tensor, to_nchw, to_nhwc

Quantization: TypeAlias = tuple[float, int]
"""Scale and zero point."""


@cache
def _limits_of(dtype: str) -> tuple[int, int]:
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


class OperandValue(msgspec.Struct, frozen=True, eq=False):
    """An operand with its value; ``array`` is None where it is omitted, and for what is to be computed."""

    type: int
    array: Array | None = None
    scale: float = 0.0
    zero_point: int = 0
    channel_quant: SymmPerChannelQuantParams | None = None

    def with_array(self, array: Array | None) -> OperandValue:
        """The same with another value."""
        return OperandValue(self.type, array, self.scale, self.zero_point, self.channel_quant)

    @property
    def quantization(self) -> Quantization:
        """Scale and zero point."""
        return self.scale, self.zero_point

    @property
    def limits(self) -> tuple[int, int]:
        """Lowest and highest code of the type, whose elements are integers."""
        return _limits_of(type_info(self.type).dtype)

    @property
    def is_float(self) -> bool:
        """True if elements are floating-point numbers."""
        return type_info(self.type).is_float


class Invocation(msgspec.Struct, frozen=True, eq=False):
    """Inputs with values, and outputs as the model declares them.

    ``run`` executes the subgraph of a number on values, for IF and WHILE.
    """

    name: str
    inputs: Sequence[OperandValue]
    outputs: Sequence[OperandValue]
    run: Callable[[int, Sequence[OperandValue]], list[OperandValue]]

    def with_inputs(self, inputs: Sequence[OperandValue]) -> Invocation:
        """The same with other inputs."""
        return Invocation(self.name, inputs, self.outputs, self.run)

    def with_outputs(self, outputs: Sequence[OperandValue]) -> Invocation:
        """The same with other outputs."""
        return Invocation(self.name, self.inputs, outputs, self.run)

    def __len__(self) -> int:
        """Return the number of inputs."""
        return len(self.inputs)

    @property
    def output(self) -> OperandValue:
        """The first output."""
        return self.outputs[0]

    @property
    def is_float(self) -> bool:
        """True if the first input holds floating-point numbers."""
        return self.inputs[0].is_float

    def is_scalar(self, position: int, kind: OperandType) -> bool:
        """Return True if there is an input at a position, and it has this type."""
        return position < len(self.inputs) and self.inputs[position].type == kind

    def has(self, position: int) -> bool:
        """Return True if an input has a value."""
        return position < len(self.inputs) and self.inputs[position].array is not None

    def array(self, position: int) -> Array:
        """Elements of an input as they are stored.

        :raises ValueError: it is omitted.
        """
        found = self.inputs[position].array
        if found is None:
            raise ValueError(f"{self.name} has no value for input {position}")
        return found

    def raw(self, position: int) -> Tensor:
        """An input as it is stored."""
        return Tensor.of(self.array(position))

    def whole(self, position: int) -> Tensor:
        """An input of integers or codes, in int64."""
        return Tensor.of(self.array(position).astype(np.int64))

    def centred(self, position: int) -> Tensor:
        """Codes of an input less its zero point, in int64."""
        return Tensor.of(self.array(position).astype(np.int64) - self.inputs[position].zero_point)

    def real(self, position: int) -> Tensor:
        """Real numbers of an input in float32: floats widened, codes (q - zero point) * scale."""
        value = self.inputs[position]
        if value.is_float:
            return Tensor.of(self.array(position).astype(np.float32))
        return Tensor.of(self.centred(position).array.astype(np.float32) * np.float32(value.scale))

    def exact(self, position: int) -> Tensor:
        """Numbers in which sums are formed: floats in float64, codes less the zero point in int64."""
        if self.inputs[position].is_float:
            return Tensor.of(self.array(position).astype(np.float64))
        return self.centred(position)

    def list(self, position: int) -> Any:
        """Elements of an input as Python numbers, row-major."""
        return self.array(position).reshape(-1).tolist()

    def number(self, position: int) -> Any:
        """The value of a scalar (or of a tensor of one element) as a Python number."""
        return self.array(position).item()

    def flag(self, position: int) -> bool:
        """The value of a BOOL at a position, False where the list is shorter."""
        return position < len(self.inputs) and bool(self.number(position))

    def numbers(self, first: int, count: int) -> tuple[Any, ...]:
        """The values of scalars at consecutive positions."""
        return tuple(self.number(first + i) for i in range(count))


def in_nhwc(tensor: Tensor, *, nchw: bool) -> Tensor:
    """A feature map as NHWC."""
    return to_nhwc(tensor) if nchw else tensor


def in_layout(tensor: Tensor, *, nchw: bool) -> Tensor:
    """An NHWC feature map in the layout of the operation."""
    return to_nchw(tensor) if nchw else tensor


@dataclass(frozen=True)
class Meaning:
    """Meaning of an operation.

    ``compute`` gives the output, or the outputs in order: tensors or arrays, which are rounded to the output's type
    once. ``quantization`` gives scale and zero point of the first output (and of all that have its type) where the
    operation decides them and not the model; with ``only_first`` the others keep theirs.
    """

    compute: Callable[[Invocation], Any]
    quantization: Callable[[Invocation], Quantization] | None = None
    only_first: bool = False


def like(position: int) -> Callable[[Invocation], Quantization]:
    """The scale and zero point of an input."""
    return lambda invocation: invocation.inputs[position].quantization


def fixed(scale: float, above: int) -> Callable[[Invocation], Quantization]:
    """A scale, and a zero point ``above`` the lowest code of the output's type."""
    return lambda invocation: (scale, 0 if invocation.is_float else invocation.output.limits[0] + above)


def each_code(of: Callable[[int], int], codes: Tensor) -> Tensor:
    """A function of every code, calculated once for each that occurs."""
    found, places = np.unique(codes.array, return_inverse=True)
    table = np.array([of(int(code)) for code in found], np.int64)
    return Tensor(table[places.reshape(-1)], codes.dims)
