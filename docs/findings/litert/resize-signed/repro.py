"""RESIZE_BILINEAR of int8 codes to 101 columns with corners aligned, with the optimised kernels."""

import sys

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

quantity = schema.QuantizationParametersT(scale=[1.0], zeroPoint=[0])
sizes = np.frombuffer(np.int32([1, 101]).tobytes(), np.uint8)
given, expected = np.int8([0, 100]).reshape(1, 1, 2, 1), np.arange(101)
tensors = [
    schema.TensorT(shape=[1, 1, 2, 1], type=schema.TensorType.INT8, quantization=quantity),
    schema.TensorT(shape=[2], type=schema.TensorType.INT32, buffer=1),
    schema.TensorT(shape=[1, 1, 101, 1], type=schema.TensorType.INT8, quantization=quantity),
]
code = schema.OperatorCodeT(builtinCode=schema.BuiltinOperator.RESIZE_BILINEAR, version=2)
options = schema.ResizeBilinearOptionsT(alignCorners=True)
operator = schema.OperatorT(
    inputs=[0, 1], outputs=[2], builtinOptionsType=schema.BuiltinOptions.ResizeBilinearOptions, builtinOptions=options
)
graph = schema.SubGraphT(tensors=tensors, inputs=[0], outputs=[2], operators=[operator])
model = schema.ModelT(
    version=3, operatorCodes=[code], subgraphs=[graph], buffers=[schema.BufferT(), schema.BufferT(data=sizes)]
)
builder = flatbuffers.Builder()
builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
content, kernels = bytes(builder.Output()), litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
runner = litert.Interpreter(model_content=content, experimental_op_resolver_type=kernels)
runner.allocate_tensors()
runner.set_tensor(0, given)
runner.invoke()
actual = runner.get_tensor(2)
print("expected", expected[-4:], "actual", actual.ravel()[-4:])
sys.exit(0 if np.array_equal(actual.ravel(), expected) else 3)
