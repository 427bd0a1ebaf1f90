# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 3, 4, 1], 1.5, 7))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [2, 2, 3, 1], 2.0, 250), [253, 249, 248, 253, 253, 251, 249, 252, 250, 249, 251, 253])
bias = Parameter("bias", ("TENSOR_INT32", [2], 3.0, 0), [5, -9])
padding = 1
stride_width = 1
stride_height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 4, 2], 0.75, 128))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation).To(output)
Example({
    input: [8, 5, 7, 10, 7, 5, 6, 8, 8, 4, 10, 7, 5, 7, 10, 4, 6, 4, 5, 8, 4, 10, 8, 8],
    output: [152, 76, 140, 52, 68, 116, 136, 124, 168, 100, 148, 64, 100, 128, 184, 80, 132, 36, 44, 68, 104, 132, 184, 68, 136, 68, 92, 128, 172, 88, 156, 96],
}, model=model)
