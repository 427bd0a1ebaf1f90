# Written by tests/golden/write_normalization_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 5], 0.1, 128))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 5], 0.0078125, 128))
model = Model().Operation("L2_NORMALIZATION", x).To(output)
Example({
    x: [8, 162, 203, 39, 100, 112, 71, 218, 147, 11],
    output: [39, 153, 184, 62, 107, 115, 82, 200, 143, 34],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [3], 0.5, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3], 0.0078125, 128))
model = Model().Operation("L2_NORMALIZATION", x).To(output)
Example({
    x: [96, 213, 202],
    output: [168, 216, 212],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 2, 3], 1.0, 255))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 3], 0.0078125, 128))
model = Model().Operation("L2_NORMALIZATION", x).To(output)
Example({
    x: [176, 111, 204, 16, 119, 122, 78, 108, 2, 44, 19, 213],
    output: [69, 21, 90, 28, 71, 72, 62, 73, 33, 43, 33, 111],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 2, 3, 2], 0.1, 128))
axis = Int32Scalar("axis", -1)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 3, 2], 0.0078125, 128))
model = Model().Operation("L2_NORMALIZATION", x, axis).To(output)
Example({
    x: [88, 59, 205, 250, 138, 133, 84, 254, 113, 76, 252, 181, 70, 213, 62, 42, 85, 213, 192, 204, 149, 46, 173, 223],
    output: [64, 17, 196, 236, 242, 185, 86, 249, 92, 5, 246, 178, 56, 234, 50, 26, 70, 242, 210, 226, 160, 4, 183, 244],
}, model=model).AddAllDimsAndAxis(x, output, axis)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 1, 1, 3], 0.1, 7))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 1, 1, 3], 0.0078125, 128))
model = Model().Operation("L2_NORMALIZATION", x).To(output)
Example({
    x: [7, 7, 7],
    output: [128, 128, 128],
}, model=model)
