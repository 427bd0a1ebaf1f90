"""Variations of an example: default, relaxed, operand types, placement of operands, data layout, axes, activations.

Each variation replaces operands in a copy of the model that is made for it. The strings that stand for variations in
spec files are listed in a table at the end.

Source: docs/contract/spec-format.md 7.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, ClassVar, Final, Self

from nnvet.generators.specs.model import SpecModel, SubgraphReference
from nnvet.generators.specs.operand_type import Registry, Type, intern
from nnvet.generators.specs.operands import (
    Input,
    Internal,
    Output,
    Parameter,
    SpecOperand,
    clamp,
    convert,
    take,
    transpose,
)
from nnvet.hal.types import FusedActivationFunc

_RELOCATABLE: Final = frozenset(
    ("TENSOR_FLOAT32", "TENSOR_FLOAT16", "TENSOR_QUANT8_ASYMM", "TENSOR_QUANT8_ASYMM_SIGNED")
)
_MAXIMUM_RANK: Final = 4
"""Largest rank of the operands that :func:`_is_relocatable` accepts."""


class SkipVariation(Exception):  # noqa: N818 - no error: the combination does not exist
    """The variation has nothing to do for this model; the combination is left out."""


def known(what: str, value: str, table: dict[str, Any]) -> str:
    """Return the lower-case form of a word of the language.

    :raises ValueError: ``table`` lacks the word; the message lists its words.
    """
    if value.lower() not in table:
        raise ValueError(f"there is no {what} {value!r}; it is one of {', '.join(table)}")
    return value.lower()


class ModelVariation:
    """Base of all variations. ``targets`` maps operands to what the variation does with each.

    ``is_lifetime_variant`` and ``adds_placeholders`` are traits of the tests that it makes, see
    :class:`nnvet.graphs.model.Traits`.
    """

    supports_subgraphs: ClassVar[bool] = False
    is_lifetime_variant: ClassVar[bool] = False
    adds_placeholders: ClassVar[bool] = False

    def __init__(self, name: str | None = None) -> None:
        """Take the name that becomes a part of test names; None is the default name."""
        self.name = name
        self.targets: dict[SpecOperand, Any] = {}

    def Identify(
        self,
        operands: Iterable[SpecOperand] | Mapping[SpecOperand, Any],
        paramArgs: Any = None,  # noqa: ARG002 - part of the language, without effect
    ) -> Self:
        """Set the operands to vary; a mapping also sets the manner."""
        self.targets = dict(operands) if isinstance(operands, Mapping) else dict.fromkeys(operands)
        return self

    def default_name(self) -> str:
        """Return the name of a variation that the spec does not name."""
        return ""

    def apply(self, model: SpecModel) -> None:
        """Vary ``model``.

        :raises SkipVariation: there is nothing to vary.
        :raises ValueError: a target is missing, or not of a kind that this variation can change.
        """
        if not self.supports_subgraphs and any(type(op) is SubgraphReference for op in model.operands.values()):
            raise ValueError(f"{type(self).__name__} cannot vary a model with subgraphs")
        for operand, argument in self.targets.items():
            model.operands[operand.name] = self.varied(model.find(operand), argument)

    def varied(self, operand: SpecOperand, argument: Any) -> SpecOperand:  # noqa: ARG002 - for those that vary targets
        """Return one target as the variation changes it."""
        return operand


class DefaultVariation(ModelVariation):
    """The example as it is."""

    supports_subgraphs = True


class RelaxedModeConverter(ModelVariation):
    """Sets or clears the flag that lets float32 be computed in float16."""

    supports_subgraphs = True

    def __init__(self, isRelaxed: bool = True, name: str | None = None) -> None:
        """Take the flag."""
        super().__init__(name)
        self.is_relaxed = isRelaxed

    def default_name(self) -> str:
        """``relaxed`` or ``float``."""
        return "relaxed" if self.is_relaxed else "float"

    def apply(self, model: SpecModel) -> None:
        """Set the model's flag."""
        model.is_relaxed = self.is_relaxed


def _check_single_operation(model: SpecModel) -> None:
    if len(model.operations) != 1:
        raise SkipVariation


