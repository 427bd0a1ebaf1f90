# Written by tests/golden/write_normalization_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 2, 3, 2], 0.02, 128))
beta = 1.0
axis = Int32Scalar("axis", -1)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 3, 2], 0.00390625, 0))
model = Model().Operation("SOFTMAX", x, beta, axis).To(output)
Example({
    x: [88, 59, 205, 250, 138, 133, 84, 254, 113, 76, 252, 181, 70, 213, 62, 42, 85, 213, 192, 204, 149, 46, 173, 223],
    output: [164, 92, 74, 182, 134, 122, 8, 248, 173, 83, 206, 50, 14, 242, 153, 103, 18, 238, 113, 143, 227, 29, 69, 187],
}, model=model).AddAllDimsAndAxis(x, output, axis)
