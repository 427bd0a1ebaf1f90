"""Sigmoid of -40 in float64."""

import sys

import numpy as np
import onnxruntime
from onnx import parser

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
agraph (double[1] x) => (double[1] y) { y = Sigmoid(x) }"""
expected = 1 / (1 + np.exp(np.float64([40])))
model = parser.parse_model(TEXT).SerializeToString()
session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
actual = session.run(None, {"x": np.float64([-40])})[0]
print("expected", expected, "actual", actual)
sys.exit(0 if np.allclose(actual, expected, rtol=1e-6, atol=0) else 3)
