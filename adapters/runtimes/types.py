"""Groups of types that tables of claims name, and the condition that codes can be moved as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from nnvet.adapters.runtimes.claims import Condition
from nnvet.hal.enums import OperandType
from nnvet.hal.operand_types import type_info
from nnvet.hal.operations.declaration import Argument, Call

FLOATS: Final = (OperandType.TENSOR_FLOAT32, OperandType.TENSOR_FLOAT16)
UNSIGNED: Final = OperandType.TENSOR_QUANT8_ASYMM
SIGNED: Final = OperandType.TENSOR_QUANT8_ASYMM_SIGNED
BOTH_BYTES: Final = (UNSIGNED, SIGNED)
INTEGER: Final = OperandType.TENSOR_INT32
BOOLEAN: Final = OperandType.TENSOR_BOOL8


def element_name(code: int) -> str:
    """NumPy's name of a runtime's elements for an operand type; truth values are bytes in the HAL."""
    return "bool" if code == BOOLEAN else type_info(code).dtype


def same_codes(*names: str) -> Condition:
    """Condition that codes of inputs and output mean the same; ``names`` are those of the inputs."""

    def holds(call: Call) -> bool:
        return _same([*(call[name] for name in names), *call.variadic, *call.outputs])

    return Condition("8-bit inputs and output have one scale and zero point: codes are moved as they are", holds)


def _same(arguments: Sequence[Argument]) -> bool:
    quantized = [argument for argument in arguments if type_info(argument.type).is_quantized]
    return len({(operand.scale, operand.zero_point) for operand in quantized}) <= 1
