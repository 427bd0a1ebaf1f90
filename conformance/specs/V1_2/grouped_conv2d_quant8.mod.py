# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 4], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [4, 3, 2, 2], 0.125, 131), [120, 125, 110, 139, 126, 127, 109, 129, 141, 122, 153, 133, 124, 126, 116, 154, 146, 136, 123, 142, 139, 140, 118, 152, 137, 114, 116, 129, 127, 113, 111, 141, 120, 129, 136, 127, 131, 110, 125, 136, 150, 126, 140, 146, 127, 150, 141, 152])
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
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 4], 1.0, 100))
model = Model().Operation("GROUPED_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [107, 113, 137, 113, 96, 104, 127, 109, 132, 126, 109, 106, 112, 128, 141, 99, 133, 125, 119, 113, 144, 129, 137, 120, 115, 126, 140, 129, 131, 133, 114, 129, 135, 121, 102, 103, 108, 114, 142, 116, 99, 125, 113, 123, 104, 100, 124, 131, 138, 143, 144, 119, 109, 97, 117, 126, 105, 106, 114, 120, 127, 111, 144, 141, 99, 134, 106, 143, 97, 118, 131, 133, 140, 140, 131, 129, 104, 101, 99, 133],
    output: [101, 61, 167, 22, 131, 37, 157, 0, 129, 57, 150, 0, 173, 54, 140, 34, 125, 40, 157, 26, 94, 62, 198, 37, 71, 80, 121, 21, 142, 70, 188, 86, 104, 48, 185, 43, 130, 47, 157, 55, 43, 68, 126, 82, 131, 45, 134, 36, 142, 77, 150, 57, 161, 84, 100, 0, 162, 86, 180, 25],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 3, 4, 3], 0.1, 0))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [6, 2, 3, 1], 0.07, 255), [232, 198, 248, 203, 198, 255, 197, 245, 205, 211, 229, 206, 252, 202, 235, 247, 239, 236, 249, 246, 222, 240, 200, 232, 243, 212, 238, 224, 199, 211, 253, 217, 215, 218, 240, 213])
bias = Parameter("bias", ("TENSOR_INT32", [6], 0.007000000000000001, 0), [3714, -7427, 11144, -14853, 18574, -22279])
padding = 1
stride_width = 1
stride_height = 2
factor = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 4, 6], 1.3, 255))
model = Model().Operation("GROUPED_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [18, 8, 23, 29, 33, 47, 9, 8, 19, 1, 55, 22, 36, 54, 41, 25, 29, 26, 17, 44, 18, 40, 43, 38, 41, 55, 20, 3, 53, 35, 37, 20, 45, 27, 59, 43, 16, 52, 50, 27, 25, 48, 45, 28, 14, 28, 19, 36, 45, 4, 8, 34, 9, 36, 16, 57, 3, 0, 24, 13, 59, 59, 30, 32, 3, 3, 25, 20, 8, 0, 52, 33],
    output: [255, 195, 255, 149, 255, 111, 246, 189, 255, 153, 255, 107, 255, 186, 255, 143, 255, 111, 255, 203, 255, 156, 255, 124, 255, 212, 255, 163, 255, 123, 255, 192, 255, 167, 255, 118, 255, 205, 255, 162, 255, 116, 255, 202, 255, 172, 255, 126, 255, 192, 255, 166, 255, 106, 240, 177, 255, 157, 255, 116, 242, 186, 255, 149, 255, 114, 255, 196, 255, 161, 255, 126, 255, 203, 255, 172, 255, 128, 255, 188, 255, 169, 255, 132, 255, 204, 255, 165, 255, 126, 255, 207, 255, 172, 255, 128],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 4, 2], 0.25, 255))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [3, 2, 3, 2], 0.5, 255), [213, 172, 238, 162, 169, 177, 200, 194, 251, 188, 199, 229, 245, 139, 231, 168, 252, 234, 192, 181, 160, 178, 160, 185, 183, 156, 218, 193, 159, 188, 181, 137, 227, 172, 215, 150])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.125, 0), [4000, -7999, 12002])