class AllTensorsAsInputsConverter(ModelVariation):
    """Turns constant tensors into inputs of the same value."""

    supports_subgraphs = True
    is_lifetime_variant = True

    def default_name(self) -> str:
        """``all_tensors_as_inputs``."""
        return "all_tensors_as_inputs"

    def apply(self, model: SpecModel) -> None:
        """Convert every Parameter (none of its relatives) that is a tensor with a value, even an empty one."""
        _check_single_operation(model)
        constants = [
            operand
            for operand in model.operands.values()
            if type(operand) is Parameter and operand.type.is_tensor and operand.value is not None
        ]
        if not constants:
            raise SkipVariation
        for operand in constants:
            model.operands[operand.name] = operand.converted(Input)


def _is_relocatable(operand: SpecOperand) -> bool:
    return operand.type.type in _RELOCATABLE and operand.type.rank <= _MAXIMUM_RANK and operand.has_values


def _renamed(operand: SpecOperand, kind: type[SpecOperand]) -> SpecOperand:
    """Return the operand's type and values under a new name, ``X_new``."""
    twin = operand.converted(kind)
    twin.name = Registry.variables.unique(f"{operand.name}_new", "", 1)
    return twin


def _placeholder(operand: SpecOperand) -> Parameter:
    """Return a constant zero that can be added to the operand."""
    kind = operand.type
    return Parameter("placeholder", (kind.type, [1], kind.scale, kind.zero_point), [kind.zero_point])


class AllInputsAsInternalCoverter(ModelVariation):
    """Puts an addition of zero before every input that ADD can take."""

    supports_subgraphs = True
    is_lifetime_variant = True
    adds_placeholders = True

    def default_name(self) -> str:
        """``all_inputs_as_internal``."""
        return "all_inputs_as_internal"

    def apply(self, model: SpecModel) -> None:
        """Make each candidate internal; its new input comes behind all operands that were there."""
        _check_single_operation(model)
        candidates = [operand for operand in model.inputs if _is_relocatable(operand) and not operand.never_internal]
        if not candidates:
            raise SkipVariation
        for operand in candidates:
            source = _renamed(operand, Input)
            model.operands[operand.name] = internal = operand.converted(Internal)
            model.Operation("ADD", source, _placeholder(operand), 0).To(internal)


class AllOutputsAsInternalCoverter(ModelVariation):
    """Puts an addition of zero behind every output that ADD can take."""

    supports_subgraphs = True
    adds_placeholders = True

    def default_name(self) -> str:
        """``all_outputs_as_internal``."""
        return "all_outputs_as_internal"

    def apply(self, model: SpecModel) -> None:
        """Make each candidate internal; its new output is checked even where the old one was ignored."""
        _check_single_operation(model)
        candidates = [operand for operand in model.outputs if _is_relocatable(operand)]
        if not candidates:
            raise SkipVariation
        for operand in candidates:
            model.operands[operand.name] = internal = operand.converted(Internal)
            model.Operation("ADD", internal, _placeholder(operand), 0).To(_renamed(operand, Output))


DATA_TYPES: Final = {
    "float16": {"TENSOR_FLOAT32": "TENSOR_FLOAT16", "FLOAT32": "FLOAT16"},
    "int32": {"TENSOR_FLOAT32": "TENSOR_INT32", "FLOAT32": "INT32"},
    "quant8": {"TENSOR_FLOAT32": "TENSOR_QUANT8_ASYMM"},
    "quant8_signed": {"TENSOR_FLOAT32": "TENSOR_QUANT8_ASYMM_SIGNED"},
}
"""Types of float32 operands by target type."""

_NAMES_BY_TYPE: Final = {
    "TENSOR_QUANT8_SYMM_PER_CHANNEL": "channelQuant8",
    "TENSOR_QUANT8_ASYMM": "quant8",
    "TENSOR_QUANT8_ASYMM_SIGNED": "quant8_signed",
    "TENSOR_INT32": "int32",
    "TENSOR_FLOAT16": "float16",
}
"""Names of explicit data type variations: the first type that occurs decides."""


