# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 2], 0.5, -8))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 3, 2, 2], 0.125, 3), [-8, -3, -18, 11, -2, -1, -19, 1, 13, -6, 25, 5, -4, -2, -12, 26, 18, 8, -5, 14, 11, 12, -10, 24, 9, -14, -12, 1, -1, -15, -17, 13, -8, 1, 8, -1])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.0625, 0), [320, -639, 962])
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
    input: [-21, -15, 9, -15, -32, -24, -1, -19, 4, -2, -19, -22, -16, 0, 13, -29, 5, -3, -9, -15, 16, 1, 9, -8, -13, -2, 12, 1, 3, 5, -14, 1, 7, -7, -26, -25, -20, -14, 14, -12],
    output: [-27, -67, 30, -28, -65, 18, 20, -73, 31, -6, -76, 44, 40, -97, 72, -22, -66, 23, 57, -78, 56, -15, -83, 9, 0, -38, 8, -42, -67, 16, -61, -94, -2, -21, -92, 30, -28, -68, 22, 12, -50, 50, -58, -98, -2],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 4, 1], 0.1, -128))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3, 1], 0.07, 127), [104, 70, 120, 75, 70, 127, 69, 117, 77, 83, 101, 78])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.007000000000000001, 0), [3714, -7427])
padding = 1
stride_width = 1
stride_height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 4, 2], 1.3, 127))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation).To(output)
Example({
    input: [-110, -120, -105, -99, -95, -81, -119, -120, -109, -127, -73, -106, -92, -74, -87, -103, -99, -102, -111, -84, -110, -88, -85, -90],
    output: [127, 67, 118, 58, 122, 61, 127, 75, 127, 86, 127, 66, 127, 78, 127, 69, 125, 60, 108, 47, 114, 41, 116, 63, 127, 75, 127, 68, 127, 62, 127, 72],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 4, 3], 0.25, 127))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 3, 3], 0.5, 127), [85, 44, 110, 34, 41, 49, 72, 66, 123, 60, 71, 101, 117, 11, 103, 40, 124, 106, 64, 53, 32, 50, 32, 57, 55, 28, 90, 65, 31, 60, 53, 9, 99, 44, 87, 22, 8, 18, 61, 29, 89, 125, 94, 11, 92, 27, 71, 37, 117, 27, 111, 8, 92, 52])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.125, 0), [4000, -7999])
padding = 2
stride_width = 1
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 25.0, -128))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation).To(output)
Example({
    input: [45, 82, 8, 76, 15, 73, 77, 77, 92, 105, 59, 18, 40, 35, 119, 100, 57, 32, 89, 107, 18, 14, 37, 122, 62, 124, 94, 28, 122, 62, 96, 122, 127, 44, 113, 54, 14, 22, 104, 86, 111, 35, 99, 61, 126, 66, 37, 74, 9, 101, 77, 82, 39, 57, 54, 70, 60, 44, 109, 19],
    output: [127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 3, 4], 0.5, -8))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 1, 1, 4], 0.125, 3), [24, -4, -5, 4, -13, 11, 18, 26, 1, 20, 3, -21])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.0625, 0), [320, -639, 962])
padding = 2
stride_width = 1
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 3, 3], 1.0, -28))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation).To(output)
Example({
    input: [11, 10, -28, -21, -21, -12, -13, 6, -30, 1, 8, 1, 10, 7, -23, -22, -15, -29, -4, -32, -28, -21, -32, -21],
    output: [18, -115, 68, -20, -42, 9, -48, -13, 31, 16, -113, 67, -11, -102, 47, -17, -96, 40],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1, 1, 1], 0.1, -128))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1, 1, 1], 0.07, 127), [78])
bias = Parameter("bias", ("TENSOR_INT32", [1], 0.007000000000000001, 0), [3714])
left = 0
right = 0
top = 0
bottom = 0
stride_width = 1
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1, 1, 1], 1.3, 127))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation).To(output)
Example({
    input: [-75],
    output: [127],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 2], 0.5, 0))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 3, 2, 2], 0.25, 0), [95, -63, 112, 121, 106, -29, -22, 56, 123, -120, 105, 125, 44, -102, 13, -24, 54, 106, -27, 99, -22, -53, 35, -16, 39, -87, -46, 12, -43, 35, 19, 125, -37, 32, -47, -78])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.125, 0), [32, -63, 98])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 3, 3], 0.2, 0))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation).To(output)
Example({
    input: [-73, -12, 111, -112, 86, -40, -28, -90, 12, 104, -128, -99, 42, 85, -57, -42, 29, 43, -76, -72, -123, -116, -113, -87, -57, -30, 69, -119, 46, -99, 65, -91, 123, -24, -62, 51, 3, -32, -72, 71],
    output: [-128, -128, 127, 127, 127, -128, 127, 127, -128, -128, -128, 127, -128, -128, -128, -128, -128, 127, -128, -128, 127, 127, 127, 127, 127, 127, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, 127, 127, 127, 127, 127, 127],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 2], 0.5, -8))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 3, 2, 2], 0.125, 3), [-10, 22, -4, -8, 10, 8, -5, 4, 4, 0, 6, 3, 1, 17, 27, -7, 9, -21, 15, 11, -21, 20, 11, -17, 27, 13, 16, -18, -21, -10, -14, -13, 15, -8, -5, 24])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.0625, 0), [320, -639, 962])
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
    input: [0, -13, -3, 15, -20, -14, 13, -16, -4, 3, -14, -24, -11, -4, -20, 13, -4, -32, 10, -18, -17, 9, -18, -23, -19, -23, 16, 6, 9, -13, -11, -26, -18, -16, -16, -26, 8, -22, 6, -7],
    output: [-6, -58, 22, -14, -50, 18, -4, -120, 66, -13, -47, 11, 4, -128, 53, 6, -50, -11, -8, -91, 94, 32, -56, 34, -57, -39, 45, 11, -44, 19, -15, -67, 25, -28, -91, 6, -15, -103, 24, -6, -94, 67, -19, 8, 69],
}, model=model).AddAllActivations(output, activation)
