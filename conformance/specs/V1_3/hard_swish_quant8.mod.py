# Written by tests/golden/write_activation_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM", [12], 0.05, 128))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [12], 0.05, 128))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [0, 1, 127, 128, 129, 254, 255, 11, 34, 57, 80, 103],
    output: [128, 128, 128, 128, 129, 254, 255, 128, 128, 128, 123, 121],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [12], 0.05, 128))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [12], 0.25, 20))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [0, 1, 127, 128, 129, 254, 255, 11, 34, 57, 80, 103],
    output: [20, 20, 20, 20, 20, 45, 45, 20, 20, 20, 19, 19],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [12], 0.05, 128))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [12], 0.01, 255))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [0, 1, 127, 128, 129, 254, 255, 11, 34, 57, 80, 103],
    output: [255, 255, 253, 255, 255, 255, 255, 255, 255, 255, 231, 219],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.5, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.5, 0))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [0, 1, 0, 1, 254, 255, 11, 34, 57, 80, 103, 126],
    output: [0, 1, 0, 1, 254, 255, 11, 34, 57, 80, 103, 126],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.5, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.25, 20))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [0, 1, 0, 1, 254, 255, 11, 34, 57, 80, 103, 126],
    output: [20, 21, 20, 21, 255, 255, 42, 88, 134, 180, 226, 255],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.5, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.01, 255))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [0, 1, 0, 1, 254, 255, 11, 34, 57, 80, 103, 126],
    output: [255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 2, 3], 0.1, 255))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 3], 0.1, 255))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [0, 1, 254, 255, 254, 255, 11, 34, 57, 80, 103, 126],
    output: [255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 2, 3], 0.1, 255))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 3], 0.25, 20))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [0, 1, 254, 255, 254, 255, 11, 34, 57, 80, 103, 126],
    output: [20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20, 20],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 2, 3], 0.1, 255))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 3], 0.01, 255))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [0, 1, 254, 255, 254, 255, 11, 34, 57, 80, 103, 126],
    output: [255, 255, 250, 255, 250, 255, 255, 255, 255, 255, 255, 255],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 0.0078125, 100))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 0.0078125, 100))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [0, 1, 99, 100, 101, 254, 255, 11, 34, 57, 80, 103],
    output: [63, 63, 100, 100, 101, 208, 209, 66, 73, 81, 91, 102],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 0.0078125, 100))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 0.25, 20))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [0, 1, 99, 100, 101, 254, 255, 11, 34, 57, 80, 103],
    output: [19, 19, 20, 20, 20, 23, 23, 19, 19, 19, 20, 20],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 0.0078125, 100))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 0.01, 255))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [0, 1, 99, 100, 101, 254, 255, 11, 34, 57, 80, 103],
    output: [226, 226, 255, 255, 255, 255, 255, 228, 234, 240, 248, 255],
}, model=model)
