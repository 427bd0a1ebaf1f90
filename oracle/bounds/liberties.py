"""Liberties: honest ways to compute whose errors are larger than usual, such as convolutions by Winograd's algorithm.

Each liberty adds an error to the results of some operations.
Liberties that every driver has (any order of sums, flushing, reciprocals, intermediate overflow) are part of the rules;
``EVERYBODY`` only describes them. The liberties in ``DECLARED`` are wider than NNAPI's text: tight bounds allow them
only to a driver that declares them. The contract allows :data:`GRANTED`. docs/oracle.md has a table of all.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, TypeAlias

import numpy as np
from msgspec import structs
from msgspec.structs import replace

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.bounds.families.normalization import one_pass_error
from nnvet.oracle.bounds.precision import FLOAT32, Estimate
from nnvet.oracle.bounds.products import LINEAR
from nnvet.oracle.bounds.rule import EstimatedCall
from nnvet.oracle.operations.invocation import Array
from nnvet.oracle.positions import sums as positions
from nnvet.oracle.positions.elementwise import OPENCL
from nnvet.oracle.positions.samples import HALF, SINGLE, Format, Sample
from nnvet.oracle.positions.sums import Sums

Added: TypeAlias = Callable[[EstimatedCall, Estimate], Array | None]
"""The error that a liberty adds to the first output, given its call and estimate; None if it does not apply."""


@dataclass(frozen=True)
class Liberty:
    """An honest way to compute, with its source, and the error that it adds if a driver declares it.

    Liberties of every driver add nothing, because they are in the rules already. ``overflows`` returns a mask of
    results that may be infinite or NaN because an intermediate result overflows. Only a driver that declares the
    liberty is granted such results; otherwise a driver that fails for large numbers would keep the contract.
    """

    id: str
    words: str
    source: str
    operations: frozenset[O]
    added: Added = lambda _call, _found: None
    overflows: Callable[[EstimatedCall], Array | None] = lambda _call: None


def _format_of(call: EstimatedCall) -> Format:
    """Return the format in which the operation stores its results."""
    return SINGLE if call.precision.unit == FLOAT32.unit else HALF


def _add_to_sums(of: Callable[[Sums], Array | None]) -> Added:
    """Return a function that finds the added error from the sums of an operation, by ``of``."""
    return lambda call, _found: of(Sums(call, _format_of(call)))


def _add_winograd(outputs: int) -> Added:
    """Return a function that finds the error added by Winograd's algorithm with tiles of ``outputs`` results."""
    return _add_to_sums(lambda sums: positions.seen_winograd(sums, outputs))


def _find_winograd_overflows(outputs: int) -> Callable[[EstimatedCall], Array | None]:
    """Return a function that masks results whose transforms may overflow, for tiles of ``outputs`` results."""
    return lambda call: positions.winograd_overflows(Sums(call, _format_of(call)), outputs)


def _add_half_accumulators(call: EstimatedCall, _found: Estimate) -> Array | None:
    """Return the error of sums whose every step is rounded to float16; None for results of float32.

    Plain float32 has no such liberty, and the bounds of relaxed models include it already.
    """
    if call.precision.unit == FLOAT32.unit:
        return None
    local = LINEAR[call.operation](call).local(call.precision.stepwise)
    return np.asarray(local.shared + local.independent)


def _add_split(call: EstimatedCall, _found: Estimate) -> Array | None:
    """Return the error of products of split factors; None for float16, whose numbers are not split."""
    if call.precision.unit != FLOAT32.unit:
        return None
    return _SPLIT * Sums(call, SINGLE).size


def _add_function(call: EstimatedCall, found: Estimate) -> Array:
    """Return the error that OpenCL allows the function."""
    count = sum(1 for estimate in call.inputs if estimate is not None and estimate.as_operand.is_float)
    arguments = [np.broadcast_to(call.value(position), found.value.shape) for position in range(count)]
    return OPENCL[call.operation].of(Sample(found.value, arguments, _format_of(call)))


def _add_sleef(call: EstimatedCall, found: Estimate) -> Array:
    """Return the error of SLEEF's faster functions, which is relative to the last place of the result."""
    return _SLEEF * _format_of(call).ulp(found.value)


