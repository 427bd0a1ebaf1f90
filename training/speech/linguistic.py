"""Inputs of the synthesis network: phones with their neighbours, durations and positions, one row a step.

``corpus`` calls :func:`linguistic_steps` for every utterance to be synthesised; the outputs that belong to these inputs
are laid out by ``vocoder``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from training.speech.phones import PHONES, SILENCE
from training.speech.vocoder import FRAME_SAMPLES, FRAMES

_CONTEXT: Final = (-2, -1, 0, 1, 2)
"""Places of the phones that a step sees, counted from its own."""
_DURATIONS: Final = (-1, 0, 1)
"""Places of the phones whose durations a step sees, counted from its own."""
_STEP: Final = FRAMES * FRAME_SAMPLES
"""Samples of a step."""
_DURATION_UNIT: Final = 8 * _STEP
"""Samples that a duration of 1.0 stands for: eight steps, about a long phone."""
_SENTENCE_UNIT: Final = 64
"""Steps that a distance of 1.0 from an end of the sentence stands for; distances beyond 2.0 are cut."""
_GRID: Final = 256.0
"""Inputs are multiples of 1/256, so that files of them are small when compressed."""
INPUTS: Final = len(_CONTEXT) * len(PHONES) + len(_DURATIONS) + 4
"""Length of a row: one-hot phones, durations, two places in the phone and two in the sentence."""

Interval = tuple[int, int, int]
"""Class of a phone, its first sample, and the sample behind its last."""


def linguistic_steps(intervals: Sequence[Interval], steps: int) -> npt.NDArray[np.float32]:
    """Return rows [steps, 227] of gapless ``intervals`` (class, first sample, sample behind the last).

    One-hot phones from the one before the last to the one after the next; durations of three phones; how much of the
    phone is behind and before the step's middle; how much of the sentence is.
    """
    ends = [last for _, _, last in intervals]
    middles = np.arange(steps) * _STEP + _STEP // 2
    rows = np.zeros((steps, INPUTS), np.float32)
    for step, (middle, index) in enumerate(zip(middles, np.searchsorted(ends, middles, side="right"), strict=True)):
        here = min(int(index), len(intervals) - 1)
        _, first, last = intervals[here]
        for place, offset in enumerate(_CONTEXT):
            rows[step, place * len(PHONES) + _at(intervals, here + offset)[0]] = 1
        durations = [_duration(_at(intervals, here + offset)) / _DURATION_UNIT for offset in _DURATIONS]
        places = [(middle - first) / _DURATION_UNIT, (last - middle) / _DURATION_UNIT]
        sentence = [min(step / _SENTENCE_UNIT, 2.0), min((steps - step) / _SENTENCE_UNIT, 2.0)]
        rows[step, len(_CONTEXT) * len(PHONES) :] = [*durations, *places, *sentence]
    return (np.rint(rows * _GRID) / _GRID).astype(np.float32)


def _at(intervals: Sequence[Interval], index: int) -> Interval:
    """Return an interval; silence of no length before the first and behind the last."""
    return intervals[index] if 0 <= index < len(intervals) else (SILENCE, 0, 0)


def _duration(interval: Interval) -> int:
    """Return the number of samples in an interval."""
    return interval[2] - interval[1]
