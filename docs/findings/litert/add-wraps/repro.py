"""ADD of 16 int8 codes to a scale 500 times as small, with the optimised kernels."""

import sys

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

wide, fine = (
    schema.QuantizationParametersT(scale=[2.0], zeroPoint=[0]),
    schema.QuantizationParametersT(scale=[0.004], zeroPoint=[0]),
)
left, right, expected = np.full(16, 100, np.int8), np.full(16, 100, np.int8), np.full(16, 127, np.int8)
tensors = [
    schema.TensorT(shape=[16], type=schema.TensorType.INT8, quantization=wide),
    schema.TensorT(shape=[16], type=schema.TensorType.INT8, quantization=wide),
    schema.TensorT(shape=[16], type=schema.TensorType.INT8, quantization=fine),
]
code = schema.OperatorCodeT(builtinCode=schema.BuiltinOperator.ADD, version=2)
options = schema.AddOptionsT()
operator = schema.OperatorT(
    inputs=[0, 1], outputs=[2], builtinOptionsType=schema.BuiltinOptions.AddOptions, builtinOptions=options
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
print("expected", expected, "actual", actual)
sys.exit(0 if np.array_equal(actual, expected) else 3)
