"""LayerNormalization whose third input has an empty name, so that it is omitted: the process ends."""

import sys

import numpy as np
import onnxruntime
from onnx import helper

FLOAT = 1
given = {"x": np.float32([0, 1, 2, 3]), "scale": np.ones(4, np.float32)}
expected = np.float32([-1.34164, -0.44721, 0.44721, 1.34164])
print("expected", expected, flush=True)
node = helper.make_node("LayerNormalization", ["x", "scale", ""], ["y"], axis=-1)
inputs, outputs = ([helper.make_tensor_value_info(name, FLOAT, [4]) for name in names] for names in (given, ["y"]))
graph = helper.make_graph([node], "graph", inputs, outputs)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8).SerializeToString()
session = onnxruntime.InferenceSession(model, providers=["CPUExecutionProvider"])
actual = session.run(None, given)[0]
print("actual", actual)
sys.exit(0 if np.allclose(actual, expected, atol=1e-4) else 3)
