# Written by tests/golden/write_normalization_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [2, 2]))
beta = 1.0
axis = 2
output = Output("output", ("TENSOR_FLOAT32", [2, 2]))
model = Model().Operation("SOFTMAX", x, beta, axis).To(output)
Example({
    x: [-3.0625, 2.5625, 2.5, -2.4375],
    output: [0.5, 0.5, 0.5, 0.5],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 2]))
beta = 0.0
output = Output("output", ("TENSOR_FLOAT32", [2, 2]))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [-3.0625, 2.5625, 2.5, -2.4375],
    output: [0.5, 0.5, 0.5, 0.5],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 2]))
beta = -1.0
output = Output("output", ("TENSOR_FLOAT32", [2, 2]))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [-3.0625, 2.5625, 2.5, -2.4375],
    output: [0.5, 0.5, 0.5, 0.5],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 2]))
beta = 1.0
axis = -3
output = Output("output", ("TENSOR_FLOAT32", [2, 2]))
model = Model().Operation("LOG_SOFTMAX", x, beta, axis).To(output)
Example({
    x: [-3.0625, 2.5625, 2.5, -2.4375],
    output: [0.5, 0.5, 0.5, 0.5],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 2]))
axis = 2
output = Output("output", ("TENSOR_FLOAT32", [2, 2]))
model = Model().Operation("L2_NORMALIZATION", x, axis).To(output)
Example({
    x: [-3.0625, 2.5625, 2.5, -2.4375],
    output: [0.5, 0.5, 0.5, 0.5],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 2]))
radius = 1
bias = 1.0
alpha = 1.0
beta = 0.5
axis = -3
output = Output("output", ("TENSOR_FLOAT32", [2, 2]))
model = Model().Operation("LOCAL_RESPONSE_NORMALIZATION", x, radius, bias, alpha, beta, axis).To(output)
Example({
    x: [-3.0625, 2.5625, 2.5, -2.4375],
    output: [0.5, 0.5, 0.5, 0.5],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 2]))
radius = -1
bias = 1.0
alpha = 1.0
beta = 0.5
output = Output("output", ("TENSOR_FLOAT32", [2, 2]))
model = Model().Operation("LOCAL_RESPONSE_NORMALIZATION", x, radius, bias, alpha, beta).To(output)
Example({
    x: [-3.0625, 2.5625, 2.5, -2.4375],
    output: [0.5, 0.5, 0.5, 0.5],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 2]))
gamma = 1.0
beta = 0.0
epsilon = 0.5
layout = False
output = Output("output", ("TENSOR_FLOAT32", [2, 2]))
model = Model().Operation("INSTANCE_NORMALIZATION", x, gamma, beta, epsilon, layout).To(output)
Example({
    x: [-3.0625, 2.5625, 2.5, -2.4375],
    output: [0.5, 0.5, 0.5, 0.5],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.5, 0))
beta = 1.0
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.0078125, 0))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [1, 2, 3, 4],
    output: [128, 128, 128, 128],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.5, 0))
beta = 1.0
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.00390625, 1))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [1, 2, 3, 4],
    output: [128, 128, 128, 128],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.5, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.0078125, 0))
model = Model().Operation("L2_NORMALIZATION", x).To(output)
Example({
    x: [1, 2, 3, 4],
    output: [128, 128, 128, 128],
}, model=model).ExpectFailure()
