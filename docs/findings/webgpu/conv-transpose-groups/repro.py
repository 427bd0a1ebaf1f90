"""ConvTranspose of groups with one output channel has zeros in all groups but the first."""

import sys

import numpy as np
import onnxruntime
from onnx import parser

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
agraph (float[1,4,1,1] x) => (float[1,2,1,1] y) <float[4,1,1,1] w={1,1,1,1}> { y = ConvTranspose<group = 2>(x, w) }"""
x = np.float32([1, 2, 3, 4]).reshape(1, 4, 1, 1)
expected = [3, 7]
options = onnxruntime.SessionOptions()
options.log_severity_level = 4
options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
model = parser.parse_model(TEXT).SerializeToString()
session = onnxruntime.InferenceSession(model, options, providers=["WebGpuExecutionProvider"], enable_fallback=0)
actual = session.run(None, {"x": x})[0].ravel()
print("expected", expected, "actual", actual)
sys.exit(0 if np.allclose(actual, expected, rtol=0, atol=1e-2) else 3)
