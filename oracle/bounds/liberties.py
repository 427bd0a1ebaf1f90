"""Liberties that drivers may declare: each adds an error to the results of some operations.

Liberties that every driver has (any order of sums, flushing, reciprocals, intermediate overflow) are part of the rules.
The liberties here come from other sources than the NNAPI, and are wider: error bounds allow them only to a driver that
declares them. The contract allows :data:`GRANTED`. ``docs/oracle.md`` has a table of both.
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
from nnvet.oracle.positions.elementwise import OPENCL
from nnvet.oracle.positions.samples import HALF, SINGLE, Format, Sample
from nnvet.oracle.positions.sums import Sums, seen_fourier, seen_winograd

Added: TypeAlias = Callable[[EstimatedCall, Estimate], Array | None]
"""Function that returns the error that a liberty adds to a first output; None: it does not apply."""


@dataclass(frozen=True)
class Liberty:
    """An honest way to compute, with its source, and the error that it adds if a driver declares it.

    Liberties of every driver add nothing, because they are in the rules of the operations.
    """

    id: str
    words: str
    source: str
    operations: frozenset[O]
    added: Added = lambda _call, _found: None


def _form(call: EstimatedCall) -> Format:
    return SINGLE if call.precision.unit == FLOAT32.unit else HALF


def _of_sums(of: Callable[[Sums], Array | None]) -> Added:
    return lambda call, _found: of(Sums(call, _form(call)))


def _winograd(outputs: int) -> Added:
    return _of_sums(lambda sums: seen_winograd(sums, outputs))


def _half_accumulators(call: EstimatedCall, _found: Estimate) -> Array | None:
    """Of float32 there is no such liberty, but in relaxed models, whose bounds have it."""
    if call.precision.unit == FLOAT32.unit:
        return None
    local = LINEAR[call.operation](call).local(call.precision.stepwise)
    return np.asarray(local.shared + local.independent)


def _split(call: EstimatedCall, _found: Estimate) -> Array | None:
    """Numbers of float16 have no more than one part."""
    if call.precision.unit != FLOAT32.unit:
        return None
    return _SPLIT * Sums(call, SINGLE).size


def _function(call: EstimatedCall, found: Estimate) -> Array:
    count = sum(1 for estimate in call.inputs if estimate is not None and estimate.as_operand.is_float)
    arguments = [np.broadcast_to(call.value(place), found.value.shape) for place in range(count)]
    return OPENCL[call.operation].of(Sample(found.value, arguments, _form(call)))


def _sleef(call: EstimatedCall, found: Estimate) -> Array:
    """Units in the last place of the result."""
    return _SLEEF * _form(call).ulp(found.value)


_SLEEF: Final = 3.5
"""Units in the last place of SLEEF's faster functions."""
_SPLIT: Final = 2.0**-15
"""Relative error of products of float32 in two parts of bfloat16, of which three are formed."""
NARROW_CODES: Final = "narrow-codes"
NARROW_SLACK: Final = 2.0**-5
"""Part of a code by which narrow multipliers and tables are off.

A multiplier of 15 bits is off by 2^-16 of itself, and 255 codes by 2^-8. Of a table with steps of h the chord is off by
h^2/8 max |f''|: with h = 1/32 by 0.8 * 2^-13, 1/80 of a code of 1/128; its entries and its argument add as much again.
"""
NARROW_OPERATIONS: Final = frozenset((*LINEAR, O.LOGISTIC, O.TANH))
_CONVOLUTIONS: Final = frozenset((O.CONV_2D, O.DEPTHWISE_CONV_2D, O.GROUPED_CONV_2D))
_FUNCTIONS: Final = frozenset(OPENCL) - {O.ADD, O.SUB, O.MUL, O.PRELU}
"""Functions of OpenCL that are not correctly rounded."""
_ALL: Final = (
    *(
        Liberty(
            f"winograd-{outputs}",
            f"convolutions by 3 by 3 cells, strides of 1, by Winograd's F({outputs}, 3)",
            "Barabasz and others, arXiv 1803.10986; the factor is the largest error seen, with a margin",
            _CONVOLUTIONS,
            _winograd(outputs),
        )
        for outputs in (2, 4, 6)
    ),
    Liberty(
        "fft",
        "convolutions with strides of 1 by fast Fourier transforms",
        "Higham, Accuracy and Stability of Numerical Algorithms, chapter 24; errors seen, with a margin",
        _CONVOLUTIONS,
        _of_sums(seen_fourier),
    ),
    Liberty(
        "fp16-accumulate",
        "sums of products of float16 that are formed in float16",
        "no text of the NNAPI demands more; Rump, BIT 2012, with u = 2^-11",
        frozenset(LINEAR),
        _half_accumulators,
    ),
    Liberty(
        "split-products",
        "products of float32 in parts of bfloat16 (three products) or TF32 (3xTF32)",
        "NVIDIA/cutlass, examples of emulated float32 products",
        frozenset(LINEAR),
        _split,
    ),
    Liberty(
        "opencl-functions",
        "functions with the errors of OpenCL's full profile",
        "KhronosGroup/OpenCL-Docs, Relative Error as ULPs",
        _FUNCTIONS,
        _function,
    ),
    Liberty(
        "sleef-functions",
        "functions within 3.5 units in the last place",
        "SLEEF, functions with the suffix u35",
        frozenset((O.LOG, O.RSQRT, O.SIN, O.SQRT, O.TANH)),
        _sleef,
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
        frozenset((O.L2_POOL_2D, O.L2_NORMALIZATION, O.LOCAL_RESPONSE_NORMALIZATION, O.INSTANCE_NORMALIZATION)),
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
"""Liberties by id."""
GRANTED: Final = tuple(name for name in DECLARED if name not in ("split-products", NARROW_CODES))
"""Those that the contract grants: split products have less than the precision of float32 (operations/common.md 12).

Narrow codes are within the code that its tolerance grants anyway.
"""


def declared(names: Collection[str]) -> tuple[str, ...]:
    """Return the ids of liberties, each once.

    :raises ValueError: there is no liberty of that id; the text names those that there are.
    """
    for name in names:
        if name not in DECLARED:
            raise ValueError(f"there is no liberty {name!r}; there are {', '.join(DECLARED)} (docs/oracle.md)")
    return tuple(dict.fromkeys(names))


def narrowed(call: EstimatedCall, liberties: Collection[str]) -> EstimatedCall:
    """Return the operation with the slack of narrow codes, where that is declared."""
    if NARROW_CODES not in liberties or call.operation not in NARROW_OPERATIONS or call.output.is_float:
        return call
    return structs.replace(call, precision=dataclasses.replace(call.precision, code_slack=NARROW_SLACK))


def granted(call: EstimatedCall, found: Sequence[Estimate], liberties: Collection[str]) -> Sequence[Estimate]:
    """Return estimates of an operation's outputs with what the liberties of these ids add to the first one.

    :raises KeyError: there is no such liberty.
    """
    chosen = [DECLARED[name] for name in liberties if call.operation in DECLARED[name].operations]
    if not chosen or not call.output.is_float:
        return found
    first, *others = found
    for liberty in chosen:
        added = liberty.added(call, first)
        if added is not None:
            first = _wider(first, np.where(np.isnan(added), np.inf, added), call.precision.largest)
    return [first, *others]


def _wider(estimate: Estimate, added: Array, largest: float) -> Estimate:
    """Return an estimate whose errors are larger; what may be infinite, or has no bound any more, is open."""
    is_finite = np.isfinite(estimate.value)
    error = estimate.error + np.where(is_finite, added, 0.0)
    is_open = np.isinf(added) | (is_finite & (np.abs(estimate.value) + error > largest))
    return replace(
        estimate,
        value=np.where(is_open & ~is_finite, np.nan, estimate.value),
        error=np.where(is_open, np.inf, error),
        shared=None if estimate.shared is None else estimate.shared + np.where(is_finite, added, 0.0),
    )
