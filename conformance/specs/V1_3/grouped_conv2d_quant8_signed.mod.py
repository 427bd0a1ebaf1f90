# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 4], 0.5, -8))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [4, 3, 2, 2], 0.125, 3), [-8, -3, -18, 11, -2, -1, -19, 1, 13, -6, 25, 5, -4, -2, -12, 26, 18, 8, -5, 14, 11, 12, -10, 24, 9, -14, -12, 1, -1, -15, -17, 13, -8, 1, 8, -1, 3, -18, -3, 8, 22, -2, 12, 18, -1, 22, 13, 24])
bias = Parameter("bias", ("TENSOR_INT32", [4], 0.0625, 0), [320, -639, 962, -1277])
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
    input: [-21, -15, 9, -15, -32, -24, -1, -19, 4, -2, -19, -22, -16, 0, 13, -29, 5, -3, -9, -15, 16, 1, 9, -8, -13, -2, 12, 1, 3, 5, -14, 1, 7, -7, -26, -25, -20, -14, 14, -12, -29, -3, -15, -5, -24, -28, -4, 3, 10, 15, 16, -9, -19, -31, -11, -2, -23, -22, -14, -8, -1, -17, 16, 13, -29, 6, -22, 15, -31, -10, 3, 5, 12, 12, 3, 1, -24, -27, -29, 5],
    output: [-27, -67, 39, -106, 3, -91, 29, -128, 1, -71, 22, -128, 45, -74, 12, -94, -3, -88, 29, -102, -34, -66, 70, -91, -57, -48, -7, -107, 14, -58, 60, -42, -24, -80, 57, -85, 2, -81, 29, -73, -85, -60, -2, -46, 3, -83, 6, -92, 14, -51, 22, -71, 33, -44, -28, -128, 34, -42, 52, -103],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 4, 3], 0.1, -128))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [6, 2, 3, 1], 0.07, 127), [104, 70, 120, 75, 70, 127, 69, 117, 77, 83, 101, 78, 124, 74, 107, 119, 111, 108, 121, 118, 94, 112, 72, 104, 115, 84, 110, 96, 71, 83, 125, 89, 87, 90, 112, 85])
bias = Parameter("bias", ("TENSOR_INT32", [6], 0.007000000000000001, 0), [3714, -7427, 11144, -14853, 18574, -22279])
padding = 1
stride_width = 1
stride_height = 2
factor = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 4, 6], 1.3, 127))
model = Model().Operation("GROUPED_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [-110, -120, -105, -99, -95, -81, -119, -120, -109, -127, -73, -106, -92, -74, -87, -103, -99, -102, -111, -84, -110, -88, -85, -90, -87, -73, -108, -125, -75, -93, -91, -108, -83, -101, -69, -85, -112, -76, -78, -101, -103, -80, -83, -100, -114, -100, -109, -92, -83, -124, -120, -94, -119, -92, -112, -71, -125, -128, -104, -115, -69, -69, -98, -96, -125, -125, -103, -108, -120, -128, -76, -95],
    output: [127, 67, 127, 21, 127, -17, 118, 61, 127, 25, 127, -21, 127, 58, 127, 15, 127, -17, 127, 75, 127, 28, 127, -4, 127, 84, 127, 35, 127, -5, 127, 64, 127, 39, 127, -10, 127, 77, 127, 34, 127, -12, 127, 74, 127, 44, 127, -2, 127, 64, 127, 38, 127, -22, 112, 49, 127, 29, 127, -12, 114, 58, 127, 21, 127, -14, 127, 68, 127, 33, 127, -2, 127, 75, 127, 44, 127, 0, 127, 60, 127, 41, 127, 4, 127, 76, 127, 37, 127, -2, 127, 79, 127, 44, 127, 0],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 4, 2], 0.25, 127))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 2, 3, 2], 0.5, 127), [85, 44, 110, 34, 41, 49, 72, 66, 123, 60, 71, 101, 117, 11, 103, 40, 124, 106, 64, 53, 32, 50, 32, 57, 55, 28, 90, 65, 31, 60, 53, 9, 99, 44, 87, 22])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.125, 0), [4000, -7999, 12002])
