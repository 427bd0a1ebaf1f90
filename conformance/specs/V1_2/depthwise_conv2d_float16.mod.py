# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [1, 3, 2, 4]), [-1.25, -0.75, 1.25, -1.25, -1.0, -1.5, 2.0, -0.75, 0.5, 0.0, 0.25, -0.5, -1.0, -0.25, -1.75, 0.5, 0.0, 1.5, -1.0, -1.5, 0.75, -2.0, -1.25, 2.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [4]), [-0.5, -0.75, 0.5, -1.0])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
factor = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 3, 4]))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [2.0, -0.5, 1.75, -1.5, 0.75, -1.5, -1.75, 1.75, -0.25, 1.5, -1.25, -1.5, -0.5, 0.5, -1.5, 0.0, 0.75, 0.75, 0.5, 0.75, 0.75, -0.75, 0.75, 0.75, -1.0, 0.25, -1.25, 1.0, 1.25, -1.25, 1.5, -1.5, 1.75, -1.25, 1.0, 1.75, -0.75, 0.5, 0.75, 0.5],
    output: [1.0, -4.75, 1.125, -2.0, 0.0625, 0.375, 3.875, -1.75, -0.6875, -2.875, -3.125, -0.625, -3.4375, 1.25, 3.25, -4.25, -1.5, 1.3125, 2.25, -1.75, -0.75, -0.5625, -3.375, -0.75, -0.6875, -4.9375, 3.0625, -2.875, -2.9375, 0.3125, -5.3125, 1.125, 2.75, -3.5625, 5.125, -8.3125, 1.125, -2.0625, 0.6875, -3.25, 3.75, 2.75, -0.0625, 3.5, -3.25, -5.0, 4.25, -3.375, -2.75, -2.25, 1.625, -1.1875, -0.5625, -0.0625, -1.4375, -0.625, -1.3125, -1.875, -1.5, -1.3125],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 4, 3]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [1, 2, 3, 3]), [-0.5, -0.75, 0.5, -1.0, 1.75, -1.25, 1.25, 1.5, 1.0, -1.5, 1.5, 0.5, -1.75, -1.25, 2.0, 1.25, -0.75, -1.75])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [0.5, -1.0, 0.0])
padding = 1
stride_width = 1
stride_height = 2
factor = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 4, 3]))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [-1.25, -0.75, 1.25, -1.25, -1.0, -1.5, 2.0, -0.75, 0.5, 0.0, 0.25, -0.5, -1.0, -0.25, -1.75, 0.5, 0.0, 1.5, -1.0, -1.5, 0.75, -2.0, -1.25, 2.0, 0.25, 0.0, -0.25, -2.0, -1.75, 0.25, 0.0, 2.0, 2.0, -0.5, 2.0, -0.75, 0.0, 0.25, -1.5, 0.5, -1.25, 1.5, 1.0, 0.25, -1.75, 2.0, -0.75, 1.25, -0.25, -1.25, 1.0, -1.75, -0.75, -1.5, -2.0, -0.5, -0.5, -1.75, 2.0, 1.0, -1.75, 1.25, -1.75, -1.0, 0.75, 0.25, 0.25, 0.5, 0.75, 2.0, 1.0, -1.5],
    output: [2.5625, -3.5, -9.1875, 4.25, -2.5625, 3.8125, -2.375, 1.625, -3.125, 4.5, -0.6875, 5.25, -2.25, -3.625, 0.5625, 2.375, -1.0625, 1.5625, 0.875, 6.8125, -3.125, 1.0, 1.0, 1.9375, -0.625, -0.3125, 8.0, 2.1875, -3.5625, -6.0, 5.6875, -2.75, 0.6875, 4.0625, -5.75, -0.6875, 1.0, 2.3125, 2.4375, 2.6875, 0.125, -0.4375, 3.25, 0.8125, -2.3125, -1.625, 0.375, 2.25],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [1, 5, 4, 1]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [1, 3, 3, 3]), [0.5, -1.0, 0.0, -0.75, 0.0, -1.0, 0.75, -0.75, 1.25, 1.0, -1.25, 1.5, 2.0, 2.0, 1.5, 2.0, -1.5, -1.0, 0.75, -1.25, 1.25, -0.5, -0.75, 0.25, -1.75, -0.5, -2.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [1.5, -1.25, -0.75])
padding = 2
stride_width = 1
stride_height = 1
factor = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 3, 2, 3]))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [-0.5, -0.75, 0.5, -1.0, 1.75, -1.25, 1.25, 1.5, 1.0, -1.5, 1.5, 0.5, -1.75, -1.25, 2.0, 1.25, -0.75, -1.75, 2.0, 0.75],
    output: [2.8125, -8.5625, -2.0, 1.5, 2.5625, -6.5, 1.0625, -8.3125, -6.6875, -0.5625, 2.4375, -4.1875, 0.8125, -5.4375, -9.25, 1.625, 3.875, -4.9375],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [1, 3, 2, 4]), [-1.5, 2.0, -0.5, 1.75, 1.25, -0.5, 1.5, 1.0, 0.0, -1.75, -0.25, -0.75, -2.0, 0.0, -1.5, -1.5, 1.5, 0.5, -0.25, 1.5, -1.75, -1.0, -0.75, -0.25])
bias = Parameter("bias", ("TENSOR_FLOAT32", [4]), [-0.5, 2.0, -1.0, 2.0])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
factor = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 3, 4]))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [1.75, -1.75, 0.25, 1.5, -1.25, -0.75, 1.75, -1.25, -0.25, -0.25, -1.5, -1.75, -1.5, 1.0, -1.0, -2.0, -2.0, -0.25, 1.25, -1.0, -1.75, 0.25, 1.0, -1.25, 1.5, -1.5, 0.5, 0.25, 2.0, 0.5, -1.75, 0.0, 1.0, 0.5, 1.25, -0.5, 1.25, 2.0, 2.0, -0.75],
    output: [-3.5625, 0.25, 0.3125, 2.4375, 2.0625, 3.375, -0.8125, 4.4375, 2.5625, 3.125, -0.5, 0.1875, -1.375, 3.5, 2.9375, 5.0625, 1.5, 1.8125, 1.0, 4.0, -5.1875, -3.3125, 0.5, 3.1875, 7.75, 2.875, -1.1875, 2.8125, -1.5625, 4.75, 1.3125, 4.625, -8.6875, 7.375, 0.375, 1.5, 4.1875, 4.5, -4.0, -0.125, -3.1875, -3.0, -1.6875, 5.8125, -1.5625, -4.875, -3.125, 2.8125, 0.8125, 2.875, -0.625, 2.25, -2.625, 1.5, -2.0, -1.3125, -2.75, -0.1875, 0.25, 2.5625],
}, model=model).AddVariations("float16", includeDefault=False).AddAllActivations(output, activation)
