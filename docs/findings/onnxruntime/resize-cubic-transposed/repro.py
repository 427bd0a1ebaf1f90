"""Resize in cubic mode of what a DepthToSpace between two Transpose leaves as it is: there is no result."""

import sys

import numpy as np
import onnxruntime
from onnx import parser

TEXT = """<ir_version: 8, opset_import: ["" : 13]>
agraph (float[1,1,1,2] x) => (float[1,1,1,1] y)
<int64[4] sizes = {1, 1, 1, 1}> {
  channels_first = Transpose <perm = [0, 3, 1, 2]> (x)
  same = DepthToSpace <blocksize = 1> (channels_first)
  channels_last = Transpose <perm = [0, 2, 3, 1]> (same)
  y = Resize <mode = "cubic"> (channels_last, , , sizes)
}"""
options = onnxruntime.SessionOptions()
options.log_severity_level = 4
model = parser.parse_model(TEXT).SerializeToString()
session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
try:
    actual = session.run(None, {"x": np.ones((1, 1, 1, 2), np.float32)})[0]
except onnxruntime.capi.onnxruntime_pybind11_state.Fail as error:
    actual = str(error)
print("expected 1, actual", actual)
sys.exit(3 if isinstance(actual, str) or not np.allclose(actual, 1, atol=1e-5) else 0)
