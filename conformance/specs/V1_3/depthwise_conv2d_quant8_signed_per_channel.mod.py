# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 2], 0.5, -8))
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
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 3, 4], 1.0, -28))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [-21, 14, -15, -1, 6, -4, -30, -19, 4, 3, -17, 7, -3, 12, -30, -31, -32, -11, 16, -9, -6, -6, -32, -22, -5, 6, -2, -9, -18, 1, -10, -23, 2, -9, -31, 1, -15, 13, -11, 15],
    output: [-28, -34, 42, -128, 2, -102, 52, -128, 21, -91, 63, -128, -8, -13, 11, -128, -63, -63, 90, -128, 4, -128, -2, -128, -14, -76, 27, -128, 62, 27, 127, -128, -55, -128, 76, -128, -28, -84, 68, -128, -86, -122, -91, -16, 39, 36, 12, -80, -14, -59, 87, -128, 36, 27, 85, -128, -30, -99, 118, -128],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 4, 3], 0.1, -128))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [1, 2, 3, 3]), [13, -52, -27, -25, 46, -55, -52, 56, 21, -51, -26, 38, -59, -27, 13, -19, 24, -40], extraParams=SymmPerChannelQuantParams(channelDim=3, scales=[0.125, 0.25, 0.375]))
bias = Parameter("bias", ("TENSOR_INT32", [3]), [1040, -2079, 3122])
padding = 1
stride_width = 1
stride_height = 2
factor = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 4, 3], 1.3, 127))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [-106, -76, -112, -127, -115, -89, -70, -71, -118, -122, -106, -107, -92, -74, -97, -79, -84, -109, -84, -114, -114, -69, -80, -113, -74, -84, -69, -126, -116, -81, -126, -128, -94, -73, -89, -78, -84, -121, -83, -118, -109, -88, -115, -118, -91, -80, -84, -68, -78, -83, -113, -104, -106, -78, -82, -109, -77, -121, -106, -107, -80, -85, -84, -124, -126, -116, -84, -116, -93, -97, -121, -109],
    output: [102, 127, 127, 57, 65, 127, 60, 127, 127, 88, 18, 127, 123, 127, 127, 127, 54, 117, 109, 117, 127, 124, 122, 111, 89, 100, 118, 87, 82, 117, 72, 114, 127, 101, 95, 127, 123, 127, 127, 120, 59, 127, 111, 103, 127, 127, 81, 127],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 4, 1], 0.25, 127))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [1, 3, 3, 3]), [0, -119, 24, 42, -67, -51, 34, 89, 76, -10, 9, 7, -67, -74, 20, 77, 108, 9, -88, -113, 55, 11, -7, -55, 41, -77, -99], extraParams=SymmPerChannelQuantParams(channelDim=3, scales=[0.125, 0.25, 0.375]))
bias = Parameter("bias", ("TENSOR_INT32", [3]), [8000, -15999, 24002])
padding = 2
stride_width = 1
stride_height = 1
factor = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 3], 25.0, -128))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [80, 15, 40, 42, 113, 12, 15, 123, 88, 16, 41, 105, 8, 40, 80, 48, 91, 27, 53, 51],
    output: [-128, -128, -12, -106, -85, -64, -118, -128, -51, -113, -68, -17, -124, -128, -15, -120, -96, -23],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 2], 0.5, -8))
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
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 3, 4], 1.0, -28))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [-1, -10, -1, -20, -31, 5, -15, -15, -4, 9, -12, 5, 2, -17, -14, 11, 9, 9, -13, -12, 10, 2, -10, -14, -10, -15, 2, -4, -11, 5, -7, 0, -23, -19, 6, 0, 13, 5, 4, -30],
    output: [-27, -79, 57, -128, 19, -15, 127, -112, -31, -89, 127, -108, -8, -82, 99, -128, -16, 9, 127, -78, 10, -15, 27, -128, -34, -107, 105, -128, -59, -12, 59, -128, 6, -87, 123, -128, -11, -109, 127, -128, -71, -94, 110, -85, -33, -50, 40, -128, 8, -125, 97, -128, -9, -59, 22, -128, -20, -128, 94, -128],
}, model=model).AddAllActivations(output, activation)
