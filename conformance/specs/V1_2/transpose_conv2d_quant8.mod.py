# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [2, 3, 2, 2], 0.125, 131), [120, 125, 110, 139, 126, 127, 109, 129, 141, 122, 153, 133, 124, 126, 116, 154, 146, 136, 123, 142, 139, 140, 118, 152])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.0625, 0), [320, -639])
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
    input: [107, 113, 137, 113, 96, 104, 127, 109, 132, 126, 109, 106],
    output: [162, 61, 116, 74, 83, 24, 124, 60, 148, 77, 142, 16],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 2, 3, 1], 0.1, 0))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [2, 2, 3, 1], 0.07, 255), [232, 198, 248, 203, 198, 255, 197, 245, 205, 211, 229, 206])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.007000000000000001, 0), [3714, -7427])
shape = Int32Vector("shape", [2, 4, 8, 2])
padding = 1
stride_width = 2
stride_height = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 4, 6, 2], 1.3, 255))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, shape, padding, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [18, 8, 23, 29, 33, 47, 9, 8, 19, 1, 55, 22],
    output: [255, 209, 255, 214, 255, 208, 255, 215, 255, 206, 255, 214, 255, 211, 255, 212, 255, 208, 255, 214, 255, 207, 255, 212, 255, 215, 255, 215, 255, 215, 255, 215, 255, 215, 255, 215, 255, 206, 255, 213, 255, 197, 255, 213, 255, 191, 255, 212, 255, 212, 255, 215, 255, 210, 255, 215, 255, 207, 255, 214, 255, 213, 255, 214, 255, 211, 255, 214, 255, 208, 255, 212, 255, 215, 255, 215, 255, 215, 255, 215, 255, 215, 255, 215, 255, 215, 255, 215, 255, 198, 255, 212, 255, 193, 255, 214],
}, model=model).AddNchw(input, output, shape, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 3], 0.25, 255))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [1, 3, 3, 3], 0.5, 255), [213, 172, 238, 162, 169, 177, 200, 194, 251, 188, 199, 229, 245, 139, 231, 168, 252, 234, 192, 181, 160, 178, 160, 185, 183, 156, 218])
bias = Parameter("bias", ("TENSOR_INT32", [1], 0.125, 0), [4000])
shape = Int32Vector("shape", [1, 5, 4, 1])
padding = 1
stride_width = 2
stride_height = 2
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 4, 1], 25.0, 0))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, shape, padding, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [173, 210, 136, 204, 143, 201, 205, 205, 220, 233, 187, 146, 168, 163, 247, 228, 185, 160],
    output: [76, 64, 124, 94, 153, 173, 249, 194, 55, 56, 87, 74, 128, 158, 248, 179, 76, 79, 101, 73],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 1], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [2, 3, 2, 1], 0.125, 131), [152, 124, 123, 132, 115, 139, 146, 154, 129, 148, 131, 107])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.0625, 0), [320, -639])
shape = Int32Vector("shape", [1, 9, 9, 2])
padding = 2
stride_width = 1
stride_height = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 6, 3, 2], 1.0, 100))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, shape, padding, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [139, 138, 100, 107],
    output: [145, 78, 135, 104, 112, 86, 111, 58, 112, 78, 121, 79, 101, 60, 112, 32, 129, 33, 94, 41, 112, 19, 126, 41, 130, 63, 125, 40, 119, 46, 140, 60, 123, 90, 114, 80],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 0.5, 128))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [2, 3, 2, 2], 0.25, 128), [223, 65, 240, 249, 234, 99, 106, 184, 251, 8, 233, 253, 172, 26, 141, 104, 182, 234, 101, 227, 106, 75, 163, 112])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.125, 0), [32, -63])
left = 1
right = 0
top = 1
bottom = 2
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 3, 2], 0.2, 128))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [55, 116, 239, 16, 214, 88, 100, 38, 140, 232, 0, 29],
    output: [255, 255, 255, 255, 0, 0, 255, 0, 255, 0, 0, 0],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [2, 3, 2, 2], 0.125, 131), [118, 150, 124, 120, 138, 136, 123, 132, 132, 128, 134, 131, 129, 145, 155, 121, 137, 107, 143, 139, 107, 148, 139, 111])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.0625, 0), [320, -639])
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
    input: [128, 115, 125, 143, 108, 114, 141, 112, 124, 131, 114, 104],
    output: [125, 49, 103, 18, 115, 112, 118, 57, 109, 84, 124, 47],
}, model=model).AddAllActivations(output, activation)
