"""ONNX models in: :func:`nnvet.formats.onnx.reader.import_onnx`."""
