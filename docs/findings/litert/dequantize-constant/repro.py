"""DEQUANTIZE of a constant beside another one, with the default kernels (XNNPACK): nobody writes its result."""

import sys

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

int8, float32 = schema.TensorType.INT8, schema.TensorType.FLOAT32
codes, expected = np.full(4, 7, np.int8), np.full(4, 3.5, np.float32)
half = schema.QuantizationParametersT(scale=[0.5], zeroPoint=[0])
tensors = [
    schema.TensorT(shape=[4], type=int8, quantization=half),
    schema.TensorT(shape=[4], type=float32),
    schema.TensorT(shape=[4], type=int8, quantization=half, buffer=1),
    schema.TensorT(shape=[4], type=float32),
]
code = schema.OperatorCodeT(builtinCode=schema.BuiltinOperator.DEQUANTIZE, version=2)
operators = [schema.OperatorT(inputs=[place], outputs=[place + 1]) for place in (0, 2)]
graph = schema.SubGraphT(tensors=tensors, inputs=[0], outputs=[1, 3], operators=operators)
buffers = [schema.BufferT(), schema.BufferT(data=codes.view(np.uint8))]
model = schema.ModelT(version=3, operatorCodes=[code], subgraphs=[graph], buffers=buffers)
builder = flatbuffers.Builder()
builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
runner = litert.Interpreter(model_content=bytes(builder.Output()))
runner.allocate_tensors()
runner.set_tensor(0, codes)
try:
    runner.invoke()
    actual = runner.get_tensor(3)
except RuntimeError as error:  # what releases up to 2.1.6 do
    actual = error
print("expected", expected, "actual", actual)
sys.exit(0 if np.array_equal(actual, expected) else 3)
