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
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 3, 2], 0.5, 120))
model = Model().Operation("MAX_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation, layout).To(output)
Example({
    input: [23, 15, 248, 255, 188, 216, 174, 2, 193, 111, 233, 151, 197, 26, 143, 51, 200, 160, 130, 61, 198, 2, 251, 131, 202, 184, 96, 49, 138, 99, 155, 75, 126, 8, 246, 166, 117, 200, 111, 94],
    output: [23, 15, 248, 255, 193, 111, 233, 151, 248, 255, 200, 160, 233, 151, 251, 255, 200, 160, 233, 151, 251, 184, 200, 200, 198, 75, 251, 184, 138, 200],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 3, 4, 1], 0.0625, 0))
padding = 1
stride_width = 1
stride_height = 2
width = 3
height = 2
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 4, 1], 0.0625, 0))
model = Model().Operation("MAX_POOL_2D", input, padding, stride_width, stride_height, width, height, activation, layout).To(output)
Example({
    input: [191, 220, 249, 232, 208, 226, 180, 149, 49, 144, 210, 118, 199, 96, 213, 70, 225, 223, 180, 233, 43, 65, 143, 202],
    output: [226, 249, 249, 249, 144, 210, 210, 210, 225, 225, 233, 233, 65, 143, 202, 202],
}, model=model).AddNchw(input, output, layout)
