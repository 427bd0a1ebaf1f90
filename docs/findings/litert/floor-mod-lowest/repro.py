"""FLOOR_MOD of the int32 numbers -2147483648 and -1: the process ends with SIGFPE."""

import sys

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

left, right, expected = np.int32([-(2**31)]), np.int32([-1]), np.int32([0])
print("expected", expected, flush=True)
tensors = [
    schema.TensorT(shape=[1], type=schema.TensorType.INT32),
    schema.TensorT(shape=[1], type=schema.TensorType.INT32),
    schema.TensorT(shape=[1], type=schema.TensorType.INT32),
]
code = schema.OperatorCodeT(builtinCode=schema.BuiltinOperator.FLOOR_MOD, version=1)
options = schema.FloorModOptionsT()
operator = schema.OperatorT(
    inputs=[0, 1], outputs=[2], builtinOptionsType=schema.BuiltinOptions.FloorModOptions, builtinOptions=options
)
graph = schema.SubGraphT(tensors=tensors, inputs=[0, 1], outputs=[2], operators=[operator])
model = schema.ModelT(version=3, operatorCodes=[code], subgraphs=[graph], buffers=[schema.BufferT()])
builder = flatbuffers.Builder()
builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
content, kernels = bytes(builder.Output()), litert.OpResolverType.AUTO
runner = litert.Interpreter(model_content=content, experimental_op_resolver_type=kernels)
runner.allocate_tensors()
runner.set_tensor(0, left)
runner.set_tensor(1, right)
runner.invoke()
actual = runner.get_tensor(2)
print("actual", actual)
sys.exit(0 if np.array_equal(actual, expected) else 3)
