"""Statistical tests that decide if a driver is worse than the baseline, on the same examples, by more than a margin.

The module has three parts: the tests with the table of margins (docs/models.md), the distributions that they need, and
the noise of a backend's outputs. :mod:`nnvet.models.comparing` applies them.

Formulas: Tango, Statistics in Medicine 17 (1998) 891, equations 6 to 9, for proportions; McNemar's test in its exact
form; Clopper and Pearson, Biometrika 26 (1934) 404, for one proportion; Student's t for means. Student's t and the
binomial distribution are the incomplete beta function (DLMF 8.17.22, by Lentz's method).

Noise: the signal is the oracle's output for an example, noise is the difference of a backend's output from it. The
yardstick is the noise of the coarsest arithmetic that is still correct, computed by the oracle as well: float32 with
sums in the order of their terms; all operands stored in float16 if that is allowed; and for codes, random rounding of
each result to one of its two neighbours (stochastic rounding), which is worse than every deterministic rule. Networks
amplify noise, some examples a hundred times as much as others, so the difference in decibels is taken for each example.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import numpy as np

from nnvet.formats.tflite.importer import ImportedModel
from nnvet.hal.errors import HalError
from nnvet.hal.operand_types import type_info
from nnvet.hal.types import Model, Operand
from nnvet.models.datasets import Array, StepSequence
from nnvet.models.golden import FP32_RULE
from nnvet.oracle.arithmetic.codes import in_arithmetic, real_codes, saturated, stored_in_float16
from nnvet.oracle.arithmetic.sums import Arithmetic
from nnvet.oracle.execution import evaluate
from nnvet.oracle.operations.invocation import Invocation, Meaning


class ArithmeticKind(StrEnum):
    """Kinds of arithmetic of a model."""

    FLOAT32 = "float32"
    FLOAT16 = "float16"
    CODES = "codes"


def _for_all_kinds(allowed: float) -> dict[ArithmeticKind, float]:
    return dict.fromkeys(ArithmeticKind, allowed)


_F32, _F16, _CODES = ArithmeticKind

TOP_1: Final = "top_1"
SAME_TOP_1: Final = "same_top_1"
NOISE: Final = "output_noise_db"
MARGINS: Final[Mapping[str, Mapping[ArithmeticKind, float]]] = {
    TOP_1: _for_all_kinds(-0.01),
    SAME_TOP_1: {_F32: -0.005, _F16: -0.05, _CODES: -0.05},
    "mel_cep_distortion": _for_all_kinds(0.4),
    "log_f0_error": _for_all_kinds(0.001),
    "phone_error_rate": _for_all_kinds(0.5),
    "true_mel_cep_distortion": _for_all_kinds(0.01),
    "true_log_f0_error": _for_all_kinds(0.001),
    "true_phone_error_rate": _for_all_kinds(0.5),
    "true_voicing_error": _for_all_kinds(0.2),
    "cross_entropy": _for_all_kinds(0.01),
    "map": _for_all_kinds(-0.01),
    "miou": _for_all_kinds(-0.01),
    "psnr_db": _for_all_kinds(-0.1),
    NOISE: {_F32: 12.0, _F16: 6.0, _CODES: 6.0},
}
"""The worst allowed difference from the baseline by metric, negative for metrics that are better if larger.

For speech the margins are a tenth of MLTS's own limits, and for figures beside the truth as small as these figures are.
Detectors and segmenters may lose a point, as classifiers may.
For noise, 12 dB mean four times the error and 6 dB twice.
"""


def kind_of(model: Model) -> ArithmeticKind:
    """Return the arithmetic of a model, which is codes if any of its operands is quantised to 8 bits."""
    if any(type_info(operand.type).is_quantized for operand in model.main.operands):
        return ArithmeticKind.CODES
    return ArithmeticKind.FLOAT16 if model.relax_computation_float32_to_float16 else ArithmeticKind.FLOAT32


CONFIDENCE: Final = 0.95
"""Confidence of two-sided intervals."""
ALPHA: Final = (1 - CONFIDENCE) / 2
"""Level of one-sided tests. A p-value below it means that the whole two-sided interval lies beyond the margin."""
_ITERATIONS: Final = 300
"""Most terms of a continued fraction."""
_BISECTIONS: Final = 100
"""Number of halvings of an interval."""
_TINY: Final = 1e-300
"""Number in place of 0, against divisions by 0."""
_ENOUGH: Final = 1e-15
"""Relative change below which a result is final."""


@dataclass(frozen=True)
class Difference:
    """An estimate, the ends of its 95 % confidence interval, and the p-value of no loss beyond the margin."""

    estimate: float
    low: float
    high: float
    p_value: float | None


def paired_proportions(better: int, worse: int, examples: int, margin: float) -> Difference:
    """Return the difference of two shares of the same examples.

    ``better`` examples are right only here, ``worse`` ones only there. ``margin`` is the worst difference allowed, not
    above 0.
    """
    low = _root(lambda delta: tango_z(better, worse, examples, delta) - _Z, -1.0, 1.0)
    high = _root(lambda delta: tango_z(better, worse, examples, delta) + _Z, -1.0, 1.0)
    p_value = normal_cdf(tango_z(better, worse, examples, margin))
    return Difference((better - worse) / examples, low, high, p_value)


def tango_z(better: int, worse: int, examples: int, difference: float) -> float:
    """Return Tango's score statistic: the observed difference less ``difference``, in standard deviations."""
    n, delta = examples, difference
    # The share of examples that only the other one got right, at its most likely value under the assumed difference.
    b = (2 * n - better + worse) * delta - better - worse
    c = -worse * delta * (1 - delta)
    share = (math.sqrt(max(b * b - 8 * n * c, 0.0)) - b) / (4 * n)
    variance = n * (2 * share + delta * (1 - delta))
    distance = better - worse - n * delta
    if variance <= _TINY:
        return math.copysign(math.inf, distance) if distance else 0.0
    return distance / math.sqrt(variance)


