"""Accuracy scores of the benchmark, with the limits of Android's Machine Learning Test Suite.

Each evaluator looks at the first output of every step of whole sequences. Source: docs/contract/mlts.md 10.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
import numpy.typing as npt

from nnvet.formats.errors import DataError
from nnvet.models.catalogue import EvaluatorEntry
from nnvet.models.datasets import Normalization, StepSequence, load_normalization, read_lines
from nnvet.models.evaluation import Evaluation, Evaluator, StepResult, judge_by_truth
from nnvet.models.places import MeanAveragePrecision, MeanIntersectionOverUnion, PeakSignalToNoise
from nnvet.reports.events import Limit

Floats = npt.NDArray[np.float32]
_K_TOP: Final = 5
"""Largest k of the evaluator TopK."""
_TOP1_THRESHOLD: Final = 0.05
"""Amount by which the share of right pictures may be below the expected one."""
_LIMIT_DIGITS: Final = 9
_MAX_DISTORTION: Final = 4.0
_MAX_LOG_F0_ERROR: Final = 0.01
_MAX_PHONE_ERROR_RATE: Final = 5.0
_FRAMES: Final = 4
"""Frames of speech in the outputs of a step."""
_FRAME_SIZE: Final = 49
"""Parameters of a frame; the next three are positions among them."""
_MOST_NATS: Final = 700.0
"""Cross entropy whose exponential is still a double."""
_AMPLITUDES: Final = slice(1, 40)
_LOG_F0: Final = 47
_VOICING: Final = 48


@dataclass(frozen=True)
class TopK:
    """Fraction of pictures whose class is among the k largest outputs, for k = 1 … 5.

    NaN ranks above every number; of equal values the lowest class comes first.
    """

    expected_top1: float = 0.0

    def evaluate(self, sequences: Sequence[StepSequence], results: Sequence[StepResult]) -> Evaluation:
        """Return keys top_1 … top_5, with an error if top_1 is more than 5 points below the list's expectation."""
        if not results:
            raise DataError("TopK has no results to score")
        hits = np.zeros(_K_TOP)
        first: list[tuple[int, int]] = []
        for result in results:
            steps = sequences[result.sequence].steps
            expected, values = steps[result.step].expected_class, result.outputs[0]
            if len(steps) != 1 or expected < 0 or values.size < _K_TOP:
                raise DataError(
                    f"TopK needs sequences of one step with a known class and {_K_TOP} classes; there are "
                    f"{len(steps)} steps, class {expected}, {values.size} classes"
                )
            order = np.lexsort((np.arange(values.size), -values.astype(np.float64), ~np.isnan(values)))
            hits += np.cumsum(order[:_K_TOP] == expected)
            first.append((int(order[0]), expected))
        examples = {"top_1": tuple(float(found == expected) for found, expected in first)}
        labels = tuple(found for found, _ in first)
        values_by_key = {f"top_{k + 1}": float(hits[k] / len(results)) for k in range(_K_TOP)}
        if self.expected_top1 <= 0:
            return Evaluation(values_by_key, by_example=examples, labels=labels)
        # Rounded, so that the subtraction does not raise a limit of few digits by a rounding error.
        limit = round(self.expected_top1 - _TOP1_THRESHOLD, _LIMIT_DIGITS)
        broken = values_by_key["top_1"] < limit
        text = f"Top 1 value is far below the expected top 1 ({100 * self.expected_top1:.2f}%)"
        limits = {"top_1": Limit(at_least=limit)}
        return Evaluation(values_by_key, limits, (text,) if broken else (), examples, labels)


