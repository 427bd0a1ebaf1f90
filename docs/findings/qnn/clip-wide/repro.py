"""Clip of codes clips nothing if one bound is beyond their range."""

import sys

import numpy as np
import onnxruntime as ort
import onnxruntime_qnn as qnn
from onnx import parser

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
g (uint8[2] x) => (uint8[2] y) <float s = {0.05}, uint8 z = {255}, float one = {1.0}, float low = {-1.0}> {
  a = DequantizeLinear(x, s, z)
  b = Add(a, a)
  c = QuantizeLinear(b, s, z)
  d = DequantizeLinear(c, s, z)
  e = Clip(d, low, one)
  y = QuantizeLinear(e, s, z)
}"""
feeds = {"x": np.uint8([155, 250])}
expected = [235, 245]
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
