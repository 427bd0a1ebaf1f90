"""The bundled sequences are what the corpus makes: only where its tools are installed, in the versions of the page."""

from __future__ import annotations

import importlib.metadata
import shutil
import subprocess
from typing import Final

import numpy as np
import pytest

from nnvet.models.bundled import ZOO
from nnvet.models.datasets import load_normalization, read_bytes

FOLDER: Final = ZOO / "speech"
VERSIONS: Final = {"librosa": "0.11.0", "pyworld": "0.3.5"}
ESPEAK: Final = "1.51 "


@pytest.fixture(autouse=True)
def _tools() -> None:
    """Skip where other tools would make other speech."""
    for name, version in VERSIONS.items():
        pytest.importorskip(name, reason="the extra training is not installed")
        if importlib.metadata.version(name) != version:
            pytest.skip(f"the sequences were made with {name} {version}")
    command = shutil.which("espeak-ng")
    said = subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout if command else ""
    if ESPEAK not in said:
        pytest.skip(f"the sequences were made with espeak-ng {ESPEAK}")


def test_first_recognised_sequence() -> None:
    """Inputs to the bit, and the phones by name."""
    corpus = pytest.importorskip("training.speech.corpus")
    phones = pytest.importorskip("training.speech.phones").PHONES
    first = next(corpus.recognition(36, test=True))
    assert first.inputs.astype("<f4").tobytes() == read_bytes(FOLDER / "speech_recogniser-00.input.xz")
    said = (FOLDER / "speech_recogniser-00.phones").read_text("utf-8").split()
    assert [phones[number] for number in first.phones] == said


def test_first_synthesised_sequence() -> None:
    """Inputs to the bit, and the truth to half of the sixteenth of a deviation in which it is stored."""
    corpus = pytest.importorskip("training.speech.corpus")
    first = next(corpus.synthesis(20, test=True))
    assert first.inputs.astype("<f4").tobytes() == read_bytes(FOLDER / "speech_synthesiser-00.input.xz")
    stored = np.frombuffer(read_bytes(FOLDER / "speech_synthesiser-00.truth.xz"), "<f4").reshape(first.outputs.shape)
    normalization = load_normalization(FOLDER / "speech_synthesiser.mean_std_dev")
    difference = np.abs(normalization.restore(stored) - first.outputs) / normalization.deviation
    assert difference.max() <= 1 / 32 + 1e-3
