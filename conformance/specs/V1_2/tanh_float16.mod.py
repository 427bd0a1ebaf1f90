# Written by tests/golden/write_activation_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [5]))
output = Output("output", ("TENSOR_FLOAT32", [5]))
model = Model().Operation("TANH", x).To(output)
Example({
    x: [-1.0625, -8.0, 3.6875, -5.1875, -7.4375],
    output: [-0.7866188, -0.99999976, 0.99874735, -0.9999376, -0.9999993],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("TANH", x).To(output)
Example({
    x: [4.75, -3.6875, -2.4375, -6.0, -2.5, 0.0],
    output: [0.99985033, -0.99874735, -0.9848455, -0.9999877, -0.9866143, 0.0],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 3]))
model = Model().Operation("TANH", x).To(output)
Example({
    x: [-5.4375, 0.6875, 7.5, -6.75, 2.5, -3.0625],
    output: [-0.99996215, 0.59637356, 0.9999994, -0.99999726, 0.9866143, -0.99563456],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
model = Model().Operation("TANH", x).To(output)
Example({
    x: [0.4375, 4.9375, 1.3125, -7.5, 7.4375, -6.0, 0.4375, -6.125],
    output: [0.41157004, 0.9998971, 0.8649066, -0.9999994, 0.9999993, -0.9999877, 0.41157004, -0.9999904],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [2, 5]))
output = Output("output", ("TENSOR_FLOAT32", [2, 5]))
model = Model().Operation("TANH", x).To(output)
Example({
    x: [0.0, -0.0, 1.0, -1.0, 1.0625, -1.0625, 6.0, 6.0625, 100.0, -100.0],
    output: [0.0, -0.0, 0.7615942, -0.7615942, 0.7866188, -0.7866188, 0.9999877, 0.99998915, 1.0, -1.0],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [2]))
output = Output("output", ("TENSOR_FLOAT32", [2]))
model = Model().Operation("TANH", x).To(output)
Example({
    x: [float("inf"), float("-inf")],
    output: [1.0, -1.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()