def mcnemar(better: int, worse: int) -> float:
    """Return the exact one-sided p-value of McNemar's test: the chance of at least as many worse discordant pairs."""
    return binomial_tail(worse, better + worse, 0.5)


def proportion_at_most(hits: int, examples: int, limit: float) -> Difference:
    """Return a share with its Clopper-Pearson interval, and the exact p-value that it is at most ``limit``.

    For a share of none or all, the interval has one open end, and the other end gets the whole error of 5 %.
    """
    error = 1 - CONFIDENCE if hits in (0, examples) else ALPHA
    low, high = 0.0, 1.0
    if hits:
        low = _root(lambda share: error - binomial_tail(hits, examples, share), 0.0, 1.0)
    if hits < examples:
        high = _root(lambda share: 1 - error - binomial_tail(hits + 1, examples, share), 0.0, 1.0)
    return Difference(hits / examples, low, high, binomial_tail(hits, examples, limit))


def paired_means(differences: Sequence[float], margin: float) -> Difference:
    """Return the mean of differences by Student's t. A positive margin is the largest mean allowed, others the least.

    A single difference has no interval and no p-value; equal differences have an interval of no width.
    """
    values = np.asarray(differences, np.float64)
    mean, count = float(values.mean()), values.size
    beyond = mean - margin if margin > 0 else margin - mean
    if count == 1 or not math.isfinite(mean):
        return Difference(mean, -math.inf, math.inf, None if math.isfinite(mean) else 0.0)
    error = float(values.std(ddof=1)) / math.sqrt(count)
    if error <= abs(mean) * _ENOUGH:
        return Difference(mean, mean, mean, 0.0 if beyond > 0 else 1.0)
    half = error * student_quantile(1 - ALPHA, count - 1)
    return Difference(mean, mean - half, mean + half, student_cdf(-beyond / error, count - 1))


def normal_cdf(value: float) -> float:
    """Return the probability of a standard normal number at most ``value``."""
    return 0.5 * math.erfc(-value / math.sqrt(2))


def student_cdf(value: float, degrees: float) -> float:
    """Return the probability of a number at most ``value`` under Student's t."""
    tail = 0.5 * incomplete_beta(degrees / 2, 0.5, degrees / (degrees + value * value))
    return tail if value < 0 else 1 - tail


def student_quantile(probability: float, degrees: float) -> float:
    """Return the number that Student's t is at most with a probability from 0.5 below 1."""
    high = 1.0
    while student_cdf(high, degrees) < probability:
        high *= 2
    return _root(lambda value: probability - student_cdf(value, degrees), 0.0, high)


def binomial_tail(hits: int, count: int, share: float) -> float:
    """Return the probability of at least ``hits`` hits in ``count`` independent examples of probability ``share``."""
    if hits <= 0:
        return 1.0
    return 0.0 if hits > count else incomplete_beta(hits, count - hits + 1, share)


def incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function I_x(a, b), for positive a and b and x from 0 to 1."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    if x > (a + 1) / (a + b + 2):
        return 1 - incomplete_beta(b, a, 1 - x)
    front = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    return math.exp(front) / (a * _continued_fraction(a, b, x))


def _continued_fraction(a: float, b: float, x: float) -> float:
    """Return 1 + d1/(1 + d2/(1 + …)) of DLMF 8.17.22."""
    value, c, d = 1.0, 1.0, 0.0
    for step in range(1, _ITERATIONS):
        m, odd = divmod(step, 2)
        if odd:
            term = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        else:
            term = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        d = 1 / (1 + term * d or _TINY)
        c = 1 + term / c or _TINY
        value *= c * d
        if abs(c * d - 1) < _ENOUGH:
            break
    return value


def _root(falling: Callable[[float], float], low: float, high: float) -> float:
    """Return the zero of a decreasing function, by bisection."""
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        if falling(middle) > 0:
            low = middle
        else:
            high = middle
    return (low + high) / 2


_Z: Final = _root(lambda value: 1 - ALPHA - normal_cdf(value), 0.0, 10.0)
"""Quantile of the normal distribution, 1.96."""


