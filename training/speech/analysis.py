"""Turn speech into features and vocoder parameters, by the libraries of the extra ``training``.

``corpus`` calls it for every utterance. The layouts of what it returns are those of ``features`` and ``vocoder``, which
need no such library.
"""

from __future__ import annotations

from typing import Any, Final

import librosa
import numpy as np
import numpy.typing as npt
import pyworld
from scipy.signal import resample_poly

from training.speech.features import BANDS, HOP, SAMPLE_RATE, TRANSFORM
from training.speech.vocoder import AMPLITUDES, FRAME_SAMPLES, bands, log_f0

_WINDOW: Final = 400
"""Samples of a frame: 25 ms at 16 kHz."""
_FLOOR: Final = 1e-6
"""Power added before the logarithm, so that silence has one."""
_MIDDLE: Final = 6.0
"""Typical log energy of speech, with its sign changed; added to bring features near 0."""
_DEVIATION: Final = 3.0
"""Typical deviation of log energies of speech, by which features are divided."""
_GRID: Final = 16.0
"""Features are multiples of 1/16: far finer than noise, and files of them are small when compressed."""
_FRAME_MS: Final = 1000 * FRAME_SAMPLES / SAMPLE_RATE
"""Milliseconds between frames of the vocoder."""
_F0_RANGE: Final = (60.0, 500.0)
"""Fundamental frequencies in Hz among which the pitch of a voice is searched."""

Floats = npt.NDArray[np.float32]
"""Samples, features or parameters."""


def to_16_khz(samples: Floats, sample_rate: int) -> Floats:
    """Return the same sound with 16,000 samples a second."""
    divisor = int(np.gcd(SAMPLE_RATE, sample_rate))
    resampled: Any = resample_poly(samples, SAMPLE_RATE // divisor, sample_rate // divisor)
    return np.asarray(resampled, dtype=np.float32)


def log_mel(samples: Floats) -> Floats:
    """Return the logarithm energies in 80 mel bands of frames of 25 ms every 10 ms, [frames, 80], about -2 to 2."""
    power = librosa.feature.melspectrogram(
        y=samples, sr=SAMPLE_RATE, n_fft=TRANSFORM, win_length=_WINDOW, hop_length=HOP, n_mels=BANDS, center=False
    )
    normal = (np.log(power.T + _FLOOR) + _MIDDLE) / _DEVIATION
    return (np.rint(normal * _GRID) / _GRID).astype(np.float32)


def vocoder_parameters(samples: Floats) -> Floats:
    """Return frames [frames, 49] in the layout of ``vocoder``, by WORLD: DIO with StoneMask, CheapTrick and D4C."""
    signal = samples.astype(np.float64)
    f0, times = pyworld.dio(signal, SAMPLE_RATE, *_F0_RANGE, frame_period=_FRAME_MS)
    f0 = pyworld.stonemask(signal, f0, times, SAMPLE_RATE)
    envelope = pyworld.cheaptrick(signal, f0, times, SAMPLE_RATE)
    aperiodicity = pyworld.d4c(signal, f0, times, SAMPLE_RATE)
    cepstra = pyworld.code_spectral_envelope(envelope, SAMPLE_RATE, AMPLITUDES)
    columns = [cepstra, bands(aperiodicity), log_f0(f0)[:, None], np.where(f0 > 0, 1.0, -1.0)[:, None]]
    return np.concatenate(columns, axis=1).astype(np.float32)
