# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [1, 5, 6, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [1, 2, 3, 4]), [-0.5, 2.0, -1.0, 2.0, -0.5, -0.25, 1.0, -1.25, 0.5, 0.75, 1.25, 0.0, 1.5, -0.75, -2.0, -0.75, 0.75, 1.25, -1.5, -0.5, -1.5, 1.75, 1.5, 1.25])
bias = Parameter("bias", ("TENSOR_FLOAT32", [4]), [0.5, 1.75, -2.0, -2.0])
left = 2
right = 1
top = 0
bottom = 1
stride_width = 1
stride_height = 2
factor = 2
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
dilation_width = 2
dilation_height = 1
output = Output("output", ("TENSOR_FLOAT32", [1, 3, 5, 4]))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation, layout, dilation_width, dilation_height).To(output)
Example({
    input: [-1.5, 2.0, -0.5, 1.75, 1.25, -0.5, 1.5, 1.0, 0.0, -1.75, -0.25, -0.75, -2.0, 0.0, -1.5, -1.5, 1.5, 0.5, -0.25, 1.5, -1.75, -1.0, -0.75, -0.25, -1.5, -1.5, 1.75, 1.75, -1.0, 2.0, 1.25, -0.75, 1.25, 1.25, -2.0, 1.25, 1.75, 1.75, -0.25, -1.0, 0.0, 1.25, -1.5, 0.0, -2.0, 1.5, 1.75, 1.25, 0.75, -1.75, 1.75, -2.0, 1.0, 1.75, 0.25, -0.5, 0.0, 0.0, -2.0, -1.75],
    output: [-1.875, 3.1875, 0.125, -3.875, 0.75, 0.6875, 5.5, -1.5625, 1.375, -1.25, -8.9375, 1.125, -1.4375, -0.3125, -3.3125, 0.3125, 0.8125, 0.9375, -2.75, -0.6875, 2.0625, 3.5625, -1.75, 0.5625, 2.3125, -0.6875, 0.3125, -3.6875, 8.0, -4.875, -0.0625, -7.5625, -6.125, 4.8125, 0.9375, 4.75, -1.125, -3.0625, -7.5, -1.25, 0.625, 2.3125, -1.5625, 0.1875, -0.25, 1.5, -4.625, 0.5, -0.375, 3.0, 1.5, -7.6875, -1.5, 3.6875, -2.6875, -5.375, 0.0, 3.75, -3.75, 1.5],
}, model=model).AddVariations("float16").AddNchw(input, output, layout)

input = Input("input", ("TENSOR_FLOAT32", [1, 7, 7, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [1, 3, 3, 2]), [0.5, 1.75, -2.0, -2.0, 2.0, -0.25, 0.25, 0.75, 0.75, -1.0, -1.5, 1.0, 1.0, -1.5, 2.0, 0.0, 0.0, -2.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [1.25, 1.75])
padding = 1
stride_width = 2
stride_height = 3
factor = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
dilation_width = 2
dilation_height = 2
output = Output("output", ("TENSOR_FLOAT32", [1, 3, 4, 2]))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation, layout, dilation_width, dilation_height).To(output)
Example({
    input: [-0.5, 2.0, -1.0, 2.0, -0.5, -0.25, 1.0, -1.25, 0.5, 0.75, 1.25, 0.0, 1.5, -0.75, -2.0, -0.75, 0.75, 1.25, -1.5, -0.5, -1.5, 1.75, 1.5, 1.25, -0.25, -1.5, -1.75, -1.25, -0.25, -0.5, 0.0, -1.5, 1.5, 1.75, -1.0, -1.25, -1.75, 1.75, 1.75, -1.0, 0.25, 1.25, -0.5, -1.75, 2.0, 1.75, -0.75, 1.25, 2.0, -1.0, 1.0, 1.75, -0.25, -2.0, -0.75, -2.0, -1.0, 0.25, 1.25, -0.75, 0.25, 2.0, 1.25, 1.0, -1.5, 0.5, -0.25, -0.25, 2.0, 2.0, -0.75, -1.0, -0.25, 1.5, 0.5, 1.0, -0.75, -1.5, -0.25, 0.25, -0.25, 1.25, -1.25, 0.75, 0.5, 1.0, -1.0, -0.25, 0.75, -2.0, 2.0, -0.75, 2.0, -1.5, 0.0, -1.0, -0.25, 1.0],
    output: [1.125, -4.0, 2.75, 1.5, -2.75, -5.0625, 1.25, 0.4375, 1.5, 4.375, 4.3125, 1.3125, -4.3125, -7.125, 2.4375, 9.375, 3.0, -2.25, -5.0625, -0.6875, 10.4375, 4.75, -3.1875, -3.5],
}, model=model).AddVariations("float16").AddNchw(input, output, layout)

input = Input("input", ("TENSOR_FLOAT32", [1, 3, 4, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [1, 2, 2, 4]), [1.25, 1.75, 1.75, -1.5, 0.75, 0.0, -0.25, -1.25, 1.25, 1.75, 0.0, 2.0, 0.5, 1.75, 1.5, 0.75])
bias = Parameter("bias", ("TENSOR_FLOAT32", [4]), [-2.0, 1.5, 1.25, -1.25])
left = 0
right = 1
top = 1
bottom = 0
stride_width = 1
stride_height = 1
factor = 2
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 3, 4, 4]))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [0.5, 1.75, -2.0, -2.0, 2.0, -0.25, 0.25, 0.75, 0.75, -1.0, -1.5, 1.0, 1.0, -1.5, 2.0, 0.0, 0.0, -2.0, 1.25, 1.5, -1.25, 0.5, -0.25, -2.0],
    output: [-2.375, -1.125, -1.75, 0.75, -3.5, 1.5, 0.875, -5.4375, 0.625, 5.4375, 2.375, -1.1875, -1.6875, 1.9375, 1.25, 0.25, -2.6875, 1.0625, 6.3125, -2.625, -4.375, -2.875, -4.4375, 2.9375, 2.9375, 10.25, 0.625, -4.8125, 0.8125, 5.4375, 2.5625, -2.375, -1.5625, 5.0, 1.5, -3.875, -2.1875, -1.125, 4.125, 2.5, -0.9375, 0.625, -4.375, 0.5, 0.1875, 4.5625, 1.25, -5.25],
}, model=model).AddVariations("float16").AddNchw(input, output, layout)
