# Written by tests/golden/write_pooling_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 2], 0.5, 120))
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
width = 2
height = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 2], 0.5, 120))
model = Model().Operation("MAX_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [247, 13, 233, 198, 61, 3, 51, 147, 18, 227, 185, 34, 152, 166, 23, 194, 214, 179, 171, 222, 217, 18, 113, 237, 69, 40, 94, 238, 112, 238, 47, 97, 249, 167, 203, 187, 227, 27, 20, 99],
    output: [247, 13, 233, 198, 51, 227, 247, 34, 233, 198, 214, 227, 247, 34, 233, 237, 214, 238, 217, 97, 249, 237, 227, 238, 217, 97, 249, 237, 227, 238],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 3, 4, 1], 0.0625, 0))
padding = 1
stride_width = 1
stride_height = 2
width = 3
height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 4, 1], 0.0625, 0))
model = Model().Operation("MAX_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [159, 218, 233, 176, 80, 14, 57, 38, 130, 3, 162, 1, 154, 236, 93, 213, 239, 242, 220, 137, 62, 81, 5, 53],
    output: [218, 233, 233, 233, 130, 162, 162, 162, 242, 242, 242, 220, 81, 81, 81, 53],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 5, 4, 3], 0.1, 255))
padding = 2
stride_width = 1
stride_height = 1
width = 2
height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 4, 3, 3], 0.1, 255))
model = Model().Operation("MAX_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [71, 167, 234, 153, 99, 24, 63, 184, 241, 36, 139, 224, 156, 50, 163, 231, 8, 49, 13, 53, 164, 144, 153, 124, 5, 183, 119, 245, 191, 250, 211, 18, 186, 23, 233, 185, 11, 44, 157, 252, 78, 44, 151, 81, 124, 220, 217, 72, 66, 72, 211, 196, 222, 185, 1, 183, 112, 51, 1, 83],
    output: [231, 167, 234, 231, 184, 241, 144, 184, 241, 245, 191, 250, 245, 191, 250, 211, 233, 186, 252, 191, 250, 252, 191, 250, 220, 233, 186, 252, 222, 211, 252, 222, 185, 220, 217, 124],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 4, 5], 0.5, 120))
padding = 2
stride_width = 4
stride_height = 4
width = 4
height = 4
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 1, 1, 5], 0.5, 120))
model = Model().Operation("MAX_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [239, 115, 235, 130, 118, 35, 69, 74, 96, 69, 116, 192, 158, 120, 233, 250, 33, 112, 62, 224, 9, 208, 45, 196, 102, 126, 4, 120, 103, 128, 165, 234, 26, 79, 248, 56, 159, 181, 226, 73, 226, 29, 194, 230, 209, 115, 102, 82, 24, 120, 133, 97, 85, 152, 178, 16, 210, 72, 218, 159, 187, 216, 58, 39, 218, 207, 212, 176, 202, 192, 108, 208, 180, 165, 252, 186, 131, 180, 174, 223],
    output: [250, 234, 235, 230, 252],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 7, 2, 1], 0.0625, 0))
padding = 1
stride_width = 2
stride_height = 3
width = 2
height = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3, 1, 1], 0.0625, 0))
model = Model().Operation("MAX_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [151, 64, 236, 107, 138, 46, 75, 221, 207, 101, 93, 159, 161, 189],
    output: [236, 221, 189],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 1, 1, 1], 0.1, 255))
left = 0
right = 0
top = 0
bottom = 0
stride_width = 1
stride_height = 1
width = 1
height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 1, 1, 1], 0.1, 255))
model = Model().Operation("MAX_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [63],
    output: [63],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 7, 5, 1], 0.5, 120))
left = 0
right = 0
top = 0
bottom = 0
stride_width = 3
stride_height = 4
width = 2
height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 1], 0.5, 120))
model = Model().Operation("MAX_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [231, 218, 237, 62, 176, 67, 88, 1, 173, 167, 46, 94, 165, 73, 187, 49, 108, 45, 210, 225, 58, 141, 232, 154, 134, 212, 171, 2, 94, 17, 28, 116, 59, 248, 36],
    output: [231, 176, 141, 154],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 1, 2, 2], 0.0625, 0))
left = 2
right = 2
top = 1
bottom = 1
stride_width = 1
stride_height = 1
width = 3
height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 4, 2], 0.0625, 0))
model = Model().Operation("MAX_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [143, 167, 238, 39],
    output: [143, 167, 238, 167, 238, 167, 238, 39, 143, 167, 238, 167, 238, 167, 238, 39],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 2], 0.5, 120))
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
width = 2
height = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 2], 0.5, 120))
model = Model().Operation("MAX_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [104, 96, 103, 101, 108, 97, 150, 156, 91, 86, 86, 105, 122, 121, 124, 135, 80, 155, 120, 118, 103, 118, 145, 89, 103, 159, 155, 116, 141, 87, 130, 111, 90, 103, 128, 160, 152, 147, 156, 92],
    output: [104, 96, 108, 101, 150, 156, 104, 105, 124, 135, 150, 156, 104, 118, 145, 159, 155, 156, 130, 118, 145, 160, 156, 155, 130, 118, 145, 160, 156, 147],
}, model=model).AddAllActivations(output, activation)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 2], 0.0625, 0))
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
width = 2
height = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 2], 0.0625, 0))
model = Model().Operation("MAX_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [3, 22, 21, 34, 20, 4, 38, 33, 1, 32, 30, 20, 22, 11, 34, 7, 28, 11, 11, 8, 15, 18, 37, 37, 13, 4, 7, 10, 6, 38, 40, 31, 40, 29, 40, 1, 6, 7, 6, 12],
    output: [3, 22, 21, 34, 38, 33, 30, 22, 34, 34, 38, 33, 30, 22, 37, 37, 38, 38, 40, 31, 40, 37, 28, 38, 40, 31, 40, 37, 7, 38],
}, model=model).AddAllActivations(output, activation)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 2], 0.1, 255))
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
width = 2
height = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 2], 0.1, 255))
model = Model().Operation("MAX_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [224, 234, 243, 249, 228, 236, 232, 222, 240, 241, 237, 245, 235, 241, 255, 250, 240, 234, 252, 217, 229, 216, 222, 228, 253, 236, 234, 216, 255, 243, 227, 238, 245, 222, 254, 228, 239, 222, 248, 225],
    output: [224, 234, 243, 249, 240, 241, 237, 245, 255, 250, 252, 241, 237, 245, 255, 250, 255, 243, 237, 245, 255, 250, 255, 243, 229, 238, 254, 236, 255, 243],
}, model=model).AddAllActivations(output, activation)
