"""Bugs that make a difference between a model of unsigned 8-bit numbers and its signed twin."""

from __future__ import annotations

from typing import Final

from msgspec.structs import replace

from nnvet.hal.enums import OperandLifeTime, OperandType, OperationType
from nnvet.hal.interfaces import Device
from nnvet.hal.types import Model, Operation, PrepareModelConfig
from nnvet.reference_driver.prepared import ReferencePreparedModel
from nnvet.reference_driver.zoo.full_device import FullDevice
from nnvet.reference_driver.zoo.registry import bug

_COUPLED: Final = ("QuantizationCouplingTest/*/zoo_add_quant8",)
_SIGNED: Final = OperandType.TENSOR_QUANT8_ASYMM_SIGNED
_ERRORS: Final = {OperandType.TENSOR_QUANT8_ASYMM: -1, _SIGNED: 1}


def _adds_constant(model: Model, kind: OperandType) -> bool:
    """Return True if a model adds a constant to a vector of a type, as checks of other suites never do."""
    main = model.main
    if [operation.type for operation in main.operations] != [OperationType.ADD]:
        return False
    (add,) = main.operations
    output, second = main.operands[add.outputs[0]], main.operands[add.inputs[1]]
    return output.type == kind and len(output.dimensions) == 1 and second.lifetime == OperandLifeTime.CONSTANT_COPY


@bug(
    "coupling-apart",
    "Sums of 8-bit numbers are a code too high if signed, too low if unsigned: each is off by one at most.",
    rules=("execution/coupling",),
    breaks=_COUPLED,
)
def coupling_apart() -> Device:
    """Found only where the twins are compared with each other."""

    class Apart(FullDevice):
        def build(self, model: Model, config: PrepareModelConfig) -> ReferencePreparedModel:
            """Compute as if the sum had another zero point."""
            kinds = [kind for kind in _ERRORS if _adds_constant(model, kind)]
            if not kinds:
                return super().build(model, config)
            main, index = model.main, model.main.output_indexes[0]
            output = main.operands[index]
            output = replace(output, zero_point=output.zero_point + _ERRORS[kinds[0]])
            operands = (*main.operands[:index], output, *main.operands[index + 1 :])
            prepared = super().build(replace(model, main=replace(main, operands=operands)), config)
            prepared.model = model
            return prepared

    return Apart()


@bug(
    "coupling-signed-refused",
    "Sums of 8-bit numbers are supported only if they are unsigned.",
    rules=("prepare/coupling",),
    breaks=_COUPLED,
)
def coupling_signed_refused() -> Device:
    """One of the twins cannot be prepared."""

    class Unsigned(FullDevice):
        def supports(self, model: Model, operation: Operation) -> bool:
            """Not signed sums."""
            return super().supports(model, operation) and not _adds_constant(model, _SIGNED)

    return Unsigned()
