# Written by tests/golden/write_extremum_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("MINIMUM", x, y).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25],
    y: [-0.3125, 0.0, 2.6875, -1.5625, 2.125, 2.5],
    output: [-0.5625, 0.0, 1.8125, -2.5, 2.125, -0.25],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 2]))
y = Input("y", ("TENSOR_FLOAT32", [1]))
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2]))
model = Model().Operation("MINIMUM", x, y).To(output)
Example({
    x: [-0.4375, -3.0625, 3.6875, -3.75, -0.8125, 1.75, -1.0, 3.5625],
    y: [0.9375],
    output: [-0.4375, -3.0625, 0.9375, -3.75, -0.8125, 0.9375, -1.0, 0.9375],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2]))
y = Input("y", ("TENSOR_FLOAT32", [3, 1, 2]))
output = Output("output", ("TENSOR_FLOAT32", [3, 1, 2]))
model = Model().Operation("MINIMUM", x, y).To(output)
Example({
    x: [0.4375, -1.875],
    y: [-2.4375, -2.6875, 2.9375, 1.1875, -1.75, -3.125],
    output: [-2.4375, -2.6875, 0.4375, -1.875, -1.75, -3.125],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 2]))
y = Input("y", ("TENSOR_FLOAT32", [1, 3, 1]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 2]))
model = Model().Operation("MINIMUM", x, y).To(output)
Example({
    x: [2.9375, -2.4375, -3.1875, -3.0625],
    y: [-3.625, 3.9375, 3.9375],
    output: [-3.625, -3.625, 2.9375, -2.4375, 2.9375, -2.4375, -3.625, -3.625, -3.1875, -3.0625, -3.1875, -3.0625],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 1, 2]))
y = Input("y", ("TENSOR_FLOAT32", [2, 1, 1, 2, 1]))
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 1, 2, 2]))
model = Model().Operation("MINIMUM", x, y).To(output)
Example({
    x: [0.4375, -1.875, -2.4375, -2.6875],
    y: [2.9375, 1.1875, -1.75, -3.125],
    output: [0.4375, -1.875, 0.4375, -1.875, -2.4375, -2.6875, -2.4375, -2.6875, -1.75, -1.875, -3.125, -3.125, -2.4375, -2.6875, -3.125, -3.125],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_INT32", [2]))
y = Input("y", ("TENSOR_INT32", [2]))
output = Output("output", ("TENSOR_INT32", [2]))
model = Model().Operation("MINIMUM", x, y).To(output)
Example({
    x: [2147483647, -2147483648],
    y: [-2147483648, 5],
    output: [-2147483648, -2147483648],
}, model=model)
