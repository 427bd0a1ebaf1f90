# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 6, 2], 0.5, -8))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 3, 4], 0.125, 3), [-9, 26, 11, 20, -5, -10, -13, 12, 24, -12, -8, 0, -10, -10, -3, -15, 23, 20, 10, 12, -7, -9, 15, -11])
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
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 5, 4], 1.0, -28))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation, layout, dilation_width, dilation_height).To(output)
Example({
    input: [-22, -9, 11, -5, 14, -32, 5, -7, -7, -31, -2, -27, 4, -31, -1, -20, 10, 9, -20, -17, -28, -21, 8, 7, 1, 10, -9, 10, -3, -3, -21, -22, -1, -21, -20, -10, -1, -9, -23, -21, -26, -29, -20, -4, -3, -13, -1, -27, -28, -19, -13, -22, -10, 16, -13, -4, -15, -13, 2, 2],
    output: [32, -78, 52, -128, 16, -79, 17, -105, 18, -83, 78, -71, -52, -87, 58, -105, -65, -73, 31, -128, 14, -59, -5, -81, -36, -62, 21, -106, -39, -94, 33, -90, -24, -53, 49, -63, 6, -47, 53, -89, -1, -50, 27, -119, -12, -59, 43, -116, -1, -89, 6, -105, 11, -80, 14, -122, -3, -65, 49, -85],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 7, 7, 2], 0.1, -128))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 3, 2], 0.07, 127), [109, 114, 78, 84, 123, 88, 82, 80, 74, 90, 93, 77, 122, 102, 92, 103, 114, 97])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.007000000000000001, 0), [3714, -7427])
padding = 1
stride_width = 2
stride_height = 3
factor = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
dilation_width = 2
dilation_height = 2
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 4, 2], 1.3, 127))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation, layout, dilation_width, dilation_height).To(output)
Example({
    input: [-105, -115, -85, -90, -104, -82, -106, -97, -112, -120, -103, -107, -72, -85, -102, -120, -96, -113, -91, -80, -85, -128, -119, -113, -128, -89, -111, -85, -106, -117, -124, -86, -69, -78, -107, -74, -92, -124, -127, -96, -70, -92, -81, -96, -68, -101, -93, -86, -114, -115, -128, -98, -68, -120, -87, -78, -103, -118, -106, -122, -85, -103, -119, -99, -77, -71, -74, -89, -102, -93, -82, -86, -125, -75, -125, -123, -128, -122, -83, -121, -71, -73, -109, -70, -115, -100, -107, -76, -120, -128, -100, -125, -75, -116, -94, -72, -120, -115],
    output: [127, 63, 117, 64, 114, 49, 115, 71, 111, 51, 108, 40, 115, 30, 125, 50, 127, 74, 117, 58, 110, 59, 120, 69],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 4, 2], 0.25, 127))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 4], 0.5, 127), [30, 103, 111, 66, 21, 124, 100, 52, 33, 46, 21, 95, 22, 79, 30, 120])
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
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 4, 4], 25.0, -128))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [36, 19, 55, 108, 116, 102, 104, 63, 123, 92, 9, 87, 112, 103, 121, 60, 85, 24, 35, 37, 112, 21, 91, 16],
    output: [-27, -114, -2, -128, -68, -128, -46, -128, -91, -128, -24, -128, -97, -128, -34, -128, 38, -126, -19, -128, -4, -108, -30, -128, -80, -128, -12, -128, -94, -128, -27, -128, 25, -127, 38, -128, 8, -113, 38, -128, -72, -128, 53, -128, -88, -128, -4, -128],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 6, 2], 0.5, -8))
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
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 5, 4], 1.0, -28))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation, layout, dilation_width, dilation_height).To(output)
Example({
    input: [-1, -6, -24, -1, -23, -23, -29, -4, 7, -26, 2, -3, 9, -11, -10, -27, -21, -19, 0, -20, -12, -13, 6, -8, -31, 15, -5, 15, -23, -21, 8, 1, -26, -31, -32, -12, -23, -17, -8, -17, -8, -28, 4, 0, 9, -7, 2, -14, -30, -11, 1, 16, -15, -14, -16, -31, -13, -13, -4, -25],
    output: [-44, -71, 124, -128, -33, -40, 127, -128, -8, -113, 127, -128, -24, -39, 61, -128, -13, 1, 75, -128, -25, -22, 127, -128, -1, -93, 61, -101, -34, 46, 127, -128, -35, -77, 15, -108, -43, -41, 31, -128, -29, -52, 70, -128, -22, -62, 84, -87, -36, 4, 72, -128, -12, -95, 68, -109, -23, -46, 68, -128],
}, model=model).AddNchw(input, output, layout)