class DataTypeConverter(ModelVariation):
    """Changes operand types and, with them, values: all float32 operands, or those given to Identify."""

    supports_subgraphs = True

    def __init__(
        self,
        targetType: str | None = None,
        name: str | None = None,
        scale: float | None = None,
        zeroPoint: int | None = None,
    ) -> None:
        """Take the target type and, for quantised ones, its scale and zero point."""
        super().__init__(name)
        self.target_type = None if targetType is None else known("data type", targetType, DATA_TYPES)
        self.scale, self.zero_point = scale, zeroPoint

    def default_name(self) -> str:
        """Return the target type, or a name for the explicit types."""
        if self.target_type is not None:
            return self.target_type
        types = {argument[0] for argument in self.targets.values() if isinstance(argument, (list, tuple))}
        return next((name for kind, name in _NAMES_BY_TYPE.items() if kind in types), "float32")

    def apply(self, model: SpecModel) -> None:
        """Convert the targets, or without targets every operand to which the target type applies."""
        if self.targets or self.target_type is None:
            super().apply(model)
            return
        for name, operand in model.operands.items():
            if isinstance(operand, SubgraphReference):
                self.apply(operand.model)
            elif operand.type.type in DATA_TYPES[self.target_type]:
                model.operands[name] = self.varied(operand, None)

    def varied(self, operand: SpecOperand, argument: Any) -> SpecOperand:
        """Convert one operand, or a referenced model by the other DataTypeConverter that is given for it."""
        if isinstance(operand, SubgraphReference):
            if not isinstance(argument, DataTypeConverter):
                raise TypeError(f"subgraph operand {operand.name!r} needs a DataTypeConverter, not {argument!r}")
            argument.apply(operand.model)
            return operand
        old = operand.type
        new = self._target(old) if argument is None else _explicit_type(operand, argument)
        # A dimension of 0 leaves nothing to convert, whatever the values say.
        return operand.changed(new, partial(convert, old=old, new=new) if old.size else _unchanged)

    def _target(self, old: Type) -> Type:
        table = DATA_TYPES[self.target_type] if self.target_type else {}
        if old.type not in table:
            raise ValueError(f"{self.target_type} does not say what becomes of {old.type}")
        kind = table[old.type]
        if "QUANT8" not in kind:
            return intern(kind, old.dimensions)
        if self.scale is None or self.zero_point is None:
            raise ValueError(f"{self.target_type} needs DataTypeConverter(..., scale=, zeroPoint=)")
        return intern(kind, old.dimensions, self.scale, self.zero_point)


def _unchanged(values: Any) -> Any:
    return values


def _explicit_type(operand: SpecOperand, parts: Any) -> Type:
    """Return the type with the operand's dimensions from (type[, scale[, zeroPoint[, per-channel parameters]]])."""
    if not isinstance(parts, (list, tuple)) or len(parts) not in {1, 2, 3, 4}:
        raise TypeError(
            f"operand {operand.name!r} needs (type[, scale[, zeroPoint[, SymmPerChannelQuantParams]]]), not {parts!r}"
        )
    kind, *quantisation = parts[:3]
    return intern(kind, operand.type.dimensions, *quantisation, channel_quant=parts[3] if parts[3:] else None)


_LAYOUTS: Final = {"nchw": (0, 3, 1, 2), "nhwc": (0, 2, 3, 1)}
_LAYOUT_RANK: Final = 4

_ACTIVATIONS: Final[dict[str, tuple[FusedActivationFunc, int | None, int | None]]] = {
    "none": (FusedActivationFunc.NONE, None, None),
    "relu": (FusedActivationFunc.RELU, 0, None),
    "relu1": (FusedActivationFunc.RELU1, -1, 1),
    "relu6": (FusedActivationFunc.RELU6, 0, 6),
}


class DataLayoutConverter(ModelVariation):
    """Moves the channels of the targets, and sets BOOL targets to say so."""

    def __init__(self, targetLayout: str = "nchw", name: str | None = None) -> None:
        """Take the layout of the result."""
        super().__init__(name)
        self.layout = known("data layout", targetLayout, _LAYOUTS)

    def default_name(self) -> str:
        """Return the layout."""
        return self.layout

    def varied(self, operand: SpecOperand, argument: Any) -> SpecOperand:  # noqa: ARG002 - targets carry no arguments
        """Permute a tensor of rank 4 or a vector of four, or set the layout flag."""
        old, permutation = operand.type, _LAYOUTS[self.layout]
        if old.type == "BOOL":
            return operand.valued(self.layout == "nchw")
        if old.rank == _LAYOUT_RANK:
            new = old.reshaped([old.dimensions[axis] for axis in permutation])
            return operand.changed(new, partial(transpose, dimensions=old.dimensions, permutation=permutation))
        if old.dimensions == (_LAYOUT_RANK,):
            return operand.changed(old.reshaped(old.dimensions), partial(take, indexes=permutation))
        raise ValueError(f"DataLayoutConverter cannot convert operand {operand.name!r} {old.dimensions}")


