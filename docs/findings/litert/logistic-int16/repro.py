"""LOGISTIC of the int16 code -32768 with the scale 8, with any kernels."""

import sys

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

given, expected = np.int16([-32768]), np.int16([0])
tensors = [
    schema.TensorT(
        shape=[1], type=schema.TensorType.INT16, quantization=schema.QuantizationParametersT(scale=[8.0], zeroPoint=[0])
    ),
    schema.TensorT(
        shape=[1],
        type=schema.TensorType.INT16,
        quantization=schema.QuantizationParametersT(scale=[2.0**-15], zeroPoint=[0]),
    ),
]
code = schema.OperatorCodeT(builtinCode=schema.BuiltinOperator.LOGISTIC, version=1)
operator = schema.OperatorT(inputs=[0], outputs=[1])
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
sys.exit(0 if abs(int(actual[0]) - int(expected[0])) <= 1 else 3)
