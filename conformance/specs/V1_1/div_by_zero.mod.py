# Written by tests/golden/write_arithmetic_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [2]))
y = Parameter("y", ("TENSOR_FLOAT32", [1]), [0.0])
activation = 3
output = Output("output", ("TENSOR_FLOAT32", [2]))
model = Model().Operation("DIV", x, y, activation).To(output)
Example({
    x: [1.0, -2.0],
    output: [6.0, 0.0],
}, model=model)
