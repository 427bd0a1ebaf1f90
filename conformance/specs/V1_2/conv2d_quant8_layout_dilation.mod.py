# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 5, 6, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [2, 2, 3, 2], 0.125, 131), [119, 154, 139, 148, 123, 118, 115, 140, 152, 116, 120, 128, 118, 118, 125, 113, 151, 148, 138, 140, 121, 119, 143, 117])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.0625, 0), [320, -639])
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
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 5, 2], 1.0, 100))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout, dilation_width, dilation_height).To(output)
Example({
    input: [106, 119, 139, 123, 142, 96, 133, 121, 121, 97, 126, 101, 132, 97, 127, 108, 138, 137, 108, 111, 100, 107, 136, 135, 129, 138, 119, 138, 125, 125, 107, 106, 127, 107, 108, 118, 127, 119, 105, 107, 102, 99, 108, 124, 125, 115, 127, 101, 100, 109, 115, 106, 118, 144, 115, 124, 113, 115, 130, 130],
    output: [142, 77, 156, 70, 132, 32, 95, 33, 23, 127, 164, 49, 157, 16, 140, 63, 120, 62, 131, 45, 80, 103, 102, 76, 151, 45, 92, 96, 147, 50],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 6, 5, 1], 0.1, 0))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [2, 3, 2, 1], 0.07, 255), [237, 242, 206, 212, 251, 216, 210, 208, 202, 218, 221, 205])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.007000000000000001, 0), [3714, -7427])
padding = 1
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
dilation_width = 1
dilation_height = 2
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 6, 3, 2], 1.3, 255))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation, layout, dilation_width, dilation_height).To(output)
Example({
    input: [23, 13, 43, 38, 24, 46, 22, 31, 16, 8, 25, 21, 56, 43, 26, 8, 32, 15, 37, 48, 43, 0, 9, 15, 0, 39, 17, 43, 22, 11],
    output: [255, 196, 245, 173, 255, 203, 251, 187, 255, 190, 255, 204, 255, 187, 240, 165, 255, 202, 255, 178, 253, 178, 255, 197, 255, 191, 255, 185, 255, 209, 255, 190, 255, 185, 255, 200],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 3, 4, 2], 0.25, 255))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [3, 2, 2, 2], 0.5, 255), [158, 231, 239, 194, 149, 252, 228, 180, 161, 174, 149, 223, 150, 207, 158, 248, 205, 226, 184, 233, 255, 184, 213, 199])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.125, 0), [4000, -7999, 12002])
left = 0
right = 1
top = 1
bottom = 0
stride_width = 1
stride_height = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 4, 3], 25.0, 0))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [164, 147, 183, 236, 244, 230, 232, 191, 251, 220, 137, 215, 240, 231, 249, 188, 213, 152, 163, 165, 240, 149, 219, 144],
    output: [87, 69, 119, 69, 9, 76, 53, 0, 92, 33, 0, 83, 122, 157, 174, 140, 91, 111, 84, 17, 110, 43, 16, 99, 118, 140, 193, 182, 124, 168, 107, 45, 153, 52, 36, 111],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 5, 6, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 2, 3, 2]), [9, -23, -4, 21, 4, -3, -1, 12, 12, -9, -6, -5, -8, -16, 11, 24, -11, -11, -22, 6, 6, -4, -16, 21], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25]))
bias = Parameter("bias", ("TENSOR_INT32", [2]), [160, -319])
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
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 5, 2], 1.0, 100))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout, dilation_width, dilation_height).To(output)
Example({
    input: [127, 122, 104, 127, 105, 105, 99, 124, 135, 102, 130, 125, 137, 117, 118, 101, 107, 109, 128, 108, 116, 115, 134, 120, 97, 143, 123, 143, 105, 107, 136, 129, 102, 97, 96, 116, 105, 111, 120, 111, 120, 100, 132, 128, 137, 121, 130, 114, 98, 117, 129, 144, 113, 114, 112, 97, 115, 115, 124, 103],
    output: [133, 129, 127, 43, 98, 0, 96, 0, 88, 99, 145, 77, 140, 101, 49, 47, 77, 61, 92, 5, 111, 39, 142, 187, 95, 74, 57, 0, 109, 57],
}, model=model).AddNchw(input, output, layout)
