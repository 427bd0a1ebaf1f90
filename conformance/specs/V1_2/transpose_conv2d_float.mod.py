# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [1, 3, 2, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [2, 3, 2, 2]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75, 2.0, 0.5, -2.0, -1.25, -1.75, 1.75, 0.25, 1.5, 1.25, -1.25, 1.75, -0.5])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [-1.75, -2.0])
left = 1
right = 0
top = 1
bottom = 2
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 3, 2]))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5],
    output: [-3.0, -4.875, 5.375, 2.25, -1.5, -0.6875, 3.125, 1.75, -6.5625, -5.5, -5.5625, -10.9375],
}, model=model).AddVariations("float16").AddNchw(input, output, layout)

input = Input("input", ("TENSOR_FLOAT32", [2, 2, 3, 1]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [2, 2, 3, 1]), [-1.75, -2.0, 0.75, 1.0, 0.5, 1.25, -1.0, -1.25, 0.75, 1.0, -0.75, -0.75])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [-0.75, -2.0])
shape = Int32Vector("shape", [2, 4, 8, 2])
padding = 1
stride_width = 2
stride_height = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 4, 6, 2]))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, shape, padding, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75],
    output: [-3.8125, -3.75, -4.25, -4.1875, 3.625, 1.0625, 2.75, 0.1875, -4.25, -4.5625, -3.25, -3.5625, 1.0, -0.25, 0.125, -3.3125, -0.3125, -5.0625, -1.625, -0.6875, -1.6875, 0.5625, -0.125, -2.9375, -0.75, -2.0, -0.75, -2.0, -0.75, -2.0, -0.75, -2.0, -0.75, -2.0, -0.75, -2.0, -2.0625, -2.75, -2.25, -2.9375, 3.3125, 0.5625, 3.25, 0.5, -4.0, -4.5, -2.75, -3.25, -0.3125, -1.75, -0.25, -1.6875, -2.25, -2.9375, -2.25, -2.9375, -1.0625, -1.9375, -1.75, -2.625, -1.0, -2.25, -0.875, -1.8125, -0.3125, -1.0625, -0.375, -2.5625, 0.6875, -2.0625, -0.5, -2.375, -0.75, -2.0, -0.75, -2.0, -0.75, -2.0, -0.75, -2.0, -0.75, -2.0, -0.75, -2.0, 1.875, -0.5, 2.25, -0.125, -5.375, -5.125, -4.75, -4.5, 3.8125, 1.25, 2.75, 0.1875],
}, model=model).AddVariations("float16").AddNchw(input, output, shape, layout)

input = Input("input", ("TENSOR_FLOAT32", [1, 3, 2, 3]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [1, 3, 3, 3]), [-0.75, -2.0, 0.25, 1.5, -1.0, 1.0, -1.25, 0.75, 1.25, -0.5, 0.5, 0.0, 0.75, -1.25, 1.5, 0.25, 0.75, -0.75, 1.75, 1.5, 1.5, 0.25, -2.0, 1.75, -1.0, -1.25, 1.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [1]), [0.25])
shape = Int32Vector("shape", [1, 5, 4, 1])
padding = 1
stride_width = 2
stride_height = 2
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 4, 1]))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, shape, padding, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [-1.75, -2.0, 0.75, 1.0, 0.5, 1.25, -1.0, -1.25, 0.75, 1.0, -0.75, -0.75, 1.25, -0.25, 1.75, -0.5, 1.75, -1.5],
    output: [0.125, 2.5625, -2.5, 2.25, -1.25, 5.625, 11.4375, 3.1875, 0.125, 2.1875, -2.375, 0.8125, -2.25, 7.6875, 0.0, -3.3125, -0.5, 4.125, 0.1875, -4.5625],
}, model=model).AddVariations("float16").AddNchw(input, output, shape, layout)

input = Input("input", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [2, 3, 2, 1]), [0.25, 1.75, -0.5, 2.0, 1.5, 1.25, -1.75, -1.5, 1.5, 2.0, 2.0, 1.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [1.0, 1.75])
shape = Int32Vector("shape", [1, 9, 9, 2])
padding = 2
stride_width = 1
stride_height = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 6, 3, 2]))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, shape, padding, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [-0.75, -2.0, 0.25, 1.5],
    output: [0.8125, 3.0625, -0.8125, 6.375, -2.5, 4.75, 1.375, 0.625, 0.5, -2.75, -3.0, -2.25, -0.125, 0.25, -2.9375, -3.0, -1.5, -0.25, 1.0625, 1.3125, 1.8125, -1.25, 3.625, -0.5, 0.875, 2.125, 0.75, 4.5, 4.0, 4.75, 1.375, 2.25, 3.5625, 5.0, 2.875, 3.25],
}, model=model).AddVariations("float16").AddNchw(input, output, shape, layout)

input = Input("input", ("TENSOR_FLOAT32", [1, 3, 2, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [2, 3, 2, 2]), [1.5, 1.0, -0.25, -0.5, 0.25, 1.75, -0.75, -2.0, 0.0, 0.75, 1.75, -2.0, 1.0, 1.0, -1.5, 1.0, -0.25, 1.0, 1.0, -0.25, -1.25, -0.25, 2.0, 1.5])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [-2.0, 0.75])
left = 1
right = 0
top = 1
bottom = 2
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 3, 2]))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [0.5, 1.0, 0.5, -0.75, 1.75, 1.75, -0.25, 0.25, -0.5, -1.75, 0.25, 1.25],
    output: [-5.6875, 0.125, -3.3125, -0.125, -0.9375, 2.0625, -6.9375, 3.5625, -0.5625, 2.125, -0.625, 1.1875],
}, model=model).AddAllActivations(output, activation)
