"""QUANTIZE of int8 codes to a scale 200 times as large, with the default kernels (XNNPACK)."""

import sys

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

given, expected = np.int8([-128, -120]), np.int8([-1, -1])
tensors = [
    schema.TensorT(
        shape=[2], type=schema.TensorType.INT8, quantization=schema.QuantizationParametersT(scale=[1.0], zeroPoint=[0])
    ),
    schema.TensorT(
        shape=[2],
        type=schema.TensorType.INT8,
        quantization=schema.QuantizationParametersT(scale=[200.0], zeroPoint=[0]),
    ),
]
code = schema.OperatorCodeT(builtinCode=schema.BuiltinOperator.QUANTIZE, version=2)
options = schema.QuantizeOptionsT()
operator = schema.OperatorT(
    inputs=[0], outputs=[1], builtinOptionsType=schema.BuiltinOptions.QuantizeOptions, builtinOptions=options
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
sys.exit(0 if np.array_equal(actual, expected) else 3)
