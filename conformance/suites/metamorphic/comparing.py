"""Comparison of the outputs of another form with those that follow from the original.

Each of the two may be off by its error bound (docs/oracle.md), so that they may differ by the sum of both. The bounds
are worked out only where the outputs are not equal.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Final

import numpy as np

from nnvet.generators.graphs.model import Array, TestModel
from nnvet.generators.metamorphic.relation import OtherForm
from nnvet.generators.random_graphs.golden import estimates
from nnvet.hal.enums import OperandType
from nnvet.oracle.bounds.estimate import Estimate
from nnvet.oracle.comparison import Mismatch

SOURCE: Final = "error bounds of both models"
CONTRACT: Final = "tolerances of the NNAPI, carried through both models"
_NOISE: Final = 2.0**-44
"""Relative error of the bounds, which are computed in float64."""


class FormComparison:
    """The original with the outputs that the driver has for it, against those of its forms."""

    def __init__(self, original: TestModel, outputs: Sequence[Array]) -> None:
        """``outputs`` are flat."""
        self._outputs = original.main.outputs
        self._values = [
            _shaped(output, operand.dimensions) for output, operand in zip(outputs, self._outputs, strict=True)
        ]
        self._original = original

    @cache  # noqa: B019 - a comparison lives as long as one case
    def _bounds(self, *, contract: bool, liberties: tuple[str, ...]) -> list[Estimate]:
        return estimates(self._original, contract=contract, liberties=liberties)

    def first_mismatch(
        self, form: OtherForm, outputs: Sequence[Array], *, contract: bool = False, liberties: Sequence[str] = ()
    ) -> tuple[int, Mismatch] | None:
        """The first output of a form that is wrong, by its position, and how; None: all are right.

        With ``contract`` each may be off by what the contract allows, in place of the tight bounds; these grant the
        ``liberties`` of some ids.
        """
        operands = form.test.main.outputs
        for position, (wanted, got) in enumerate(zip(form.expected(self._values), outputs, strict=True)):
            if wanted is None or operands[position].is_ignored:
                continue
            wide, other = _real(wanted), _real(got.reshape(wanted.shape))
            if operands[position].type == OperandType.TENSOR_BOOL8:
                wide, other = wide != 0, other != 0
            is_equal = np.array_equal(wide, other, equal_nan=True)
            allowed = None if is_equal else self.allowed(form, position, contract=contract, liberties=liberties)
            wrong = None if allowed is None else _mismatch(wide, other, allowed, CONTRACT if contract else SOURCE)
            if wrong is not None:
                return position, wrong
        return None

    def allowed(self, form: OtherForm, position: int, *, contract: bool, liberties: Sequence[str] = ()) -> Array | None:
        """By how much elements of an output may differ from those of the original; None: by anything."""
        bounds = self._bounds(contract=contract, liberties=tuple(liberties))
        values = form.expected([bound.value.astype(np.float64) for bound in bounds])[position]
        errors = form.expected([bound.error for bound in bounds])[position]
        if values is None or errors is None:
            return None
        # What is computed from the driver's own results is as far off as if it were computed in one model.
        own = errors if form.feeds else estimates(form.test, contract=contract, liberties=liberties)[position].error
        found: Array = (errors + own.reshape(errors.shape)) * (1 + _NOISE) + _NOISE * np.abs(values)
        return found


def _mismatch(wanted: Array, got: Array, allowed: Array, source: str) -> Mismatch | None:
    """The worst of the elements that differ by more than both may be off; None if there are none."""
    with np.errstate(all="ignore"):
        difference = np.abs(wanted.astype(np.float64) - got.astype(np.float64))
    equal = (wanted == got) | (np.isnan(wanted) & np.isnan(got))
    wrong = ~(equal | (difference <= allowed) | np.isinf(allowed))
    if not wrong.any():
        return None
    excess = np.where(wrong, np.nan_to_num(difference - allowed, nan=np.inf), -np.inf)
    index = np.unravel_index(int(np.argmax(excess)), wrong.shape)
    place = tuple(int(coordinate) for coordinate in index)
    values = float(wanted[index]), float(got[index]), float(allowed[index])
    return Mismatch(int(wrong.sum()), int(wrong.size), place, *values, source)


def _shaped(values: Array, dimensions: tuple[int, ...]) -> Array:
    return values.reshape(dimensions)


def _real(values: Array) -> Array:
    return values.astype(np.float64)
