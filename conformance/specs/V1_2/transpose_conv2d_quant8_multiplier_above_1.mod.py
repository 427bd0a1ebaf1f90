# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 2, 3, 1], 1.5, 7))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [2, 2, 3, 1], 2.0, 250), [253, 249, 248, 253, 253, 251, 249, 252, 250, 249, 251, 253])
bias = Parameter("bias", ("TENSOR_INT32", [2], 3.0, 0), [5, -9])
shape = Int32Vector("shape", [2, 4, 8, 2])
padding = 1
stride_width = 2
stride_height = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 4, 6, 2], 0.75, 128))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, shape, padding, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [8, 5, 7, 10, 7, 5, 6, 8, 8, 4, 10, 7],
    output: [160, 88, 144, 100, 116, 100, 156, 76, 164, 92, 148, 92, 160, 88, 160, 96, 128, 112, 124, 84, 140, 68, 148, 92, 148, 92, 148, 92, 148, 92, 148, 92, 148, 92, 148, 92, 184, 80, 136, 116, 124, 92, 148, 92, 124, 100, 156, 76, 136, 96, 152, 84, 168, 88, 144, 100, 152, 88, 144, 100, 136, 96, 136, 88, 156, 76, 160, 96, 164, 100, 160, 96, 148, 92, 148, 92, 148, 92, 148, 92, 148, 92, 148, 92, 112, 104, 160, 68, 208, 80, 136, 116, 124, 92, 148, 92],
}, model=model)
