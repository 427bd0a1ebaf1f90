# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.5, -8))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 2, 2], 0.125, 3), [-8, -3, -18, 11, -2, -1, -19, 1, 13, -6, 25, 5, -4, -2, -12, 26, 18, 8, -5, 14, 11, 12, -10, 24])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.0625, 0), [320, -639])
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
    input: [-21, -15, 9, -15, -32, -24, -1, -19, 4, -2, -19, -22],
    output: [34, -67, -12, -54, -45, -104, -4, -68, 20, -51, 14, -112],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3, 1], 0.1, -128))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3, 1], 0.07, 127), [104, 70, 120, 75, 70, 127, 69, 117, 77, 83, 101, 78])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.007000000000000001, 0), [3714, -7427])
shape = Int32Vector("shape", [2, 4, 8, 2])
padding = 1
stride_width = 2
stride_height = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4, 6, 2], 1.3, 127))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, shape, padding, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [-110, -120, -105, -99, -95, -81, -119, -120, -109, -127, -73, -106],
    output: [127, 81, 127, 86, 127, 80, 127, 87, 127, 78, 127, 86, 127, 83, 127, 84, 127, 80, 127, 86, 127, 79, 127, 84, 127, 87, 127, 87, 127, 87, 127, 87, 127, 87, 127, 87, 127, 78, 127, 85, 127, 69, 127, 85, 127, 63, 127, 84, 127, 84, 127, 87, 127, 82, 127, 87, 127, 79, 127, 86, 127, 85, 127, 86, 127, 83, 127, 86, 127, 80, 127, 84, 127, 87, 127, 87, 127, 87, 127, 87, 127, 87, 127, 87, 127, 87, 127, 87, 127, 70, 127, 84, 127, 65, 127, 86],
}, model=model).AddNchw(input, output, shape, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 3], 0.25, 127))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 3, 3], 0.5, 127), [85, 44, 110, 34, 41, 49, 72, 66, 123, 60, 71, 101, 117, 11, 103, 40, 124, 106, 64, 53, 32, 50, 32, 57, 55, 28, 90])
bias = Parameter("bias", ("TENSOR_INT32", [1], 0.125, 0), [4000])
shape = Int32Vector("shape", [1, 5, 4, 1])
padding = 1
stride_width = 2
stride_height = 2
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 4, 1], 25.0, -128))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, shape, padding, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [45, 82, 8, 76, 15, 73, 77, 77, 92, 105, 59, 18, 40, 35, 119, 100, 57, 32],
    output: [-52, -64, -4, -34, 25, 45, 121, 66, -73, -72, -41, -54, 0, 30, 120, 51, -52, -49, -27, -55],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 1], 0.5, -8))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 2, 1], 0.125, 3), [24, -4, -5, 4, -13, 11, 18, 26, 1, 20, 3, -21])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.0625, 0), [320, -639])
shape = Int32Vector("shape", [1, 9, 9, 2])
padding = 2
stride_width = 1
stride_height = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 6, 3, 2], 1.0, -28))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, shape, padding, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [11, 10, -28, -21],
    output: [17, -50, 7, -24, -16, -42, -17, -70, -16, -50, -7, -49, -27, -68, -16, -96, 1, -95, -34, -87, -16, -109, -2, -87, 2, -65, -3, -88, -9, -82, 12, -68, -5, -38, -14, -48],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.5, 0))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 2, 2], 0.25, 0), [95, -63, 112, 121, 106, -29, -22, 56, 123, -120, 105, 125, 44, -102, 13, -24, 54, 106, -27, 99, -22, -53, 35, -16])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.125, 0), [32, -63])
left = 1
right = 0
top = 1
bottom = 2
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 3, 2], 0.2, 0))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [-73, -12, 111, -112, 86, -40, -28, -90, 12, 104, -128, -99],
    output: [127, 127, 127, 127, -128, -128, 127, -128, 127, -128, -128, -128],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.5, -8))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 2, 2], 0.125, 3), [-10, 22, -4, -8, 10, 8, -5, 4, 4, 0, 6, 3, 1, 17, 27, -7, 9, -21, 15, 11, -21, 20, 11, -17])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.0625, 0), [320, -639])
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
    input: [0, -13, -3, 15, -20, -14, 13, -16, -4, 3, -14, -24],
    output: [-3, -79, -25, -110, -13, -16, -10, -71, -19, -44, -4, -81],
}, model=model).AddAllActivations(output, activation)
