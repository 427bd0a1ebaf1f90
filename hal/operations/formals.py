"""The commonest formal operands, so that a declaration says of each only what is its own.

The set of operand types that most operations take, with the feature level of each.
"""

from __future__ import annotations

from nnvet.hal.enums import OperandType
from nnvet.hal.operations.declaration import Formal, Phase


def float_and_quant8(level: int) -> dict[OperandType, int]:
    """Float32 and unsigned 8-bit codes from ``level`` on, float16 from level 3, signed 8-bit codes from 4."""
    return {
        OperandType.TENSOR_FLOAT32: level,
        OperandType.TENSOR_QUANT8_ASYMM: level,
        OperandType.TENSOR_FLOAT16: max(level, 3),
        OperandType.TENSOR_QUANT8_ASYMM_SIGNED: max(level, 4),
    }


def tensor(
    name: str, type_: str | OperandType, rank: int | tuple[int, int | None], meaning: str, *, omissible: bool = False
) -> Formal:
    """A tensor of one rank or of a range of ranks (no maximum: None), which is checked when the operation runs."""
    bounds = (rank, rank) if isinstance(rank, int) else rank
    return Formal(name, type_, meaning, rank=bounds, rank_phase=Phase.EXECUTION, omissible=omissible)


def integer(name: str, meaning: str, *, level: int = 1, values: tuple[int, ...] = ()) -> Formal:
    """An INT32 scalar whose value decides shapes or rules; one of ``values``, where given."""
    return Formal(name, OperandType.INT32, meaning, level=level, parameter=True, values=values)


def vector(name: str, meaning: str, *, omissible: bool = False) -> Formal:
    """An INT32 tensor of rank 1 whose values decide shapes or rules: sizes, axes, an order."""
    return _parameters(name, 1, meaning, omissible=omissible)


def matrix(name: str, meaning: str) -> Formal:
    """An INT32 tensor of rank 2 whose values decide shapes or rules: a pair for each dimension."""
    return _parameters(name, 2, meaning)


def _parameters(name: str, rank: int, meaning: str, *, omissible: bool = False) -> Formal:
    bounds, int32 = (rank, rank), OperandType.TENSOR_INT32
    return Formal(name, int32, meaning, rank=bounds, rank_phase=Phase.EXECUTION, omissible=omissible, parameter=True)
