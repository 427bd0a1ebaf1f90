"""The operand classes that spec files use, except references to models, and arithmetic on their values.

Values are flat and row-major: a list or tuple from the spec, or an array from an earlier step. Steps run when a case is
built, not when it is collected.

Source: docs/contract/spec-format.md 4 and 7.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from functools import cache, cached_property
from typing import Any, ClassVar, Final, Self, TypeVar

import numpy as np
from msgspec.structs import replace

from nnvet.generators.specs.operand_type import ChannelScales, Registry, Type, read_type
from nnvet.graphs.model import Array, TestOperand
from nnvet.hal.types import OperandLifeTime, SymmPerChannelQuantParams

Values = Sequence[Any] | Array
Step = Callable[[Values], Values]

_CLAMPED: Final = {
    "TENSOR_QUANT8_ASYMM": (0, 255),
    "TENSOR_QUANT16_ASYMM": (0, 65535),
    "TENSOR_QUANT8_SYMM_PER_CHANNEL": (-127, 127),
    "TENSOR_QUANT8_ASYMM_SIGNED": (-128, 127),
    "UINT32": (0, None),
}
"""Limits to which converted values are clamped; other integer types are not clamped."""


def numbers(values: Values) -> Array:
    """Return values as a flat array of whatever number type they are."""
    if isinstance(values, np.ndarray):
        return values
    try:
        array = np.asarray(values)
    except ValueError:  # nested lists of different lengths
        array = np.empty((0, 0))
    if array.ndim == 1 and array.dtype.kind in "biuf":
        return array
    return np.array([_number(value) for value in values])


@cache
def limits(dtype: str) -> tuple[int, int]:
    """Return the smallest and largest integer of an element type."""
    info = np.iinfo(dtype)
    return int(info.min), int(info.max)


def _number(value: Any) -> float | int:
    """Return the number for a string or an array of one element.

    :raises ValueError: the value does not represent one number.
    """
    try:
        if isinstance(value, (np.ndarray, np.generic)):
            value = value.item()
        return value if isinstance(value, (bool, int)) else float(value)
    except (TypeError, ValueError):
        raise ValueError(f"{value!r} is not a number") from None


def emit(values: Values, kind: Type) -> Array:
    """Return values as elements of ``kind``: floats rounded, booleans as truth, everything else truncated.

    :raises ValueError: a value is no number or does not fit.
    """
    array = numbers(values)
    if kind.is_float:
        with np.errstate(all="ignore"):
            single = array if kind.dtype == "float64" else array.astype(np.float32)
            return single.astype(kind.dtype)
    if kind.type in {"BOOL", "TENSOR_BOOL8"}:
        return array.astype(np.bool_).astype(kind.dtype)
    if array.dtype.kind == "f":
        array = np.trunc(array)
    low, high = limits(kind.dtype)
    if array.size and not (array.min() >= low and array.max() <= high):
        raise ValueError(f"values from {array.min()} to {array.max()} do not fit {kind.type}")
    return array.astype(kind.dtype)


def convert(values: Values, old: Type, new: Type) -> Values:
    """Return values of type ``old`` as values of ``new``, in float32; integers are rounded half to even and clamped."""
    with np.errstate(all="ignore"):
        real = numbers(values).astype(np.float32) - np.float32(old.zero_point)
        if old.scale:
            real *= np.float32(old.scale)
        real = _per_channel(real, old, np.multiply)
        if new.scale:
            real /= np.float32(new.scale)
        real = _per_channel(real, new, np.divide) + np.float32(new.zero_point)
        if new.is_float:
            return real
        codes: Array = np.rint(real).astype(np.int64)
    return clamp(codes, *_CLAMPED[new.type]) if new.type in _CLAMPED else codes


def _per_channel(values: Array, kind: Type, apply: Callable[[Array, Array], Array]) -> Array:
    if kind.channel_quant is None:
        return values
    scales = np.array(kind.channel_quant.scales, np.float32)
    scales = scales.reshape(kind.channel_quant.broadcast_shape(kind.rank))
    return apply(values.reshape(kind.dimensions), scales).reshape(-1)


def transpose(
    values: Values, dimensions: Sequence[int], permutation: Sequence[int], drop: Collection[int] = ()
) -> Values:
    """Return values with their axes permuted; of axes ``drop`` (after the permutation) only index 0 is kept."""
    kept = tuple(0 if axis in drop else slice(None) for axis in range(len(dimensions)))
    return numbers(values).reshape(dimensions).transpose(permutation)[kept].reshape(-1)


def take(values: Values, indexes: Sequence[int]) -> Values:
    """Return the values at ``indexes``."""
    return [values[index] for index in indexes]


def clamp(values: Values, low: float | None, high: float | None) -> Values:
    """Return values limited from one or both sides."""
    clamped: Array = np.clip(numbers(values), low, high)
    return clamped


OperandClass = TypeVar("OperandClass", bound="SpecOperand")


class Configuration:
    """Switches of a spec file; ``use_shm_for_weights`` puts constants made from then on into shared memory."""

    use_shm_for_weights: ClassVar[bool] = False
    hook_mode: ClassVar[bool] = False


class SpecOperand:
    """A value of a model, known by its name: operands of equal names are equal.

    ``steps`` are conversions of ``value`` that wait until a case is built. Once the spec has been executed, operands
    do not change any more; cases share equal operands, with their final values.
    """

    lifetime = OperandLifeTime.TEMPORARY_VARIABLE
    is_ignored: ClassVar[bool] = False

    def __init__(self, name: str, *arguments: Any, extraParams: ChannelScales | bytes | None = None) -> None:
        """Take a name and a type in string or tuple form; ``extraParams`` are bytes for types of extensions.

        Further arguments mean nothing in the language, and do no harm.
        """
        self.type, _, _ = read_type(arguments, extraParams)
        self._setup(name)

    def _setup(self, name: str) -> None:
        self.name = Registry.variables.unique(str(name), "", 1)
        self.value: Values | None = None
        self.steps: tuple[Step, ...] = ()
        self.never_internal = False

    def __eq__(self, other: object) -> bool:
        """Return True if both have the same name."""
        return self.name == other.name if isinstance(other, SpecOperand) else NotImplemented

    def __hash__(self) -> int:
        """Return the hash of the name."""
        return hash(self.name)

    def __repr__(self) -> str:
        """Return class and name."""
        return f"{type(self).__name__}({self.name!r})"

    def SetValue(self, value: Any) -> Self:
        """Give the operand values: a flat list or tuple, None, or anything else as the only element."""
        self.value = value if value is None or isinstance(value, (list, tuple)) else [value]
        self.steps = ()
        return self

    def ShouldNeverBeInternal(self) -> Self:
        """Keep AllInputsAsInternalCoverter from touching this operand."""
        self.never_internal = True
        return self

    def __copy__(self) -> Self:
        """Return a copy of the same name that shares the values."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.__dict__.pop("outline", None)
        twin.__dict__.pop("finished", None)
        return twin

    def converted(self, kind: type[OperandClass]) -> OperandClass:
        """Return this operand as an operand of another class, with the same name, type and values."""
        if kind is Internal and self.never_internal:
            raise ValueError(f"operand {self.name!r} must never become internal")
        twin = object.__new__(kind)
        twin.name, twin.type, twin.never_internal = self.name, self.type, self.never_internal
        twin.value, twin.steps = (None, ()) if kind is Internal else (self.value, self.steps)
        return twin

    def changed(self, kind: Type, step: Step) -> Self:
        """Return this operand with another type; its values, if it has some, are converted later with ``step``."""
        twin = self.__copy__()
        twin.type = kind
        if self.has_values:
            twin.steps = (*self.steps, step)
        return twin

    def valued(self, value: Any) -> Self:
        """Return this operand with other values, in the form that :meth:`SetValue` takes."""
        return self.__copy__().SetValue(value)

    @property
    def has_values(self) -> bool:
        """True if there is at least one value."""
        return self.value is not None and len(self.value) > 0

    @cached_property
    def outline(self) -> TestOperand:
        """Return the operand of the test model, without data."""
        kind, scales = self.type, self.type.channel_quant
        return TestOperand(
            type=kind.code,
            dimensions=kind.dimensions,
            scale=_float32(kind.scale),
            zero_point=kind.zero_point,
            lifetime=self.lifetime,
            channel_quant=SymmPerChannelQuantParams(tuple(map(_float32, scales.scales)), scales.channel_dim)
            if scales and not scales.hide
            else None,
            is_ignored=self.is_ignored,
            extension_data=kind.extension_data,
        )

    @cached_property
    def finished(self) -> TestOperand:
        """Return the operand of the test model with converted values, which cases share: do not change them.

        :raises ValueError: it has no values, or they do not fit; the text names the operand.
        """
        values = self.value
        if values is None:
            raise ValueError(f"operand {self.name!r} has no value")
        try:
            for step in self.steps:
                values = step(values)
            data = emit(values, self.type)
        except (ValueError, TypeError, IndexError, OverflowError) as error:
            raise ValueError(f"operand {self.name!r}: {error}") from error
        data.flags.writeable = False
        return replace(self.outline, data=data)


