"""QLinearMul of int8 codes to a far smaller scale."""

import sys

import numpy as np
import onnxruntime
from onnx import parser

TEXT = """<ir_version: 10, opset_import: ["" : 21, "com.microsoft" : 1]>
agraph (int8[1] x, float a, int8 z, float c) => (int8[1] y) { y = com.microsoft.QLinearMul(x, a, z, x, a, z, c, z) }"""
expected = np.int8([127])
model = parser.parse_model(TEXT).SerializeToString()
session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
actual = session.run(
    None,
    {"x": np.int8([100]), "a": np.array(2, np.float32), "z": np.array(0, np.int8), "c": np.array(1e-5, np.float32)},
)[0]
print("expected", expected, "actual", actual)
sys.exit(0 if np.array_equal(actual, expected, equal_nan=True) else 3)
