# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [1, 3, 2, 3]))
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
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [1, 3, 2, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [2, 3, 2, 2]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75, 2.0, 0.5, -2.0, -1.25, -1.75, 1.75, 0.25, 1.5, 1.25, -1.25, 1.75, -0.5])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-1.75, -2.0, 0.75])
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
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [1, 3, 2, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [2, 3, 2, 2]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75, 2.0, 0.5, -2.0, -1.25, -1.75, 1.75, 0.25, 1.5, 1.25, -1.25, 1.75, -0.5])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [-1.75, -2.0])
left = 1
right = 0
top = 1
bottom = 2
stride_width = 0
stride_height = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 3, 2]))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [1, 3, 2, 2]))
filter = Parameter("filter", ("TENSOR_FLOAT32", [2, 3, 2, 2]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75, 2.0, 0.5, -2.0, -1.25, -1.75, 1.75, 0.25, 1.5, 1.25, -1.25, 1.75, -0.5])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [-1.75, -2.0])
left = 1
right = 0
top = -1
bottom = 2
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 3, 2]))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [2, 3, 2, 2], 0.125, 131), [119, 135, 115, 113, 139, 138, 136, 114, 152, 145, 123, 108, 131, 130, 109, 111, 115, 140, 115, 146, 148, 138, 151, 152])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.0626, 0), [320, -639])
left = 1
right = 0
top = 1
bottom = 2
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 3, 2], 1.0, 100))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [129, 100, 141, 136, 132, 138, 105, 144, 144, 125, 102, 130],
    output: [112, 0, 155, 47, 98, 45, 99, 11, 181, 117, 63, 157],
}, model=model).DisableLifeTimeVariation().ExpectFailure()