padding = 2
stride_width = 1
stride_height = 1
factor = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 3], 25.0, -128))
model = Model().Operation("GROUPED_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [45, 82, 8, 76, 15, 73, 77, 77, 92, 105, 59, 18, 40, 35, 119, 100, 57, 32, 89, 107, 18, 14, 37, 122, 62, 124, 94, 28, 122, 62, 96, 122],
    output: [121, 73, 127, 104, 62, 127, 127, 87, 127, 98, 111, 127, 112, 18, 127, 81, 1, 127],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 4], 0.5, 0))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [4, 3, 2, 2], 0.25, 0), [95, -63, 112, 121, 106, -29, -22, 56, 123, -120, 105, 125, 44, -102, 13, -24, 54, 106, -27, 99, -22, -53, 35, -16, 39, -87, -46, 12, -43, 35, 19, 125, -37, 32, -47, -78, -104, 105, -3, -108, -40, 65, 64, -28, 83, 124, 57, 17])
bias = Parameter("bias", ("TENSOR_INT32", [4], 0.125, 0), [32, -63, 98, -125])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
factor = 2
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 3, 4], 0.2, 0))
model = Model().Operation("GROUPED_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [-73, -12, 111, -112, 86, -40, -28, -90, 12, 104, -128, -99, 42, 85, -57, -42, 29, 43, -76, -72, -123, -116, -113, -87, -57, -30, 69, -119, 46, -99, 65, -91, 123, -24, -62, 51, 3, -32, -72, 71, 68, 80, 22, 79, -3, -27, -85, 6, -58, -25, 127, -16, 41, 115, -90, 79, 58, 49, -104, -97, -82, -117, 13, -120, 116, 104, 81, 93, -53, 99, 30, 15, -34, -127, -13, -91, -41, 108, -19, 57],
    output: [-128, -128, 127, 127, 127, -128, 127, -128, 127, -128, 127, -128, -128, -128, 127, 127, 127, 127, -128, -128, 127, 127, -128, -128, 127, -128, -128, 127, 127, -128, -128, 127, 127, -128, 127, 127, -128, 127, 127, 127, -128, -128, 127, 127, 127, 127, -128, -128, 127, -128, -128, -128, 127, 127, -128, 127, 127, -128, -128, 127],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 4], 0.5, -8))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [4, 3, 2, 2], 0.125, 3), [-10, 22, -4, -8, 10, 8, -5, 4, 4, 0, 6, 3, 1, 17, 27, -7, 9, -21, 15, 11, -21, 20, 11, -17, 27, 13, 16, -18, -21, -10, -14, -13, 15, -8, -5, 24, 5, 23, 13, 12, -9, -1, -14, 22, 11, 4, 16, 11])
bias = Parameter("bias", ("TENSOR_INT32", [4], 0.0625, 0), [320, -639, 962, -1277])
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
    input: [0, -13, -3, 15, -20, -14, 13, -16, -4, 3, -14, -24, -11, -4, -20, 13, -4, -32, 10, -18, -17, 9, -18, -23, -19, -23, 16, 6, 9, -13, -11, -26, -18, -16, -16, -26, 8, -22, 6, -7, -11, -1, 8, -24, -12, 4, -1, 16, -15, -27, -19, 7, -24, -12, -14, -29, -20, -22, -20, -9, -16, 15, 5, 15, -13, -2, -6, -26, 13, -21, -32, 2, -21, 15, 5, 1, -28, -16, -15, 14],
    output: [-6, -58, 60, -92, -7, -68, 35, -111, -8, -27, -13, -103, -14, -90, -11, -101, -11, -40, 16, -128, -8, -52, 25, -128, -3, -61, 3, -94, -37, -5, 63, -128, -4, 2, 80, -95, -15, -124, 66, -128, -14, -45, 104, -96, -19, -13, 95, -88, -6, -71, 29, -93, 14, -57, 56, -35, 26, -128, -40, -121],
}, model=model).AddAllActivations(output, activation)
