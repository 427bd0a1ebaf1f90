# Written by tests/golden/write_elementwise_specs.py.

x = Input("x", ("TENSOR_INT32", [6]))
output = Output("output", ("TENSOR_INT32", [6]))
model = Model().Operation("NEG", x).To(output)
Example({
    x: [0, 2147483647, -2147483647, -37951, -45258, -95957],
    output: [0, -2147483647, 2147483647, 37951, 45258, 95957],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 3]))
output = Output("output", ("TENSOR_INT32", [2, 3]))
model = Model().Operation("NEG", x).To(output)
Example({
    x: [0, 2147483647, -2147483647, -84375, -76029, -70612],
    output: [0, -2147483647, 2147483647, 84375, 76029, 70612],
}, model=model)

x = Input("x", ("TENSOR_INT32", [1, 2, 1, 2, 2]))
output = Output("output", ("TENSOR_INT32", [1, 2, 1, 2, 2]))
model = Model().Operation("NEG", x).To(output)
Example({
    x: [0, 2147483647, -2147483647, -92575, -37271, -60113, -40380, -77313],
    output: [0, -2147483647, 2147483647, 92575, 37271, 60113, 40380, 77313],
}, model=model)