@dataclass(frozen=True)
class MelCepLogF0:
    """Mel-cepstral distortion and error of the logarithmic fundamental frequency of synthesised speech.

    A step's 196 outputs are 4 frames of 40 amplitudes, 7 aperiodicities, log F0 and voicing. Sums in float32.
    """

    normalization: Normalization | None = None

    def evaluate(self, sequences: Sequence[StepSequence], results: Sequence[StepResult]) -> Evaluation:
        """Return keys max_mel_cep_distortion and max_log_f0_error, the worst of all sequences."""
        worst = {"max_mel_cep_distortion": 0.0, "max_log_f0_error": 0.0}
        limits = {"max_mel_cep_distortion": _MAX_DISTORTION, "max_log_f0_error": _MAX_LOG_F0_ERROR}
        names = {"max_mel_cep_distortion": "mel cep distortion", "max_log_f0_error": "log F0 error"}
        errors: list[str] = []
        series: dict[str, list[float]] = {key: [] for key in worst}
        for actual, expected in _whole_sequences(sequences, results, self.normalization):
            if actual.shape[1] != _FRAMES * _FRAME_SIZE:
                raise DataError(f"MelCepLogF0 needs {_FRAMES * _FRAME_SIZE} outputs a step, not {actual.shape[1]}")
            frames = actual.reshape(-1, _FRAME_SIZE), expected.reshape(-1, _FRAME_SIZE)
            figures = {"max_mel_cep_distortion": distortion(*frames), "max_log_f0_error": log_f0_error(*frames)}
            for key, value in figures.items():
                series[key].append(value)
                worst[key] = max(worst[key], value) if not math.isnan(value) else math.nan
                if not value <= limits[key]:
                    errors.append(f"{names[key]} exceeded its limit {limits[key]}: {value:.9g}")
        examples = {key.removeprefix("max_"): tuple(values) for key, values in series.items()}
        limits_by_key = {key: Limit(at_most=limit) for key, limit in limits.items()}
        return Evaluation(worst, limits_by_key, tuple(errors), examples)


@dataclass(frozen=True)
class PhoneErrorRate:
    """Share of wrong phones in recognised speech, per cent: edit distance of the phones over the steps."""

    def evaluate(self, sequences: Sequence[StepSequence], results: Sequence[StepResult]) -> Evaluation:
        """Return the key max_phone_error_rate, the worst of all sequences."""
        rates = [
            100 * edit_distance([phone(row) for row in actual], [phone(row) for row in expected]) / len(actual)
            for actual, expected in _whole_sequences(sequences, results, None)
        ]
        errors = tuple(
            f"phone error rate exceeded its limit {_MAX_PHONE_ERROR_RATE}: {rate:.9g}"
            for rate in rates
            if rate > _MAX_PHONE_ERROR_RATE
        )
        limits = {"max_phone_error_rate": Limit(at_most=_MAX_PHONE_ERROR_RATE)}
        examples = {"phone_error_rate": tuple(rates)}
        return Evaluation({"max_phone_error_rate": max(rates)}, limits, errors, examples)


@dataclass(frozen=True)
class TruePhoneErrorRate:
    """Share of wrong phones in recognised speech, per cent of the phones that were really spoken.

    The truth of a sequence is the names of its phones, separated by white space. The recognised phone of a step is its
    largest output; repetitions count as one phone, and the first class is silence. ``classes`` are the names of all
    outputs.
    """

    classes: tuple[str, ...]
    limits: Mapping[str, float] = field(default_factory=dict)

    def evaluate(self, sequences: Sequence[StepSequence], results: Sequence[StepResult]) -> Evaluation:
        """Return the key true_phone_error_rate, over all sequences together."""
        errors, phones = [], []
        for sequence, outputs in _runs(sequences, results):
            said = sequence.truth.decode("utf-8", "replace").split()
            unknown = sorted(set(said) - set(self.classes))
            if unknown or not said:
                wrong = f"{unknown[0]!r} is not among the labels" if unknown else "no phones"
                raise DataError(
                    f"{_truth_file(sequence)}: {wrong}; TruePhoneErrorRate needs the names of the phones that were said"
                )
            if outputs.shape[1] != len(self.classes):
                raise DataError(f"TruePhoneErrorRate: {len(self.classes)} labels for {outputs.shape[1]} outputs")
            true = [self.classes.index(name) for name in said]
            errors.append(edit_distance(merge_repeated_phones([phone(row) for row in outputs]), true))
            phones.append(len(true))
        key = "true_phone_error_rate"
        examples = tuple(100 * wrong / count for wrong, count in zip(errors, phones, strict=True))
        return judge_by_truth({key: 100 * sum(errors) / sum(phones)}, {key: examples}, self.limits)


