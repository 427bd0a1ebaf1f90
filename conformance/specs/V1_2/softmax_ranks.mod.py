# Written by tests/golden/write_normalization_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [5]))
beta = 1.0
output = Output("output", ("TENSOR_FLOAT32", [5]))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [4.0, -1.1875, -1.3125, -2.25, 0.125],
    output: [0.9678665, 0.005406458, 0.0047711823, 0.0018684219, 0.020087428],
}, model=model).AddVariations("float16")

x = Input("x", ("TENSOR_FLOAT32", [5]))
beta = 0.25
output = Output("output", ("TENSOR_FLOAT32", [5]))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [4.0, -1.1875, -1.3125, -2.25, 0.125],
    output: [0.4700293, 0.12849885, 0.124545366, 0.09852349, 0.17840299],
}, model=model).AddVariations("float16")

x = Input("x", ("TENSOR_FLOAT32", [5]))
beta = 4.0
output = Output("output", ("TENSOR_FLOAT32", [5]))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [4.0, -1.1875, -1.3125, -2.25, 0.125],
    output: [0.9999998, 9.736199e-10, 5.905303e-10, 1.3887941e-11, 1.8553911e-07],
}, model=model).AddVariations("float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 3]))
beta = 1.0
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 3]))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [-1.8125, -1.5, -1.75, -2.375, 1.625, -1.75],
    output: [0.291432, 0.39834028, 0.31022772, 0.017401474, 0.95008826, 0.032510232],
}, model=model).AddVariations("float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 3]))
beta = 0.25
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 3]))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [-1.8125, -1.5, -1.75, -2.375, 1.625, -1.75],
    output: [0.32289255, 0.3491301, 0.32797736, 0.20460775, 0.55618155, 0.2392107],
}, model=model).AddVariations("float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 3]))
beta = 4.0
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 3]))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [-1.8125, -1.5, -1.75, -2.375, 1.625, -1.75],
    output: [0.17317912, 0.6044545, 0.22236638, 1.12535005e-07, 0.9999985, 1.3709571e-06],
}, model=model).AddVariations("float16")
