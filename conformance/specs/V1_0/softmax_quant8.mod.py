# Written by tests/golden/write_normalization_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 5], 0.05, 100))
beta = 1.0
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 5], 0.00390625, 0))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [8, 162, 203, 39, 100, 112, 71, 218, 147, 11],
    output: [0, 29, 226, 0, 1, 1, 0, 247, 7, 0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 2, 1, 4], 0.01, 100))
beta = 0.5
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 1, 4], 0.00390625, 0))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [88, 59, 205, 250, 138, 133, 84, 254, 113, 76, 252, 181, 70, 213, 62, 42],
    output: [43, 37, 78, 97, 57, 55, 43, 101, 49, 41, 98, 69, 53, 107, 50, 46],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 6], 0.5, 100))
beta = 1.0
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 6], 0.00390625, 0))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [8, 162, 203, 39, 100, 112],
    output: [0, 0, 255, 0, 0, 0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.1, 100))
beta = 4.0
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 0))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [8, 162, 203, 39, 100, 112],
    output: [0, 255, 255, 0, 2, 254],
}, model=model)