@dataclass(frozen=True)
class TrueMelCepLogF0:
    """Distance of synthesised speech from the intended speech, frame by frame.

    The truth of a sequence is an equal number of outputs, normalised like those of the model.
    """

    normalization: Normalization | None = None
    limits: Mapping[str, float] = field(default_factory=dict)

    def evaluate(self, sequences: Sequence[StepSequence], results: Sequence[StepResult]) -> Evaluation:
        """Return keys true_mel_cep_distortion, true_log_f0_error and true_voicing_error (per cent), over all frames."""
        actual, expected = [], []
        for sequence, outputs in _runs(sequences, results):
            if outputs.shape[1] != _FRAMES * _FRAME_SIZE:
                raise DataError(f"TrueMelCepLogF0 needs {_FRAMES * _FRAME_SIZE} outputs a step, not {outputs.shape[1]}")
            if len(sequence.truth) != outputs.nbytes:
                raise DataError(
                    f"{_truth_file(sequence)}: {len(sequence.truth)} bytes; TrueMelCepLogF0 needs {outputs.nbytes}, as "
                    f"many float32 as the {len(outputs)} steps have outputs"
                )
            truth = np.frombuffer(sequence.truth, dtype="<f4").reshape(outputs.shape)
            restore = self.normalization.restore if self.normalization else np.asarray
            actual.append(restore(outputs).reshape(-1, _FRAME_SIZE))
            expected.append(restore(truth).reshape(-1, _FRAME_SIZE))
        by_sequence = [_vocoder_figures(*pair) for pair in zip(actual, expected, strict=True)]
        examples = {key: tuple(figures[key] for figures in by_sequence) for key in by_sequence[0]}
        figures = _vocoder_figures(np.concatenate(actual), np.concatenate(expected))
        return judge_by_truth(figures, examples, self.limits)


@dataclass(frozen=True)
class Perplexity:
    """Perplexity of language models: the exponential of the mean cross entropy of each next word.

    The outputs of a step are logits or logarithms of probabilities, one for each of ``classes``. The truth of a
    sequence is the word that follows each step, separated by white space.
    """

    classes: tuple[str, ...]
    limits: Mapping[str, float] = field(default_factory=dict)

    def evaluate(self, sequences: Sequence[StepSequence], results: Sequence[StepResult]) -> Evaluation:
        """Return the keys perplexity and cross_entropy (in nats), over all steps of all sequences."""
        losses = []
        for sequence, outputs in _runs(sequences, results):
            words = sequence.truth.decode("utf-8", "replace").split()
            unknown = sorted(set(words) - set(self.classes))
            if unknown or len(words) != len(outputs):
                wrong = f"{unknown[0]!r} is not among the labels" if unknown else f"{len(words)} words"
                raise DataError(f"{_truth_file(sequence)}: {wrong}; Perplexity needs the word after each of the steps")
            if outputs.shape[1] != len(self.classes):
                raise DataError(f"Perplexity: {len(self.classes)} labels for {outputs.shape[1]} outputs")
            losses.append(_cross_entropies(outputs.astype(np.float64), [self.classes.index(word) for word in words]))
        mean = float(np.concatenate(losses).mean())
        values = {"perplexity": math.exp(mean) if mean < _MOST_NATS else math.inf, "cross_entropy": mean}
        examples = {"cross_entropy": tuple(float(loss.mean()) for loss in losses)}
        return judge_by_truth(values, examples, self.limits)


def _cross_entropies(logits: npt.NDArray[np.float64], words: Sequence[int]) -> npt.NDArray[np.float64]:
    """Return the negative logarithm of each word's probability; infinite if the outputs are no numbers."""
    largest = logits.max(axis=1, keepdims=True)
    with np.errstate(invalid="ignore", over="ignore"):
        total = np.log(np.exp(logits - largest).sum(axis=1)) + largest[:, 0]
        losses: npt.NDArray[np.float64] = total - logits[np.arange(len(words)), words]
    return np.where(np.isnan(losses), np.inf, losses)


def make_evaluator(folder: Path, entry: EvaluatorEntry) -> Evaluator:
    """Return the evaluator that a model list names.

    :raises DataError: if there is no such evaluator or its file is bad.
    """
    make = _EVALUATORS.get(entry.class_name)
    if make is None:
        raise DataError(f"evaluator {entry.class_name!r} is not one of {', '.join(_EVALUATORS)}")
    return make(folder, entry)


def _normalization(folder: Path, entry: EvaluatorEntry) -> Normalization | None:
    return load_normalization(folder / entry.output_mean_std_dev) if entry.output_mean_std_dev else None


def _labels(folder: Path, entry: EvaluatorEntry) -> tuple[str, ...]:
    if not entry.labels:
        raise DataError(f"evaluator {entry.class_name} needs 'labels', the file that names all its classes")
    return tuple(read_lines(folder / entry.labels))


