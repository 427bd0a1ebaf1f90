"""Sin of ordinary numbers in float32."""

import sys

import numpy as np
import onnxruntime
from onnx import parser

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
agraph (float[4] x) => (float[4] y) { y = Sin(x) }"""
x = np.float32([0.5, 1.0, 1.78, 3.0])
expected = np.sin(x.astype(np.float64))
options = onnxruntime.SessionOptions()
options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
model = parser.parse_model(TEXT).SerializeToString()
session = onnxruntime.InferenceSession(model, options, providers=["WebGpuExecutionProvider"], enable_fallback=0)
actual = session.run(None, {"x": x})[0]
print("expected", expected, "actual", actual)
sys.exit(0 if np.allclose(actual, expected, rtol=0, atol=1e-5) else 3)
