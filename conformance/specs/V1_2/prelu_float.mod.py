# Written by tests/golden/write_extremum_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
alpha = Parameter("alpha", ("TENSOR_FLOAT32", [2, 3]), [-0.3125, 0.0, 2.6875, -1.5625, 2.125, 2.5])
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("PRELU", x, alpha).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25],
    output: [0.17578125, 2.1875, 1.8125, 3.90625, 2.25, -0.625],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 2]))
alpha = Parameter("alpha", ("TENSOR_FLOAT32", [1]), [0.9375])
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2]))
model = Model().Operation("PRELU", x, alpha).To(output)
Example({
    x: [-0.4375, -3.0625, 3.6875, -3.75, -0.8125, 1.75, -1.0, 3.5625],
    output: [-0.41015625, -2.8710938, 3.6875, -3.515625, -0.76171875, 1.75, -0.9375, 3.5625],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2]))
alpha = Parameter("alpha", ("TENSOR_FLOAT32", [3, 1, 2]), [-2.4375, -2.6875, 2.9375, 1.1875, -1.75, -3.125])
output = Output("output", ("TENSOR_FLOAT32", [3, 1, 2]))
model = Model().Operation("PRELU", x, alpha).To(output)
Example({
    x: [0.4375, -1.875],
    output: [0.4375, 5.0390625, 0.4375, -2.2265625, 0.4375, 5.859375],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 2]))
alpha = Parameter("alpha", ("TENSOR_FLOAT32", [1, 3, 1]), [-3.625, 3.9375, 3.9375])
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 2]))
model = Model().Operation("PRELU", x, alpha).To(output)
Example({
    x: [2.9375, -2.4375, -3.1875, -3.0625],
    output: [2.9375, 8.8359375, 2.9375, -9.597656, 2.9375, -9.597656, 11.5546875, 11.1015625, -12.550781, -12.058594, -12.550781, -12.058594],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 1, 2]))
alpha = Parameter("alpha", ("TENSOR_FLOAT32", [2, 1, 1, 2, 1]), [2.9375, 1.1875, -1.75, -3.125])
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 1, 2, 2]))
model = Model().Operation("PRELU", x, alpha).To(output)
Example({
    x: [0.4375, -1.875, -2.4375, -2.6875],
    output: [0.4375, -5.5078125, 0.4375, -2.2265625, -7.1601562, -7.8945312, -2.8945312, -3.1914062, 0.4375, 3.28125, 0.4375, 5.859375, 4.265625, 4.703125, 7.6171875, 8.3984375],
}, model=model).AddVariations("relaxed", "float16")
