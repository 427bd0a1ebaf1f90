# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [3, 3, 2, 2]), [-1.25, -0.75, 1.25, -1.25, -1.0, -1.5, 2.0, -0.75, 0.5, 0.0, 0.25, -0.5, -1.0, -0.25, -1.75, 0.5, 0.0, 1.5, -1.0, -1.5, 0.75, -2.0, -1.25, 2.0, 0.25, 0.0, -0.25, -2.0, -1.75, 0.25, 0.0, 2.0, 2.0, -0.5, 2.0, -0.75])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-0.5, -0.75, 0.5])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 3, 3]))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation).To(output)
Example({
    input: [2.0, -0.5, 1.75, -1.5, 0.75, -1.5, -1.75, 1.75, -0.25, 1.5, -1.25, -1.5, -0.5, 0.5, -1.5, 0.0, 0.75, 0.75, 0.5, 0.75, 0.75, -0.75, 0.75, 0.75, -1.0, 0.25, -1.25, 1.0, 1.25, -1.25, 1.5, -1.5, 1.75, -1.25, 1.0, 1.75, -0.75, 0.5, 0.75, 0.5],
    output: [0.25, -4.25, 4.875, 1.3125, -0.375, 7.375, -2.1875, -2.25, -5.5, 4.3125, -3.4375, -1.875, 2.0, -1.0, -10.1875, -2.875, -0.1875, 8.5625, 1.8125, -3.4375, 0.0625, -2.0, -1.125, 3.6875, -2.9375, -5.75, -2.0625, 3.0, -3.8125, 6.4375, -5.9375, 10.0625, 4.9375, 0.4375, -1.5625, -1.625, 5.5, -1.6875, -1.1875, -2.75, -5.3125, 0.5625, 4.5625, -3.3125, 4.8125],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 4, 1]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [2, 2, 3, 1]), [-0.5, -0.75, 0.5, -1.0, 1.75, -1.25, 1.25, 1.5, 1.0, -1.5, 1.5, 0.5])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [0.5, -1.0])
padding = 1
stride_width = 1
stride_height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 4, 2]))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation).To(output)
Example({
    input: [-1.25, -0.75, 1.25, -1.25, -1.0, -1.5, 2.0, -0.75, 0.5, 0.0, 0.25, -0.5, -1.0, -0.25, -1.75, 0.5, 0.0, 1.5, -1.0, -1.5, 0.75, -2.0, -1.25, 2.0],
    output: [1.1875, -5.875, -1.8125, -2.1875, 5.25, 3.5625, -2.5, -5.4375, 0.125, -0.25, 0.375, -0.125, 0.0625, -1.125, 0.75, -1.4375, -0.75, -2.0, 4.1875, -2.625, 0.8125, -7.9375, -0.625, -3.1875, -1.0625, -1.875, 1.0, -4.3125, 3.4375, -3.375, -0.375, 0.4375],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [1, 5, 4, 3]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [2, 3, 3, 3]), [0.5, -1.0, 0.0, -0.75, 0.0, -1.0, 0.75, -0.75, 1.25, 1.0, -1.25, 1.5, 2.0, 2.0, 1.5, 2.0, -1.5, -1.0, 0.75, -1.25, 1.25, -0.5, -0.75, 0.25, -1.75, -0.5, -2.0, 0.75, 0.0, -0.75, 1.5, 0.5, -1.25, 1.0, -0.25, -1.75, 1.25, -0.25, -1.75, 0.25, -0.75, 1.5, -1.0, 0.75, -1.75, -1.75, -1.5, 1.25, 1.75, 0.5, -0.75, 1.5, 1.0, -0.75])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [1.5, -1.25])
padding = 2
stride_width = 1
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 3, 2, 2]))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation).To(output)
Example({
    input: [-0.5, -0.75, 0.5, -1.0, 1.75, -1.25, 1.25, 1.5, 1.0, -1.5, 1.5, 0.5, -1.75, -1.25, 2.0, 1.25, -0.75, -1.75, 2.0, 0.75, 1.0, 1.0, 1.0, -1.25, 1.25, -0.25, 1.0, -0.75, -0.75, 1.75, -1.25, 1.25, -1.5, 0.0, -1.25, 0.75, 0.75, -0.25, 0.75, 0.25, -1.0, 1.5, -2.0, -1.75, -1.75, -1.75, 1.0, 1.25, 0.75, -0.5, 0.25, 2.0, -2.0, -1.0, 1.0, -2.0, -1.5, -1.75, 0.5, 2.0],
    output: [16.5625, -15.3125, 5.0, 8.125, 15.375, 2.75, 5.75, -6.1875, 4.75, 6.4375, -4.25, -10.5625],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [3, 3, 2, 2]), [-1.5, 2.0, -0.5, 1.75, 1.25, -0.5, 1.5, 1.0, 0.0, -1.75, -0.25, -0.75, -2.0, 0.0, -1.5, -1.5, 1.5, 0.5, -0.25, 1.5, -1.75, -1.0, -0.75, -0.25, -1.5, -1.5, 1.75, 1.75, -1.0, 2.0, 1.25, -0.75, 1.25, 1.25, -2.0, 1.25])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-0.5, 2.0, -1.0])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 3, 3]))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation).To(output)
Example({
    input: [1.75, -1.75, 0.25, 1.5, -1.25, -0.75, 1.75, -1.25, -0.25, -0.25, -1.5, -1.75, -1.5, 1.0, -1.0, -2.0, -2.0, -0.25, 1.25, -1.0, -1.75, 0.25, 1.0, -1.25, 1.5, -1.5, 0.5, 0.25, 2.0, 0.5, -1.75, 0.0, 1.0, 0.5, 1.25, -0.5, 1.25, 2.0, 2.0, -0.75],
    output: [0.375, 1.125, -6.6875, -2.25, 1.1875, 2.75, 1.9375, 0.4375, -0.1875, 2.0625, 0.5, 3.3125, -3.5625, 5.1875, -0.375, 2.5625, 6.75, -11.9375, -8.1875, 1.0, 2.25, -1.5, -1.25, -8.5625, -8.75, -8.4375, -1.25, -4.75, 9.0, -5.5625, 2.5625, 4.6875, -7.25, 0.1875, 1.25, 4.0625, -1.8125, 4.6875, -5.8125, -5.5, 0.6875, 1.3125, 1.9375, -1.5, 8.0625],
}, model=model).AddVariations("float16", includeDefault=False).AddAllActivations(output, activation)
