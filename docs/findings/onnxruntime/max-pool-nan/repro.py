"""MaxPool of (NaN, 1) and (2, NaN): NaN is kept in one place of the window alone."""

import sys

import numpy as np
import onnxruntime
from onnx import parser

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
agraph (float[1, 1, 1, 4] x) => (float[1, 1, 1, 3] y) { y = MaxPool<kernel_shape = [1, 2]>(x) }"""
expected = np.float32([[[[np.nan, 2, np.nan]]]])
model = parser.parse_model(TEXT).SerializeToString()
session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
actual = session.run(None, {"x": np.float32([np.nan, 1, 2, np.nan]).reshape(1, 1, 1, 4)})[0]
print("expected", expected, "actual", actual)
sys.exit(0 if np.array_equal(actual, expected, equal_nan=True) else 3)
