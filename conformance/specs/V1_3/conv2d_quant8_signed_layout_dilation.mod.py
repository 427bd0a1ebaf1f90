# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 6, 2], 0.5, -8))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3, 2], 0.125, 3), [-9, 26, 11, 20, -5, -10, -13, 12, 24, -12, -8, 0, -10, -10, -3, -15, 23, 20, 10, 12, -7, -9, 15, -11])
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
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 5, 2], 1.0, -28))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout, dilation_width, dilation_height).To(output)
Example({
    input: [-22, -9, 11, -5, 14, -32, 5, -7, -7, -31, -2, -27, 4, -31, -1, -20, 10, 9, -20, -17, -28, -21, 8, 7, 1, 10, -9, 10, -3, -3, -21, -22, -1, -21, -20, -10, -1, -9, -23, -21, -26, -29, -20, -4, -3, -13, -1, -27, -28, -19, -13, -22, -10, 16, -13, -4, -15, -13, 2, 2],
    output: [14, -51, 28, -58, 4, -96, -33, -95, -105, -1, 36, -79, 29, -112, 12, -65, -8, -66, 3, -83, -48, -25, -26, -52, 23, -83, -36, -32, 19, -78],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 6, 5, 1], 0.1, -128))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 2, 1], 0.07, 127), [109, 114, 78, 84, 123, 88, 82, 80, 74, 90, 93, 77])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.007000000000000001, 0), [3714, -7427])
padding = 1
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
dilation_width = 1
dilation_height = 2
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 6, 3, 2], 1.3, 127))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation, layout, dilation_width, dilation_height).To(output)
Example({
    input: [-105, -115, -85, -90, -104, -82, -106, -97, -112, -120, -103, -107, -72, -85, -102, -120, -96, -113, -91, -80, -85, -128, -119, -113, -128, -89, -111, -85, -106, -117],
    output: [127, 68, 117, 45, 127, 75, 123, 59, 127, 62, 127, 76, 127, 59, 112, 37, 127, 74, 127, 50, 125, 50, 127, 69, 127, 63, 127, 57, 127, 81, 127, 62, 127, 57, 127, 72],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 4, 2], 0.25, 127))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 2, 2, 2], 0.5, 127), [30, 103, 111, 66, 21, 124, 100, 52, 33, 46, 21, 95, 22, 79, 30, 120, 77, 98, 56, 105, 127, 56, 85, 71])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.125, 0), [4000, -7999, 12002])
left = 0
right = 1
top = 1
bottom = 0
stride_width = 1
stride_height = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 4, 3], 25.0, -128))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [36, 19, 55, 108, 116, 102, 104, 63, 123, 92, 9, 87, 112, 103, 121, 60, 85, 24, 35, 37, 112, 21, 91, 16],
    output: [-41, -59, -9, -59, -119, -52, -75, -128, -36, -95, -128, -45, -6, 29, 46, 12, -37, -17, -44, -111, -18, -85, -112, -29, -10, 12, 65, 54, -4, 40, -21, -83, 25, -76, -92, -17],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 6, 2], 0.5, -8))
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
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 5, 2], 1.0, -28))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout, dilation_width, dilation_height).To(output)
Example({
    input: [-1, -6, -24, -1, -23, -23, -29, -4, 7, -26, 2, -3, 9, -11, -10, -27, -21, -19, 0, -20, -12, -13, 6, -8, -31, 15, -5, 15, -23, -21, 8, 1, -26, -31, -32, -12, -23, -17, -8, -17, -8, -28, 4, 0, 9, -7, 2, -14, -30, -11, 1, 16, -15, -14, -16, -31, -13, -13, -4, -25],
    output: [5, 1, -1, -85, -30, -128, -32, -128, -40, -29, 17, -51, 12, -27, -79, -81, -51, -67, -36, -123, -17, -89, 14, 59, -33, -54, -71, -128, -19, -71],
}, model=model).AddNchw(input, output, layout)
