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
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 3, 2], 0.5, -8))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation, layout).To(output)
Example({
    input: [-105, -113, 120, 127, 60, 88, 46, -126, 65, -17, 105, 23, 69, -102, 15, -77, 72, 32, 2, -67, 70, -126, 123, 3, 74, 56, -32, -79, 10, -29, 27, -53, -2, -120, 118, 38, -11, 72, -17, -34],
    output: [-105, -113, 90, 108, 56, -72, 0, -45, 66, 9, 46, -45, 23, -72, 77, 16, 27, -48, 67, -52, 66, -34, 4, -18, 49, -90, 78, -6, -13, -18],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 4, 1], 0.0625, -128))
padding = 1
stride_width = 1
stride_height = 2
width = 3
height = 2
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 4, 1], 0.0625, -128))
model = Model().Operation("AVERAGE_POOL_2D", input, padding, stride_width, stride_height, width, height, activation, layout).To(output)
Example({
    input: [63, 92, 121, 104, 80, 98, 52, 21, -79, 16, 82, -10, 71, -32, 85, -58, 97, 95, 52, 105, -85, -63, 15, 74],
    output: [83, 84, 81, 75, -32, 6, 29, 36, 58, 61, 41, 46, -74, -44, 9, 45],
}, model=model).AddNchw(input, output, layout)
