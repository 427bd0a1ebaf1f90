"""The operand classes that spec files use, but for references to models. Source: docs/contract/spec-format.md 4."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, ClassVar, Self, TypeVar

import numpy as np
from msgspec.structs import replace

from nnvet.generators.graphs.model import TestOperand
from nnvet.generators.specs.naming import Registry
from nnvet.generators.specs.operand_type import ChannelScales, Type, read_type
from nnvet.generators.specs.values import Step, Values, emit
from nnvet.hal.types import OperandLifeTime, SymmPerChannelQuantParams

OperandClass = TypeVar("OperandClass", bound="SpecOperand")


class Configuration:
    """Switches of a spec file; ``use_shm_for_weights`` puts constants made from then on into shared memory."""

    use_shm_for_weights: ClassVar[bool] = False
    hook_mode: ClassVar[bool] = False


class SpecOperand:
    """A value of a model, known by its name: operands of equal names are equal.

    ``steps`` are conversions of ``value`` that wait until a case is built. Once the spec has been executed operands
    do not change any more; cases share those that are alike in them, with their final values.
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
        """Compare names."""
        return self.name == other.name if isinstance(other, SpecOperand) else NotImplemented

    def __hash__(self) -> int:
        """Hash of the name."""
        return hash(self.name)

    def __repr__(self) -> str:
        """Class and name."""
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
        """Twin of the same name that shares the values."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.__dict__.pop("outline", None)
        twin.__dict__.pop("finished", None)
        return twin

    def converted(self, kind: type[OperandClass]) -> OperandClass:
        """This operand as one of another class: same name, type and values."""
        if kind is Internal and self.never_internal:
            raise ValueError(f"operand {self.name!r} must never become internal")
        twin = object.__new__(kind)
        twin.name, twin.type, twin.never_internal = self.name, self.type, self.never_internal
        twin.value, twin.steps = (None, ()) if kind is Internal else (self.value, self.steps)
        return twin

    def changed(self, kind: Type, step: Step) -> Self:
        """This operand with another type; values, where it has some, are converted later with ``step``."""
        twin = self.__copy__()
        twin.type = kind
        if self.has_values:
            twin.steps = (*self.steps, step)
        return twin

    def valued(self, value: Any) -> Self:
        """This operand with other values, as :meth:`SetValue` takes them."""
        return self.__copy__().SetValue(value)

    @property
    def has_values(self) -> bool:
        """True if there is at least one value."""
        return self.value is not None and len(self.value) > 0

    @cached_property
    def outline(self) -> TestOperand:
        """The operand of the test model, without data."""
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
        """The operand of the test model, its values converted; nobody may write into them, since cases share them.

        :raises ValueError: it has no values, or they do not fit; the operand is named.
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
    """The HAL's scales are of single precision."""
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
