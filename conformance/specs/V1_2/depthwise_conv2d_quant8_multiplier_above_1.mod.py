# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 3, 4, 3], 1.5, 7))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [1, 2, 3, 3], 2.0, 250), [253, 249, 248, 253, 253, 251, 249, 252, 250, 249, 251, 253, 252, 251, 252, 248, 251, 247])
bias = Parameter("bias", ("TENSOR_INT32", [3], 3.0, 0), [5, -9, 17])
padding = 1
stride_width = 1
stride_height = 2
factor = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 4, 3], 0.75, 128))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [8, 5, 7, 10, 7, 5, 6, 8, 8, 4, 10, 7, 5, 7, 10, 4, 6, 4, 5, 8, 4, 10, 8, 8, 10, 10, 6, 7, 4, 8, 4, 5, 5, 10, 6, 7, 9, 6, 10, 9, 9, 10, 4, 5, 8, 8, 6, 8, 8, 8, 5, 10, 8, 7, 8, 10, 6, 5, 9, 10, 7, 8, 7, 7, 10, 7, 9, 6, 8, 8, 7, 4],
    output: [156, 64, 255, 200, 108, 236, 156, 132, 144, 132, 132, 160, 184, 104, 192, 196, 28, 208, 100, 72, 180, 148, 88, 212, 148, 104, 192, 220, 124, 172, 144, 76, 132, 104, 108, 204, 148, 128, 196, 140, 116, 196, 168, 68, 200, 184, 96, 176],
}, model=model)
