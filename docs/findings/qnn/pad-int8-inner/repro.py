"""Pad of int8 codes fills inner cells with -128."""

import sys

import numpy as np
import onnxruntime as ort
import onnxruntime_qnn as qnn
from onnx import parser

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
g (int8[1,2,1] x) => (int8[3,3,3] y)
<int64[6] p = {1,1,0,1,0,2}, float v = {0.0}, int8 z = {-20}, float s = {0.5}> {
  a = DequantizeLinear(x, s, z)
  b = Pad(a, p, v)
  y = QuantizeLinear(b, s, z)
}"""
feeds = {"x": np.int8([[[32], [-10]]])}
expected = [-20] * 12 + [32, -20, -20, -10] + [-20] * 11
ort.register_execution_provider_library("QNN", qnn.get_library_path())
devices = [device for device in ort.get_ep_devices() if device.ep_name == "QNN"]
options = ort.SessionOptions()
options.log_severity_level = 4
options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
options.add_provider_for_devices(devices[:1], {"backend_path": qnn.get_qnn_htp_path(), "soc_model": "57"})
session = ort.InferenceSession(parser.parse_model(TEXT).SerializeToString(), options, enable_fallback=0)
actual = session.run(None, feeds)[0].ravel()
print("expected", expected, "actual", actual)
sys.exit(0 if np.array_equal(actual, expected) else 3)