_SLEEF: Final = 3.5
"""Units in the last place by which SLEEF's faster functions are off."""
_SPLIT: Final = 2.0**-15
"""The relative error if float32 factors are split into two parts of bfloat16 and three products are summed."""
NARROW_CODES: Final = "narrow-codes"
"""The id of the liberty to compute codes with multipliers and tables of 15 bits."""
NARROW_SLACK: Final = 2.0**-5
"""The part of a code by which multipliers and tables of 15 bits are off.

A 15-bit multiplier is off by 2^-16 of itself, and 255 codes by 2^-8. A table with steps of h is off by h^2/8 max |f''|
between its entries: for h = 1/32 by 0.8 * 2^-13, which is 1/80 of a code of 1/128; its entries and its argument add as
much again.
"""
NARROW_OPERATIONS: Final = frozenset((*LINEAR, O.LOGISTIC, O.TANH))
"""Operations to whose codes the liberty :data:`NARROW_CODES` applies."""
_CONVOLUTIONS: Final = frozenset((O.CONV_2D, O.DEPTHWISE_CONV_2D, O.GROUPED_CONV_2D))
"""Convolutions that drivers compute by fast transforms, unlike TRANSPOSE_CONV_2D."""
_FUNCTIONS: Final = frozenset(OPENCL) - {O.ADD, O.SUB, O.MUL, O.PRELU}
"""Functions that OpenCL does not round correctly."""
_ALL: Final = (
    *(
        Liberty(
            f"winograd-{outputs}",
            f"convolutions by 3 by 3 cells, strides of 1, by Winograd's F({outputs}, 3)",
            "Barabasz and others, arXiv 1803.10986; the factor is the largest error seen, with a margin",
            _CONVOLUTIONS,
            _add_winograd(outputs),
            _find_winograd_overflows(outputs),
        )
        for outputs in (2, 4, 6)
    ),
    Liberty(
        "fft",
        "convolutions with strides of 1 by fast Fourier transforms",
        "Higham, Accuracy and Stability of Numerical Algorithms, chapter 24; errors seen, with a margin",
        _CONVOLUTIONS,
        _add_to_sums(positions.seen_fourier),
        lambda call: positions.fourier_overflows(Sums(call, _format_of(call))),
    ),
    Liberty(
        "fp16-accumulate",
        "sums of products of float16 that are formed in float16",
        "no text of the NNAPI demands more; Rump, BIT 2012, with u = 2^-11",
        frozenset(LINEAR),
        _add_half_accumulators,
    ),
    Liberty(
        "split-products",
        "products of float32 in parts of bfloat16 (three products) or TF32 (3xTF32)",
        "NVIDIA/cutlass, examples of emulated float32 products",
        frozenset(LINEAR),
        _add_split,
    ),
    Liberty(
        "opencl-functions",
        "functions with the errors of OpenCL's full profile",
        "KhronosGroup/OpenCL-Docs, Relative Error as ULPs",
        _FUNCTIONS,
        _add_function,
    ),
    Liberty(
        "sleef-functions",
        "functions within 3.5 units in the last place",
        "SLEEF, functions with the suffix u35",
        frozenset((O.LOG, O.RSQRT, O.SIN, O.SQRT, O.TANH)),
        _add_sleef,
    ),
    Liberty(
        "narrow-codes",
        "codes by multipliers or tables of 15 bits: 1/32 of a code before it is rounded",
        "TOSA 1.x, RESCALE with 16-bit multipliers, TABLE of 513 entries",
        NARROW_OPERATIONS,
    ),
    Liberty(
        "one-pass-variance",
        "a variance as the difference of the mean square and the squared mean",
        "microsoft/onnxruntime, layer_norm_impl.cc",
        frozenset((O.INSTANCE_NORMALIZATION,)),
        lambda call, _found: one_pass_error(call),
    ),
)
_ANY_SUM: Final = frozenset(
    (*LINEAR, O.AVERAGE_POOL_2D, O.L2_POOL_2D, O.MEAN, O.REDUCE_SUM, O.SOFTMAX, O.LOG_SOFTMAX, O.L2_NORMALIZATION)
)
EVERYBODY: Final = (
    Liberty("any-order", "sums in any order, with or without fused multiply-add", "Rump, BIT 2012", _ANY_SUM),
    Liberty(
        "flush-to-zero",
        "zeros in place of subnormal arguments, results and all that lies between",
        "Arm DUI 0473, Flush-to-zero mode",
        frozenset(),
    ),
    Liberty(
        "reciprocal",
        "quotients as products with the reciprocal, which may be subnormal",
        "[contract/accuracy.md 2](contract/accuracy.md#2)",
        frozenset((O.DIV, O.MEAN, O.AVERAGE_POOL_2D, O.SOFTMAX, O.L2_NORMALIZATION)),
    ),
    Liberty(
        "overflow-between",
        "squares, sums and powers that overflow, though the result would not",
        "IEEE 754; LiteRT's kernels of these operations",
        frozenset(
            (
                O.AVERAGE_POOL_2D,
                O.L2_POOL_2D,
                O.L2_NORMALIZATION,
                O.LOCAL_RESPONSE_NORMALIZATION,
                O.INSTANCE_NORMALIZATION,
            )
        ),
    ),
    Liberty(
        "nan-in-maxima",
        "a maximum beside a NaN is that, or any number of the window",
        "[contract/operations/MAX_POOL_2D.md](contract/operations/MAX_POOL_2D.md#semantics)",
        frozenset((O.MAX_POOL_2D, O.REDUCE_MAX, O.REDUCE_MIN, O.MAXIMUM, O.MINIMUM)),
    ),
    Liberty(
        "skipped-zeros",
        "products with zero that are left out, also of infinities and NaN",
        "sparse kernels; TOSA 1.x, NaN of padding",
        frozenset(LINEAR),
    ),
)
"""Liberties that every driver has."""
DECLARED: Final[Mapping[str, Liberty]] = MappingProxyType({liberty.id: liberty for liberty in _ALL})
"""The liberties that a driver may declare, by id."""
GRANTED: Final = tuple(name for name in DECLARED if name not in ("split-products", NARROW_CODES))
"""The liberties that the contract grants. Split products lack the precision of float32 (operations/common.md 12).

Narrow codes are within the one code that its tolerance grants anyway.
"""


