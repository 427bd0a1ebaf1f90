# Written by tests/golden/write_normalization_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [1, 1, 2, 7]))
radius = 1
bias = 1.0
alpha = 0.5
beta = 0.5
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 2, 7]))
model = Model().Operation("LOCAL_RESPONSE_NORMALIZATION", x, radius, bias, alpha, beta).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25, -0.3125, 0.0, 2.6875, -1.5625, 2.125, 2.5, -3.5, -3.875],
    output: [-0.29851115, 0.9598953, 0.63449585, -0.86782396, 0.8700628, -0.13155475, -0.30069238, 0.0, 1.112855, -0.54935104, 0.7706403, 0.70688593, -0.8305644, -1.0129962],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [1, 1, 2, 7]))
radius = 0
bias = 2.0
alpha = 1.0
beta = 1.0
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 2, 7]))
model = Model().Operation("LOCAL_RESPONSE_NORMALIZATION", x, radius, bias, alpha, beta).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25, -0.3125, 0.0, 2.6875, -1.5625, 2.125, 2.5, -3.5, -3.875],
    output: [-0.24283305, 0.32239494, 0.3429416, -0.3030303, 0.31858408, -0.121212125, -0.14897579, 0.0, 0.29140195, -0.351803, 0.3261391, 0.3030303, -0.24561404, -0.22773187],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [1, 1, 2, 7]))
radius = 2
bias = 9.0
alpha = 4.0
beta = 0.75
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 2, 7]))
model = Model().Operation("LOCAL_RESPONSE_NORMALIZATION", x, radius, bias, alpha, beta).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25, -0.3125, 0.0, 2.6875, -1.5625, 2.125, 2.5, -3.5, -3.875],
    output: [-0.03376539, 0.09284192, 0.06319296, -0.08792666, 0.09498416, -0.012396994, -0.02444549, 0.0, 0.116434455, -0.05315538, 0.052289914, 0.05289338, -0.07739196, -0.093675785],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [1, 1, 2, 7]))
radius = 20
bias = 1.0
alpha = 1.0
beta = 0.5
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 2, 7]))
model = Model().Operation("LOCAL_RESPONSE_NORMALIZATION", x, radius, bias, alpha, beta).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25, -0.3125, 0.0, 2.6875, -1.5625, 2.125, 2.5, -3.5, -3.875],
    output: [-0.12316062, 0.47895798, 0.3968509, -0.54738057, 0.4926425, -0.054738056, -0.06842257, 0.0, 0.3851278, -0.22391152, 0.30451968, 0.35825843, -0.5015618, -0.5553006],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [1, 1, 2, 7]))
radius = 3
bias = 1.0
alpha = 0.0
beta = 0.5
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 2, 7]))
model = Model().Operation("LOCAL_RESPONSE_NORMALIZATION", x, radius, bias, alpha, beta).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25, -0.3125, 0.0, 2.6875, -1.5625, 2.125, 2.5, -3.5, -3.875],
    output: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25, -0.3125, 0.0, 2.6875, -1.5625, 2.125, 2.5, -3.5, -3.875],
}, model=model).AddVariations("float16", includeDefault=False)
