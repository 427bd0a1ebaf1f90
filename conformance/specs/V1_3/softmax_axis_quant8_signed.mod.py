# Written by tests/golden/write_normalization_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3, 2], 0.02, 0))
beta = 1.0
axis = Int32Scalar("axis", -1)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3, 2], 0.00390625, -128))
model = Model().Operation("SOFTMAX", x, beta, axis).To(output)
Example({
    x: [-40, -69, 77, 122, 10, 5, -44, 126, -15, -52, 124, 53, -58, 85, -66, -86, -43, 85, 64, 76, 21, -82, 45, 95],
    output: [36, -36, -54, 54, 6, -6, -120, 120, 45, -45, 78, -78, -114, 114, 25, -25, -110, 110, -15, 15, 99, -99, -59, 59],
}, model=model).AddAllDimsAndAxis(x, output, axis)
