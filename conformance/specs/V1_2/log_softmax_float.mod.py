# Written by tests/golden/write_normalization_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
beta = 1.0
axis = Int32Scalar("axis", -1)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
model = Model().Operation("LOG_SOFTMAX", x, beta, axis).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25, -0.3125, 0.0, 2.6875, -1.5625, 2.125, 2.5, -3.5, -3.875, 2.6875, 2.0625, -2.6875, 0.9375, -3.6875, -2.0625, -0.625, -3.125, 0.375, -3.8125],
    output: [-2.8119676, -0.061967615, -0.0133109735, -4.325811, -0.07888975, -2.5788898, -0.8615548, -0.5490548, -0.014163449, -4.2641635, -0.89812326, -0.52312326, -0.52312326, -0.89812326, -0.42870066, -1.0537007, -3.6513002, -0.026300214, -1.8047446, -0.17974465, -0.07888975, -2.5788898, -0.015070039, -4.20257],
}, model=model).AddAllDimsAndAxis(x, output, axis).AddVariations("float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 4]))
beta = 1.0
axis = 1
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model().Operation("LOG_SOFTMAX", x, beta, axis).To(output)
Example({
    x: [0.5625, 0.9375, -0.8125, -3.875, -0.1875, 3.0, -2.4375, 0.625],
    output: [-1.0005056, -0.62550557, -2.3755054, -5.4380054, -3.3173342, -0.1298343, -5.567334, -2.5048342],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [2, 4]))
beta = 0.25
axis = 1
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model().Operation("LOG_SOFTMAX", x, beta, axis).To(output)
Example({
    x: [0.5625, 0.9375, -0.8125, -3.875, -0.1875, 3.0, -2.4375, 0.625],
    output: [-1.1433166, -1.0495666, -1.4870666, -2.2526917, -1.6121553, -0.8152803, -2.1746552, -1.4090303],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [2, 4]))
beta = 4.0
axis = 1
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model().Operation("LOG_SOFTMAX", x, beta, axis).To(output)
Example({
    x: [0.5625, 0.9375, -0.8125, -3.875, -0.1875, 3.0, -2.4375, 0.625],
    output: [-1.7021586, -0.20215854, -7.2021585, -19.452158, -12.750077, -7.772144e-05, -21.750078, -9.500077],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 2, 2]))
beta = 1.0
axis = -4
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 1, 2, 2]))
model = Model().Operation("LOG_SOFTMAX", x, beta, axis).To(output)
Example({
    x: [0.4375, -1.875, -2.4375, -2.6875, 2.9375, 1.1875, -1.75, -3.125],
    output: [-2.5788898, -3.1082098, -1.094851, -0.49813452, -0.07888975, -0.04570978, -0.40735105, -0.9356345],
}, model=model)
