# Written by tests/golden/write_elementwise_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [6]))
output = Output("output", ("TENSOR_FLOAT32", [6]))
model = Model().Operation("SIN", x).To(output)
Example({
    x: [-0.0625, 1.625, 5.375, 4.5, 5.125, -2.875],
    output: [-0.062459316, 0.99853134, -0.78838867, -0.9775301, -0.9160769, -0.263446],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("SIN", x).To(output)
Example({
    x: [5.5, -3.625, -2.8125, -0.125, -0.75, -3.0],
    output: [-0.7055403, 0.46479878, -0.32318452, -0.12467473, -0.6816388, -0.14112],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 3]))
model = Model().Operation("SIN", x).To(output)
Example({
    x: [5.8125, -2.0625, 1.0625, 2.0625, 0.1875, 2.0625],
    output: [-0.45349717, -0.8815298, 0.8735749, 0.8815298, 0.18640329, 0.8815298],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
model = Model().Operation("SIN", x).To(output)
Example({
    x: [-5.9375, 4.6875, -1.875, -2.5, -5.6875, 1.9375, 2.1875, -0.75],
    output: [0.33884153, -0.9996903, -0.95408577, -0.5984721, 0.56107616, 0.9335143, 0.81578934, -0.6816388],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 2, 2]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 1, 2, 2]))
model = Model().Operation("SIN", x).To(output)
Example({
    x: [-0.375, -5.8125, 2.0, 4.9375, 0.5625, 1.75, -2.625, -5.0625],
    output: [-0.36627254, 0.45349717, 0.9092974, -0.97476935, 0.53330266, 0.98398596, -0.4939203, 0.93933463],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [4]))
output = Output("output", ("TENSOR_FLOAT32", [4]))
model = Model().Operation("SIN", x).To(output)
Example({
    x: [0.0, -0.0, 0.5, -0.5],
    output: [0.0, -0.0, 0.47942555, -0.47942555],
}, model=model).AddVariations("relaxed", "float16")
