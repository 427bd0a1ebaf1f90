# Written by tests/golden/write_pooling_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 4, 1]))
padding = 1
stride_width = 1
stride_height = 2
width = 3
height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 4, 1]))
model = Model().Operation("MAX_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [-1.5, 2.0, -0.5, 1.75, 1.25, -0.5, 1.5, 1.0, 0.0, -1.75, -0.25, -0.75, -2.0, 0.0, -1.5, -1.5, 1.5, 0.5, -0.25, 1.5, -1.75, -1.0, -0.75, -0.25],
    output: [2.0, 2.0, 2.0, 1.75, 0.0, 0.0, -0.25, -0.25, 1.5, 1.5, 1.5, 1.5, -1.0, -0.75, -0.25, -0.25],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [1, 5, 4, 3]))
padding = 2
stride_width = 1
stride_height = 1
width = 2
height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 4, 3, 3]))
model = Model().Operation("MAX_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [-0.5, 2.0, -1.0, 2.0, -0.5, -0.25, 1.0, -1.25, 0.5, 0.75, 1.25, 0.0, 1.5, -0.75, -2.0, -0.75, 0.75, 1.25, -1.5, -0.5, -1.5, 1.75, 1.5, 1.25, -0.25, -1.5, -1.75, -1.25, -0.25, -0.5, 0.0, -1.5, 1.5, 1.75, -1.0, -1.25, -1.75, 1.75, 1.75, -1.0, 0.25, 1.25, -0.5, -1.75, 2.0, 1.75, -0.75, 1.25, 2.0, -1.0, 1.0, 1.75, -0.25, -2.0, -0.75, -2.0, -1.0, 0.25, 1.25, -0.75],
    output: [2.0, 2.0, 1.25, 2.0, 0.75, 1.25, 1.75, 1.5, 1.25, 1.5, 0.75, 1.25, 0.0, 0.75, 1.5, 1.75, 1.5, 1.5, -0.25, 1.75, 1.75, 0.0, 0.25, 2.0, 1.75, -0.75, 2.0, 2.0, 1.75, 1.75, 1.75, 0.25, 2.0, 1.75, 1.25, 2.0],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 4, 5]))
padding = 2
stride_width = 4
stride_height = 4
width = 4
height = 4
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 1, 5]))
model = Model().Operation("MAX_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [0.5, 1.75, -2.0, -2.0, 2.0, -0.25, 0.25, 0.75, 0.75, -1.0, -1.5, 1.0, 1.0, -1.5, 2.0, 0.0, 0.0, -2.0, 1.25, 1.5, -1.25, 0.5, -0.25, -2.0, 1.0, -1.75, -0.5, 0.25, 0.75, 1.25, -1.5, 2.0, -2.0, -1.75, 0.0, 0.0, -1.25, 1.25, -0.5, -1.25, 0.25, 1.0, 0.75, 0.5, 2.0, -2.0, 1.0, 1.25, -1.25, 0.0, 0.0, 1.25, -1.25, -1.75, -1.75, 0.75, -2.0, 0.5, -0.25, 0.5, 0.0, 1.25, -1.0, 1.25, 1.25, -0.5, 1.5, -2.0, -1.25, 0.75, -1.5, -1.0, 1.5, 0.5, -0.5, -1.5, -1.25, -2.0, -0.5, 0.25],
    output: [0.75, 2.0, 1.5, 1.25, 2.0],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [1, 7, 2, 1]))
padding = 1
stride_width = 2
stride_height = 3
width = 2
height = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 3, 1, 1]))
model = Model().Operation("MAX_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [1.25, 1.75, 1.75, -1.5, 0.75, 0.0, -0.25, -1.25, 1.25, 1.75, 0.0, 2.0, 0.5, 1.75],
    output: [1.75, 1.75, 2.0],
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
model = Model().Operation("MAX_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [-1.75, 1.0, -2.0, 0.25, -0.75, 0.25, 0.75, -1.75, -0.5, 0.5, -0.25, -1.0, 1.25, 0.5, -1.0, 0.75, -1.25, -0.25, 0.75, 0.0, 0.25, 0.0, -0.5, -2.0, 1.25, 1.25, -1.0, 1.0, -0.75, -0.5, -1.75, 0.5, 0.5, -1.75, -1.75, -1.0, -0.75, -0.75, 0.75, 2.0],
    output: [-1.75, 1.0, -0.75, 0.25, 0.75, 0.5, -0.25, 1.0, 1.25, 0.75, 0.75, 0.5, 0.25, 1.0, 1.25, 1.25, 0.75, 1.0, 0.25, 0.5, 1.25, 1.25, 0.75, 2.0, 0.25, 0.5, 1.25, 1.25, 0.75, 2.0],
}, model=model).AddVariations("float16", includeDefault=False).AddAllActivations(output, activation)
