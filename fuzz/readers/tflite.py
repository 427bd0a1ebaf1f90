"""The harness ``tflite``: bytes are a model file; the reader has to import a valid model or raise ModelFileError."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

import numpy as np

from nnvet.conformance.engine.target import Target
from nnvet.formats.errors import ModelFileError
from nnvet.formats.tflite.importer import import_model
from nnvet.formats.tflite.writer import ModelWriter
from nnvet.fuzz.harness import Harness, OneInput, Seed
from nnvet.fuzz.readers.tables import cross_files, mutate_file
from nnvet.fuzz.words import file_words

_MAX_LEN: Final = 8192
_IMAGE: Final = (1, 4, 4, 2)


def read(data: bytes) -> None:
    """Import a file; any error except ModelFileError is a fault of the reader."""
    try:
        import_model(data, name="fuzzed").close()
    except ModelFileError:
        return


@contextmanager
def open_reader(_: Target) -> Iterator[OneInput]:
    """Open the harness on the reader; it needs no driver."""
    yield read


def _convolution(writer: ModelWriter) -> tuple[int, int]:
    source, between, result = (writer.tensor(name, _IMAGE) for name in ("source", "between", "result"))
    filters = writer.constant("filters", np.ones((2, 1, 1, 2)))
    bias = writer.constant("bias", np.zeros(2))
    writer.operator("CONV_2D", (source, filters, bias), (between,), stride_w=1, stride_h=1)
    writer.operator("SOFTMAX", (between,), (result,), beta=1.0)
    return source, result


def _codes(writer: ModelWriter) -> tuple[int, int]:
    source, between, result = (
        writer.tensor(name, (2, 3), "uint8", scale=0.5, zero_point=3) for name in ("source", "between", "result")
    )
    writer.operator("ADD", (source, source), (between,))
    writer.operator("RELU", (between,), (result,))
    return source, result


def _movement(writer: ModelWriter) -> tuple[int, int]:
    source, result = writer.tensor("source", (2, 3)), writer.tensor("result", (3, 2))
    writer.operator("TRANSPOSE", (source, writer.constant("order", (1, 0), "int32")), (result,))
    return source, result


_NETWORKS: Final[tuple[Callable[[ModelWriter], tuple[int, int]], ...]] = (_convolution, _codes, _movement)


def _seeds() -> Iterator[Seed]:
    for network in _NETWORKS:
        writer = ModelWriter("seed")
        source, result = network(writer)
        yield Seed(network.__name__.strip("_"), writer.finish((source,), (result,)))


TFLITE: Final = Harness(
    name="tflite",
    summary="any bytes as a .tflite file",
    opens=open_reader,
    seeds=_seeds,
    instrumented=("nnvet.formats.tflite",),
    compares=True,
    mutator=mutate_file,
    crossover=cross_files,
    words=file_words,
    max_len=_MAX_LEN,
    share=1,
)
