"""Div of the int32 numbers -2147483648 and -1: the process ends with SIGFPE."""

import sys

import numpy as np
import onnxruntime
from onnx import parser

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
agraph (int32[1] x, int32[1] y) => (int32[1] z) { z = Div(x, y) }"""
expected = "a number, or an error of the session"
print("expected", expected, flush=True)
model = parser.parse_model(TEXT).SerializeToString()
session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
actual = session.run(None, {"x": np.int32([-(2**31)]), "y": np.int32([-1])})[0]
print("actual", actual)
sys.exit(0 if True else 3)
