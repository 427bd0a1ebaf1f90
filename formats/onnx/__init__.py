"""ONNX models in: :func:`nnvet.formats.onnx.reader.import_onnx`."""

from typing import Final

SUFFIX: Final = ".onnx"
