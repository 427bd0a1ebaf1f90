"""ReduceMax of (NaN, 1) and of (1, NaN)."""

import sys

import numpy as np
import onnxruntime
from onnx import parser

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
agraph (float[2, 2] x, int64[1] axes) => (float[2] y) { y = ReduceMax<keepdims = 0>(x, axes) }"""
expected = np.float32([np.nan, np.nan])
model = parser.parse_model(TEXT).SerializeToString()
session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
actual = session.run(None, {"x": np.float32([[np.nan, 1], [1, np.nan]]), "axes": np.int64([1])})[0]
print("expected", expected, "actual", actual)
sys.exit(0 if np.array_equal(actual, expected, equal_nan=True) else 3)
