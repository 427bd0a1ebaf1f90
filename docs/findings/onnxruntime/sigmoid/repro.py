"""Sigmoid of -17 in float32."""

import sys

import numpy as np
import onnxruntime
from onnx import parser

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
agraph (float[1] x) => (float[1] y) { y = Sigmoid(x) }"""
expected = np.float32([1 / (1 + np.exp(17.0))])
model = parser.parse_model(TEXT).SerializeToString()
session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
actual = session.run(None, {"x": np.float32([-17])})[0]
print("expected", expected, "actual", actual)
sys.exit(0 if np.allclose(actual, expected, rtol=1e-3, atol=0) else 3)
