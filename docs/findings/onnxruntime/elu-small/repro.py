"""Elu of -1e-5."""

import sys

import numpy as np
import onnxruntime
from onnx import parser

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
agraph (float[1] x) => (float[1] y) { y = Elu(x) }"""
expected = np.expm1(np.float32([-1e-5]))
model = parser.parse_model(TEXT).SerializeToString()
session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
actual = session.run(None, {"x": np.float32([-1e-5])})[0]
print("expected", expected, "actual", actual)
sys.exit(0 if np.allclose(actual, expected, rtol=1e-5, atol=0) else 3)
