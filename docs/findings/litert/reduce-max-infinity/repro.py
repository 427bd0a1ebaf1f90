"""REDUCE_MAX of -infinity with the reference kernels."""

import sys

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

axis = np.frombuffer(np.int32([1]).tobytes(), np.uint8)
given, expected = np.float32([[-np.inf, -np.inf]]), np.float32([-np.inf])
tensors = [
    schema.TensorT(shape=[1, 2], type=schema.TensorType.FLOAT32),
    schema.TensorT(shape=[1], type=schema.TensorType.INT32, buffer=1),
    schema.TensorT(shape=[1], type=schema.TensorType.FLOAT32),
]
code = schema.OperatorCodeT(builtinCode=schema.BuiltinOperator.REDUCE_MAX, version=1)
options = schema.ReducerOptionsT()
operator = schema.OperatorT(
    inputs=[0, 1], outputs=[2], builtinOptionsType=schema.BuiltinOptions.ReducerOptions, builtinOptions=options
)
graph = schema.SubGraphT(tensors=tensors, inputs=[0], outputs=[2], operators=[operator])
model = schema.ModelT(
    version=3, operatorCodes=[code], subgraphs=[graph], buffers=[schema.BufferT(), schema.BufferT(data=axis)]
)
builder = flatbuffers.Builder()
builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
content, kernels = bytes(builder.Output()), litert.OpResolverType.BUILTIN_REF
runner = litert.Interpreter(model_content=content, experimental_op_resolver_type=kernels)
runner.allocate_tensors()
runner.set_tensor(0, given)
runner.invoke()
actual = runner.get_tensor(2)
print("expected", expected, "actual", actual)
sys.exit(0 if np.array_equal(actual, expected) else 3)
