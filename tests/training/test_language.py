"""The language model: the least cross entropy by hand, and a file that computes what PyTorch computes."""

from __future__ import annotations

import math
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from nnvet.models.catalogue import ModelEntry
from nnvet.models.contenders import BenchModel
from nnvet.models.litert import LiteRt

torch = pytest.importorskip("torch", reason="training needs the extra 'training'")
pytest.importorskip("ai_edge_litert", reason="the baseline needs the extra 'litert'")


def test_the_least_cross_entropy_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two patterns of two words that both allow "fish swim"; with the end a sentence has three words."""
    from training import language  # noqa: PLC0415

    monkeypatch.setattr(
        language, "LISTS", {"a": ("fish", "cat", "dog", "cow"), "b": ("swim", "eat"), "c": ("fish", "x")}
    )
    monkeypatch.setattr(language, "PATTERNS", (("a", "b"), ("c", "b")))
    likelihood = 0.5 * (1 / 4) * (1 / 2) + 0.5 * (1 / 2) * (1 / 2)
    assert language.best_cross_entropy(["fish swim"]) == pytest.approx(-math.log(likelihood) / 3)
    # A dog fits one pattern alone; the mean is one over words, not over sentences.
    both = -math.log(likelihood) - math.log(0.5 * (1 / 4) * (1 / 2))
    assert language.best_cross_entropy(["fish swim", "dog eat"]) == pytest.approx(both / 6)


def test_sentences_become_sequences_between_ends() -> None:
    """Ten sentences a sequence, an end before the first and behind each."""
    from training.language import END, WORDS, sequences  # noqa: PLC0415

    (first, second) = sequences(["the dog"] * 10 + ["a cat"])
    assert [WORDS[number] for number in second] == [END, "a", "cat", END]
    assert [WORDS[number] for number in first[:5]] == [END, "the", "dog", END, "the"]
    assert (len(first), WORDS[first[-1]]) == (31, END)


@pytest.mark.filterwarnings("ignore:LSTM with projections is not supported with oneDNN")
def test_the_file_computes_what_pytorch_computes() -> None:
    """Logarithms of probabilities of random weights, word by word, with the states in the file."""
    from training.language import WORDS, LanguageModel, to_tflite  # noqa: PLC0415

    torch.manual_seed(6)
    network = LanguageModel()
    words = np.array([0, 5, 270, 33, 33, 0])
    with torch.no_grad():
        expected = torch.log_softmax(network(torch.from_numpy(words)[None])[0], 1).numpy()
    data = to_tflite({name: tensor.detach().numpy() for name, tensor in network.state_dict().items()})
    model = BenchModel(ModelEntry("net", 0.001, 4, (1,)), Path("net.tflite"), data, None)
    with closing(LiteRt().open(model)) as loaded:
        loaded.reset()
        for word, row in zip(words, expected, strict=True):
            loaded.put(np.array([word], "<f4").tobytes())
            loaded.invoke()
            (found,) = loaded.take()
            assert found.size == len(WORDS)
            np.testing.assert_allclose(found, row, atol=2e-5)
