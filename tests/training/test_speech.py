"""Speech corpora: labels against a search by eye, stacking and linguistic inputs against loops, espeak-ng itself."""

from __future__ import annotations

import ctypes.util
import math

import numpy as np
import pytest

from training.speech import features, vocoder
from training.speech.espeak import EspeakError, Manner, speak_all
from training.speech.linguistic import INPUTS, linguistic_steps
from training.speech.phones import CLASSES, PHONES, labels_at, phone_intervals, spoken
from training.speech.sentences import sentences

PHONEMES = [("D", 30), ("@2", 100), ("k", 400), ("_:", 500), (";", 520), ("s", 600), ("s", 640)]
"""The end of "the", a k, a pause that a mark without sound does not end, and two s in a row."""
INTERVALS = [(0, 0, 30), (29, 30, 100), (7, 100, 400), (24, 400, 500), (0, 500, 600), (30, 600, 700)]
needs_espeak = pytest.mark.skipif(ctypes.util.find_library("espeak-ng") is None, reason="espeak-ng is not installed")


def test_intervals_are_gapless() -> None:
    """Silence before the first phone; equal neighbours are one; classes counted by hand."""
    assert [PHONES[number] for number, _, _ in INTERVALS] == ["sil", "dh", "ah", "k", "sil", "s"]
    assert phone_intervals(PHONEMES, 700) == INTERVALS
    assert spoken(INTERVALS) == [29, 7, 24, 30]


def test_unknown_mnemonics_are_refused() -> None:
    """A phoneme of another language stops the making of a corpus rather than becoming silence."""
    with pytest.raises(KeyError, match="x2"):
        phone_intervals([("x2", 0)], 10)


def test_labels() -> None:
    """The phone at a sample, found by looking at every interval."""
    positions = np.array([-5, 0, 29, 30, 99, 100, 399, 499, 500, 699, 700, 9000])
    expected = [
        next((n for n, first, last in INTERVALS if max(p, 0) < last and first <= max(p, 0)), 0) for p in positions
    ]
    assert labels_at(INTERVALS, positions).tolist() == expected


@pytest.mark.parametrize(("frames", "steps"), [(3, 0), (4, 1), (6, 1), (7, 2), (25, 8)])
def test_stacking(frames: int, steps: int) -> None:
    """Step s holds frames 3 s to 3 s + 3, one behind the other."""
    values = np.arange(frames * 80, dtype=np.float32).reshape(frames, 80)
    expected = [[values[3 * step + place, band] for place in range(4) for band in range(80)] for step in range(steps)]
    assert features.stack(values).tolist() == expected


def test_step_centres() -> None:
    """A step's middle is the mean of the middles of its frames of 512 samples, which begin every 160."""
    for step, centre in enumerate(features.step_centres(5)):
        middles = [(3 * step + place) * 160 + 256 for place in range(4)]
        assert centre == sum(middles) / 4


def test_vocoder_layout() -> None:
    """Frames of 49 numbers, four a step; F0 is interpolated where there is none; aperiodicity in dB by bands."""
    frames = np.arange(9 * 49, dtype=np.float32).reshape(9, 49)
    assert vocoder.steps(frames).tolist() == [[*frames[4 * s : 4 * s + 4].ravel()] for s in range(2)]
    assert vocoder.log_f0(np.array([0, 100.0, 0, 0, 200.0])) == pytest.approx(
        [
            math.log(100),
            math.log(100),
            math.log(100) + math.log(2) / 3,
            math.log(100) + 2 * math.log(2) / 3,
            math.log(200),
        ]
    )
    assert vocoder.log_f0(np.zeros(2)) == pytest.approx([math.log(100)] * 2)
    envelope = np.repeat([1.0, 0.1, 0.01, 0.001, 1.0, 1.0, 1.0], 3)[None]
    assert vocoder.bands(envelope)[0] == pytest.approx([0, -20, -40, -60, 0, 0, 0])


def test_linguistic_inputs() -> None:
    """Each number against the text of the layout, on phones of whole steps of 320 samples."""
    intervals = [(0, 0, 320), (25, 320, 960), (7, 960, 1280)]
    rows = linguistic_steps(intervals, 4)
    assert rows.shape == (4, INPUTS)
    for step, here in enumerate([0, 25, 25, 7]):
        one_hot = rows[step, :-7].reshape(5, len(PHONES))
        neighbours = [one_hot[place].argmax() for place in range(5)]
        assert one_hot.sum() == 5
        assert neighbours[2] == here
        if step in (1, 2):
            assert neighbours == [0, 0, 25, 7, 0]
            assert rows[step, -7:-4].tolist() == [1 / 8, 2 / 8, 1 / 8]
    # In units of eight steps: from the phone's beginning to the step's middle, and from there to its end.
    assert rows[1, -4:-2].tolist() == [0.5 / 8, 1.5 / 8]
    assert rows[2, -4:-2].tolist() == [1.5 / 8, 0.5 / 8]
    assert rows[:, -2].tolist() == [0, 1 / 64, 2 / 64, 3 / 64]
    assert rows[:, -1].tolist() == [4 / 64, 3 / 64, 2 / 64, 1 / 64]


def test_sentences() -> None:
    """Equal seeds give equal sentences; more of them begin with the same; none comes twice."""
    found = sentences(300, 5)
    assert found[:20] == sentences(20, 5)
    assert found[:20] != sentences(20, 6)
    assert len(set(found)) == 300
    assert all(5 <= len(text.split()) <= 7 for text in found)


@needs_espeak
def test_speech_depends_on_the_sentence_alone() -> None:
    """The same sentence sounds the same behind others; its phones are known and stand in order inside of it."""
    job = ("his uncle hears the quiet river", Manner("en-us+f2", 150, 50))
    first, _, again = speak_all([job, ("one dog", Manner("en-us+m3", 120, 30)), job])
    assert first.sample_rate == 22050
    assert np.array_equal(first.samples, again.samples)
    assert first.phonemes == again.phonemes
    positions = [position for _, position in first.phonemes]
    assert positions == sorted(positions)
    assert positions[0] >= 0
    assert positions[-1] <= len(first.samples)
    assert [name for name, _ in first.phonemes if CLASSES[name]][:5] == ["h", "I", "z", "V", "N"]


@needs_espeak
def test_unknown_voice() -> None:
    """A voice that espeak-ng does not have is an error that names it."""
    with pytest.raises(EspeakError, match="xx-nobody"):
        list(speak_all([("one", Manner("xx-nobody", 150, 50))]))
