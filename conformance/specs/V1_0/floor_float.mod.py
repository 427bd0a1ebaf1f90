# Written by tests/golden/write_elementwise_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [6]))
output = Output("output", ("TENSOR_FLOAT32", [6]))
model = Model().Operation("FLOOR", x).To(output)
Example({
    x: [3.625, -1.5, 8.8125, -4.0625, -7.9375, -0.8125],
    output: [3.0, -2.0, 8.0, -5.0, -8.0, -1.0],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("FLOOR", x).To(output)
Example({
    x: [-7.875, 8.0, 3.375, -2.9375, 8.625, 6.6875],
    output: [-8.0, 8.0, 3.0, -3.0, 8.0, 6.0],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 3]))
model = Model().Operation("FLOOR", x).To(output)
Example({
    x: [-5.5, -4.75, -2.0625, -6.0, 2.9375, 0.25],
    output: [-6.0, -5.0, -3.0, -6.0, 2.0, 0.0],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
model = Model().Operation("FLOOR", x).To(output)
Example({
    x: [-3.125, 4.6875, -3.3125, -4.8125, 1.4375, 7.75, 4.875, -3.5625],
    output: [-4.0, 4.0, -4.0, -5.0, 1.0, 7.0, 4.0, -4.0],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [8]))
output = Output("output", ("TENSOR_FLOAT32", [8]))
model = Model().Operation("FLOOR", x).To(output)
Example({
    x: [0.0, -0.0, -0.5, -1.0, 0.9375, 1.0, -1.0625, 2047.5],
    output: [0.0, -0.0, -1.0, -1.0, 0.0, 1.0, -2.0, 2047.0],
}, model=model).AddVariations("relaxed")
