# Written by tests/golden/write_activation_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [1, 1, 1, 1, 2]))
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 1, 1, 2]))
model = Model().Operation("TANH", x).To(output)
Example({
    x: [1.0, 2.0],
    output: [1.0, 1.0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2], 0.5, 3))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2], 0.015625, 128))
model = Model().Operation("TANH", x).To(output)
Example({
    x: [1, 2],
    output: [1, 2],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2], 0.5, 3))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2], 0.0078125, 129))
model = Model().Operation("TANH", x).To(output)
Example({
    x: [1, 2],
    output: [1, 2],
}, model=model).ExpectFailure()
