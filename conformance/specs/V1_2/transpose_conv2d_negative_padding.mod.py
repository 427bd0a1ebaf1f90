# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [1, 2, 2, 1]), [-1.25, -1.25, 0.0, 1.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [1]), [-0.25])
left = 1
right = -1
top = 0
bottom = -2
stride_width = 2
stride_height = 2
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 6, 4, 1]))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [-2.0, -1.0, 1.0, 0.75],
    output: [2.25, 1.0, 1.0, -0.25, -2.25, -0.25, -1.25, -0.25, -1.5, -1.1875, -1.1875, -0.25, 0.75, -0.25, 0.5, -0.25, -0.25, -0.25, -0.25, -0.25, -0.25, -0.25, -0.25, -0.25],
}, model=model).AddVariations("float16").AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 1], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 1], 0.125, 131), [121, 132, 127, 131])
bias = Parameter("bias", ("TENSOR_INT32", [1], 0.0625, 0), [320])
left = 1
right = -1
top = 0
bottom = -2
stride_width = 2
stride_height = 2
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 6, 4, 1], 1.0, 100))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [108, 98, 104, 106],
    output: [119, 134, 119, 120, 120, 126, 120, 120, 119, 129, 119, 120, 120, 124, 120, 120, 120, 120, 120, 120, 120, 120, 120, 120],
}, model=model).AddNchw(input, output, layout)
