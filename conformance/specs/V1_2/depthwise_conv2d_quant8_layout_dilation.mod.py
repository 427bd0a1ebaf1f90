# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 5, 6, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [1, 2, 3, 4], 0.125, 131), [119, 154, 139, 148, 123, 118, 115, 140, 152, 116, 120, 128, 118, 118, 125, 113, 151, 148, 138, 140, 121, 119, 143, 117])
bias = Parameter("bias", ("TENSOR_INT32", [4], 0.0625, 0), [320, -639, 962, -1277])
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
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 5, 4], 1.0, 100))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation, layout, dilation_width, dilation_height).To(output)
Example({
    input: [106, 119, 139, 123, 142, 96, 133, 121, 121, 97, 126, 101, 132, 97, 127, 108, 138, 137, 108, 111, 100, 107, 136, 135, 129, 138, 119, 138, 125, 125, 107, 106, 127, 107, 108, 118, 127, 119, 105, 107, 102, 99, 108, 124, 125, 115, 127, 101, 100, 109, 115, 106, 118, 144, 115, 124, 113, 115, 130, 130],
    output: [160, 50, 180, 0, 144, 49, 145, 23, 146, 45, 206, 57, 76, 41, 186, 23, 63, 55, 159, 0, 142, 69, 123, 47, 92, 66, 149, 22, 89, 34, 161, 38, 104, 75, 177, 65, 134, 81, 181, 39, 127, 78, 155, 9, 116, 69, 171, 12, 127, 39, 134, 23, 139, 48, 142, 6, 125, 63, 177, 43],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 7, 7, 2], 0.1, 0))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [1, 3, 3, 2], 0.07, 255), [237, 242, 206, 212, 251, 216, 210, 208, 202, 218, 221, 205, 250, 230, 220, 231, 242, 225])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.007000000000000001, 0), [3714, -7427])
padding = 1
stride_width = 2
stride_height = 3
factor = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
dilation_width = 2
dilation_height = 2
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 4, 2], 1.3, 255))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation, layout, dilation_width, dilation_height).To(output)
Example({
    input: [23, 13, 43, 38, 24, 46, 22, 31, 16, 8, 25, 21, 56, 43, 26, 8, 32, 15, 37, 48, 43, 0, 9, 15, 0, 39, 17, 43, 22, 11, 4, 42, 59, 50, 21, 54, 36, 4, 1, 32, 58, 36, 47, 32, 60, 27, 35, 42, 14, 13, 0, 30, 60, 8, 41, 50, 25, 10, 22, 6, 43, 25, 9, 29, 51, 57, 54, 39, 26, 35, 46, 42, 3, 53, 3, 5, 0, 6, 45, 7, 57, 55, 19, 58, 13, 28, 21, 52, 8, 0, 28, 3, 53, 12, 34, 56, 8, 13],
    output: [255, 191, 245, 192, 242, 177, 243, 199, 239, 179, 236, 168, 243, 158, 253, 178, 255, 202, 245, 186, 238, 187, 248, 197],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 3, 4, 2], 0.25, 255))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 4], 0.5, 255), [158, 231, 239, 194, 149, 252, 228, 180, 161, 174, 149, 223, 150, 207, 158, 248])
bias = Parameter("bias", ("TENSOR_INT32", [4], 0.125, 0), [4000, -7999, 12002, -15997])
left = 0
right = 1
top = 1
bottom = 0
stride_width = 1
stride_height = 1
factor = 2
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 4, 4], 25.0, 0))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [164, 147, 183, 236, 244, 230, 232, 191, 251, 220, 137, 215, 240, 231, 249, 188, 213, 152, 163, 165, 240, 149, 219, 144],
    output: [101, 14, 126, 0, 60, 0, 82, 0, 37, 0, 104, 0, 31, 0, 94, 0, 166, 2, 109, 0, 124, 20, 98, 0, 48, 0, 116, 0, 34, 0, 101, 0, 153, 1, 166, 0, 136, 15, 166, 0, 56, 0, 181, 0, 40, 0, 124, 0],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 5, 6, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [1, 2, 3, 4]), [9, -23, -4, 21, 4, -3, -1, 12, 12, -9, -6, -5, -8, -16, 11, 24, -11, -11, -22, 6, 6, -4, -16, 21], extraParams=SymmPerChannelQuantParams(channelDim=3, scales=[0.125, 0.25, 0.375, 0.5]))
bias = Parameter("bias", ("TENSOR_INT32", [4]), [160, -319, 482, -637])
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
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 5, 4], 1.0, 100))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation, layout, dilation_width, dilation_height).To(output)
Example({
    input: [127, 122, 104, 127, 105, 105, 99, 124, 135, 102, 130, 125, 137, 117, 118, 101, 107, 109, 128, 108, 116, 115, 134, 120, 97, 143, 123, 143, 105, 107, 136, 129, 102, 97, 96, 116, 105, 111, 120, 111, 120, 100, 132, 128, 137, 121, 130, 114, 98, 117, 129, 144, 113, 114, 112, 97, 115, 115, 124, 103],
    output: [84, 57, 252, 0, 95, 88, 255, 0, 120, 15, 255, 0, 104, 89, 189, 0, 115, 129, 203, 0, 103, 106, 255, 0, 127, 35, 189, 27, 94, 174, 255, 0, 93, 51, 143, 20, 85, 87, 159, 0, 99, 76, 198, 0, 106, 66, 212, 41, 92, 132, 200, 0, 116, 33, 196, 19, 105, 82, 196, 0],
}, model=model).AddNchw(input, output, layout)
