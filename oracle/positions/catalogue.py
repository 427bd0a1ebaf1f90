"""The positions, from the strictest to the widest."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from nnvet.hal.enums import OperationType
from nnvet.oracle.positions import elementwise, sums
from nnvet.oracle.positions.elementwise import Allowance
from nnvet.oracle.positions.sums import SumRule


@dataclass(frozen=True)
class Position:
    """A stated set of liberties.

    ``functions`` has the limits of element-wise operations, ``sums`` that of sums of products (None: not stated).
    ``flushes``: subnormal arguments and results may be zero.
    """

    id: str
    title: str
    sums: SumRule
    functions: Mapping[OperationType, Allowance] = field(default_factory=dict)
    flushes: bool = False


# The order is that of the report: the first position that an operation keeps is its grade. It is no more than a
# convention where neither of two positions contains the other (flushing, fast convolution, narrow formats).
_ALL: Final = (
    Position("ieee-strict", "IEEE 754, any order of summation", sums.any_order(), elementwise.IEEE),
    Position("ftz", "IEEE 754 with flush to zero", sums.flushed(), elementwise.IEEE, flushes=True),
    Position("opencl-full", "OpenCL, full profile", sums.flushed(), elementwise.OPENCL, flushes=True),
    Position("vulkan", "Vulkan", sums.either_neighbour(), elementwise.VULKAN, flushes=True),
    Position("tosa", "TOSA", sums.tosa(), elementwise.TOSA, flushes=True),
    Position("truncating-mma", "Matrix units that truncate", sums.truncating()),
    Position("winograd-2", "Winograd convolution, F(2, 3)", sums.winograd(2, 16.0)),
    Position("fft", "Convolution by FFT", sums.fourier()),
    Position("winograd-4", "Winograd convolution, F(4, 3)", sums.winograd(4, 860.0)),
    Position("winograd-6", "Winograd convolution, F(6, 3)", sums.winograd(6, 1560.0)),
    Position("bf16x3", "float32 as two bfloat16, three products", sums.split(2.0**-15, "2^-15")),
    Position("tf32", "TF32", sums.converting(2.0**-10, "2^-9")),
    Position("fp16-accumulate", "float16 accumulation", sums.half_accumulators()),
    Position("bf16", "bfloat16", sums.converting(2.0**-8, "3 * 2^-8", stored=2.0**-8)),
)
POSITIONS: Final[Mapping[str, Position]] = {position.id: position for position in _ALL}
"""All positions by id."""
GRADED: Final = frozenset({*sums.LINEAR, *(operation for position in _ALL for operation in position.functions)})
"""Operations that a position says something of."""
