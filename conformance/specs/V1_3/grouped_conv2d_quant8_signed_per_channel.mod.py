# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 4], 0.5, -8))
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
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 3, 4], 1.0, -28))
model = Model().Operation("GROUPED_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [-21, 14, -15, -1, 6, -4, -30, -19, 4, 3, -17, 7, -3, 12, -30, -31, -32, -11, 16, -9, -6, -6, -32, -22, -5, 6, -2, -9, -18, 1, -10, -23, 2, -9, -31, 1, -15, 13, -11, 15, -12, -20, -11, -21, -1, 15, 14, -25, -31, 1, -28, -26, -30, -8, 12, 13, -2, -32, -5, 7, -23, 0, -18, -13, -15, 16, 2, -27, 8, -24, 2, -13, -1, 6, -12, -12, 11, 3, -28, -32],
    output: [-62, -43, 122, -121, 1, -57, 127, -128, -22, -100, 42, -128, -18, -10, 127, -128, -13, -110, -47, -128, -21, -43, 59, -13, 33, -70, 49, -128, -24, -128, -23, -34, 24, -128, 73, -86, -47, -81, -67, -55, 96, -128, 66, -128, 36, -123, 127, -128, -28, -29, 37, -128, 28, -128, 29, -39, -27, -16, 107, -128],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 4, 3], 0.1, -128))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [6, 2, 3, 1]), [13, -52, -27, -25, 46, -55, -52, 56, 21, -51, -26, 38, -59, -27, 13, -19, 24, -40, -14, -16, -36, -23, 31, -6, -4, 59, -49, 56, 11, 32, -48, 24, -46, 29, -20, -44], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25, 0.375, 0.5, 0.625, 0.75]))
bias = Parameter("bias", ("TENSOR_INT32", [6]), [1040, -2079, 3122, -4157, 5204, -6235])
padding = 1
stride_width = 1
stride_height = 2
factor = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 4, 6], 1.3, 127))
model = Model().Operation("GROUPED_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [-106, -76, -112, -127, -115, -89, -70, -71, -118, -122, -106, -107, -92, -74, -97, -79, -84, -109, -84, -114, -114, -69, -80, -113, -74, -84, -69, -126, -116, -81, -126, -128, -94, -73, -89, -78, -84, -121, -83, -118, -109, -88, -115, -118, -91, -80, -84, -68, -78, -83, -113, -104, -106, -78, -82, -109, -77, -121, -106, -107, -80, -85, -84, -124, -126, -116, -84, -116, -93, -97, -121, -109],
    output: [116, 127, 127, -29, 127, -128, 114, 62, 125, -128, 127, -128, 83, 124, 89, -128, 127, -128, 127, -37, 127, -32, 127, -128, 109, 127, 127, -77, 127, -128, 127, 36, 127, -64, 127, -128, 122, 109, 127, -93, 127, -128, 110, 127, 127, -57, 127, -128, 122, 127, 127, -15, 127, -128, 108, 32, 127, -80, 127, -128, 127, 69, 127, -112, 127, -128, 107, 77, 127, -56, 127, -128, 112, 127, 127, -62, 127, -128, 127, 61, 127, -74, 127, -128, 107, 127, 127, -51, 127, -128, 127, 76, 127, -44, 127, -128],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 4, 2], 0.25, 127))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [3, 2, 3, 2]), [0, -119, 24, 42, -67, -51, 34, 89, 76, -10, 9, 7, -67, -74, 20, 77, 108, 9, -88, -113, 55, 11, -7, -55, 41, -77, -99, -114, 56, -31, -93, -112, 0, -81, 77, 118], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25, 0.375]))
bias = Parameter("bias", ("TENSOR_INT32", [3]), [8000, -15999, 24002])
padding = 2
stride_width = 1
stride_height = 1
factor = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 3], 25.0, -128))
model = Model().Operation("GROUPED_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [80, 15, 40, 42, 113, 12, 15, 123, 88, 16, 41, 105, 8, 40, 80, 48, 91, 27, 53, 51, 31, 44, 98, 61, 63, 126, 18, 123, 78, 99, 19, 91],
    output: [-124, -125, 60, -120, -128, 22, -110, -128, 28, -128, -128, 81, -110, -128, 32, -118, -128, 46],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 4], 0.5, -8))
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
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 3, 4], 1.0, -28))
model = Model().Operation("GROUPED_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [-1, -10, -1, -20, -31, 5, -15, -15, -4, 9, -12, 5, 2, -17, -14, 11, 9, 9, -13, -12, 10, 2, -10, -14, -10, -15, 2, -4, -11, 5, -7, 0, -23, -19, 6, 0, 13, 5, 4, -30, 6, -19, 13, -17, 11, -29, -6, 11, 16, 8, -15, -11, 14, -14, -15, -14, 1, -32, 15, 6, 11, -17, -28, -12, 0, -18, -7, -18, 3, 14, 15, -17, 16, 9, -11, 11, 7, 15, 13, -23],
    output: [-13, -58, 51, -118, -57, 9, 75, -128, -18, -12, 21, -128, -17, -21, 84, -128, -71, -82, 23, -123, 32, 13, 78, -116, 24, -90, -3, -95, 37, -127, 35, -128, 53, -128, 102, -128, 34, -55, 62, -128, 54, -69, 127, -128, 24, -24, -128, -50, 12, -58, 87, -128, 35, -26, 80, -128, -9, 68, 77, -128],
}, model=model).AddAllActivations(output, activation)
