# Written by tests/golden/write_quantization_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_INT32", [2, 2]))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    output: [1, 1, 1, 1],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_INT32", [6]))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    output: [1, 1, 1, 1, 1, 1],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_INT32", [3, 2]))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    output: [1, 1, 1, 1, 1, 1],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 1, 1, 1, 2], 0.5, 0))
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 1, 1, 2]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [1, 2],
    output: [0.5, 1.0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2], 0.5, 0))
output = Output("output", ("TENSOR_FLOAT32", [3]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [1, 2],
    output: [0.5, 0.5, 0.5],
}, model=model).ExpectFailure()
