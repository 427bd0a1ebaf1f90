# Written by tests/golden/write_normalization_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
beta = 1.0
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [-3.0625, 2.5625, 2.5, -2.4375, 0.75, -2.9375],
    output: [0.0018561641, 0.51466286, 0.483481, 0.03870821, 0.93781406, 0.023477716],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
beta = 0.25
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [-3.0625, 2.5625, 2.5, -2.4375, 0.75, -2.9375],
    output: [0.10991445, 0.4485196, 0.44156596, 0.24383739, 0.5409769, 0.21518573],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
beta = 4.0
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [-3.0625, 2.5625, 2.5, -2.4375, 0.75, -2.9375],
    output: [9.511453e-11, 0.5621765, 0.4378235, 2.9023108e-06, 0.9999967, 3.9278507e-07],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
beta = 1.0
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25, -0.3125, 0.0, 2.6875, -1.5625, 2.125, 2.5, -3.5, -3.875, 2.6875, 2.0625, -2.6875, 0.9375, -3.6875, -2.0625, -0.625, -3.125, 0.375, -3.8125],
    output: [0.06008665, 0.93991333, 0.9867772, 0.013222822, 0.9241418, 0.07585818, 0.42250463, 0.57749534, 0.98593634, 0.014063627, 0.4073334, 0.5926666, 0.5926666, 0.4073334, 0.65135485, 0.34864512, 0.025957357, 0.97404265, 0.16451646, 0.83548355, 0.9241418, 0.07585818, 0.9850429, 0.014957086],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
beta = 0.25
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25, -0.3125, 0.0, 2.6875, -1.5625, 2.125, 2.5, -3.5, -3.875, 2.6875, 2.0625, -2.6875, 0.9375, -3.6875, -2.0625, -0.625, -3.125, 0.375, -3.8125],
    output: [0.33458945, 0.6654106, 0.746139, 0.253861, 0.65135485, 0.34864512, 0.48047867, 0.5195213, 0.743168, 0.256832, 0.47657964, 0.52342033, 0.52342033, 0.47657964, 0.5389832, 0.46101677, 0.28776783, 0.7122322, 0.39981166, 0.6001884, 0.65135485, 0.34864512, 0.74017435, 0.25982565],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
beta = 4.0
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25, -0.3125, 0.0, 2.6875, -1.5625, 2.125, 2.5, -3.5, -3.875, 2.6875, 2.0625, -2.6875, 0.9375, -3.6875, -2.0625, -0.625, -3.125, 0.375, -3.8125],
    output: [1.6701422e-05, 0.9999833, 0.99999994, 3.2241868e-08, 0.9999546, 4.539787e-05, 0.22270013, 0.7772999, 0.99999994, 4.1399375e-08, 0.18242553, 0.8175745, 0.8175745, 0.18242553, 0.9241418, 0.07585818, 5.043474e-07, 0.9999995, 0.0015011822, 0.9984988, 0.9999546, 4.539787e-05, 0.99999994, 5.315785e-08],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [2, 2]))
beta = 1.0
output = Output("output", ("TENSOR_FLOAT32", [2, 2]))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [1000.0, 999.0, -1000.0, -999.0],
    output: [0.7310586, 0.26894143, 0.26894143, 0.7310586],
}, model=model)
