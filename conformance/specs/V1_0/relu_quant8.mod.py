# Written by tests/golden/write_activation_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM", [12], 0.05, 128))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [12], 0.05, 128))
model = Model().Operation("RELU", x).To(output)
Example({
    x: [0, 1, 127, 128, 129, 254, 255, 11, 34, 57, 80, 103],
    output: [128, 128, 128, 128, 129, 254, 255, 128, 128, 128, 128, 128],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.5, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.5, 0))
model = Model().Operation("RELU", x).To(output)
Example({
    x: [0, 1, 0, 1, 254, 255, 11, 34, 57, 80, 103, 126],
    output: [0, 1, 0, 1, 254, 255, 11, 34, 57, 80, 103, 126],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 2, 3], 0.1, 255))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 3], 0.1, 255))
model = Model().Operation("RELU", x).To(output)
Example({
    x: [0, 1, 254, 255, 254, 255, 11, 34, 57, 80, 103, 126],
    output: [255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 0.0078125, 100))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 0.0078125, 100))
model = Model().Operation("RELU", x).To(output)
Example({
    x: [0, 1, 99, 100, 101, 254, 255, 11, 34, 57, 80, 103],
    output: [100, 100, 100, 100, 101, 254, 255, 100, 100, 100, 100, 103],
}, model=model)
