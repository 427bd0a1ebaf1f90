"""Two RESHAPEs, then SUB: with any kernels SUB writes over what the third RESHAPE reads."""

import sys

import flatbuffers
import numpy as np
from ai_edge_litert import interpreter as litert
from ai_edge_litert import schema_py_generated as schema

given = np.int32([3, 4])
one = schema.BufferT(data=np.int32([1]).view(np.uint8))
tensors = [schema.TensorT(shape=[2], type=schema.TensorType.INT32) for _ in range(7)]
tensors.append(schema.TensorT(shape=[1], type=schema.TensorType.INT32, buffer=1))
names = ("ABS", "RESHAPE", "SUB")
codes = [schema.OperatorCodeT(builtinCode=getattr(schema.BuiltinOperator, name), version=1) for name in names]
shape = {
    "builtinOptionsType": schema.BuiltinOptions.ReshapeOptions,
    "builtinOptions": schema.ReshapeOptionsT(newShape=[2]),
}
operators = [
    schema.OperatorT(opcodeIndex=0, inputs=[0], outputs=[1]),
    schema.OperatorT(opcodeIndex=1, inputs=[1], outputs=[2], **shape),
    schema.OperatorT(opcodeIndex=1, inputs=[2], outputs=[3], **shape),
    schema.OperatorT(opcodeIndex=2, inputs=[7, 3], outputs=[4]),
    schema.OperatorT(opcodeIndex=1, inputs=[4], outputs=[5], **shape),
    schema.OperatorT(opcodeIndex=1, inputs=[2], outputs=[6], **shape),
]
graph = schema.SubGraphT(tensors=tensors, inputs=[0], outputs=[5, 6], operators=operators)
model = schema.ModelT(version=3, operatorCodes=codes, subgraphs=[graph], buffers=[schema.BufferT(), one])
builder = flatbuffers.Builder()
builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
runner = litert.Interpreter(model_content=bytes(builder.Output()))
runner.allocate_tensors()
runner.set_tensor(0, given)
runner.invoke()
actual = runner.get_tensor(6)
print("expected", given, "actual", actual)
sys.exit(0 if np.array_equal(actual, given) else 3)
