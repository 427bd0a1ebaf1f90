# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.5, -8))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 3, 2, 2]), [-11, -3, -18, 21, 11, 15, -2, -2, 10, 20, 24, -18, -20, -19, -9, -5, -22, -3, -5, 18, 12, -21, -5, 6], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25]))
bias = Parameter("bias", ("TENSOR_INT32", [2]), [160, -319])
left = 1
right = 0
top = 1
bottom = 2
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 3, 2], 1.0, -28))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [-21, 14, -15, -1, 6, -4, -30, -19, 4, 3, -17, 7],
    output: [-30, -29, 1, 30, -8, -16, -64, -63, -36, -45, -2, -69],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3, 1], 0.1, -128))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 2, 3, 1]), [13, -52, -27, -25, 46, -55, -52, 56, 21, -51, -26, 38], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25]))
bias = Parameter("bias", ("TENSOR_INT32", [2]), [1040, -2079])
shape = Int32Vector("shape", [2, 4, 8, 2])
padding = 1
stride_width = 2
stride_height = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4, 6, 2], 1.3, 127))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, shape, padding, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [-106, -76, -112, -127, -115, -89, -70, -71, -118, -122, -106, -107],
    output: [127, 65, 126, 111, 127, 44, 111, 127, 125, 92, 127, 104, 127, 65, 127, 76, 113, 52, 127, 61, 106, 109, 127, 79, 127, 87, 127, 87, 127, 87, 127, 87, 127, 87, 127, 87, 127, 86, 127, 88, 127, 74, 127, 101, 127, 53, 117, 127, 127, 29, 108, 127, 127, 53, 108, 127, 123, 100, 127, 98, 123, 30, 127, 58, 93, 73, 127, 59, 104, 119, 127, 82, 127, 87, 127, 87, 127, 87, 127, 87, 127, 87, 127, 87, 127, 81, 127, 93, 127, 67, 126, 111, 127, 75, 126, 110],
}, model=model).AddNchw(input, output, shape, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 3], 0.25, 127))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [1, 3, 3, 3]), [0, -119, 24, 42, -67, -51, 34, 89, 76, -10, 9, 7, -67, -74, 20, 77, 108, 9, -88, -113, 55, 11, -7, -55, 41, -77, -99], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125]))
bias = Parameter("bias", ("TENSOR_INT32", [1]), [8000])
shape = Int32Vector("shape", [1, 5, 4, 1])
padding = 1
stride_width = 2
stride_height = 2
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 4, 1], 25.0, -128))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, shape, padding, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [80, 15, 40, 42, 113, 12, 15, 123, 88, 16, 41, 105, 8, 40, 80, 48, 91, 27],
    output: [-119, -106, -128, -112, -104, -115, -92, -108, -117, -109, -128, -101, -96, -113, -113, -112, -118, -101, -128, -111],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.5, -8))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 3, 2, 2]), [-14, -1, 19, 3, 22, -24, 13, 1, 1, -23, 6, -19, 12, -23, 7, -12, 18, 17, -12, -9, -20, -13, 16, 15], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25]))
bias = Parameter("bias", ("TENSOR_INT32", [2]), [160, -319])
left = 1
right = 0
top = 1
bottom = 2
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 3, 2], 1.0, -28))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [-1, -10, -1, -20, -31, 5, -15, -15, -4, 9, -12, 5],
    output: [-37, -116, 16, -68, -23, -61, -23, -60, 3, -128, -9, -81],
}, model=model).AddAllActivations(output, activation)
