# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 4], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [4, 3, 2, 2]), [-11, -3, -18, 21, 11, 15, -2, -2, 10, 20, 24, -18, -20, -19, -9, -5, -22, -3, -5, 18, 12, -21, -5, 6, 14, -10, 21, 13, 24, 1, -16, 13, -17, -4, -23, 22, -21, 7, -7, -18, 13, -23, 14, -1, 19, 13, -22, 16], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25, 0.375, 0.5]))
bias = Parameter("bias", ("TENSOR_INT32", [4]), [160, -319, 482, -637])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
factor = 2
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 4], 1.0, 100))
model = Model().Operation("GROUPED_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [107, 142, 113, 127, 134, 124, 98, 109, 132, 131, 111, 135, 125, 140, 98, 97, 96, 117, 144, 119, 122, 122, 96, 106, 123, 134, 126, 119, 110, 129, 118, 105, 130, 119, 97, 129, 113, 141, 117, 143, 116, 108, 117, 107, 127, 143, 142, 103, 97, 129, 100, 102, 98, 120, 140, 141, 126, 96, 123, 135, 105, 128, 110, 115, 113, 144, 130, 101, 136, 104, 130, 115, 127, 134, 116, 116, 139, 131, 100, 96],
    output: [66, 85, 250, 7, 129, 71, 255, 0, 106, 28, 170, 0, 110, 118, 255, 0, 115, 18, 81, 0, 107, 85, 187, 115, 161, 58, 177, 0, 104, 0, 105, 94, 152, 0, 201, 42, 81, 47, 61, 73, 224, 0, 194, 0, 164, 5, 255, 0, 100, 99, 165, 0, 156, 0, 157, 89, 101, 112, 235, 0],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 3, 4, 3], 0.1, 0))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [6, 2, 3, 1]), [13, -52, -27, -25, 46, -55, -52, 56, 21, -51, -26, 38, -59, -27, 13, -19, 24, -40, -14, -16, -36, -23, 31, -6, -4, 59, -49, 56, 11, 32, -48, 24, -46, 29, -20, -44], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25, 0.375, 0.5, 0.625, 0.75]))
bias = Parameter("bias", ("TENSOR_INT32", [6]), [1040, -2079, 3122, -4157, 5204, -6235])
padding = 1
stride_width = 1
stride_height = 2
factor = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 4, 6], 1.3, 255))
model = Model().Operation("GROUPED_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [22, 52, 16, 1, 13, 39, 58, 57, 10, 6, 22, 21, 36, 54, 31, 49, 44, 19, 44, 14, 14, 59, 48, 15, 54, 44, 59, 2, 12, 47, 2, 0, 34, 55, 39, 50, 44, 7, 45, 10, 19, 40, 13, 10, 37, 48, 44, 60, 50, 45, 15, 24, 22, 50, 46, 19, 51, 7, 22, 21, 48, 43, 44, 4, 2, 12, 44, 12, 35, 31, 7, 19],
    output: [244, 255, 255, 99, 255, 0, 242, 190, 253, 0, 255, 0, 211, 252, 217, 0, 255, 0, 255, 91, 255, 96, 255, 0, 237, 255, 255, 51, 255, 0, 255, 164, 255, 64, 255, 0, 250, 237, 255, 35, 255, 0, 238, 255, 255, 71, 255, 0, 250, 255, 255, 113, 255, 0, 236, 160, 255, 48, 255, 0, 255, 197, 255, 16, 255, 0, 235, 205, 255, 72, 255, 0, 240, 255, 255, 66, 255, 0, 255, 189, 255, 54, 255, 0, 235, 255, 255, 77, 255, 0, 255, 204, 255, 84, 255, 0],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 4, 2], 0.25, 255))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [3, 2, 3, 2]), [0, -119, 24, 42, -67, -51, 34, 89, 76, -10, 9, 7, -67, -74, 20, 77, 108, 9, -88, -113, 55, 11, -7, -55, 41, -77, -99, -114, 56, -31, -93, -112, 0, -81, 77, 118], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25, 0.375]))
bias = Parameter("bias", ("TENSOR_INT32", [3]), [8000, -15999, 24002])
padding = 2
stride_width = 1
stride_height = 1
factor = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 3], 25.0, 0))
model = Model().Operation("GROUPED_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [208, 143, 168, 170, 241, 140, 143, 251, 216, 144, 169, 233, 136, 168, 208, 176, 219, 155, 181, 179, 159, 172, 226, 189, 191, 254, 146, 251, 206, 227, 147, 219],
    output: [4, 3, 188, 8, 0, 150, 18, 0, 156, 0, 0, 209, 18, 0, 160, 10, 0, 174],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 4], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [4, 3, 2, 2]), [-14, -1, 19, 3, 22, -24, 13, 1, 1, -23, 6, -19, 12, -23, 7, -12, 18, 17, -12, -9, -20, -13, 16, 15, 9, 18, -1, 18, 5, 5, -13, -14, 7, -13, -12, -2, 7, -1, -15, -13, -18, -21, -12, 4, 5, -5, 7, -19], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25, 0.375, 0.5]))
bias = Parameter("bias", ("TENSOR_INT32", [4]), [160, -319, 482, -637])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
factor = 2
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 4], 1.0, 100))
model = Model().Operation("GROUPED_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [127, 118, 127, 108, 97, 133, 113, 113, 124, 137, 116, 133, 130, 111, 114, 139, 137, 137, 115, 116, 138, 130, 118, 114, 118, 113, 130, 124, 117, 133, 121, 128, 105, 109, 134, 128, 141, 133, 132, 98, 134, 109, 141, 111, 139, 99, 122, 139, 144, 136, 113, 117, 142, 114, 113, 114, 129, 96, 143, 134, 139, 111, 100, 116, 128, 110, 121, 110, 131, 142, 143, 111, 144, 137, 117, 139, 135, 143, 141, 105],
    output: [115, 70, 179, 10, 71, 137, 203, 0, 110, 116, 149, 0, 111, 107, 212, 0, 57, 46, 151, 5, 160, 141, 206, 12, 152, 38, 125, 33, 165, 1, 163, 0, 181, 0, 230, 0, 162, 73, 190, 0, 182, 59, 255, 0, 152, 104, 0, 78, 140, 70, 215, 0, 163, 102, 208, 0, 119, 196, 205, 0],
}, model=model).AddAllActivations(output, activation)
