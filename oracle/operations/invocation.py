"""One operation of a model together with the values of its operands: the argument of its meaning.

Operands are read by their positions, as the specification lists them, and not by way of ``hal/operations``, so that a
mistake in a declaration does not enter the oracle. Values are tensors: numbers with dimensions.

Meanings are written as the specification writes them, ``output[index] = input[f(index)]``. The index is that of every
element at once: a tuple of arrays, one for each dimension, on which the formula is calculated as on numbers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import Operand, SymmPerChannelQuantParams

Array = npt.NDArray[Any]
Index = tuple[Any, ...]
"""Position of one element (numbers) or of many (arrays that broadcast to one another)."""


class Tensor:
    """Numbers with dimensions, from a list in row-major order or from an array."""

    __slots__ = ("array",)

    def __init__(self, values: Sequence[Any] | Array, dims: Sequence[int]) -> None:
        """Take the values, which must be as many as the dimensions have elements."""
        self.array: Array = np.asarray(values).reshape(tuple(dims))

    @classmethod
    def of(cls, array: Array) -> Tensor:
        """Return an array as it is."""
        found = cls.__new__(cls)
        found.array = np.asarray(array)
        return found

    @property
    def values(self) -> list[Any]:
        """The elements in row-major order, as Python numbers."""
        found: list[Any] = self.array.reshape(-1).tolist()
        return found

    @property
    def dims(self) -> tuple[int, ...]:
        """The dimensions."""
        return self.array.shape

    def __eq__(self, other: object) -> bool:
        """Return True if dimensions and numbers agree."""
        return isinstance(other, Tensor) and self.dims == other.dims and self.values == other.values

    def __hash__(self) -> int:
        """Hash dimensions and numbers."""
        return hash((self.dims, tuple(self.values)))

    def __repr__(self) -> str:
        """Return numbers and dimensions."""
        return f"Tensor({self.values}, {self.dims})"

    def __getitem__(self, index: Sequence[Any]) -> Any:
        """Return the elements at an index.

        :raises IndexError: an entry lies outside of its dimension. Negative entries do too: none counts from the end.
        """
        for position, size in zip(index, self.array.shape, strict=True):
            if isinstance(position, np.ndarray):
                # NumPy itself refuses sizes that are too large.
                if position.size and position.min() < 0:
                    raise IndexError(index)
            elif not 0 <= position < size:
                raise IndexError(index)
        return self.array[tuple(index)]


def indices(dims: Sequence[int]) -> Iterator[tuple[int, ...]]:
    """Return all multi-indices of a shape, row-major."""
    return itertools.product(*(range(size) for size in dims))


def build(dims: Sequence[int], element: Callable[[Index], Any]) -> Tensor:
    """Return the tensor whose elements are ``element(index)``, calculated for all indices at once."""
    shape = tuple(dims)
    values = np.asarray(element(_index(shape)))
    return Tensor.of(values if values.shape == shape else np.broadcast_to(values, shape))


@lru_cache(1 << 10)
def _index(shape: tuple[int, ...]) -> tuple[Array, ...]:
    """Return the index of every element of a shape: an array for each dimension."""
    found: tuple[Array, ...] = np.indices(shape, sparse=True)
    for array in found:
        array.flags.writeable = False
    return found


def one_by_one(dims: Sequence[int], element: Callable[[tuple[int, ...]], Any]) -> Tensor:
    """Return the tensor whose element at each index is ``element(index)``, calculated for one index after the other."""
    return Tensor([element(index) for index in indices(dims)], tuple(dims))


def choose(condition: Any, yes: Any, no: Any) -> Any:
    """Return ``yes`` where the condition holds, otherwise ``no``: elements of arrays, or numbers."""
    return np.where(condition, yes, no)[()]


def size_of(dims: Sequence[int]) -> int:
    """Return the number of elements."""
    return math.prod(dims)


def moved(tensor: Tensor, order: Sequence[int]) -> Tensor:
    """Return a tensor with its dimensions in another order: output dimension i is dimension order[i]."""
    dims = [tensor.dims[source] for source in order]

    def element(index: Index) -> Any:
        source: list[Any] = [0] * len(order)
        for position, dim in zip(index, order, strict=True):
            source[dim] = position
        return tensor[source]

    return build(dims, element)


def to_nhwc(tensor: Tensor) -> Tensor:
    """Return an NCHW tensor as NHWC."""
    return moved(tensor, (0, 2, 3, 1))


def to_nchw(tensor: Tensor) -> Tensor:
    """Return an NHWC tensor as NCHW."""
    return moved(tensor, (0, 3, 1, 2))


Quantization: TypeAlias = tuple[float, int]
"""Scale and zero point."""


@cache
def limits_of(dtype: str) -> tuple[int, int]:
    """Return the lowest and highest number of an integer type."""
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


class OperandValue(msgspec.Struct, frozen=True, eq=False):
    """An operand with its value; ``array`` is None if it is omitted or still to be computed."""

    type: int
    array: Array | None = None
    scale: float = 0.0
    zero_point: int = 0
    channel_quant: SymmPerChannelQuantParams | None = None

    def with_array(self, array: Array | None) -> OperandValue:
        """Return the same with another value."""
        return OperandValue(self.type, array, self.scale, self.zero_point, self.channel_quant)

    @property
    def quantization(self) -> Quantization:
        """Scale and zero point."""
        return self.scale, self.zero_point

    @property
    def limits(self) -> tuple[int, int]:
        """Lowest and highest code of the type, whose elements are integers."""
        return limits_of(type_info(self.type).dtype)

    @property
    def is_float(self) -> bool:
        """True if elements are floating-point numbers."""
        return type_info(self.type).is_float


class Invocation(msgspec.Struct, frozen=True, eq=False):
    """Inputs with values, and outputs as the model declares them.

    ``run`` executes the subgraph of a number on values, for IF and WHILE. ``declared`` are the operands of the outputs,
    with their dimensions; empty unless a whole model is evaluated (:mod:`nnvet.oracle.execution`).
    """

    name: str
    inputs: Sequence[OperandValue]
    outputs: Sequence[OperandValue]
    run: Callable[[int, Sequence[OperandValue]], list[OperandValue]]
    declared: Sequence[Operand] = ()

    def with_inputs(self, inputs: Sequence[OperandValue]) -> Invocation:
        """Return the same with other inputs."""
        return Invocation(self.name, inputs, self.outputs, self.run, self.declared)

    def with_outputs(self, outputs: Sequence[OperandValue]) -> Invocation:
        """Return the same with other outputs."""
        return Invocation(self.name, self.inputs, outputs, self.run, self.declared)

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
        """Return True if there is an input at a position, and it has this type (that of a scalar)."""
        return position < len(self.inputs) and self.inputs[position].type == kind

    def has(self, position: int) -> bool:
        """Return True if an input has a value."""
        return position < len(self.inputs) and self.inputs[position].array is not None

    def array(self, position: int) -> Array:
        """Return elements of an input as they are stored.

        :raises ValueError: it is omitted.
        """
        found = self.inputs[position].array
        if found is None:
            raise ValueError(f"{self.name} has no value for input {position}")
        return found

    def raw(self, position: int) -> Tensor:
        """Return an input as it is stored."""
        return Tensor.of(self.array(position))

    def whole(self, position: int) -> Tensor:
        """Return an input of integers or codes, in int64."""
        return Tensor.of(self.array(position).astype(np.int64))

    def centred(self, position: int) -> Tensor:
        """Return codes of an input less its zero point, in int64."""
        return Tensor.of(self.array(position).astype(np.int64) - self.inputs[position].zero_point)

    def real(self, position: int) -> Tensor:
        """Return real numbers of an input in float32: floats widened, codes (q - zero point) * scale."""
        value = self.inputs[position]
        if value.is_float:
            return Tensor.of(self.array(position).astype(np.float32))
        return Tensor.of(self.centred(position).array.astype(np.float32) * np.float32(value.scale))

    def exact(self, position: int) -> Tensor:
        """Return numbers in which sums are formed: floats in float64, codes less the zero point in int64."""
        if self.inputs[position].is_float:
            return Tensor.of(self.array(position).astype(np.float64))
        return self.centred(position)

    def list(self, position: int) -> Any:
        """Return elements of an input as Python numbers, row-major."""
        return self.array(position).reshape(-1).tolist()

    def number(self, position: int) -> Any:
        """Return the value of a scalar (or of a tensor of one element) as a Python number."""
        return self.array(position).item()

    def flag(self, position: int) -> bool:
        """Return the value of a BOOL at a position; False if there are fewer inputs, since the flag is optional."""
        return position < len(self.inputs) and bool(self.number(position))

    def numbers(self, first: int, count: int) -> tuple[Any, ...]:
        """Return the values of scalars at consecutive positions."""
        return tuple(self.number(first + i) for i in range(count))


def in_nhwc(tensor: Tensor, *, nchw: bool) -> Tensor:
    """Return a feature map in NHWC, converted if the operation has it in NCHW."""
    return to_nhwc(tensor) if nchw else tensor


def in_layout(tensor: Tensor, *, nchw: bool) -> Tensor:
    """Return an NHWC feature map in the layout of the operation, converted if that is NCHW."""
    return to_nchw(tensor) if nchw else tensor


@dataclass(frozen=True)
class Meaning:
    """The meaning of an operation.

    ``compute`` returns the output, or the outputs in order: tensors or arrays, which are rounded to the output's type
    once. ``quantization`` returns scale and zero point of the first output (and of all with its type) if the operation
    decides them and not the model; with ``only_first`` the other outputs keep theirs.
    """

    compute: Callable[[Invocation], Any]
    quantization: Callable[[Invocation], Quantization] | None = None
    only_first: bool = False


def like(position: int) -> Callable[[Invocation], Quantization]:
    """Return the function for :class:`Meaning` that takes scale and zero point from an input."""
    return lambda invocation: invocation.inputs[position].quantization


def fixed(scale: float, above: int) -> Callable[[Invocation], Quantization]:
    """Return the function for :class:`Meaning` of a fixed scale, and a zero point ``above`` the type's lowest code."""
    return lambda invocation: (scale, 0 if invocation.is_float else invocation.output.limits[0] + above)


def each_code(of: Callable[[int], int], codes: Tensor) -> Tensor:
    """Apply a function to every code; it is calculated once for each code that occurs."""
    found, places = np.unique(codes.array, return_inverse=True)
    table = np.array([of(int(code)) for code in found], np.int64)
    return Tensor(table[places.reshape(-1)], codes.dims)
