"""Trains the bundled language model and writes it with its data: ``python -m training.language models/bundled/zoo``.

The sentences come from the grammar of :mod:`training.speech.sentences`, whose probabilities are known. So it is known
how good a model can be at best. Deterministic for a version of PyTorch and one thread.
"""

from __future__ import annotations

import json
import lzma
import math
import random
import sys
import time
from pathlib import Path
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from torch.nn import functional

from nnvet.formats.tflite.writer import ModelWriter
from nnvet.models.catalogue import LISTS_FOLDER
from training.baseline import run
from training.images.train import settle
from training.speech.export import dense, lstm
from training.speech.sentences import LISTS, PATTERNS, sentences

NAME: Final = "language_model"
END: Final = "."
"""The word between sentences; it is also the one before the first."""
WORDS: Final = (END, *sorted({word for words in LISTS.values() for word in words}))
_NUMBERS: Final = {word: number for number, word in enumerate(WORDS)}
_EMBEDDING, _CELLS, _PROJECTION = 48, 96, 64
_SEQUENCE: Final = 10
"""Sentences of a sequence, in which states are kept."""
_TRAINING, _TEST = 6000, 240
_EPOCHS: Final = 12
_BATCH: Final = 20
_RATE: Final = 1e-2
_SEED: Final = 23
_HEADROOM: Final = {"perplexity": 0.3, "cross_entropy": 0.01}
"""By so much a driver may be worse than LiteRT is here."""

Numbers = npt.NDArray[np.int64]


class LanguageModel(nn.Module):
    """Numbers of words [batch, time] to logits of the next word [batch, time, words]."""

    def __init__(self) -> None:
        """Random weights, as PyTorch draws them."""
        super().__init__()
        self.embedding = nn.Embedding(len(WORDS), _EMBEDDING)
        self.lstm = nn.LSTM(_EMBEDDING, _CELLS, 1, batch_first=True, proj_size=_PROJECTION)
        self.head = nn.Linear(_PROJECTION, len(WORDS))

    def forward(self, words: torch.Tensor) -> torch.Tensor:
        """Return logits of sequences that begin with states of zeros."""
        hidden, _ = self.lstm(self.embedding(words))
        logits: torch.Tensor = self.head(hidden)
        return logits


def sequences(texts: list[str]) -> list[Numbers]:
    """Return numbers of words, ten sentences in a row, each between two ends."""
    parts = [texts[first : first + _SEQUENCE] for first in range(0, len(texts), _SEQUENCE)]
    return [np.array([_NUMBERS[word] for word in (END, *" . ".join(part).split(), END)], np.int64) for part in parts]


def best_cross_entropy(texts: list[str]) -> float:
    """Return the cross entropy of a word for a model that knows the grammar: the least that can be expected."""
    nats = 0.0
    for text in texts:
        words = text.split()
        fitting = [kinds for kinds in PATTERNS if len(kinds) == len(words)]
        likelihoods = [
            math.prod((word in LISTS[kind]) / len(LISTS[kind]) for kind, word in zip(kinds, words, strict=True))
            for kinds in fitting
        ]
        nats -= math.log(sum(likelihoods) / len(PATTERNS))
    return nats / sum(len(text.split()) + 1 for text in texts)


def train(known: list[Numbers]) -> LanguageModel:
    """Train from random weights; prints an epoch's cross entropy and CPU seconds."""
    torch.manual_seed(_SEED)
    rng = random.Random(_SEED)  # noqa: S311 - weights are no secrets
    network = LanguageModel()
    batches = len(known) // _BATCH
    optimizer = torch.optim.AdamW(network.parameters(), _RATE, weight_decay=0.05)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, _RATE, _EPOCHS * batches)
    for epoch in range(_EPOCHS):
        order = sorted(range(len(known)), key=lambda index: len(known[index]) + rng.uniform(0, 4))
        losses = []
        for batch in rng.sample(range(batches), batches):
            chosen = [torch.from_numpy(known[index]) for index in order[batch * _BATCH : (batch + 1) * _BATCH]]
            words = nn.utils.rnn.pad_sequence(chosen, batch_first=True, padding_value=-1)
            logits = network(words[:, :-1].clamp(min=0))
            loss = functional.cross_entropy(logits.flatten(0, 1), words[:, 1:].flatten(), ignore_index=-1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            losses.append(loss.item())
        print(f"epoch {epoch}: {np.mean(losses):.4f} nats, {time.process_time():.0f} s", flush=True)
    return network


def to_tflite(weights: dict[str, npt.NDArray[np.float32]]) -> bytes:
    """Return the file: a word's number as a float, EMBEDDING_LOOKUP, LSTM, logarithms of probabilities."""
    writer = ModelWriter("nnvet language model")
    word = writer.tensor("word", (1,))
    number = writer.tensor("number", (1,), "int32")
    writer.operator("CAST", [word], [number])
    embedded = writer.tensor("embedded", (1, _EMBEDDING))
    table = writer.constant("embedding", weights["embedding.weight"])
    writer.operator("EMBEDDING_LOOKUP", [number, table], [embedded])
    logits = dense(writer, "head", lstm(writer, 0, embedded, weights, sequence=False), weights)
    output = writer.tensor("log_probabilities", (1, len(WORDS)))
    writer.operator("LOG_SOFTMAX", [logits], [output])
    return writer.finish([word], [output])


def write(zoo: Path, model: bytes, tested: list[Numbers]) -> dict[str, Any]:
    """Write the model and its test sequences; returns the list's entry, its limits by what LiteRT reaches."""
    folder = zoo / "language"
    folder.mkdir(parents=True, exist_ok=True)
    (zoo / f"{NAME}.tflite").write_bytes(model)
    (folder / "words.txt").write_text("".join(f"{word}\n" for word in WORDS), "utf-8")
    pairs = []
    for number, words in enumerate(tested):
        name = f"language/{number:02}"
        (zoo / f"{name}.input.xz").write_bytes(lzma.compress(words[:-1].astype("<f4").tobytes()))
        (zoo / f"{name}.words").write_text(" ".join(WORDS[word] for word in words[1:]) + "\n", "utf-8")
        pairs.append({"input": f"{name}.input.xz", "truth": f"{name}.words"})
    evaluator = {"className": "Perplexity", "labels": "language/words.txt"}
    entry = {
        "name": NAME,
        "baselineSec": 0.001,
        "dataSize": 4,
        "inputSize": [1],
        "evaluator": evaluator,
        "inputOutputs": pairs,
    }
    figures, _ = run(zoo, entry)
    print(NAME, len(model), figures, flush=True)
    limits = {key: round(value + _HEADROOM[key], 3) for key, value in figures.items()}
    return entry | {"evaluator": evaluator | {"limits": limits}}


def main() -> None:
    """Train, and write everything."""
    zoo = Path(sys.argv[1])
    settle()
    texts = sentences(_TEST + _TRAINING, _SEED)
    tested, known = texts[:_TEST], texts[_TEST:]
    print(f"at best {best_cross_entropy(tested):.4f} nats, perplexity {math.exp(best_cross_entropy(tested)):.3f}")
    network = train(sequences(known))
    weights = {name: tensor.detach().numpy() for name, tensor in network.state_dict().items()}
    entry = write(zoo, to_tflite(weights), sequences(tested))
    text = json.dumps({"models": [entry]}, indent=1) + "\n"
    (zoo / LISTS_FOLDER / "language.json").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
