# Written by tests/golden/write_elementwise_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [6]))
output = Output("output", ("TENSOR_FLOAT32", [6]))
model = Model().Operation("EXP", x).To(output)
Example({
    x: [4.0, -1.1875, -1.3125, -2.25, 0.125, 3.625],
    output: [54.59815, 0.30498278, 0.26914635, 0.10539922, 1.1331484, 37.524723],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("EXP", x).To(output)
Example({
    x: [-3.0625, 2.5625, 2.5, -2.4375, 0.75, -2.9375],
    output: [0.04677062, 12.968197, 12.182494, 0.08737902, 2.117, 0.05299806],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 3]))
model = Model().Operation("EXP", x).To(output)
Example({
    x: [-1.8125, -1.5, -1.75, -2.375, 1.625, -1.75],
    output: [0.16324551, 0.22313017, 0.17377394, 0.093014486, 5.078419, 0.17377394],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
model = Model().Operation("EXP", x).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25, -0.3125, 0.0],
    output: [0.56978285, 8.912903, 6.1257424, 0.082085, 9.487736, 0.7788008, 0.7316156, 1.0],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 2, 2]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 1, 2, 2]))
model = Model().Operation("EXP", x).To(output)
Example({
    x: [0.4375, -1.875, -2.4375, -2.6875, 2.9375, 1.1875, -1.75, -3.125],
    output: [1.5488303, 0.15335497, 0.08737902, 0.068050854, 18.868616, 3.2788737, 0.17377394, 0.043936934],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [6]))
output = Output("output", ("TENSOR_FLOAT32", [6]))
model = Model().Operation("EXP", x).To(output)
Example({
    x: [0.0, -0.0, 10.0, -10.0, -100.0, float("-inf")],
    output: [1.0, 1.0, 22026.465, 4.539993e-05, 3.8e-44, 0.0],
}, model=model).AddVariations("relaxed", "float16").DisableLifeTimeVariation()
