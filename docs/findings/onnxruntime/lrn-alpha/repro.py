"""LRN of 1 with alpha 0: there is no session."""

import sys

import numpy as np
import onnxruntime
from onnx import parser

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
agraph (float[1, 1, 1, 1] x) => (float[1, 1, 1, 1] y) { y = LRN<size = 1, alpha = 0.0, beta = 0.5>(x) }"""
expected = np.float32([[[[1]]]])
model = parser.parse_model(TEXT).SerializeToString()
try:
    session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
    actual = session.run(None, {"x": np.ones((1, 1, 1, 1), np.float32)})[0]
except Exception as error:
    actual = error
print("expected", expected, "actual", actual)
sys.exit(3 if isinstance(actual, Exception) or not np.allclose(actual, expected) else 0)
