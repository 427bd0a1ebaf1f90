# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [3, 3, 2, 2]), [-11, -3, -18, 21, 11, 15, -2, -2, 10, 20, 24, -18, -20, -19, -9, -5, -22, -3, -5, 18, 12, -21, -5, 6, 14, -10, 21, 13, 24, 1, -16, 13, -17, -4, -23, 22], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25, 0.375]))
bias = Parameter("bias", ("TENSOR_INT32", [3]), [160, -319, 482])
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
    input: [107, 142, 113, 127, 134, 124, 98, 109, 132, 131, 111, 135, 125, 140, 98, 97, 96, 117, 144, 119, 122, 122, 96, 106, 123, 134, 126, 119, 110, 129, 118, 105, 130, 119, 97, 129, 113, 141, 117, 143],
    output: [66, 85, 255, 131, 25, 164, 88, 57, 255, 78, 135, 255, 131, 28, 97, 100, 98, 51, 154, 101, 255, 87, 0, 255, 83, 196, 106, 153, 54, 137, 26, 179, 43, 94, 65, 255, 113, 24, 173, 152, 149, 255, 142, 118, 228],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 3, 4, 1], 0.1, 0))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 2, 3, 1]), [13, -52, -27, -25, 46, -55, -52, 56, 21, -51, -26, 38], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25]))
bias = Parameter("bias", ("TENSOR_INT32", [2]), [1040, -2079])
padding = 1
stride_width = 1
stride_height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 4, 2], 1.3, 255))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation).To(output)
Example({
    input: [22, 52, 16, 1, 13, 39, 58, 57, 10, 6, 22, 21, 36, 54, 31, 49, 44, 19, 44, 14, 14, 59, 48, 15],
    output: [226, 255, 221, 255, 249, 155, 255, 115, 255, 228, 255, 220, 249, 241, 255, 216, 242, 255, 209, 229, 251, 184, 240, 187, 243, 254, 225, 255, 244, 214, 255, 183],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 5, 4, 3], 0.25, 255))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 3, 3, 3]), [0, -119, 24, 42, -67, -51, 34, 89, 76, -10, 9, 7, -67, -74, 20, 77, 108, 9, -88, -113, 55, 11, -7, -55, 41, -77, -99, -114, 56, -31, -93, -112, 0, -81, 77, 118, 100, 31, 31, -53, 117, -7, -21, 42, -35, -69, -59, -61, -115, 12, 29, 118, 54, -82], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25]))
bias = Parameter("bias", ("TENSOR_INT32", [2]), [8000, -15999])
padding = 2
stride_width = 1
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 25.0, 0))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation).To(output)
Example({
    input: [208, 143, 168, 170, 241, 140, 143, 251, 216, 144, 169, 233, 136, 168, 208, 176, 219, 155, 181, 179, 159, 172, 226, 189, 191, 254, 146, 251, 206, 227, 147, 219, 149, 224, 175, 151, 196, 168, 234, 246, 145, 199, 219, 180, 202, 227, 255, 202, 139, 177, 231, 243, 170, 155, 239, 207, 187, 167, 240, 228],
    output: [21, 0, 18, 20, 28, 0, 24, 50, 31, 0, 16, 0],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [3, 3, 2, 2]), [-14, -1, 19, 3, 22, -24, 13, 1, 1, -23, 6, -19, 12, -23, 7, -12, 18, 17, -12, -9, -20, -13, 16, 15, 9, 18, -1, 18, 5, 5, -13, -14, 7, -13, -12, -2], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25, 0.375]))
bias = Parameter("bias", ("TENSOR_INT32", [3]), [160, -319, 482])
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
    input: [127, 118, 127, 108, 97, 133, 113, 113, 124, 137, 116, 133, 130, 111, 114, 139, 137, 137, 115, 116, 138, 130, 118, 114, 118, 113, 130, 124, 117, 133, 121, 128, 105, 109, 134, 128, 141, 133, 132, 98],
    output: [115, 70, 176, 104, 40, 255, 101, 129, 183, 99, 68, 183, 109, 83, 249, 95, 0, 117, 110, 116, 114, 119, 54, 195, 96, 121, 255, 114, 16, 160, 113, 159, 231, 107, 0, 227, 135, 50, 197, 116, 0, 64, 118, 123, 255],
}, model=model).AddAllActivations(output, activation)
