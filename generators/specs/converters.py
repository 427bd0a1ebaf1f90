"""Variations that change data layout, axes and activations, and shorthands for all.

Source: docs/contract/spec-format.md 7.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final

from nnvet.generators.specs.data_types import DATA_TYPES, DataTypeConverter
from nnvet.generators.specs.operand_type import Type
from nnvet.generators.specs.operands import Output, SpecOperand
from nnvet.generators.specs.values import clamp, take, transpose
from nnvet.generators.specs.variations import ModelVariation, RelaxedModeConverter, known
from nnvet.hal.types import FusedActivationFunc

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
        """The layout."""
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
        """The activation."""
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
    """A bound in the codes of a quantised type."""
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
    """A variation object as it is, or the one meant by a string or by (string, operands).

    :raises TypeError: it is none of these. :raises ValueError: an unknown string.
    """
    if isinstance(value, ModelVariation):
        return value
    shorthand, *targets = value if isinstance(value, (list, tuple)) and value else (value,)
    if not isinstance(shorthand, str):
        raise TypeError(f"{value!r} is not a variation")
    variation = _SHORTHANDS[known("variation", shorthand, _SHORTHANDS)]()
    return variation.Identify(*targets) if targets else variation
