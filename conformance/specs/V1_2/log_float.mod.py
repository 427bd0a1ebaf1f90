# Written by tests/golden/write_elementwise_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [6]))
output = Output("output", ("TENSOR_FLOAT32", [6]))
model = Model().Operation("LOG", x).To(output)
Example({
    x: [6.0625, 13.375, 12.6875, 3.9375, 5.125, 6.375],
    output: [1.8021222, 2.5933874, 2.5406172, 1.370546, 1.6341305, 1.8523841],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("LOG", x).To(output)
Example({
    x: [0.5625, 10.1875, 12.75, 2.5, 6.3125, 7.0625],
    output: [-0.5753642, 2.3211615, 2.5455313, 0.91629076, 1.8425318, 1.954799],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 3]))
model = Model().Operation("LOG", x).To(output)
Example({
    x: [11.0625, 7.0, 12.8125, 1.0625, 7.5, 7.6875],
    output: [2.403561, 1.9459101, 2.5504212, 0.06062462, 2.014903, 2.0395956],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
model = Model().Operation("LOG", x).To(output)
Example({
    x: [5.5625, 3.75, 12.875, 15.6875, 8.6875, 8.375, 5.3125, 15.9375],
    output: [1.7160476, 1.3217559, 2.5552874, 2.7528641, 2.1618853, 2.125251, 1.6700625, 2.7686749],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 2, 2]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 1, 2, 2]))
model = Model().Operation("LOG", x).To(output)
Example({
    x: [0.0625, 0.5625, 12.9375, 14.25, 9.9375, 9.0, 5.6875, 9.125],
    output: [-2.7725887, -0.5753642, 2.5601301, 2.6567569, 2.2963154, 2.1972246, 1.7382708, 2.2110178],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [4]))
output = Output("output", ("TENSOR_FLOAT32", [4]))
model = Model().Operation("LOG", x).To(output)
Example({
    x: [1.0, 65504.0, 0.0078125, 2.0],
    output: [0.0, 11.089867, -4.8520303, 0.6931472],
}, model=model).AddVariations("relaxed", "float16")
