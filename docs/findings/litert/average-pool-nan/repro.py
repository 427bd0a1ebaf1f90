"""AVERAGE_POOL_2D of NaN and 1 with the default kernels (XNNPACK)."""

import sys

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

given, expected = np.float32([np.nan, 1]).reshape(1, 1, 2, 1), np.float32([[[[np.nan]]]])
tensors = [
    schema.TensorT(shape=[1, 1, 2, 1], type=schema.TensorType.FLOAT32),
    schema.TensorT(shape=[1, 1, 1, 1], type=schema.TensorType.FLOAT32),
]
code = schema.OperatorCodeT(builtinCode=schema.BuiltinOperator.AVERAGE_POOL_2D, version=1)
options = schema.Pool2DOptionsT(padding=schema.Padding.VALID, strideW=2, strideH=1, filterWidth=2, filterHeight=1)
operator = schema.OperatorT(
    inputs=[0], outputs=[1], builtinOptionsType=schema.BuiltinOptions.Pool2DOptions, builtinOptions=options
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
sys.exit(0 if not np.isneginf(actual[0, 0, 0, 0]) else 3)