def declared(names: Collection[str]) -> tuple[str, ...]:
    """Return the ids of liberties without duplicates.

    :raises ValueError: a liberty does not exist; the text lists those that do.
    """
    for name in names:
        if name not in DECLARED:
            raise ValueError(f"there is no liberty {name!r}; there are {', '.join(DECLARED)} (docs/oracle.md)")
    return tuple(dict.fromkeys(names))


def narrowed(call: EstimatedCall, liberties: Collection[str]) -> EstimatedCall:
    """Return the operation with the slack of narrow codes, if that liberty is declared."""
    if NARROW_CODES not in liberties or call.operation not in NARROW_OPERATIONS or call.output.is_float:
        return call
    return structs.replace(call, precision=dataclasses.replace(call.precision, code_slack=NARROW_SLACK))


def granted(
    call: EstimatedCall, found: Sequence[Estimate], liberties: Collection[str], *, contract: bool
) -> Sequence[Estimate]:
    """Return estimates of an operation's outputs with the errors that these liberties add to the first one.

    With ``contract``, the estimates are for every driver, including those that have declared nothing.

    :raises KeyError: a liberty does not exist.
    """
    chosen = [DECLARED[name] for name in liberties if call.operation in DECLARED[name].operations]
    if not chosen or not call.output.is_float:
        return found
    first, *others = found
    for liberty in chosen:
        added = liberty.added(call, first)
        if added is None:
            continue
        overflows = None if contract else liberty.overflows(call)
        if overflows is not None:
            added = np.where(overflows, np.inf, added)
        first = _widen(first, np.where(np.isnan(added), np.inf, added), call.precision.largest)
    return [first, *others]


def _widen(estimate: Estimate, added: Array, largest: float) -> Estimate:
    """Return an estimate with larger errors; elements that may overflow, or lose their bound, become undecided."""
    is_finite = np.isfinite(estimate.value)
    error = estimate.error + np.where(is_finite, added, 0.0)
    is_open = np.isinf(added) | (is_finite & (np.abs(estimate.value) + error > largest))
    return replace(
        estimate,
        value=np.where(is_open & ~is_finite, np.nan, estimate.value),
        error=np.where(is_open, np.inf, error),
        shared=None if estimate.shared is None else estimate.shared + np.where(is_finite, added, 0.0),
    )
