"""Conv in two groups of five channels each: the first channel of the second group."""

import sys

import numpy as np
import onnxruntime
from onnx import parser

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
agraph (float[1, 4, 1, 1] x, float[10, 2, 1, 1] w) => (float[1, 10, 1, 1] y) { y = Conv <group = 2> (x, w) }"""
feeds = {"x": np.float32([1, 2, 3, 4]).reshape(1, 4, 1, 1), "w": np.ones((10, 2, 1, 1), np.float32)}
expected = [3.0] * 5 + [7.0] * 5
options = onnxruntime.SessionOptions()
options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
model = parser.parse_model(TEXT).SerializeToString()
session = onnxruntime.InferenceSession(model, options, providers=["WebGpuExecutionProvider"], enable_fallback=0)
actual = session.run(None, feeds)[0].ravel()
print("expected", expected, "actual", actual)
sys.exit(0 if np.allclose(actual, expected) else 3)
