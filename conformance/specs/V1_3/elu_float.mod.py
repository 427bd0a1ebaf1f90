# Written by tests/golden/write_activation_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [5]))
alpha = 1.0
output = Output("output", ("TENSOR_FLOAT32", [5]))
model = Model().Operation("ELU", x, alpha).To(output)
Example({
    x: [2.75, 2.875, 3.25, -2.0625, -0.5],
    output: [2.75, 2.875, 3.25, -0.87286425, -0.39346933],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
alpha = 0.125
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("ELU", x, alpha).To(output)
Example({
    x: [4.0, -1.1875, -1.3125, -2.25, 0.125, 3.625],
    output: [4.0, -0.08687715, -0.09135671, -0.11182509, 0.125, 3.625],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 3]))
alpha = 2.0
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 3]))
model = Model().Operation("ELU", x, alpha).To(output)
Example({
    x: [-3.0625, 2.5625, 2.5, -2.4375, 0.75, -2.9375],
    output: [-1.9064587, 2.5625, 2.5, -1.8252419, 0.75, -1.8940039],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
alpha = 0.0
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
model = Model().Operation("ELU", x, alpha).To(output)
Example({
    x: [-1.8125, -1.5, -1.75, -2.375, 1.625, -1.75, 0.875, 2.9375],
    output: [0.0, 0.0, 0.0, 0.0, 1.625, 0.0, 0.875, 2.9375],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 2, 1]))
alpha = -1.0
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 1, 2, 1]))
model = Model().Operation("ELU", x, alpha).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5],
    output: [0.0, -5.725404, -3.313243, 0.0],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 5]))
alpha = 1.0
output = Output("output", ("TENSOR_FLOAT32", [2, 5]))
model = Model().Operation("ELU", x, alpha).To(output)
Example({
    x: [0.0, -0.0, 1.0, -1.0, 1.0625, -1.0625, 6.0, 6.0625, 100.0, -100.0],
    output: [0.0, 0.0, 1.0, -0.6321206, 1.0625, -0.6544093, 6.0, 6.0625, 100.0, -1.0],
}, model=model)
