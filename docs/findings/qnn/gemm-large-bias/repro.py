"""Gemm of codes loses a sum that its bias cancels."""

import sys

import numpy as np
import onnxruntime as ort
import onnxruntime_qnn as qnn
from onnx import parser

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
g (uint8[1,1024] x, uint8[1024,1] w) => (uint8[1,1] y)
<float s = {1.0}, uint8 z = {0}, int32[1] b = {-51199960}> {
  a = DequantizeLinear(x, s, z)
  v = DequantizeLinear(w, s, z)
  c = DequantizeLinear(b, s)
  h = Gemm(a, v, c)
  y = QuantizeLinear(h, s, z)
}"""
feeds = {"x": np.full((1, 1024), 200, np.uint8), "w": np.full((1024, 1), 250, np.uint8)}
expected = [40]
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
