"""A session with precise sums of codes fails if two nodes read one int8 constant."""

import sys

import onnxruntime
from onnx import parser

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
agraph (float[1,4] x) => (float[4] y, float[4] v)
<float s = {1.0}, int8 z = {0}, int8[4] c = {1, 2, 3, 127}> {
  y = DequantizeLinear(c, s, z)
  v = DequantizeLinear(c, s, z)
}"""
options = onnxruntime.SessionOptions()
options.log_severity_level = 4
options.add_session_config_entry("session.x64quantprecision", "1")
model = parser.parse_model(TEXT).SerializeToString()
try:
    onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])
    actual = "a session"
except onnxruntime.capi.onnxruntime_pybind11_state.Fail as error:
    actual = str(error)
print("expected a session, actual", actual)
sys.exit(0 if actual == "a session" else 3)
