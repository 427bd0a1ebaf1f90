# Written by tests/golden/write_normalization_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [5]))
output = Output("output", ("TENSOR_FLOAT32", [5]))
model = Model().Operation("L2_NORMALIZATION", x).To(output)
Example({
    x: [4.0, -1.1875, -1.3125, -2.25, 0.125],
    output: [0.81293195, -0.24133918, -0.2667433, -0.45727423, 0.025404124],
}, model=model).AddVariations("float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("L2_NORMALIZATION", x).To(output)
Example({
    x: [-3.0625, 2.5625, 2.5, -2.4375, 0.75, -2.9375],
    output: [-0.6500481, 0.5439178, 0.53065145, -0.6265919, 0.19279751, -0.7551236],
}, model=model).AddVariations("float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 3]))
model = Model().Operation("L2_NORMALIZATION", x).To(output)
Example({
    x: [-1.8125, -1.5, -1.75, -2.375, 1.625, -1.75],
    output: [-0.6181416, -0.51156545, -0.5968264, -0.70515615, 0.48247525, -0.5195887],
}, model=model).AddVariations("float16")
