"""Lists of honest drivers: they differ from the oracle only where the contract leaves it open, so none may be blamed.

:data:`HONEST` has drivers that compute whole models in one arithmetic (orders of summation, float16, ways of rounding
codes); :data:`FURTHER` collects those of ``*_drivers.py``, which compute some operations in their own way.
``runtimes.py`` and ``jax_driver.py`` add installed runtimes.
"""

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
from tools.oracle_study.driver import CODES, FLOATS, RELAXED, HonestDriver, Run, run_kernels


def _make_requantizing_run(rounding: Callable[[Any], Any], multiplier: Any, rescale: Rescale) -> Run:
    """Return a driver that multiplies integer sums by real numbers of type ``multiplier`` and rounds by ``rounding``.

    ``rescale`` does the same within the quantised LSTMs.
    """
    cells = cells_with(rescale)

    def compute(meaning: Meaning, call: Invocation) -> Any:
        found = integer_sum(call)
        if found is None:
            operation = O.__members__.get(call.name)
            return (meaning if operation is None else cells.get(operation, meaning)).compute(call)
        return replace(found, multipliers=found.multipliers.astype(multiplier)).codes(call, rounding)

    return running(compute)


def _compute_as_real(meaning: Meaning, call: Invocation) -> Any:
    codes = real_codes(meaning, call)
    return meaning.compute(call) if codes is None else saturated(np.rint(codes), call.output)


def _round_means_half_a_code_up(meaning: Meaning, call: Invocation) -> Any:
    """Round means of codes plus a half away from zero, as LiteRT's reference kernel does.

    The documentation does not say how they are rounded. Source: docs/contract/operations/MEAN.md, Deviations.
    """
    if call.name != O.MEAN.name or not is_quantized(call):
        return meaning.compute(call)
    codes, axes = call.array(0), call.list(1)
    means = members(codes.astype(np.float64), axes).mean(-1) + 0.5
    rounded = np.copysign(np.floor(np.abs(means) + 0.5), means)
    return saturated(rounded, call.output).reshape(reduced_shape(codes.shape, axes, keep=call.number(2) > 0))


def _round_half_up(values: Any) -> Any:
    return np.floor(values + 0.5)


def _list_drivers() -> dict[str, tuple[frozenset[str], Run]]:
    """Return the drivers of whole models by name: the kinds of models that they compute, and their function."""
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
        "bundled-kernels": (FLOATS | CODES, run_kernels),
        "float64": (FLOATS | CODES, running(by_meaning)),
        **{name: (FLOATS, in_arithmetic(arithmetic)) for name, arithmetic in float32.items()},
        **{name: (RELAXED, stored_in_float16(arithmetic)) for name, arithmetic in float16.items()},
        "codes-float64-half-even": (CODES, _make_requantizing_run(np.rint, np.float64, rounded_once_away)),
        "codes-float64-half-up": (CODES, _make_requantizing_run(_round_half_up, np.float64, rounded_once_up)),
        "codes-float32-half-even": (CODES, _make_requantizing_run(np.rint, np.float32, rounded_once_away)),
        "codes-float32-half-up": (CODES, _make_requantizing_run(_round_half_up, np.float32, rounded_once_up)),
        "codes-of-reals": (CODES, running(_compute_as_real)),
        "codes-means-half-a-code-up": (CODES, running(_round_means_half_a_code_up)),
    }


HONEST: Final = tuple(HonestDriver(name, *made, name.replace("-", " ")) for name, made in _list_drivers().items())
"""Drivers of whole models; a planted error counts only if its results differ from those of all of them."""
FURTHER: Final = (
    *sum_drivers.DRIVERS,
    *convolution_drivers.DRIVERS,
    *formula_drivers.DRIVERS,
    *code_drivers.DRIVERS,
)
"""Drivers that compute some operations in their own way, and take only models that have one of these."""
