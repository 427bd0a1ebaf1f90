"""EXP of NaN with the default kernels (XNNPACK)."""

import sys

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

given, expected = np.float32([np.nan]), np.float32([np.nan])
tensors = [
    schema.TensorT(shape=[1], type=schema.TensorType.FLOAT32),
    schema.TensorT(shape=[1], type=schema.TensorType.FLOAT32),
]
code = schema.OperatorCodeT(builtinCode=schema.BuiltinOperator.EXP, version=1)
options = schema.ExpOptionsT()
operator = schema.OperatorT(
    inputs=[0], outputs=[1], builtinOptionsType=schema.BuiltinOptions.ExpOptions, builtinOptions=options
)
graph = schema.SubGraphT(tensors=tensors, inputs=[0], outputs=[1], operators=[operator])
model = schema.ModelT(version=3, operatorCodes=[code], subgraphs=[graph], buffers=[schema.BufferT()])
builder = flatbuffers.Builder()
builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
content, kernels = bytes(builder.Output()), litert.OpResolverType.AUTO
runner = litert.Interpreter(model_content=content, experimental_op_resolver_type=kernels)
runner.allocate_tensors()
runner.set_tensor(0, given)
runner.invoke()
actual = runner.get_tensor(1)
print("expected", expected, "actual", actual)
sys.exit(0 if np.allclose(actual, expected, rtol=1e-5, equal_nan=True) else 3)
