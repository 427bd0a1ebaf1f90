# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [1, 5, 6, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [2, 2, 3, 2]), [-0.5, 2.0, -1.0, 2.0, -0.5, -0.25, 1.0, -1.25, 0.5, 0.75, 1.25, 0.0, 1.5, -0.75, -2.0, -0.75, 0.75, 1.25, -1.5, -0.5, -1.5, 1.75, 1.5, 1.25])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [0.5, 1.75])
left = 2
right = 1
top = 0
bottom = 1
stride_width = 1
stride_height = 2
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
dilation_width = 2
dilation_height = 1
output = Output("output", ("TENSOR_FLOAT32", [1, 3, 5, 2]))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout, dilation_width, dilation_height).To(output)
Example({
    input: [-1.5, 2.0, -0.5, 1.75, 1.25, -0.5, 1.5, 1.0, 0.0, -1.75, -0.25, -0.75, -2.0, 0.0, -1.5, -1.5, 1.5, 0.5, -0.25, 1.5, -1.75, -1.0, -0.75, -0.25, -1.5, -1.5, 1.75, 1.75, -1.0, 2.0, 1.25, -0.75, 1.25, 1.25, -2.0, 1.25, 1.75, 1.75, -0.25, -1.0, 0.0, 1.25, -1.5, 0.0, -2.0, 1.5, 1.75, 1.25, 0.75, -1.75, 1.75, -2.0, 1.0, 1.75, 0.25, -0.5, 0.0, 0.0, -2.0, -1.75],
    output: [6.375, 9.4375, 1.3125, 4.9375, 0.375, -8.5625, 5.5, -0.625, -5.375, 3.6875, 1.1875, 9.625, -0.9375, -6.6875, 0.3125, 1.1875, 3.5, 8.5, 4.8125, 0.3125, -4.6875, 4.5, -5.25, -0.6875, -0.875, 0.875, -4.1875, 2.0625, 3.5, 1.9375],
}, model=model).AddVariations("float16").AddNchw(input, output, layout)

input = Input("input", ("TENSOR_FLOAT32", [1, 6, 5, 1]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [2, 3, 2, 1]), [0.5, 1.75, -2.0, -2.0, 2.0, -0.25, 0.25, 0.75, 0.75, -1.0, -1.5, 1.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [1.25, 1.75])
padding = 1
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
dilation_width = 1
dilation_height = 2
output = Output("output", ("TENSOR_FLOAT32", [1, 6, 3, 2]))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation, layout, dilation_width, dilation_height).To(output)
Example({
    input: [-0.5, 2.0, -1.0, 2.0, -0.5, -0.25, 1.0, -1.25, 0.5, 0.75, 1.25, 0.0, 1.5, -0.75, -2.0, -0.75, 0.75, 1.25, -1.5, -0.5, -1.5, 1.75, 1.5, 1.25, -0.25, -1.5, -1.75, -1.25, -0.25, -0.5],
    output: [0.75, -2.5, 2.4375, -4.0, -1.75, 4.375, -1.9375, 2.4375, 5.625, -3.0625, -1.25, 3.0625, -1.4375, 8.0625, 5.4375, 3.875, 4.5, 0.5, 0.3125, 1.625, -0.4375, 5.875, 1.625, 2.3125, 1.375, -0.8125, -4.8125, 1.4375, 0.75, 1.0625, 8.6875, 2.75, 2.25, 0.25, 2.0, 1.25],
}, model=model).AddVariations("float16").AddNchw(input, output, layout)

input = Input("input", ("TENSOR_FLOAT32", [1, 3, 4, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [3, 2, 2, 2]), [1.25, 1.75, 1.75, -1.5, 0.75, 0.0, -0.25, -1.25, 1.25, 1.75, 0.0, 2.0, 0.5, 1.75, 1.5, 0.75, -0.75, -1.0, 0.0, -0.5, -1.0, -0.75, -2.0, -0.75])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-2.0, 1.5, 1.25])
left = 0
right = 1
top = 1
bottom = 0
stride_width = 1
stride_height = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 3, 4, 3]))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [0.5, 1.75, -2.0, -2.0, 2.0, -0.25, 0.25, 0.75, 0.75, -1.0, -1.5, 1.0, 1.0, -1.5, 2.0, 0.0, 0.0, -2.0, 1.25, 1.5, -1.25, 0.5, -0.25, -2.0],
    output: [1.375, 0.3125, 4.9375, -3.6875, -0.1875, 0.9375, -1.5, 3.0, -1.625, -1.8125, 2.9375, 0.4375, 0.875, -1.6875, 2.375, -3.625, -3.625, 4.75, -0.375, 5.9375, -4.25, 1.125, 4.125, -1.6875, -9.125, 2.1875, -0.9375, 2.5, 0.125, 1.875, 1.75, -1.5, 4.875, 0.3125, 0.375, 1.5],
}, model=model).AddVariations("float16").AddNchw(input, output, layout)
