# Written by tests/golden/write_pooling_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 2], 0.5, -8))
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
width = 2
height = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 3, 2], 0.5, -8))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [119, -115, 105, 70, -67, -125, -77, 19, -110, 99, 57, -94, 24, 38, -105, 66, 86, 51, 43, 94, 89, -110, -15, 109, -59, -88, -34, 110, -16, 110, -81, -31, 121, 39, 75, 59, 99, -101, -108, -29],
    output: [119, -115, 19, -28, -94, 59, 88, -105, -11, 12, -15, 66, 88, -106, -20, 12, -18, 81, 22, -78, 7, 37, 12, 39, 4, -71, 31, 30, -15, 23],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 4, 1], 0.0625, -128))
padding = 1
stride_width = 1
stride_height = 2
width = 3
height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 4, 1], 0.0625, -128))
model = Model().Operation("AVERAGE_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [31, 90, 105, 48, -48, -114, -71, -90, 2, -125, 34, -127, 26, 108, -35, 85, 111, 114, 92, 9, -66, -47, -123, -75],
    output: [-10, -1, -5, -2, -62, -30, -73, -47, 90, 69, 62, 38, -57, -79, -82, -99],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 4, 3], 0.1, 127))
padding = 2
stride_width = 1
stride_height = 1
width = 2
height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 3, 3], 0.1, 127))
model = Model().Operation("AVERAGE_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [-57, 39, 106, 25, -29, -104, -65, 56, 113, -92, 11, 96, 28, -78, 35, 103, -120, -79, -115, -75, 36, 16, 25, -4, -123, 55, -9, 117, 63, 122, 83, -110, 58, -105, 105, 57, -117, -84, 29, 124, -50, -84, 23, -47, -4, 92, 89, -56, -62, -56, 83, 68, 94, 57, -127, 55, -16, -77, -127, -45],
    output: [25, -47, -11, -13, -42, -9, -64, 4, 60, 31, -20, 17, 47, -61, 34, -30, -14, 37, 0, -4, 15, 87, -36, 23, 23, 9, 14, 3, -24, 21, 22, 13, -12, -22, -8, -30],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 4, 5], 0.5, -8))
padding = 2
stride_width = 4
stride_height = 4
width = 4
height = 4
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1, 1, 5], 0.5, -8))
model = Model().Operation("AVERAGE_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [111, -13, 107, 2, -10, -93, -59, -54, -32, -59, -12, 64, 30, -8, 105, 122, -95, -16, -66, 96, -119, 80, -83, 68, -26, -2, -124, -8, -25, 0, 37, 106, -102, -49, 120, -72, 31, 53, 98, -55, 98, -99, 66, 102, 81, -13, -26, -46, -104, -8, 5, -31, -43, 24, 50, -112, 82, -56, 90, 31, 59, 88, -70, -89, 90, 79, 84, 48, 74, 64, -20, 80, 52, 37, 124, 58, 3, 52, 46, 95],
    output: [8, 11, -4, 11, 44],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 7, 2, 1], 0.0625, -128))
padding = 1
stride_width = 2
stride_height = 3
width = 2
height = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 1, 1], 0.0625, -128))
model = Model().Operation("AVERAGE_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [23, -64, 108, -21, 10, -82, -53, 93, 79, -27, -35, 31, 33, 61],
    output: [12, 3, 23],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1, 1, 1], 0.1, 127))
left = 0
right = 0
top = 0
bottom = 0
stride_width = 1
stride_height = 1
width = 1
height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1, 1, 1], 0.1, 127))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [-65],
    output: [-65],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 7, 5, 1], 0.5, -8))
left = 0
right = 0
top = 0
bottom = 0
stride_width = 3
stride_height = 4
width = 2
height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 1], 0.5, -8))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [103, 90, 109, -66, 48, -61, -40, -127, 45, 39, -82, -34, 37, -55, 59, -79, -20, -83, 82, 97, -70, 13, 104, 26, 6, 84, 43, -126, -34, -111, -100, -12, -69, 120, -92],
    output: [97, -9, -29, 16],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1, 2, 2], 0.0625, -128))
left = 2
right = 2
top = 1
bottom = 1
stride_width = 1
stride_height = 1
width = 3
height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 4, 2], 0.0625, -128))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [15, 39, 110, -89],
    output: [15, 39, 63, -25, 63, -25, 110, -89, 15, 39, 63, -25, 63, -25, 110, -89],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 2], 0.5, -8))
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
width = 2
height = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 3, 2], 0.5, -8))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [-24, -32, -25, -27, -20, -31, 22, 28, -37, -42, -42, -23, -6, -7, -4, 7, -48, 27, -8, -10, -25, -10, 17, -39, -25, 31, 27, -12, 13, -41, 2, -17, -38, -25, 0, 32, 24, 19, 28, -36],
    output: [-24, -32, -23, -29, -8, -7, -33, -28, -14, -15, -18, 1, -30, -22, -11, -11, -5, -8, -22, -17, -9, 0, 6, -9, -12, -14, -12, 0, 23, -18],
}, model=model).AddAllActivations(output, activation)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 2], 0.0625, -128))
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
width = 2
height = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 3, 2], 0.0625, -128))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [-125, -106, -107, -94, -108, -124, -90, -95, -127, -96, -98, -108, -106, -117, -94, -121, -100, -117, -117, -120, -113, -110, -91, -91, -115, -124, -121, -118, -122, -90, -88, -97, -88, -99, -88, -127, -122, -121, -122, -116],
    output: [-125, -106, -108, -109, -109, -96, -112, -107, -104, -114, -109, -107, -112, -108, -104, -112, -113, -106, -100, -105, -97, -113, -117, -114, -101, -104, -96, -110, -122, -111],
}, model=model).AddAllActivations(output, activation)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 2], 0.1, 127))
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
width = 2
height = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 3, 2], 0.1, 127))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [96, 106, 115, 121, 100, 108, 104, 94, 112, 113, 109, 117, 107, 113, 127, 122, 112, 106, 124, 89, 101, 88, 94, 100, 125, 108, 106, 88, 127, 115, 99, 110, 117, 94, 126, 100, 111, 94, 120, 97],
    output: [96, 106, 108, 115, 108, 104, 103, 112, 112, 116, 113, 101, 102, 104, 111, 112, 114, 101, 103, 105, 116, 106, 117, 98, 100, 99, 116, 101, 116, 99],
}, model=model).AddAllActivations(output, activation)
