# Written by tests/golden/write_pooling_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
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
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 3, 2]))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation, layout).To(output)
Example({
    input: [2.0, -0.5, 1.75, -1.5, 0.75, -1.5, -1.75, 1.75, -0.25, 1.5, -1.25, -1.5, -0.5, 0.5, -1.5, 0.0, 0.75, 0.75, 0.5, 0.75, 0.75, -0.75, 0.75, 0.75, -1.0, 0.25, -1.25, 1.0, 1.25, -1.25, 1.5, -1.5, 1.75, -1.25, 1.0, 1.75, -0.75, 0.5, 0.75, 0.5],
    output: [2.0, -0.5, 1.25, -1.5, -1.0, 1.625, 0.375, -1.0, 0.125, -0.625, -0.1875, 1.1875, 0.5, -0.9166667, 0.041666668, -0.25, -0.125, 0.75, 0.33333334, -1.25, 0.083333336, 0.33333334, 0.20833333, 0.375, 1.125, -1.125, 0.625, 0.375, 0.0, 0.1875],
}, model=model).AddVariations("float16").AddNchw(input, output, layout)

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 4, 1]))
padding = 1
stride_width = 1
stride_height = 2
width = 3
height = 2
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 4, 1]))
model = Model().Operation("AVERAGE_POOL_2D", input, padding, stride_width, stride_height, width, height, activation, layout).To(output)
Example({
    input: [-1.25, -0.75, 1.25, -1.25, -1.0, -1.5, 2.0, -0.75, 0.5, 0.0, 0.25, -0.5, -1.0, -0.25, -1.75, 0.5, 0.0, 1.5, -1.0, -1.5, 0.75, -2.0, -1.25, 2.0],
    output: [-1.125, -0.20833333, -0.16666667, 0.3125, 0.25, 0.25, -0.083333336, -0.125, 0.0625, -0.41666666, -0.41666666, -0.9375, -0.625, -0.8333333, -0.41666666, 0.375],
}, model=model).AddVariations("float16").AddNchw(input, output, layout)
