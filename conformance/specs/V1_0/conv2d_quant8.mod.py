# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [3, 3, 2, 2], 0.125, 131), [120, 125, 110, 139, 126, 127, 109, 129, 141, 122, 153, 133, 124, 126, 116, 154, 146, 136, 123, 142, 139, 140, 118, 152, 137, 114, 116, 129, 127, 113, 111, 141, 120, 129, 136, 127])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.0625, 0), [320, -639, 962])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 3], 1.0, 100))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation).To(output)
Example({
    input: [107, 113, 137, 113, 96, 104, 127, 109, 132, 126, 109, 106, 112, 128, 141, 99, 133, 125, 119, 113, 144, 129, 137, 120, 115, 126, 140, 129, 131, 133, 114, 129, 135, 121, 102, 103, 108, 114, 142, 116],
    output: [101, 61, 158, 100, 63, 146, 148, 55, 159, 122, 52, 172, 168, 31, 200, 106, 62, 151, 185, 50, 184, 113, 45, 137, 128, 90, 136, 86, 61, 144, 67, 34, 126, 107, 36, 158, 100, 60, 150, 140, 78, 178, 70, 30, 126],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 3, 4, 1], 0.1, 0))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [2, 2, 3, 1], 0.07, 255), [232, 198, 248, 203, 198, 255, 197, 245, 205, 211, 229, 206])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.007000000000000001, 0), [3714, -7427])
padding = 1
stride_width = 1
stride_height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 4, 2], 1.3, 255))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation).To(output)
Example({
    input: [18, 8, 23, 29, 33, 47, 9, 8, 19, 1, 55, 22, 36, 54, 41, 25, 29, 26, 17, 44, 18, 40, 43, 38],
    output: [255, 195, 246, 186, 250, 189, 255, 203, 255, 214, 255, 194, 255, 206, 255, 197, 253, 188, 236, 175, 242, 169, 244, 191, 255, 203, 255, 196, 255, 190, 255, 200],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 5, 4, 3], 0.25, 255))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [2, 3, 3, 3], 0.5, 255), [213, 172, 238, 162, 169, 177, 200, 194, 251, 188, 199, 229, 245, 139, 231, 168, 252, 234, 192, 181, 160, 178, 160, 185, 183, 156, 218, 193, 159, 188, 181, 137, 227, 172, 215, 150, 136, 146, 189, 157, 217, 253, 222, 139, 220, 155, 199, 165, 245, 155, 239, 136, 220, 180])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.125, 0), [4000, -7999])
padding = 2
stride_width = 1
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 25.0, 0))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation).To(output)
Example({
    input: [173, 210, 136, 204, 143, 201, 205, 205, 220, 233, 187, 146, 168, 163, 247, 228, 185, 160, 217, 235, 146, 142, 165, 250, 190, 252, 222, 156, 250, 190, 224, 250, 255, 172, 241, 182, 142, 150, 232, 214, 239, 163, 227, 189, 254, 194, 165, 202, 137, 229, 205, 210, 167, 185, 182, 198, 188, 172, 237, 147],
    output: [255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 2, 3, 4], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [3, 1, 1, 4], 0.125, 131), [152, 124, 123, 132, 115, 139, 146, 154, 129, 148, 131, 107])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.0625, 0), [320, -639, 962])
padding = 2
stride_width = 1
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 3, 3], 1.0, 100))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation).To(output)
Example({
    input: [139, 138, 100, 107, 107, 116, 115, 134, 98, 129, 136, 129, 138, 135, 105, 106, 113, 99, 124, 96, 100, 107, 96, 107],
    output: [146, 13, 196, 108, 86, 137, 80, 115, 159, 144, 15, 195, 117, 26, 175, 111, 32, 168],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 1, 1, 1], 0.1, 0))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [1, 1, 1, 1], 0.07, 255), [206])
bias = Parameter("bias", ("TENSOR_INT32", [1], 0.007000000000000001, 0), [3714])
left = 0
right = 0
top = 0
bottom = 0
stride_width = 1
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 1, 1, 1], 1.3, 255))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation).To(output)
Example({
    input: [53],
    output: [255],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 2], 0.5, 128))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [3, 3, 2, 2], 0.25, 128), [223, 65, 240, 249, 234, 99, 106, 184, 251, 8, 233, 253, 172, 26, 141, 104, 182, 234, 101, 227, 106, 75, 163, 112, 167, 41, 82, 140, 85, 163, 147, 253, 91, 160, 81, 50])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.125, 0), [32, -63, 98])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 3], 0.2, 128))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation).To(output)
Example({
    input: [55, 116, 239, 16, 214, 88, 100, 38, 140, 232, 0, 29, 170, 213, 71, 86, 157, 171, 52, 56, 5, 12, 15, 41, 71, 98, 197, 9, 174, 29, 193, 37, 251, 104, 66, 179, 131, 96, 56, 199],
    output: [0, 0, 255, 255, 255, 0, 255, 255, 0, 0, 0, 255, 0, 0, 0, 0, 0, 255, 0, 0, 255, 255, 255, 255, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 255, 255, 255],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM", [3, 3, 2, 2], 0.125, 131), [118, 150, 124, 120, 138, 136, 123, 132, 132, 128, 134, 131, 129, 145, 155, 121, 137, 107, 143, 139, 107, 148, 139, 111, 155, 141, 144, 110, 107, 118, 114, 115, 143, 120, 123, 152])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.0625, 0), [320, -639, 962])
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 3], 1.0, 100))
model = Model().Operation("CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation).To(output)
Example({
    input: [128, 115, 125, 143, 108, 114, 141, 112, 124, 131, 114, 104, 117, 124, 108, 141, 124, 96, 138, 110, 111, 137, 110, 105, 109, 105, 144, 134, 137, 115, 117, 102, 110, 112, 112, 102, 136, 106, 134, 121],
    output: [122, 70, 150, 114, 78, 146, 124, 8, 194, 115, 81, 139, 132, 0, 181, 134, 78, 117, 120, 37, 222, 160, 72, 162, 71, 89, 173, 139, 84, 147, 113, 61, 153, 100, 37, 134, 113, 25, 152, 122, 34, 195, 109, 136, 197],
}, model=model).AddAllActivations(output, activation)
