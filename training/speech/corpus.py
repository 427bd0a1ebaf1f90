"""The corpora of both speech tasks, made by espeak-ng: equal seeds give equal corpora.

``train`` takes the training sets of :func:`recognition` and :func:`synthesis`, ``build`` the test sets.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from training.speech import analysis, features, vocoder
from training.speech.espeak import Manner, Speech, speak_all
from training.speech.linguistic import linguistic_steps
from training.speech.phones import labels_at, phone_intervals, spoken
from training.speech.sentences import sentences

_VARIANTS: Final = "m1 m3 m7 f1 f2 f4 f5 klatt klatt4 Annie Lee max"
"""espeak-ng's names of the voices of training."""
_VOICES: Final = tuple(f"en-us+{variant}" for variant in _VARIANTS.split())
"""The voices of training, each speaking American English."""
UNHEARD_VOICES: Final = ("en-us+m2", "en-us+f3", "en-us+linda")
"""Voices of the test set that no training sentence has: recognition must not depend on the voice."""
_SYNTHESIS_MANNER: Final = Manner("en-us+f2", 150, 50)
"""The one manner of speaking that the synthesiser learns."""
_RATES: Final = (120, 180)
"""Lowest and highest rate of speech, in words a minute."""
_PITCHES: Final = (30, 70)
"""Lowest and highest pitch of a voice, on espeak-ng's scale of 0 to 100."""
_NOISE_DB: Final = (10.0, 30.0)
"""Range of how many decibels noise lies below speech."""
_SEED: Final = 16
"""Seed of the training set; the test set takes the next one."""
DELAY: Final = 2
"""Steps by which the recogniser lags: it answers for the phone that was in the middle two steps ago."""

Floats = npt.NDArray[np.float32]
"""Samples, or inputs or outputs of the steps of an utterance."""
Labels = npt.NDArray[np.int64]
"""Classes of phones, one a step."""


@dataclass(frozen=True)
class Heard:
    """An utterance to be recognised: inputs [steps, 320], the phone of each step, and the phones that were said."""

    text: str
    inputs: Floats
    labels: Labels
    phones: tuple[int, ...]


@dataclass(frozen=True)
class Said:
    """An utterance to be synthesised: inputs [steps, linguistic features], outputs [steps, 196] in natural units."""

    text: str
    inputs: Floats
    outputs: Floats


def recognition(count: int, *, test: bool) -> Iterator[Heard]:
    """Yield ``count`` utterances in many voices, rates and pitches with noise; the test set's sentences are others.

    :raises EspeakError: espeak-ng is missing, or has not such a voice.
    """
    rng = random.Random(_SEED + test)  # noqa: S311 - data are no secrets
    voices = _VOICES + UNHEARD_VOICES if test else _VOICES
    jobs = [
        (text, Manner(rng.choice(voices), rng.randint(*_RATES), rng.randint(*_PITCHES)))
        for text in _texts(count, test=test)
    ]
    noise = np.random.default_rng(_SEED + test)
    for (text, _), speech in zip(jobs, speak_all(jobs), strict=True):
        samples, intervals = _at_16_khz(speech)
        inputs = features.stack(analysis.log_mel(with_noise(samples, noise)))
        centres = features.step_centres(len(inputs)) - DELAY * features.STRIDE * features.HOP
        yield Heard(text, inputs, labels_at(intervals, centres), tuple(spoken(intervals)))


def synthesis(count: int, *, test: bool) -> Iterator[Said]:
    """Yield ``count`` utterances of one voice; the test set's sentences are others.

    :raises EspeakError: espeak-ng is missing, or has not such a voice.
    """
    jobs = [(text, _SYNTHESIS_MANNER) for text in _texts(count, test=test)]
    for (text, _), speech in zip(jobs, speak_all(jobs), strict=True):
        samples, intervals = _at_16_khz(speech)
        outputs = vocoder.steps(analysis.vocoder_parameters(samples))
        yield Said(text, linguistic_steps(intervals, len(outputs)), outputs)


def with_noise(samples: Floats, rng: np.random.Generator) -> Floats:
    """Return the samples with white noise 10 to 30 dB below them, at a level drawn for the utterance."""
    level = np.sqrt(np.mean(samples**2)) * 10 ** (-rng.uniform(*_NOISE_DB) / 20)
    return (samples + rng.normal(0, level, samples.shape)).astype(np.float32)


def _texts(count: int, *, test: bool) -> list[str]:
    """Return sentences of the training or test set: the test set is what comes first, whatever is asked for."""
    reserved = 400
    return sentences(count, _SEED) if test else sentences(reserved + count, _SEED)[reserved:]


def _at_16_khz(speech: Speech) -> tuple[Floats, list[tuple[int, int, int]]]:
    """Return samples at 16 kHz with their phones."""
    samples = analysis.to_16_khz(speech.samples, speech.sample_rate)
    phonemes = [(name, first * features.SAMPLE_RATE // speech.sample_rate) for name, first in speech.phonemes]
    return samples, phone_intervals(phonemes, len(samples))