def _float32(value: float) -> float:
    """Round a number to single precision, which the HAL's scales have."""
    return float(np.float32(value)) if value else 0.0


class Input(SpecOperand):
    """A model input; each example feeds it."""

    lifetime = OperandLifeTime.SUBGRAPH_INPUT


class Output(SpecOperand):
    """A model output; its value is the expected result."""

    lifetime = OperandLifeTime.SUBGRAPH_OUTPUT


class IgnoredOutput(Output):
    """A model output whose result is not checked; its values are zeros whatever an example says."""

    is_ignored = True

    def SetValue(self, value: Any) -> Self:  # noqa: ARG002 - an example may give a value, it is ignored
        """Set zeros of full size."""
        self.value, self.steps = np.zeros(self.type.size, np.int64), ()
        return self


class Internal(SpecOperand):
    """A value between operations."""


class Parameter(SpecOperand):
    """A constant, or in tuple form with the value None an operand without value."""

    def __init__(
        self,
        name: str,
        *arguments: Any,
        value: Any = None,
        extraParams: ChannelScales | bytes | None = None,
    ) -> None:
        """Take a name, a type and the value, which may be a keyword in tuple form."""
        self.type, rest, is_tuple = read_type(arguments, extraParams)
        if len(rest) > 1:
            raise TypeError(f"parameter {name!r} has arguments behind its value: {rest[1:]!r}")
        self._setup(name)
        Registry.variables.unique(f"{self.name}_init", "_", 1)
        self.SetValue(rest[0] if rest else value)
        self.lifetime = OperandLifeTime.CONSTANT_COPY
        if is_tuple and self.value is None:
            self.lifetime = OperandLifeTime.NO_VALUE
        elif Configuration.use_shm_for_weights:
            self.lifetime = OperandLifeTime.CONSTANT_REFERENCE


