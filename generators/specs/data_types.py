"""The variation that changes operand types. Source: docs/contract/spec-format.md 7."""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from nnvet.generators.specs.model import SpecModel, SubgraphReference
from nnvet.generators.specs.operand_type import Type, intern
from nnvet.generators.specs.operands import SpecOperand
from nnvet.generators.specs.values import convert
from nnvet.generators.specs.variations import ModelVariation, known

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
        """The target type, or a name for the explicit types."""
        if self.target_type is not None:
            return self.target_type
        types = {argument[0] for argument in self.targets.values() if isinstance(argument, (list, tuple))}
        return next((name for kind, name in _NAMES_BY_TYPE.items() if kind in types), "float32")

    def apply(self, model: SpecModel) -> None:
        """Convert the targets or, where there are none, every operand that the target type applies to."""
        if self.targets or self.target_type is None:
            super().apply(model)
            return
        for name, operand in model.operands.items():
            if isinstance(operand, SubgraphReference):
                self.apply(operand.model)
            elif operand.type.type in DATA_TYPES[self.target_type]:
                model.operands[name] = self.varied(operand, None)

    def varied(self, operand: SpecOperand, argument: Any) -> SpecOperand:
        """Convert one operand, or all that another DataTypeConverter says of a referenced model."""
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
    """Type with the operand's dimensions from (type[, scale[, zeroPoint[, per-channel parameters]]])."""
    if not isinstance(parts, (list, tuple)) or len(parts) not in {1, 2, 3, 4}:
        raise TypeError(
            f"operand {operand.name!r} needs (type[, scale[, zeroPoint[, SymmPerChannelQuantParams]]]), not {parts!r}"
        )
    kind, *quantisation = parts[:3]
    return intern(kind, operand.type.dimensions, *quantisation, channel_quant=parts[3] if parts[3:] else None)
