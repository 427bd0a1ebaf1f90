# Written by tests/golden/write_elementwise_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [6]))
output = Output("output", ("TENSOR_FLOAT32", [6]))
model = Model().Operation("NEG", x).To(output)
Example({
    x: [3.625, -1.5, 8.8125, -4.0625, -7.9375, -0.8125],
    output: [-3.625, 1.5, -8.8125, 4.0625, 7.9375, 0.8125],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("NEG", x).To(output)
Example({
    x: [-7.875, 8.0, 3.375, -2.9375, 8.625, 6.6875],
    output: [7.875, -8.0, -3.375, 2.9375, -8.625, -6.6875],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 3]))
model = Model().Operation("NEG", x).To(output)
Example({
    x: [-5.5, -4.75, -2.0625, -6.0, 2.9375, 0.25],
    output: [5.5, 4.75, 2.0625, 6.0, -2.9375, -0.25],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
model = Model().Operation("NEG", x).To(output)
Example({
    x: [-3.125, 4.6875, -3.3125, -4.8125, 1.4375, 7.75, 4.875, -3.5625],
    output: [3.125, -4.6875, 3.3125, 4.8125, -1.4375, -7.75, -4.875, 3.5625],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 2, 2]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 1, 2, 2]))
model = Model().Operation("NEG", x).To(output)
Example({
    x: [3.4375, -8.0625, -8.75, -3.6875, 0.0, -2.875, -4.875, -2.0],
    output: [-3.4375, 8.0625, 8.75, 3.6875, -0.0, 2.875, 4.875, 2.0],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [4]))
output = Output("output", ("TENSOR_FLOAT32", [4]))
model = Model().Operation("NEG", x).To(output)
Example({
    x: [0.0, -0.0, 65504.0, -65504.0],
    output: [-0.0, 0.0, -65504.0, 65504.0],
}, model=model).AddVariations("relaxed", "float16")
