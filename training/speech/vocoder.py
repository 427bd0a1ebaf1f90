"""Layout of what the synthesis network says: frames of vocoder parameters, as the evaluator MelCepLogF0 reads them.

A frame is 40 mel-cepstra, 7 aperiodicities in dB, log F0 (of Hz, interpolated where unvoiced) and voicing: 1 for
voiced frames and -1 for others, as the evaluator asks for its sign.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

AMPLITUDES: Final = 40
"""Mel-cepstral coefficients of a frame."""
APERIODICITIES: Final = 7
"""Bands of aperiodicity of a frame."""
FRAME: Final = AMPLITUDES + APERIODICITIES + 2
"""Numbers of a frame: the last two are log F0 and voicing."""
FRAMES: Final = 4
"""Frames a step; a frame is 5 ms."""
FRAME_SAMPLES: Final = 80
"""Samples from one frame to the next: 5 ms at 16 kHz."""
_UNVOICED_F0: Final = 100.0
"""F0 in Hz of an utterance without a voiced frame; any in the range of voices would do."""

Floats = npt.NDArray[np.float32]
"""Frames [frames, 49] or steps [steps, 196]."""


def bands(aperiodicity: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the mean aperiodicity in dB in seven bands, equally wide on the frequency axis; [frames, 7]."""
    decibels = 20 * np.log10(np.maximum(aperiodicity, 1e-6))
    return np.stack([part.mean(axis=1) for part in np.array_split(decibels, APERIODICITIES, axis=1)], axis=1)


def log_f0(f0: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return the natural logarithm of F0 in Hz, straight lines across unvoiced frames."""
    voiced = np.flatnonzero(f0 > 0)
    if not voiced.size:
        return np.full(f0.shape, np.log(_UNVOICED_F0))
    return np.interp(np.arange(f0.size), voiced, np.log(f0[voiced]))


def steps(frames: Floats) -> Floats:
    """Return four frames a step, [steps, 196]; frames at the end that fill no step are left out."""
    count = len(frames) // FRAMES
    return frames[: count * FRAMES].reshape(count, FRAMES * FRAME)
