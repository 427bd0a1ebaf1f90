"""MaxPool of -infinity in one dimension."""

import sys

import numpy as np
import onnxruntime
from onnx import parser

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
agraph (float[1, 1, 2] x) => (float[1, 1, 1] y) { y = MaxPool<kernel_shape = [2]>(x) }"""
expected = np.float32([[[-np.inf]]])
model = parser.parse_model(TEXT).SerializeToString()
session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
actual = session.run(None, {"x": np.full((1, 1, 2), -np.inf, np.float32)})[0]
print("expected", expected, "actual", actual)
sys.exit(0 if np.array_equal(actual, expected, equal_nan=True) else 3)
