# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 3]))
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
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75, -0.5, -1.0, 1.75, -0.75, -1.75, 0.25, 1.5, 1.5, -1.5, -1.25, -1.25, -1.25, -1.25, 2.0, -1.25, -0.75, 0.25, -1.75, -1.5, 1.5, -0.75, 1.5, 2.0, 1.0, -1.75, 1.75, 2.0, 0.5, -1.25, -1.0, 0.25, -0.5, 1.25, -1.75, 1.0, -0.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [3, 3, 2, 2]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75, 2.0, 0.5, -2.0, -1.25, -1.75, 1.75, 0.25, 1.5, 1.25, -1.25, 1.75, -0.5, 1.0, -1.25, -1.5, 0.75, -0.75, 2.0, 0.25, 1.0, -1.25, -0.5, -0.25, 0.5])
bias = Parameter("bias", ("TENSOR_FLOAT32", [4]), [-1.75, -2.0, 0.75, 1.0])
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
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [3, 3, 2, 2]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75, 2.0, 0.5, -2.0, -1.25, -1.75, 1.75, 0.25, 1.5, 1.25, -1.25, 1.75, -0.5, 1.0, -1.25, -1.5, 0.75, -0.75, 2.0, 0.25, 1.0, -1.25, -0.5, -0.25, 0.5])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-1.75, -2.0, 0.75])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 0
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 3, 3]))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75, -0.5, -1.0, 1.75, -0.75, -1.75, 0.25, 1.5, 1.5, -1.5, -1.25, -1.25, -1.25, -1.25, 2.0, -1.25, -0.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [3, 3, 2, 2]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75, 2.0, 0.5, -2.0, -1.25, -1.75, 1.75, 0.25, 1.5, 1.25, -1.25, 1.75, -0.5, 1.0, -1.25, -1.5, 0.75, -0.75, 2.0, 0.25, 1.0, -1.25, -0.5, -0.25, 0.5])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-1.75, -2.0, 0.75])
left = 1
right = 0
top = 3
bottom = 1
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 3, 3]))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75, -0.5, -1.0, 1.75, -0.75, -1.75, 0.25, 1.5, 1.5, -1.5, -1.25, -1.25, -1.25, -1.25, 2.0, -1.25, -0.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [3, 3, 2, 2], 0.125, 131), [119, 135, 115, 113, 139, 138, 136, 114, 152, 145, 123, 108, 131, 130, 109, 111, 115, 140, 115, 146, 148, 138, 151, 152, 133, 110, 131, 153, 149, 124, 135, 121, 154, 135, 114, 119])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.0626, 0), [320, -639, 962])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 3], 1.0, 100))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation).To(output)
Example({
    input: [129, 100, 141, 136, 132, 138, 105, 144, 144, 125, 102, 130, 119, 133, 134, 106, 102, 129, 111, 117, 127, 101, 121, 121, 137, 123, 105, 127, 104, 121, 137, 132, 121, 104, 129, 144, 132, 98, 129, 133],
    output: [144, 45, 166, 130, 128, 168, 102, 91, 115, 139, 23, 187, 145, 57, 166, 118, 39, 124, 141, 84, 129, 90, 28, 153, 96, 17, 106, 123, 84, 161, 77, 80, 97, 111, 143, 110, 127, 68, 131, 70, 36, 159, 133, 59, 168],
}, model=model).DisableLifeTimeVariation().ExpectFailure()
