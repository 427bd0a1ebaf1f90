# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 4], 0.125, 131), [120, 125, 110, 139, 126, 127, 109, 129, 141, 122, 153, 133, 124, 126, 116, 154, 146, 136, 123, 142, 139, 140, 118, 152])
bias = Parameter("bias", ("TENSOR_INT32", [4], 0.0625, 0), [320, -639, 962, -1277])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
factor = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 4], 1.0, 100))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [107, 113, 137, 113, 96, 104, 127, 109, 132, 126, 109, 106, 112, 128, 141, 99, 133, 125, 119, 113, 144, 129, 137, 120, 115, 126, 140, 129, 131, 133, 114, 129, 135, 121, 102, 103, 108, 114, 142, 116],
    output: [114, 53, 166, 11, 124, 52, 177, 0, 133, 69, 161, 20, 120, 58, 178, 0, 144, 67, 179, 0, 131, 56, 143, 22, 141, 80, 176, 13, 115, 60, 217, 0, 144, 60, 165, 28, 110, 52, 164, 47, 137, 44, 186, 14, 119, 49, 170, 34, 115, 56, 139, 32, 127, 52, 169, 0, 86, 50, 126, 17],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 3, 4, 3], 0.1, 0))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [1, 2, 3, 3], 0.07, 255), [232, 198, 248, 203, 198, 255, 197, 245, 205, 211, 229, 206, 252, 202, 235, 247, 239, 236])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.007000000000000001, 0), [3714, -7427, 11144])
padding = 1
stride_width = 1
stride_height = 2
factor = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 4, 3], 1.3, 255))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [18, 8, 23, 29, 33, 47, 9, 8, 19, 1, 55, 22, 36, 54, 41, 25, 29, 26, 17, 44, 18, 40, 43, 38, 41, 55, 20, 3, 53, 35, 37, 20, 45, 27, 59, 43, 16, 52, 50, 27, 25, 48, 45, 28, 14, 28, 19, 36, 45, 4, 8, 34, 9, 36, 16, 57, 3, 0, 24, 13, 59, 59, 30, 32, 3, 3, 25, 20, 8, 0, 52, 33],
    output: [255, 193, 255, 252, 182, 255, 255, 179, 255, 255, 177, 255, 255, 195, 255, 255, 181, 255, 255, 189, 255, 255, 191, 255, 255, 196, 255, 239, 182, 255, 242, 178, 255, 255, 186, 255, 248, 197, 255, 251, 195, 255, 255, 205, 255, 255, 193, 255],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 5, 4, 1], 0.25, 255))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [1, 3, 3, 3], 0.5, 255), [213, 172, 238, 162, 169, 177, 200, 194, 251, 188, 199, 229, 245, 139, 231, 168, 252, 234, 192, 181, 160, 178, 160, 185, 183, 156, 218])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.125, 0), [4000, -7999, 12002])
padding = 2
stride_width = 1
stride_height = 1
factor = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 3], 25.0, 0))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [173, 210, 136, 204, 143, 201, 205, 205, 220, 233, 187, 146, 168, 163, 247, 228, 185, 160, 217, 235],
    output: [197, 170, 150, 214, 185, 184, 190, 148, 181, 168, 118, 159, 166, 172, 170, 181, 126, 168],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 6, 6, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [1, 3, 3, 2], 0.125, 131), [152, 124, 123, 132, 115, 139, 146, 154, 129, 148, 131, 107, 125, 132, 129, 134, 126, 110])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.0625, 0), [320, -639])
padding = 1
stride_width = 2
stride_height = 2
factor = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 3, 2], 1.0, 100))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [139, 138, 100, 107, 107, 116, 115, 134, 98, 129, 136, 129, 138, 135, 105, 106, 113, 99, 124, 96, 100, 107, 96, 107, 97, 127, 132, 97, 134, 135, 98, 136, 127, 109, 122, 119, 141, 120, 132, 142, 121, 143, 113, 133, 141, 118, 141, 110, 129, 114, 125, 108, 132, 112, 100, 134, 131, 114, 144, 136, 138, 97, 125, 110, 137, 139, 119, 128, 111, 131, 111, 116],
    output: [190, 64, 116, 49, 64, 23, 80, 60, 139, 109, 138, 54, 134, 0, 151, 81, 115, 75],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 2], 0.5, 128))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 4], 0.25, 128), [223, 65, 240, 249, 234, 99, 106, 184, 251, 8, 233, 253, 172, 26, 141, 104, 182, 234, 101, 227, 106, 75, 163, 112])
bias = Parameter("bias", ("TENSOR_INT32", [4], 0.125, 0), [32, -63, 98, -125])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
factor = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 4], 0.2, 128))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [55, 116, 239, 16, 214, 88, 100, 38, 140, 232, 0, 29, 170, 213, 71, 86, 157, 171, 52, 56, 5, 12, 15, 41, 71, 98, 197, 9, 174, 29, 193, 37, 251, 104, 66, 179, 131, 96, 56, 199],
    output: [255, 255, 0, 170, 255, 255, 255, 0, 0, 0, 255, 0, 0, 255, 0, 255, 255, 0, 0, 0, 255, 255, 0, 0, 0, 255, 0, 255, 255, 0, 0, 0, 255, 255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 0, 255, 0, 0, 0, 0, 0, 255, 0, 0, 255, 0, 0, 255, 255, 0, 0],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 4], 0.125, 131), [118, 150, 124, 120, 138, 136, 123, 132, 132, 128, 134, 131, 129, 145, 155, 121, 137, 107, 143, 139, 107, 148, 139, 111])
bias = Parameter("bias", ("TENSOR_INT32", [4], 0.0625, 0), [320, -639, 962, -1277])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
factor = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 4], 1.0, 100))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [128, 115, 125, 143, 108, 114, 141, 112, 124, 131, 114, 104, 117, 124, 108, 141, 124, 96, 138, 110, 111, 137, 110, 105, 109, 105, 144, 134, 137, 115, 117, 102, 110, 112, 112, 102, 136, 106, 134, 121],
    output: [108, 69, 158, 26, 140, 40, 174, 39, 122, 33, 160, 2, 128, 61, 145, 43, 139, 40, 169, 0, 95, 73, 152, 14, 138, 48, 147, 9, 125, 56, 167, 2, 86, 83, 147, 46, 123, 47, 185, 31, 126, 51, 108, 47, 109, 72, 161, 31, 117, 55, 125, 32, 124, 40, 146, 41, 107, 103, 155, 10],
}, model=model).AddAllActivations(output, activation)
