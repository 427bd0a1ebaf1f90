# Written by tests/golden/write_activation_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [5]))
output = Output("output", ("TENSOR_FLOAT32", [5]))
model = Model().Operation("LOGISTIC", x).To(output)
Example({
    x: [-1.0625, -8.0, 3.6875, -5.1875, -7.4375],
    output: [0.256832, 0.00033535014, 0.97557694, 0.0055549247, 0.00058840885],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("LOGISTIC", x).To(output)
Example({
    x: [4.75, -3.6875, -2.4375, -6.0, -2.5, 0.0],
    output: [0.99142253, 0.02442309, 0.08035747, 0.0024726233, 0.07585818, 0.5],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 3]))
model = Model().Operation("LOGISTIC", x).To(output)
Example({
    x: [-5.4375, 0.6875, 7.5, -6.75, 2.5, -3.0625],
    output: [0.004331502, 0.6654106, 0.9994472, 0.0011695103, 0.9241418, 0.04468087],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
model = Model().Operation("LOGISTIC", x).To(output)
Example({
    x: [0.4375, 4.9375, 1.3125, -7.5, 7.4375, -6.0, 0.4375, -6.125],
    output: [0.60766315, 0.99287856, 0.7879312, 0.00055277866, 0.9994116, 0.0024726233, 0.60766315, 0.0021827165],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [2, 5]))
output = Output("output", ("TENSOR_FLOAT32", [2, 5]))
model = Model().Operation("LOGISTIC", x).To(output)
Example({
    x: [0.0, -0.0, 1.0, -1.0, 1.0625, -1.0625, 6.0, 6.0625, 100.0, -100.0],
    output: [0.5, 0.5, 0.7310586, 0.26894143, 0.743168, 0.256832, 0.99752736, 0.99767685, 1.0, 3.8e-44],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [2]))
output = Output("output", ("TENSOR_FLOAT32", [2]))
model = Model().Operation("LOGISTIC", x).To(output)
Example({
    x: [float("inf"), float("-inf")],
    output: [1.0, 0.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()