class Int32Scalar(Parameter):
    """An INT32 constant."""

    def __init__(self, name: str, value: Any) -> None:
        """Take a name and the value."""
        super().__init__(name, ("INT32", []), int(value))


class Float32Scalar(Parameter):
    """A FLOAT32 constant."""

    def __init__(self, name: str, value: Any) -> None:
        """Take a name and the value."""
        super().__init__(name, ("FLOAT32", []), value)


class Float16Scalar(Parameter):
    """A FLOAT16 constant."""

    def __init__(self, name: str, value: Any) -> None:
        """Take a name and the value."""
        super().__init__(name, ("FLOAT16", []), value)


class BoolScalar(Parameter):
    """A BOOL constant."""

    def __init__(self, name: str, value: Any) -> None:
        """Take a name and the value."""
        super().__init__(name, ("BOOL", []), value)


class Int32Vector(Parameter):
    """A constant TENSOR_INT32 of rank 1."""

    def __init__(self, name: str, value: Sequence[Any]) -> None:
        """Take a name and the elements."""
        super().__init__(name, ("TENSOR_INT32", [len(value)]), value)


class Float32Vector(Parameter):
    """A constant TENSOR_FLOAT32 of rank 1."""

    def __init__(self, name: str, value: Sequence[Any]) -> None:
        """Take a name and the elements."""
        super().__init__(name, ("TENSOR_FLOAT32", [len(value)]), value)