_EVALUATORS: Final[Mapping[str, Callable[[Path, EvaluatorEntry], Evaluator]]] = {
    "TopK": lambda _, entry: TopK(entry.expected_top1),
    "MelCepLogF0": lambda folder, entry: MelCepLogF0(_normalization(folder, entry)),
    "PhoneErrorRate": lambda *_: PhoneErrorRate(),
    "TrueMelCepLogF0": lambda folder, entry: TrueMelCepLogF0(_normalization(folder, entry), entry.limits),
    "TruePhoneErrorRate": lambda folder, entry: TruePhoneErrorRate(_labels(folder, entry), entry.limits),
    "Perplexity": lambda folder, entry: Perplexity(_labels(folder, entry), entry.limits),
    "MeanAveragePrecision": lambda folder, entry: MeanAveragePrecision(_labels(folder, entry), entry.limits),
    "MeanIntersectionOverUnion": lambda folder, entry: MeanIntersectionOverUnion(_labels(folder, entry), entry.limits),
    "PeakSignalToNoise": lambda _, entry: PeakSignalToNoise(entry.limits),
}
"""Evaluators by their names in model lists."""


def distortion(actual: Floats, expected: Floats) -> float:
    """Return the root mean square of amplitude differences over all frames, without the first amplitude."""
    difference = (actual - expected)[:, _AMPLITUDES]
    return math.sqrt(np.sum(difference * difference, dtype=np.float32) / difference.size)


def log_f0_error(actual: Floats, expected: Floats) -> float:
    """Return the root mean square of log F0 differences over the frames voiced in both; 0 if there are none."""
    voiced = (actual[:, _VOICING] > 0) & (expected[:, _VOICING] > 0)
    difference = (actual - expected)[voiced, _LOG_F0]
    if not difference.size:
        return 0.0
    return math.sqrt(np.sum(difference * difference, dtype=np.float32) / difference.size)


def phone(values: Floats) -> int:
    """Return the index of the first largest output; -1 if no output is above the most negative float32."""
    candidates = np.flatnonzero(values > np.finfo(np.float32).min)
    return int(candidates[np.argmax(values[candidates])]) if candidates.size else -1


def merge_repeated_phones(steps: Sequence[int]) -> list[int]:
    """Return the phones of a sequence of steps: repetitions are one phone, class 0 is silence."""
    return [number for before, number in pairwise([0, *steps]) if number not in (before, 0)]


def edit_distance(left: Sequence[int], right: Sequence[int]) -> int:
    """Return the Levenshtein distance of two sequences: the fewest insertions, deletions and substitutions."""
    row = list(range(len(right) + 1))
    for i, item in enumerate(left, start=1):
        diagonal, row[0] = row[0], i
        for j, other in enumerate(right, start=1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (item != other))
    return row[-1]


def _truth_file(sequence: StepSequence) -> str:
    """Return the file of a sequence's truth."""
    return sequence.truth_file or "a sequence without 'truth' in the model list"


def _vocoder_figures(actual: Floats, expected: Floats) -> dict[str, float]:
    """Return the distances of frames of vocoder parameters from the true ones."""
    voiced, truly_voiced = actual[:, _VOICING] > 0, expected[:, _VOICING] > 0
    return {
        "true_mel_cep_distortion": distortion(actual, expected),
        "true_log_f0_error": log_f0_error(actual, expected),
        "true_voicing_error": 100 * float(np.mean(voiced != truly_voiced)),
    }


def _whole_sequences(
    sequences: Sequence[StepSequence], results: Sequence[StepResult], normalization: Normalization | None
) -> list[tuple[Floats, Floats]]:
    """Return outputs and golden outputs of each run of a sequence, as [steps, outputs].

    :raises DataError: a run is incomplete, or has no golden outputs.
    """
    pairs = []
    for sequence, outputs in _runs(sequences, results):
        if not all(step.golden for step in sequence.steps):
            raise DataError("a sequence evaluator needs golden outputs")
        actual, expected = outputs, np.stack([step.golden[0].astype(np.float32) for step in sequence.steps])
        if normalization:
            actual, expected = normalization.restore(actual), normalization.restore(expected)
        pairs.append((actual, expected))
    return pairs


def _runs(sequences: Sequence[StepSequence], results: Sequence[StepResult]) -> list[tuple[StepSequence, Floats]]:
    """Return each run of a sequence with its outputs, [steps, outputs].

    :raises DataError: there are no runs, or one is incomplete.
    """
    runs = []
    position = 0
    while position < len(results):
        sequence = sequences[results[position].sequence]
        run = results[position : position + len(sequence.steps)]
        wanted = [(results[position].sequence, index) for index in range(len(sequence.steps))]
        if [(result.sequence, result.step) for result in run] != wanted:
            raise DataError("a sequence evaluator needs the results of whole sequences in order")
        runs.append((sequence, np.stack([result.outputs[0].astype(np.float32) for result in run])))
        position += len(run)
    if not runs:
        raise DataError("a sequence evaluator has no results to score")
    return runs
