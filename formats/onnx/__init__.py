"""Reader of ONNX models: see :func:`nnvet.formats.onnx.reader.import_onnx`."""

from typing import Final

SUFFIX: Final = ".onnx"
