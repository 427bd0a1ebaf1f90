# Written by tests/golden/write_activation_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM", [12], 0.05, 128))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [12], 0.00390625, 0))
model = Model().Operation("LOGISTIC", x).To(output)
Example({
    x: [0, 1, 127, 128, 129, 254, 255, 11, 34, 57, 80, 103],
    output: [0, 0, 125, 128, 131, 255, 255, 1, 2, 7, 21, 57],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.5, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.00390625, 0))
model = Model().Operation("LOGISTIC", x).To(output)
Example({
    x: [0, 1, 0, 1, 254, 255, 11, 34, 57, 80, 103, 126],
    output: [128, 159, 128, 159, 255, 255, 255, 255, 255, 255, 255, 255],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 2, 3], 0.1, 255))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 3], 0.00390625, 0))
model = Model().Operation("LOGISTIC", x).To(output)
Example({
    x: [0, 1, 254, 255, 254, 255, 11, 34, 57, 80, 103, 126],
    output: [0, 0, 122, 128, 122, 128, 0, 0, 0, 0, 0, 0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 0.0078125, 100))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 0.00390625, 0))
model = Model().Operation("LOGISTIC", x).To(output)
Example({
    x: [0, 1, 99, 100, 101, 254, 255, 11, 34, 57, 80, 103],
    output: [80, 81, 127, 128, 129, 197, 197, 85, 96, 107, 118, 129],
}, model=model)
