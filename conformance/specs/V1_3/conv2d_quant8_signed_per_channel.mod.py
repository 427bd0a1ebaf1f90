# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 2], 0.5, -8))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [3, 3, 2, 2]), [-11, -3, -18, 21, 11, 15, -2, -2, 10, 20, 24, -18, -20, -19, -9, -5, -22, -3, -5, 18, 12, -21, -5, 6, 14, -10, 21, 13, 24, 1, -16, 13, -17, -4, -23, 22], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25, 0.375]))
bias = Parameter("bias", ("TENSOR_INT32", [3]), [160, -319, 482])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 3, 3], 1.0, -28))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation).To(output)
Example({
    input: [-21, 14, -15, -1, 6, -4, -30, -19, 4, 3, -17, 7, -3, 12, -30, -31, -32, -11, 16, -9, -6, -6, -32, -22, -5, 6, -2, -9, -18, 1, -10, -23, 2, -9, -31, 1, -15, 13, -11, 15],
    output: [-62, -43, 127, 3, -103, 36, -40, -71, 127, -50, 7, 127, 3, -100, -31, -28, -30, -77, 26, -27, 127, -41, -128, 127, -45, 68, -22, 25, -74, 9, -102, 51, -85, -34, -63, 127, -15, -104, 45, 24, 21, 127, 14, -10, 100],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 4, 1], 0.1, -128))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 2, 3, 1]), [13, -52, -27, -25, 46, -55, -52, 56, 21, -51, -26, 38], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25]))
bias = Parameter("bias", ("TENSOR_INT32", [2]), [1040, -2079])
padding = 1
stride_width = 1
stride_height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 4, 2], 1.3, 127))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation).To(output)
Example({
    input: [-106, -76, -112, -127, -115, -89, -70, -71, -118, -122, -106, -107, -92, -74, -97, -79, -84, -109, -84, -114, -114, -69, -80, -113],
    output: [98, 127, 93, 127, 121, 27, 127, -13, 127, 100, 127, 92, 121, 113, 127, 88, 114, 127, 81, 101, 123, 56, 112, 59, 115, 126, 97, 127, 116, 86, 127, 55],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 4, 3], 0.25, 127))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 3, 3, 3]), [0, -119, 24, 42, -67, -51, 34, 89, 76, -10, 9, 7, -67, -74, 20, 77, 108, 9, -88, -113, 55, 11, -7, -55, 41, -77, -99, -114, 56, -31, -93, -112, 0, -81, 77, 118, 100, 31, 31, -53, 117, -7, -21, 42, -35, -69, -59, -61, -115, 12, 29, 118, 54, -82], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25]))
bias = Parameter("bias", ("TENSOR_INT32", [2]), [8000, -15999])
padding = 2
stride_width = 1
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 25.0, -128))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation).To(output)
Example({
    input: [80, 15, 40, 42, 113, 12, 15, 123, 88, 16, 41, 105, 8, 40, 80, 48, 91, 27, 53, 51, 31, 44, 98, 61, 63, 126, 18, 123, 78, 99, 19, 91, 21, 96, 47, 23, 68, 40, 106, 118, 17, 71, 91, 52, 74, 99, 127, 74, 11, 49, 103, 115, 42, 27, 111, 79, 59, 39, 112, 100],
    output: [-107, -128, -110, -108, -100, -128, -104, -78, -97, -128, -112, -128],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 2], 0.5, -8))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [3, 3, 2, 2]), [-14, -1, 19, 3, 22, -24, 13, 1, 1, -23, 6, -19, 12, -23, 7, -12, 18, 17, -12, -9, -20, -13, 16, 15, 9, 18, -1, 18, 5, 5, -13, -14, 7, -13, -12, -2], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25, 0.375]))
bias = Parameter("bias", ("TENSOR_INT32", [3]), [160, -319, 482])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 3, 3], 1.0, -28))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation).To(output)
Example({
    input: [-1, -10, -1, -20, -31, 5, -15, -15, -4, 9, -12, 5, 2, -17, -14, 11, 9, 9, -13, -12, 10, 2, -10, -14, -10, -15, 2, -4, -11, 5, -7, 0, -23, -19, 6, 0, 13, 5, 4, -30],
    output: [-13, -58, 48, -24, -88, 127, -27, 1, 55, -29, -60, 55, -19, -45, 121, -33, -128, -11, -18, -12, -14, -9, -74, 67, -32, -7, 127, -14, -112, 32, -15, 31, 103, -21, -128, 99, 7, -78, 69, -12, -128, -64, -10, -5, 127],
}, model=model).AddAllActivations(output, activation)