EXAMPLES: Final = 32
"""Most sequences whose noise is measured."""
STEPS: Final = 8
"""Number of steps of a sequence that are examined."""
BUDGET_S: Final = 20.0
"""CPU time that may be spent on one model; it limits the number of examples."""
_FEWEST: Final = 2
"""Least number of examples, even if they take longer."""
_HALF_A_CODE: Final = 0.5
_FLOAT16_ROUNDING: Final = 2.0**-12
_TINY_NOISE: Final = 1e-30

Key = tuple[int, int]
Outputs = Mapping[Key, Array]
"""First outputs by sequence and step."""


@dataclass(frozen=True)
class Yardstick:
    """Noise of correct arithmetic in dB relative to the signal, and the signal itself, for some sequences."""

    exact: dict[Key, Array]
    noise_db: dict[int, float]
    output: Operand
    kind: ArithmeticKind

    def measure(self, outputs: Outputs) -> dict[int, float]:
        """Return the noise of ``outputs`` in dB for each complete sequence."""
        found = {}
        for sequence in self.noise_db:
            keys = [key for key in self.exact if key[0] == sequence]
            if all(key in outputs for key in keys):
                pairs = [(outputs[key], self.exact[key]) for key in keys]
                found[sequence] = noise_db(pairs, self.output, self.kind)
        return found


def noise_db(pairs: Sequence[tuple[Array, Array]], output: Operand, kind: ArithmeticKind) -> float:
    """Return the power of the differences between outputs and exact ones relative to that of the exact ones, in dB.

    The power is at least :func:`_least`, and infinite if an output is not a number.
    """
    actual, exact = (
        np.concatenate([np.asarray(pair[i], np.float64) - output.zero_point for pair in pairs]) for i in (0, 1)
    )
    signal = float(np.sum(exact * exact)) or 1.0
    noise = float(np.sum((actual - exact) ** 2))
    return 10 * float(np.log10(max(noise, _least(exact, output, kind)) / signal)) if np.isfinite(noise) else np.inf


def _least(exact: Array, output: Operand, kind: ArithmeticKind) -> float:
    """Return the power below which a difference does not count as noise.

    For codes it is half a code in one element, for float32 NNAPI's tolerance, and for float16 half a unit in the last
    place.
    """
    if type_info(output.type).is_quantized:
        return _HALF_A_CODE**2
    absolute, relative = FP32_RULE if kind is ArithmeticKind.FLOAT32 else (0.0, _FLOAT16_ROUNDING)
    return float(np.sum((absolute + relative * np.abs(exact)) ** 2)) or _TINY_NOISE


def make_yardstick(imported: ImportedModel, sequences: Sequence[StepSequence]) -> Yardstick | None:
    """Return the yardstick for examples spread over the data; None for a model that the oracle cannot run."""
    kind = kind_of(imported.model)
    places = np.unique(np.linspace(0, len(sequences) - 1, min(EXAMPLES, len(sequences))).astype(int))
    exact: dict[Key, Array] = {}
    noise: dict[int, float] = {}
    output = imported.model.main.operands[imported.model.main.output_indexes[0]]
    started = time.process_time()
    try:
        for place in np.random.default_rng(0).permutation(places):
            index = int(place)
            signal = _outputs(imported, sequences[index], evaluate)
            honest = _outputs(imported, sequences[index], _RUNS[kind])
            exact |= {(index, step): array for step, array in enumerate(signal)}
            noise[index] = noise_db(list(zip(honest, signal, strict=True)), output, kind)
            if time.process_time() - started > BUDGET_S and len(noise) >= _FEWEST:
                break
    except (KeyError, HalError):
        return None
    return Yardstick(exact, noise, output, kind)


def _outputs(imported: ImportedModel, sequence: StepSequence, run: Callable[..., Any]) -> list[Array]:
    """Return the first output of the first steps of a sequence."""
    main = imported.model.main
    inputs: list[Any] = [
        np.zeros(main.operands[index].dimensions, type_info(main.operands[index].type).dtype)
        for index in main.input_indexes
    ]
    for state in imported.states:
        inputs[state.input_index][...] = state.zero
    found = []
    for step in sequence.steps[:STEPS]:
        inputs[0] = np.frombuffer(step.load(), inputs[0].dtype).reshape(inputs[0].shape)
        outputs = run(imported.model, inputs)
        for state in imported.states:
            inputs[state.input_index] = outputs[state.output_index]
        found.append(outputs[0].reshape(-1))
    return found


def _round_by_chance(model: Any, inputs: Sequence[Array]) -> list[Any]:
    """Return codes of real results, each rounded up or down at random."""
    chance = np.random.default_rng(0)

    def compute(meaning: Meaning, call: Invocation) -> Any:
        codes = real_codes(meaning, call)
        if codes is None:
            return meaning.compute(call)
        return saturated(np.floor(codes + chance.random(codes.shape)), call.output)

    return evaluate(model, inputs, compute)


_RUNS: Final[dict[ArithmeticKind, Callable[..., Any]]] = {
    ArithmeticKind.FLOAT32: in_arithmetic(Arithmetic()),
    ArithmeticKind.FLOAT16: stored_in_float16(Arithmetic()),
    ArithmeticKind.CODES: _round_by_chance,
}
