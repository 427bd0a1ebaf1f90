# Written by tests/golden/write_elementwise_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [1, 1, 1, 1, 2]))
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 1, 1, 2]))
model = Model().Operation("FLOOR", x).To(output)
Example({
    x: [1.5, 2.5],
    output: [1.0, 2.0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2]))
output = Output("output", ("TENSOR_FLOAT32", [3]))
model = Model().Operation("EXP", x).To(output)
Example({
    x: [1.0, 2.0],
    output: [1.0, 1.0, 1.0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2]))
output = Output("output", ("TENSOR_FLOAT32", [3]))
model = Model().Operation("NEG", x).To(output)
Example({
    x: [1.0, 2.0],
    output: [1.0, 1.0, 1.0],
}, model=model).ExpectFailure()
