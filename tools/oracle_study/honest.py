"""Drivers that differ from the oracle in nothing that the contract decides: none of them may be blamed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np

from nnvet.hal.enums import OperationType as O
from nnvet.oracle.arithmetic.codes import (
    in_arithmetic,
    integer_sum,
    is_quantized,
    real_codes,
    running,
    saturated,
    stored_in_float16,
)
from nnvet.oracle.arithmetic.sums import Arithmetic, Order, to_float16, to_float64
from nnvet.oracle.execution import by_meaning
from nnvet.oracle.operations.fixed_point_functions import rounded_once_away, rounded_once_up
from nnvet.oracle.operations.indexing import reduced_shape
from nnvet.oracle.operations.invocation import Invocation, Meaning
from nnvet.oracle.operations.quantized_lstm import Rescale, cells_with
from nnvet.oracle.operations.reduction import members
from tools.oracle_study import code_drivers, convolution_drivers, formula_drivers, sum_drivers
from tools.oracle_study.driver import CODES, FLOATS, RELAXED, HonestDriver, Run, by_kernels


def _requantized(rounding: Callable[[Any], Any], multiplier: Any, rescale: Rescale) -> Run:
    """Return integer sums, multiplied as real numbers; those within the quantised LSTMs by a function."""
    cells = cells_with(rescale)

    def compute(meaning: Meaning, call: Invocation) -> Any:
        found = integer_sum(call)
        if found is None:
            operation = O.__members__.get(call.name)
            return (meaning if operation is None else cells.get(operation, meaning)).compute(call)
        return replace(found, multipliers=found.multipliers.astype(multiplier)).codes(call, rounding)

    return running(compute)


def _as_real(meaning: Meaning, call: Invocation) -> Any:
    codes = real_codes(meaning, call)
    return meaning.compute(call) if codes is None else saturated(np.rint(codes), call.output)


def _means_half_a_code_up(meaning: Meaning, call: Invocation) -> Any:
    """Means of codes plus a half, rounded away from zero, as LiteRT's reference kernel has them.

    The documentation does not say how they are rounded. Source: docs/contract/operations/MEAN.md, Deviations.
    """
    if call.name != O.MEAN.name or not is_quantized(call):
        return meaning.compute(call)
    codes, axes = call.array(0), call.list(1)
    means = members(codes.astype(np.float64), axes).mean(-1) + 0.5
    rounded = np.copysign(np.floor(np.abs(means) + 0.5), means)
    return saturated(rounded, call.output).reshape(reduced_shape(codes.shape, axes, keep=call.number(2) > 0))


def _half_up(values: Any) -> Any:
    return np.floor(values + 0.5)


def _drivers() -> dict[str, tuple[frozenset[str], Run]]:
    """By name: for which kinds of models, and how they run."""
    float32 = {
        "float32-forward": Arithmetic(),
        "float32-backward": Arithmetic(order=Order.BACKWARD),
        "float32-pairwise": Arithmetic(order=Order.PAIRWISE),
        "float32-lanes": Arithmetic(order=Order.LANES),
        "float32-fused": Arithmetic(fused=True),
        "float32-fused-lanes": Arithmetic(order=Order.LANES, fused=True),
    }
    float16 = {
        "float16-storage": Arithmetic(),
        "float16-storage-fused-lanes": Arithmetic(order=Order.LANES, fused=True),
        "float16-storage-float64-sums": Arithmetic(to_float64),
        "float16-arithmetic-pairwise": Arithmetic(to_float16, Order.PAIRWISE),
        "float16-arithmetic-lanes": Arithmetic(to_float16, Order.LANES),
        "float16-arithmetic-fused": Arithmetic(to_float16, fused=True),
    }
    return {
        "bundled-kernels": (FLOATS | CODES, by_kernels),
        "float64": (FLOATS | CODES, running(by_meaning)),
        **{name: (FLOATS, in_arithmetic(arithmetic)) for name, arithmetic in float32.items()},
        **{name: (RELAXED, stored_in_float16(arithmetic)) for name, arithmetic in float16.items()},
        "codes-float64-half-even": (CODES, _requantized(np.rint, np.float64, rounded_once_away)),
        "codes-float64-half-up": (CODES, _requantized(_half_up, np.float64, rounded_once_up)),
        "codes-float32-half-even": (CODES, _requantized(np.rint, np.float32, rounded_once_away)),
        "codes-float32-half-up": (CODES, _requantized(_half_up, np.float32, rounded_once_up)),
        "codes-of-reals": (CODES, running(_as_real)),
        "codes-means-half-a-code-up": (CODES, running(_means_half_a_code_up)),
    }


HONEST: Final = tuple(HonestDriver(name, *made, name.replace("-", " ")) for name, made in _drivers().items())
"""Drivers of whole models, with which planted errors are compared."""
FURTHER: Final = (
    *sum_drivers.DRIVERS,
    *convolution_drivers.DRIVERS,
    *formula_drivers.DRIVERS,
    *code_drivers.DRIVERS,
)
"""Drivers that compute some operations in their own way, and take only models that have one of these."""
