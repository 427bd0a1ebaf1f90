# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 3, 4, 3], 1.5, 7))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [6, 2, 3, 1], 2.0, 250), [253, 249, 248, 253, 253, 251, 249, 252, 250, 249, 251, 253, 252, 251, 252, 248, 251, 247, 253, 253, 250, 251, 249, 250, 250, 250, 250, 251, 253, 249, 252, 247, 250, 252, 251, 249])
bias = Parameter("bias", ("TENSOR_INT32", [6], 3.0, 0), [5, -9, 17, -17, 29, -25])
padding = 1
stride_width = 1
stride_height = 2
factor = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 4, 6], 0.75, 128))
model = Model().Operation("GROUPED_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [8, 5, 7, 10, 7, 5, 6, 8, 8, 4, 10, 7, 5, 7, 10, 4, 6, 4, 5, 8, 4, 10, 8, 8, 10, 10, 6, 7, 4, 8, 4, 5, 5, 10, 6, 7, 9, 6, 10, 9, 9, 10, 4, 5, 8, 8, 6, 8, 8, 8, 5, 10, 8, 7, 8, 10, 6, 5, 9, 10, 7, 8, 7, 7, 10, 7, 9, 6, 8, 8, 7, 4],
    output: [84, 56, 200, 36, 255, 52, 88, 84, 172, 40, 232, 76, 164, 112, 224, 64, 192, 0, 160, 92, 212, 108, 244, 16, 136, 116, 184, 96, 244, 40, 208, 80, 192, 60, 244, 8, 136, 68, 156, 0, 244, 60, 100, 128, 176, 24, 244, 12, 148, 148, 200, 44, 220, 0, 240, 120, 140, 72, 240, 4, 216, 28, 176, 52, 220, 24, 96, 100, 160, 28, 255, 28, 148, 92, 224, 72, 244, 28, 132, 92, 208, 108, 244, 28, 132, 108, 216, 84, 244, 16, 168, 92, 188, 48, 244, 72],
}, model=model)
