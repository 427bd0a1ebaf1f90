# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [1, 3, 2, 4]), [-11, -3, -18, 21, 11, 15, -2, -2, 10, 20, 24, -18, -20, -19, -9, -5, -22, -3, -5, 18, 12, -21, -5, 6], extraParams=SymmPerChannelQuantParams(channelDim=3, scales=[0.125, 0.25, 0.375, 0.5]))
bias = Parameter("bias", ("TENSOR_INT32", [4]), [160, -319, 482, -637])
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
    input: [107, 142, 113, 127, 134, 124, 98, 109, 132, 131, 111, 135, 125, 140, 98, 97, 96, 117, 144, 119, 122, 122, 96, 106, 123, 134, 126, 119, 110, 129, 118, 105, 130, 119, 97, 129, 113, 141, 117, 143],
    output: [100, 94, 170, 0, 130, 26, 180, 0, 149, 37, 191, 0, 120, 115, 139, 0, 65, 65, 218, 0, 132, 0, 126, 0, 114, 52, 155, 0, 190, 155, 255, 0, 73, 0, 204, 0, 100, 44, 196, 0, 42, 6, 37, 112, 167, 164, 140, 48, 114, 69, 215, 0, 164, 155, 213, 0, 98, 29, 246, 0],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 3, 4, 3], 0.1, 0))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [1, 2, 3, 3]), [13, -52, -27, -25, 46, -55, -52, 56, 21, -51, -26, 38, -59, -27, 13, -19, 24, -40], extraParams=SymmPerChannelQuantParams(channelDim=3, scales=[0.125, 0.25, 0.375]))
bias = Parameter("bias", ("TENSOR_INT32", [3]), [1040, -2079, 3122])
padding = 1
stride_width = 1
stride_height = 2
factor = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 4, 3], 1.3, 255))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [22, 52, 16, 1, 13, 39, 58, 57, 10, 6, 22, 21, 36, 54, 31, 49, 44, 19, 44, 14, 14, 59, 48, 15, 54, 44, 59, 2, 12, 47, 2, 0, 34, 55, 39, 50, 44, 7, 45, 10, 19, 40, 13, 10, 37, 48, 44, 60, 50, 45, 15, 24, 22, 50, 46, 19, 51, 7, 22, 21, 48, 43, 44, 4, 2, 12, 44, 12, 35, 31, 7, 19],
    output: [230, 255, 255, 185, 193, 255, 188, 255, 255, 216, 146, 255, 251, 255, 255, 255, 182, 245, 237, 245, 255, 252, 250, 239, 217, 228, 246, 215, 210, 245, 200, 242, 255, 229, 223, 255, 251, 255, 255, 248, 187, 255, 239, 231, 255, 255, 209, 255],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 5, 4, 1], 0.25, 255))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [1, 3, 3, 3]), [0, -119, 24, 42, -67, -51, 34, 89, 76, -10, 9, 7, -67, -74, 20, 77, 108, 9, -88, -113, 55, 11, -7, -55, 41, -77, -99], extraParams=SymmPerChannelQuantParams(channelDim=3, scales=[0.125, 0.25, 0.375]))
bias = Parameter("bias", ("TENSOR_INT32", [3]), [8000, -15999, 24002])
padding = 2
stride_width = 1
stride_height = 1
factor = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 3], 25.0, 0))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [208, 143, 168, 170, 241, 140, 143, 251, 216, 144, 169, 233, 136, 168, 208, 176, 219, 155, 181, 179],
    output: [0, 0, 116, 22, 43, 64, 10, 0, 77, 15, 60, 111, 4, 0, 113, 8, 32, 105],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [1, 3, 2, 4]), [-14, -1, 19, 3, 22, -24, 13, 1, 1, -23, 6, -19, 12, -23, 7, -12, 18, 17, -12, -9, -20, -13, 16, 15], extraParams=SymmPerChannelQuantParams(channelDim=3, scales=[0.125, 0.25, 0.375, 0.5]))
bias = Parameter("bias", ("TENSOR_INT32", [4]), [160, -319, 482, -637])
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
    input: [127, 118, 127, 108, 97, 133, 113, 113, 124, 137, 116, 133, 130, 111, 114, 139, 137, 137, 115, 116, 138, 130, 118, 114, 118, 113, 130, 124, 117, 133, 121, 128, 105, 109, 134, 128, 141, 133, 132, 98],
    output: [101, 49, 185, 0, 147, 113, 255, 16, 97, 39, 255, 20, 120, 46, 227, 0, 112, 137, 255, 50, 138, 113, 155, 0, 94, 21, 233, 0, 69, 116, 187, 0, 134, 41, 251, 0, 117, 19, 255, 0, 57, 34, 238, 43, 95, 78, 168, 0, 136, 3, 225, 0, 119, 69, 150, 0, 108, 0, 222, 0],
}, model=model).AddAllActivations(output, activation)
