# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [3, 3, 2, 2]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75, 2.0, 0.5, -2.0, -1.25, -1.75, 1.75, 0.25, 1.5, 1.25, -1.25, 1.75, -0.5, 1.0, -1.25, -1.5, 0.75, -0.75, 2.0, 0.25, 1.0, -1.25, -0.5, -0.25, 0.5])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-1.75, -2.0, 0.75])
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
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75, -0.5, -1.0, 1.75, -0.75, -1.75, 0.25, 1.5, 1.5, -1.5, -1.25, -1.25, -1.25, -1.25, 2.0, -1.25, -0.75],
    output: [2.8125, 0.1875, -0.3125, -5.3125, -5.9375, 3.4375, -0.25, -0.5625, 1.125, -4.375, -3.875, -0.25, 0.3125, -2.375, 4.875, -1.125, -4.1875, -2.0, 0.375, 2.75, -0.125, 1.1875, -2.625, 2.6875, 0.6875, 1.0625, 4.0625, 0.625, -2.875, 1.625, -10.6875, -4.8125, -3.8125, -12.375, -15.875, -6.8125, 0.4375, -1.6875, 1.3125, -0.25, -3.875, -0.75, 4.875, 8.5625, 10.125],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 4, 1]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [2, 2, 3, 1]), [-1.75, -2.0, 0.75, 1.0, 0.5, 1.25, -1.0, -1.25, 0.75, 1.0, -0.75, -0.75])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [-0.75, -2.0])
padding = 1
stride_width = 1
stride_height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 4, 2]))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation).To(output)
Example({
    input: [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75, 2.0, 0.5, -2.0, -1.25, -1.75, 1.75, 0.25, 1.5, 1.25, -1.25, 1.75, -0.5],
    output: [-5.3125, -4.75, -1.1875, -3.1875, 2.1875, -0.625, -4.3125, -5.0, -2.875, -3.75, 2.875, 0.875, -3.4375, -4.3125, -0.75, -1.8125, -3.0625, -4.125, -7.3125, -9.375, 5.1875, -0.5, 6.25, 0.6875, -4.1875, -4.5, 0.875, -0.375, -2.4375, -3.3125, -2.8125, -3.125],
}, model=model).AddRelaxed()

input = Input("input", ("TENSOR_FLOAT32", [1, 5, 4, 3]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [2, 3, 3, 3]), [-0.75, -2.0, 0.25, 1.5, -1.0, 1.0, -1.25, 0.75, 1.25, -0.5, 0.5, 0.0, 0.75, -1.25, 1.5, 0.25, 0.75, -0.75, 1.75, 1.5, 1.5, 0.25, -2.0, 1.75, -1.0, -1.25, 1.0, -1.0, 1.25, 0.75, 2.0, -0.75, -0.5, 0.75, 1.75, -0.5, 0.75, 1.25, 0.5, -1.5, 0.75, -2.0, 2.0, 0.0, -0.75, -1.25, -1.5, 1.0, 1.5, 0.0, -0.75, -1.0, -0.5, 0.25])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [0.25, 1.75])
padding = 2
stride_width = 1
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 3, 2, 2]))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation).To(output)
Example({
    input: [-1.75, -2.0, 0.75, 1.0, 0.5, 1.25, -1.0, -1.25, 0.75, 1.0, -0.75, -0.75, 1.25, -0.25, 1.75, -0.5, 1.75, -1.5, -1.0, -0.75, 1.5, 1.75, -0.25, 0.5, -2.0, -1.5, -0.25, 2.0, 0.25, -0.75, -1.0, 0.0, -0.75, 0.0, 0.75, 2.0, 0.0, 1.75, -1.5, -1.0, 0.75, -1.75, 0.75, 2.0, -1.0, -1.75, 1.25, 1.0, 0.5, -0.75, 0.25, -0.75, 0.5, -0.25, -2.0, 1.0, -0.5, -1.25, -1.5, 1.25],
    output: [-5.4375, 11.5625, 2.25, -1.625, -9.25, -15.4375, -15.5625, 6.3125, 4.75, 15.9375, -3.875, -4.75],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [1, 2, 3, 4]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [3, 1, 1, 4]), [0.25, 1.75, -0.5, 2.0, 1.5, 1.25, -1.75, -1.5, 1.5, 2.0, 2.0, 1.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [1.0, 1.75, -1.0])
padding = 2
stride_width = 1
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 3, 3]))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation).To(output)
Example({
    input: [-0.75, -2.0, 0.25, 1.5, -1.0, 1.0, -1.25, 0.75, 1.25, -0.5, 0.5, 0.0, 0.75, -1.25, 1.5, 0.25, 0.75, -0.75, 1.75, 1.5, 1.5, 0.25, -2.0, 1.75],
    output: [0.1875, -4.5625, -4.125, 4.625, 2.5625, -2.25, 0.1875, 2.125, 0.875, -1.25, -1.6875, 0.875, 2.0, -3.375, 3.625, 6.3125, 5.1875, -0.5],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [1, 1, 1, 1]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [1, 1, 1, 1]), [1.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [1]), [2.0])
left = 0
right = 0
top = 0
bottom = 0
stride_width = 1
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 1, 1]))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation).To(output)
Example({
    input: [0.25],
    output: [2.25],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [3, 3, 2, 2]), [1.5, 1.0, -0.25, -0.5, 0.25, 1.75, -0.75, -2.0, 0.0, 0.75, 1.75, -2.0, 1.0, 1.0, -1.5, 1.0, -0.25, 1.0, 1.0, -0.25, -1.25, -0.25, 2.0, 1.5, -0.75, 1.75, 0.25, 0.0, -0.25, -0.5, 1.5, -2.0, -2.0, 1.0, -0.25, -2.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-2.0, 0.75, -0.75])
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
    input: [0.5, 1.0, 0.5, -0.75, 1.75, 1.75, -0.25, 0.25, -0.5, -1.75, 0.25, 1.25, 1.5, 1.75, -1.25, 0.5, 0.5, 0.0, -2.0, 2.0, -1.5, 1.0, -0.5, 0.5, -2.0, 2.0, -1.0, -1.25, -1.25, 2.0, -1.75, -1.25, 2.0, 0.25, -1.0, 0.75, 0.5, -0.25, -0.25, -2.0],
    output: [-3.125, 3.25, -2.875, -3.0, 6.4375, -6.4375, 0.8125, -2.625, 3.625, -6.4375, 3.375, -4.5625, -9.875, -2.875, -3.3125, -5.25, -0.625, -2.5625, -9.9375, -0.5625, -4.375, -7.0625, -0.875, -8.125, -10.625, -0.8125, -10.3125, -4.125, -5.5, -2.0, -2.75, 1.0625, -11.25, -3.875, -0.5625, -3.8125, 1.6875, 2.5625, -1.25, -2.5625, 4.3125, -3.625, -1.5625, 2.25, 1.125],
}, model=model).AddAllActivations(output, activation)