padding = 2
stride_width = 1
stride_height = 1
factor = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 3], 25.0, 0))
model = Model().Operation("GROUPED_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [173, 210, 136, 204, 143, 201, 205, 205, 220, 233, 187, 146, 168, 163, 247, 228, 185, 160, 217, 235, 146, 142, 165, 250, 190, 252, 222, 156, 250, 190, 224, 250],
    output: [249, 201, 255, 232, 190, 255, 255, 215, 255, 226, 239, 255, 240, 146, 255, 209, 129, 255],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 4], 0.5, 128))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [4, 3, 2, 2], 0.25, 128), [223, 65, 240, 249, 234, 99, 106, 184, 251, 8, 233, 253, 172, 26, 141, 104, 182, 234, 101, 227, 106, 75, 163, 112, 167, 41, 82, 140, 85, 163, 147, 253, 91, 160, 81, 50, 24, 233, 125, 20, 88, 193, 192, 100, 211, 252, 185, 145])
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
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 4], 0.2, 128))
model = Model().Operation("GROUPED_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [55, 116, 239, 16, 214, 88, 100, 38, 140, 232, 0, 29, 170, 213, 71, 86, 157, 171, 52, 56, 5, 12, 15, 41, 71, 98, 197, 9, 174, 29, 193, 37, 251, 104, 66, 179, 131, 96, 56, 199, 196, 208, 150, 207, 125, 101, 43, 134, 70, 103, 255, 112, 169, 243, 38, 207, 186, 177, 24, 31, 46, 11, 141, 8, 244, 232, 209, 221, 75, 227, 158, 143, 94, 1, 115, 37, 87, 236, 109, 185],
    output: [0, 0, 255, 255, 255, 0, 255, 0, 255, 0, 255, 0, 0, 0, 255, 255, 255, 255, 0, 0, 255, 255, 0, 0, 255, 0, 0, 255, 255, 0, 0, 255, 255, 0, 255, 255, 0, 255, 255, 255, 0, 0, 255, 255, 255, 255, 0, 0, 255, 0, 0, 0, 255, 255, 0, 255, 255, 0, 0, 255],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 4], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [4, 3, 2, 2], 0.125, 131), [118, 150, 124, 120, 138, 136, 123, 132, 132, 128, 134, 131, 129, 145, 155, 121, 137, 107, 143, 139, 107, 148, 139, 111, 155, 141, 144, 110, 107, 118, 114, 115, 143, 120, 123, 152, 133, 151, 141, 140, 119, 127, 114, 150, 139, 132, 144, 139])
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
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 4], 1.0, 100))
model = Model().Operation("GROUPED_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, factor, activation, layout).To(output)
Example({
    input: [128, 115, 125, 143, 108, 114, 141, 112, 124, 131, 114, 104, 117, 124, 108, 141, 124, 96, 138, 110, 111, 137, 110, 105, 109, 105, 144, 134, 137, 115, 117, 102, 110, 112, 112, 102, 136, 106, 134, 121, 117, 127, 136, 104, 116, 132, 127, 144, 113, 101, 109, 135, 104, 116, 114, 99, 108, 106, 108, 119, 112, 143, 133, 143, 115, 126, 122, 102, 141, 107, 96, 130, 107, 143, 133, 129, 100, 112, 113, 142],
    output: [122, 70, 188, 36, 121, 60, 163, 17, 120, 101, 115, 25, 114, 38, 117, 27, 117, 88, 144, 0, 120, 76, 153, 0, 125, 67, 131, 34, 91, 123, 191, 0, 124, 130, 208, 33, 113, 4, 194, 0, 114, 83, 232, 32, 109, 115, 223, 40, 122, 57, 157, 35, 142, 71, 184, 93, 154, 0, 88, 7],
}, model=model).AddAllActivations(output, activation)