class AxisConverter(ModelVariation):
    """Moves an axis of the targets to another place, drops others, and changes INT32 targets to say so."""

    def __init__(self, origin: int, target: int, dim: int, drop: Sequence[int] = (), name: str | None = None) -> None:
        """Move axis ``origin`` of tensors of rank ``dim`` to ``target``, then drop axes of the result."""
        super().__init__(name)
        self.place = target + dim if target < 0 else target
        if self.place in drop or not (0 <= origin < dim and 0 <= self.place < dim):
            raise ValueError(f"axis {origin} of {dim} cannot move to {target} with {list(drop)} dropped")
        self.rank, self.target, self.drop = dim, target, frozenset(drop)
        self.permutation = [axis for axis in range(dim) if axis != origin]
        self.permutation.insert(self.place, origin)

    def default_name(self) -> str:
        """Rank and axis of the result."""
        axis = self.place - sum(dropped < self.place for dropped in self.drop)
        return f"dim{self.rank - len(self.drop)}_axis{axis}{'_neg' if self.target < 0 else ''}"

    def varied(self, operand: SpecOperand, argument: Any) -> SpecOperand:  # noqa: ARG002 - targets carry no arguments
        """Transpose a tensor or set an axis."""
        old = operand.type
        if old.type == "INT32":
            below = sum(dropped < self.place for dropped in self.drop)
            above = len(self.drop) - below
            return operand.valued(self.target + above if self.target < 0 else self.target - below)
        if old.is_tensor and old.rank == self.rank:
            dimensions = [old.dimensions[axis] for axis in self.permutation]
            new = old.reshaped([size for axis, size in enumerate(dimensions) if axis not in self.drop])
            step = partial(transpose, dimensions=old.dimensions, permutation=self.permutation, drop=self.drop)
            return operand.changed(new, step)
        raise ValueError(f"AxisConverter cannot convert operand {operand.name!r} ({old.type}, rank {old.rank})")


class ActivationConverter(ModelVariation):
    """Sets INT32 targets to an activation and clamps output targets as it does."""

    def __init__(self, act: str = "relu", name: str | None = None) -> None:
        """Take the activation."""
        super().__init__(name)
        self.act = known("activation", act, _ACTIVATIONS)

    def default_name(self) -> str:
        """Return the activation."""
        return self.act

    def varied(self, operand: SpecOperand, argument: Any) -> SpecOperand:  # noqa: ARG002 - targets carry no arguments
        """Set the activation or clamp expected results."""
        code, low, high = _ACTIVATIONS[self.act]
        kind = operand.type
        if kind.type == "INT32":
            return operand.valued(int(code))
        if isinstance(operand, Output):
            bounds = partial(clamp, low=_quantized(low, kind), high=_quantized(high, kind))
            return operand if code == FusedActivationFunc.NONE else operand.changed(kind, bounds)
        raise ValueError(f"ActivationConverter cannot convert operand {operand.name!r}: it is no output")


def _quantized(bound: int | None, kind: Type) -> int | None:
    """Return a bound in the codes of a quantised type."""
    return bound if bound is None or not kind.scale else round(bound / kind.scale) + kind.zero_point


_SHORTHANDS: Final[dict[str, Callable[[], ModelVariation]]] = {
    **{kind: partial(DataTypeConverter, kind) for kind in DATA_TYPES},
    "relaxed": RelaxedModeConverter,
    **{layout: partial(DataLayoutConverter, layout) for layout in _LAYOUTS},
    **{act: partial(ActivationConverter, act) for act in _ACTIVATIONS},
}
"""Variations that AddVariations also takes as strings."""

ALL_ACTIVATIONS: Final = tuple(sorted(_ACTIVATIONS))


def to_variation(value: Any) -> ModelVariation:
    """Return a variation object itself, or the variation that a string or (string, operands) means.

    :raises TypeError: it is none of these. :raises ValueError: the string is unknown.
    """
    if isinstance(value, ModelVariation):
        return value
    shorthand, *targets = value if isinstance(value, (list, tuple)) and value else (value,)
    if not isinstance(shorthand, str):
        raise TypeError(f"{value!r} is not a variation")
    variation = _SHORTHANDS[known("variation", shorthand, _SHORTHANDS)]()
    return variation.Identify(*targets) if targets else variation
