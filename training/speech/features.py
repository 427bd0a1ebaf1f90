"""Layout of what the recognition network hears: stacked frames of a log mel spectrum.

``analysis`` computes the frames, ``corpus`` stacks them by :func:`stack`. ``linguistic`` and ``vocoder`` are the
layouts of the synthesis network's inputs and outputs.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

SAMPLE_RATE: Final = 16000
"""Samples a second."""
BANDS: Final = 80
"""Mel bands of a frame."""
STACK: Final = 4
"""Frames that one step of the network sees."""
STRIDE: Final = 3
"""Frames from one step to the next: 30 ms; the last frame of a step is the first of the next."""
HOP: Final = 160
"""Samples from one frame to the next: 10 ms."""
TRANSFORM: Final = 512
"""Samples of the Fourier transform of a frame, padded to a power of two."""

Floats = npt.NDArray[np.float32]
"""Frames [frames, bands] or steps [steps, stacked bands]."""


def stack(frames: Floats) -> Floats:
    """Return steps of four frames every three frames, [steps, 320]; incomplete steps at the end are left out."""
    starts = np.arange(0, len(frames) - STACK + 1, STRIDE)
    return frames[starts[:, None] + np.arange(STACK)].reshape(len(starts), STACK * BANDS)


def step_centres(steps: int) -> npt.NDArray[np.int64]:
    """Return the sample in the middle of each step."""
    # Frames are transformed in a longer window around them, so that the first has its middle at half of that.
    centre = TRANSFORM // 2 + (STACK - 1) * HOP // 2
    return centre + np.arange(steps, dtype=np.int64) * STRIDE * HOP
