"""Distances of outputs from golden ones, and their limits.

Golden outputs were made with LiteRT's predecessors on a CPU. Bytes may differ by three codes, as is usual for whole
quantised networks. Floats are first compared by NNAPI's rule for float32. Since sums may be added up in any order, deep
or recurrent networks can legitimately miss that rule. The baselines of the same run show by how much: an output may be
four times as far beyond the rule as the worst baseline is from the golden output, provided that the baseline's error is
rounding at all (at most a thousandth of the largest golden output).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from nnvet.formats.errors import DataError
from nnvet.models.datasets import Array
from nnvet.models.results import CriterionResult, GoldenErrors

FP32_RULE: Final = (1e-5, 5 * 2.0**-23)
"""Absolute and relative error that NNAPI allows for float32."""
_RELAXED: Final = (5 * 2.0**-10, 5 * 2.0**-10)
"""The same if float32 may be computed as float16."""
_CODES: Final = (3.0, 0.0)
"""The same for 8-bit codes."""
_SPREAD_FACTOR: Final = 4.0
"""An output may be this many times as far off as the worst baseline."""
_LARGEST_SPREAD: Final = 1e-3
"""Largest error of a baseline that counts as rounding, relative to the largest golden output."""


@dataclass
class GoldenComparison:
    """Collects the errors of one backend over all steps that have golden outputs."""

    relaxed: bool = False
    steps: int = 0
    sum_of_mses: float = 0.0
    worst: float = 0.0
    excess: float = field(default=-np.inf)
    tolerance: float = 0.0
    magnitude: float = 0.0
    is_float: bool = False
    where: str = ""

    def add(self, outputs: Sequence[Array], golden: Sequence[Array], label: str) -> None:
        """Compare the outputs of the step called ``label``; a NaN is infinitely wrong unless the golden value is NaN.

        :raises DataError: if golden outputs do not fit those of the model.
        """
        if [output.shape for output in outputs] != [expected.shape for expected in golden]:
            raise DataError(
                f"{label}: golden outputs have {[expected.size for expected in golden]} elements, "
                f"the model's {[output.size for output in outputs]}; check the list's files"
            )
        self.steps += 1
        for index, (output, expected) in enumerate(zip(outputs, golden, strict=True)):
            self.is_float = output.dtype.kind == "f"
            difference = _distance(output, expected)
            absolute, relative = _CODES if not self.is_float else _RELAXED if self.relaxed else FP32_RULE
            magnitudes = np.abs(np.nan_to_num(expected.astype(np.float64)))
            allowed = absolute + relative * magnitudes
            beyond = difference - allowed
            self.sum_of_mses += float(np.mean(difference * difference))
            self.worst = max(self.worst, float(difference.max()))
            self.magnitude = max(self.magnitude, float(magnitudes.max()))
            if beyond.max() > self.excess:
                element = int(beyond.argmax())
                self.excess = float(beyond[element])
                self.tolerance = float(allowed[element])
                self.where = (
                    f"{label}, output {index}, element {element}: {output[element]:.9g} for {expected[element]:.9g}"
                )

    def errors(self) -> GoldenErrors | None:
        """Return the figures; None if no step had golden outputs."""
        if not self.steps:
            return None
        return GoldenErrors(self.sum_of_mses / self.steps, self.worst, self.excess, self.tolerance, self.where)

    def check(self, spread: float | None) -> CriterionResult | None:
        """Judge if outputs are close enough; ``spread`` is the worst error of a baseline, None without baselines.

        There is no decision if a baseline is off by more than rounding, because the golden outputs then belong to
        another file.
        """
        if not self.steps:
            return None
        rule = (
            "three codes" if not self.is_float else "NNAPI's float16 rule" if self.relaxed else "NNAPI's float32 rule"
        )
        strict = self.excess <= 0
        texts = [f"{rule}: {'kept' if strict else f'missed by {self.excess:.3g}'} (worst at {self.where})"]
        passed: bool | None = strict
        if self.is_float and spread is not None and spread <= _LARGEST_SPREAD * self.magnitude:
            passed = self.excess <= _SPREAD_FACTOR * spread
            verdict = "kept" if passed else "missed"
            texts.append(f"{rule} plus {_SPREAD_FACTOR:g} times the baselines' own error {spread:.3g}: {verdict}")
        elif self.is_float and spread is not None and not strict:
            passed = None
            texts.append(f"the baselines miss them by {spread:.3g}, which is no rounding: are they this model's?")
        return CriterionResult("golden outputs", passed, "; ".join(texts))


def _distance(output: Array, expected: Array) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Return absolute differences: 0 for equal values, also NaN and infinity, infinite if only one is finite."""
    left, right = output.astype(np.float64), expected.astype(np.float64)
    equal = (left == right) | (np.isnan(left) & np.isnan(right))
    with np.errstate(invalid="ignore"):
        difference = np.abs(left - right)
    return np.where(equal, 0.0, np.where(np.isnan(difference), np.inf, difference))
