"""Pad that repeats the edge leaves cells of the last axis empty."""

import sys

import numpy as np
import onnxruntime as ort
import onnxruntime_qnn as qnn
from onnx import parser

TEXT = """<ir_version: 10, opset_import: ["" : 21]>
g (float[3] x) => (float[5] y) <int64[2] p={1,1}> { y = Pad<mode = "edge">(x, p) }"""
feeds = {"x": np.float32([1, 2, 3])}
expected = [1, 1, 2, 3, 3]
ort.register_execution_provider_library("QNN", qnn.get_library_path())
devices = [device for device in ort.get_ep_devices() if device.ep_name == "QNN"]
options = ort.SessionOptions()
options.log_severity_level = 4
options.add_session_config_entry("session.disable_cpu_ep_fallback", "1")
options.add_provider_for_devices(devices[:1], {"backend_path": qnn.get_qnn_htp_path(), "soc_model": "57"})
session = ort.InferenceSession(parser.parse_model(TEXT).SerializeToString(), options, enable_fallback=0)
actual = session.run(None, feeds)[0].ravel()
print("expected", expected, "actual", actual)
sys.exit(0 if np.allclose(actual, expected, rtol=0.01, atol=0.01) else 3)
