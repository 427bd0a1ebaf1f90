# Written by tests/golden/write_pooling_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 4, 1]))
padding = 1
stride_width = 1
stride_height = 2
width = 3
height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 4, 1]))
model = Model().Operation("AVERAGE_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [-1.5, 2.0, -0.5, 1.75, 1.25, -0.5, 1.5, 1.0, 0.0, -1.75, -0.25, -0.75, -2.0, 0.0, -1.5, -1.5, 1.5, 0.5, -0.25, 1.5, -1.75, -1.0, -0.75, -0.25],
    output: [0.3125, 0.375, 0.875, 0.9375, -0.875, -0.6666667, -0.9166667, -0.5, 0.0, -0.29166666, -0.20833333, -0.4375, -1.375, -1.1666666, -0.6666667, -0.5],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [1, 5, 4, 3]))
padding = 2
stride_width = 1
stride_height = 1
width = 2
height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 4, 3, 3]))
model = Model().Operation("AVERAGE_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [-0.5, 2.0, -1.0, 2.0, -0.5, -0.25, 1.0, -1.25, 0.5, 0.75, 1.25, 0.0, 1.5, -0.75, -2.0, -0.75, 0.75, 1.25, -1.5, -0.5, -1.5, 1.75, 1.5, 1.25, -0.25, -1.5, -1.75, -1.25, -0.25, -0.5, 0.0, -1.5, 1.5, 1.75, -1.0, -1.25, -1.75, 1.75, 1.75, -1.0, 0.25, 1.25, -0.5, -1.75, 2.0, 1.75, -0.75, 1.25, 2.0, -1.0, 1.0, 1.75, -0.25, -2.0, -0.75, -2.0, -1.0, 0.25, 1.25, -0.75],
    output: [0.5625, 0.375, -0.5, 0.1875, -0.375, 0.0, 0.5, 0.25, 0.0625, -0.1875, -0.4375, -0.75, -0.875, -0.375, 0.1875, 0.5, -0.375, 0.0, -1.0625, 0.0625, 0.1875, -0.6875, -0.8125, 1.0625, 0.75, -1.25, 0.875, 0.25, 0.1875, 0.5, -0.125, -0.9375, 0.0625, 0.1875, -0.8125, 0.375],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 4, 5]))
padding = 2
stride_width = 4
stride_height = 4
width = 4
height = 4
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 1, 5]))
model = Model().Operation("AVERAGE_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [0.5, 1.75, -2.0, -2.0, 2.0, -0.25, 0.25, 0.75, 0.75, -1.0, -1.5, 1.0, 1.0, -1.5, 2.0, 0.0, 0.0, -2.0, 1.25, 1.5, -1.25, 0.5, -0.25, -2.0, 1.0, -1.75, -0.5, 0.25, 0.75, 1.25, -1.5, 2.0, -2.0, -1.75, 0.0, 0.0, -1.25, 1.25, -0.5, -1.25, 0.25, 1.0, 0.75, 0.5, 2.0, -2.0, 1.0, 1.25, -1.25, 0.0, 0.0, 1.25, -1.25, -1.75, -1.75, 0.75, -2.0, 0.5, -0.25, 0.5, 0.0, 1.25, -1.0, 1.25, 1.25, -0.5, 1.5, -2.0, -1.25, 0.75, -1.5, -1.0, 1.5, 0.5, -0.5, -1.5, -1.25, -2.0, -0.5, 0.25],
    output: [-0.640625, 0.34375, -0.328125, -0.484375, 0.5],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [1, 7, 2, 1]))
padding = 1
stride_width = 2
stride_height = 3
width = 2
height = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 3, 1, 1]))
model = Model().Operation("AVERAGE_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [1.25, 1.75, 1.75, -1.5, 0.75, 0.0, -0.25, -1.25, 1.25, 1.75, 0.0, 2.0, 0.5, 1.75],
    output: [0.8125, 0.375, 1.0625],
}, model=model).AddVariations("float16", includeDefault=False)

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
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 3, 2]))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [-1.75, 1.0, -2.0, 0.25, -0.75, 0.25, 0.75, -1.75, -0.5, 0.5, -0.25, -1.0, 1.25, 0.5, -1.0, 0.75, -1.25, -0.25, 0.75, 0.0, 0.25, 0.0, -0.5, -2.0, 1.25, 1.25, -1.0, 1.0, -0.75, -0.5, -1.75, 0.5, 0.5, -1.75, -1.75, -1.0, -0.75, -0.75, 0.75, 2.0],
    output: [-1.75, 1.0, -1.375, 0.25, 0.125, -0.625, -1.0, 0.0, -0.625, 0.4375, -0.0625, -0.375, -0.5833333, 0.0, -0.29166666, 0.16666667, -0.33333334, -0.16666667, -0.5833333, -0.16666667, -0.041666668, -0.375, -0.375, 0.25, -0.75, 0.25, -0.125, -0.875, -0.4375, 0.4375],
}, model=model).AddVariations("float16", includeDefault=False).AddAllActivations(output, activation)
