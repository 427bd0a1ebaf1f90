"""Models of tests as TFLite files."""

from __future__ import annotations

from nnvet.adapters.litert.writing import InexpressibleError, tflite_file
from nnvet.graphs.hal_model import build_model, close_pools
from nnvet.graphs.model import TestModel


def written(test: TestModel) -> bytes:
    """The test's model as a file; empty if it has no form."""
    model = build_model(test)
    try:
        return tflite_file(model)
    except InexpressibleError:
        return b""
    finally:
        close_pools(model)
