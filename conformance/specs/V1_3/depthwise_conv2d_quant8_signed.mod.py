# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 2], 0.5, -8))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 4], 0.125, 3), [-8, -3, -18, 11, -2, -1, -19, 1, 13, -6, 25, 5, -4, -2, -12, 26, 18, 8, -5, 14, 11, 12, -10, 24])
bias = Parameter("bias", ("TENSOR_INT32", [4], 0.0625, 0), [320, -639, 962, -1277])
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
    input: [-21, -15, 9, -15, -32, -24, -1, -19, 4, -2, -19, -22, -16, 0, 13, -29, 5, -3, -9, -15, 16, 1, 9, -8, -13, -2, 12, 1, 3, 5, -14, 1, 7, -7, -26, -25, -20, -14, 14, -12],
    output: [-14, -75, 38, -117, -4, -76, 49, -128, 5, -59, 33, -108, -8, -70, 50, -128, 16, -61, 51, -128, 3, -72, 15, -106, 13, -48, 48, -115, -13, -68, 89, -128, 16, -68, 37, -100, -18, -76, 36, -81, 9, -84, 58, -114, -9, -79, 42, -94, -13, -72, 11, -96, -1, -76, 41, -128, -42, -78, -2, -111],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 4, 3], 0.1, -128))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 3, 3], 0.07, 127), [104, 70, 120, 75, 70, 127, 69, 117, 77, 83, 101, 78, 124, 74, 107, 119, 111, 108])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.007000000000000001, 0), [3714, -7427, 11144])
padding = 1
stride_width = 1
stride_height = 2
factor = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 4, 3], 1.3, 127))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [-110, -120, -105, -99, -95, -81, -119, -120, -109, -127, -73, -106, -92, -74, -87, -103, -99, -102, -111, -84, -110, -88, -85, -90, -87, -73, -108, -125, -75, -93, -91, -108, -83, -101, -69, -85, -112, -76, -78, -101, -103, -80, -83, -100, -114, -100, -109, -92, -83, -124, -120, -94, -119, -92, -112, -71, -125, -128, -104, -115, -69, -69, -98, -96, -125, -125, -103, -108, -120, -128, -76, -95],
    output: [127, 65, 127, 124, 54, 127, 127, 51, 127, 127, 49, 127, 127, 67, 127, 127, 53, 127, 127, 61, 127, 127, 63, 127, 127, 68, 127, 111, 54, 127, 114, 50, 127, 127, 58, 127, 120, 69, 127, 123, 67, 127, 127, 77, 127, 127, 65, 127],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 4, 1], 0.25, 127))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 3, 3], 0.5, 127), [85, 44, 110, 34, 41, 49, 72, 66, 123, 60, 71, 101, 117, 11, 103, 40, 124, 106, 64, 53, 32, 50, 32, 57, 55, 28, 90])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.125, 0), [4000, -7999, 12002])
padding = 2
stride_width = 1
stride_height = 1
factor = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 3], 25.0, -128))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [45, 82, 8, 76, 15, 73, 77, 77, 92, 105, 59, 18, 40, 35, 119, 100, 57, 32, 89, 107],
    output: [69, 42, 22, 86, 57, 56, 62, 20, 53, 40, -10, 31, 38, 44, 42, 53, -2, 40],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 6, 6, 2], 0.5, -8))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 3, 2], 0.125, 3), [24, -4, -5, 4, -13, 11, 18, 26, 1, 20, 3, -21, -3, 4, 1, 6, -2, -18])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.0625, 0), [320, -639])
padding = 1
stride_width = 2
stride_height = 2
factor = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 3, 2], 1.0, -28))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [11, 10, -28, -21, -21, -12, -13, 6, -30, 1, 8, 1, 10, 7, -23, -22, -15, -29, -4, -32, -28, -21, -32, -21, -31, -1, 4, -31, 6, 7, -30, 8, -1, -19, -6, -9, 13, -8, 4, 14, -7, 15, -15, 5, 13, -10, 13, -18, 1, -14, -3, -20, 4, -16, -28, 6, 3, -14, 16, 8, 10, -31, -3, -18, 9, 11, -9, 0, -17, 3, -17, -12],
    output: [62, -64, -12, -79, -64, -105, -48, -68, 11, -19, 10, -74, 6, -128, 23, -47, -13, -53],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 2], 0.5, 0))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 4], 0.25, 0), [95, -63, 112, 121, 106, -29, -22, 56, 123, -120, 105, 125, 44, -102, 13, -24, 54, 106, -27, 99, -22, -53, 35, -16])
bias = Parameter("bias", ("TENSOR_INT32", [4], 0.125, 0), [32, -63, 98, -125])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
factor = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 3, 4], 0.2, 0))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [-73, -12, 111, -112, 86, -40, -28, -90, 12, 104, -128, -99, 42, 85, -57, -42, 29, 43, -76, -72, -123, -116, -113, -87, -57, -30, 69, -119, 46, -99, 65, -91, 123, -24, -62, 51, 3, -32, -72, 71],
    output: [127, 127, -128, 42, 127, 127, 127, -128, -128, -128, 127, -128, -128, 127, -128, 127, 127, -128, -128, -128, 127, 127, -128, -128, -128, 127, -128, 127, 127, -128, -128, -128, 127, 127, -128, -128, -128, 127, -128, -128, -128, 127, 127, -128, 127, -128, -128, -128, -128, -128, 127, -128, -128, 127, -128, -128, 127, 127, -128, -128],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 2], 0.5, -8))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 4], 0.125, 3), [-10, 22, -4, -8, 10, 8, -5, 4, 4, 0, 6, 3, 1, 17, 27, -7, 9, -21, 15, 11, -21, 20, 11, -17])
bias = Parameter("bias", ("TENSOR_INT32", [4], 0.0625, 0), [320, -639, 962, -1277])
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
    input: [0, -13, -3, 15, -20, -14, 13, -16, -4, 3, -14, -24, -11, -4, -20, 13, -4, -32, 10, -18, -17, 9, -18, -23, -19, -23, 16, 6, 9, -13, -11, -26, -18, -16, -16, -26, 8, -22, 6, -7],
    output: [-20, -59, 30, -102, 12, -88, 46, -89, -6, -95, 32, -126, 0, -67, 17, -85, 11, -88, 41, -128, -33, -55, 24, -114, 10, -80, 19, -119, -3, -72, 39, -126, -42, -45, 19, -82, -5, -81, 57, -97, -2, -77, -20, -81, -19, -56, 33, -97, -11, -73, -3, -96, -4, -88, 18, -87, -21, -25, 27, -118],
}, model=model).AddAllActivations(output, activation)
