# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 3]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [1, 3, 2, 4]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75, 2.0, 0.5, -2.0, -1.25, -1.75, 1.75, 0.25, 1.5, 1.25, -1.25, 1.75, -0.5])
bias = Parameter("bias", ("TENSOR_FLOAT32", [4]), [-1.75, -2.0, 0.75, 1.0])
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
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75, -0.5, -1.0, 1.75, -0.75, -1.75, 0.25, 1.5, 1.5, -1.5, -1.25, -1.25, -1.25, -1.25, 2.0, -1.25, -0.75, 0.25, -1.75, -1.5, 1.5, -0.75, 1.5, 2.0, 1.0, -1.75, 1.75, 2.0, 0.5, -1.25, -1.0, 0.25, -0.5, 1.25, -1.75, 1.0, -0.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [1, 3, 2, 4]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75, 2.0, 0.5, -2.0, -1.25, -1.75, 1.75, 0.25, 1.5, 1.25, -1.25, 1.75, -0.5])
bias = Parameter("bias", ("TENSOR_FLOAT32", [5]), [-1.75, -2.0, 0.75, 1.0, 0.5])
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
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75, -0.5, -1.0, 1.75, -0.75, -1.75, 0.25, 1.5, 1.5, -1.5, -1.25, -1.25, -1.25, -1.25, 2.0, -1.25, -0.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [1, 3, 2, 4]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75, 2.0, 0.5, -2.0, -1.25, -1.75, 1.75, 0.25, 1.5, 1.25, -1.25, 1.75, -0.5])
bias = Parameter("bias", ("TENSOR_FLOAT32", [4]), [-1.75, -2.0, 0.75, 1.0])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 0
stride_height = 1
factor = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 3, 4]))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75, -0.5, -1.0, 1.75, -0.75, -1.75, 0.25, 1.5, 1.5, -1.5, -1.25, -1.25, -1.25, -1.25, 2.0, -1.25, -0.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [1, 3, 2, 4]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75, 2.0, 0.5, -2.0, -1.25, -1.75, 1.75, 0.25, 1.5, 1.25, -1.25, 1.75, -0.5])
bias = Parameter("bias", ("TENSOR_FLOAT32", [4]), [-1.75, -2.0, 0.75, 1.0])
left = 1
right = 0
top = 3
bottom = 1
stride_width = 2
stride_height = 1
factor = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 3, 4]))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75, -0.5, -1.0, 1.75, -0.75, -1.75, 0.25, 1.5, 1.5, -1.5, -1.25, -1.25, -1.25, -1.25, 2.0, -1.25, -0.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 4], 0.125, 131), [119, 135, 115, 113, 139, 138, 136, 114, 152, 145, 123, 108, 131, 130, 109, 111, 115, 140, 115, 146, 148, 138, 151, 152])
bias = Parameter("bias", ("TENSOR_INT32", [4], 0.0626, 0), [320, -639, 962, -1277])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
factor = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 4], 1.0, 100))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [129, 100, 141, 136, 132, 138, 105, 144, 144, 125, 102, 130, 119, 133, 134, 106, 102, 129, 111, 117, 127, 101, 121, 121, 137, 123, 105, 127, 104, 121, 137, 132, 121, 104, 129, 144, 132, 98, 129, 133],
    output: [130, 64, 135, 0, 112, 77, 167, 59, 161, 62, 142, 49, 101, 52, 200, 58, 164, 83, 97, 0, 109, 31, 129, 0, 132, 68, 116, 4, 126, 77, 165, 0, 118, 36, 132, 0, 129, 59, 204, 49, 138, 70, 184, 32, 107, 50, 184, 0, 124, 62, 138, 25, 129, 68, 135, 9, 139, 59, 147, 27],
}, model=model).DisableLifeTimeVariation().ExpectFailure()
