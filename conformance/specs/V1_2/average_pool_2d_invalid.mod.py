# Written by tests/golden/write_pooling_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [4, 5, 2]))
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
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 2, 2]))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation, layout).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75, -0.5, -1.0, 1.75, -0.75, -1.75, 0.25, 1.5, 1.5, -1.5, -1.25, -1.25, -1.25, -1.25, 2.0, -1.25, -0.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
left = 2
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
width = 2
height = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 2, 2]))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation, layout).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75, -0.5, -1.0, 1.75, -0.75, -1.75, 0.25, 1.5, 1.5, -1.5, -1.25, -1.25, -1.25, -1.25, 2.0, -1.25, -0.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
left = 1
right = 0
top = -1
bottom = 1
stride_width = 2
stride_height = 1
width = 2
height = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 2, 2]))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation, layout).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75, -0.5, -1.0, 1.75, -0.75, -1.75, 0.25, 1.5, 1.5, -1.5, -1.25, -1.25, -1.25, -1.25, 2.0, -1.25, -0.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 0
width = 2
height = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 2, 2]))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation, layout).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75, -0.5, -1.0, 1.75, -0.75, -1.75, 0.25, 1.5, 1.5, -1.5, -1.25, -1.25, -1.25, -1.25, 2.0, -1.25, -0.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
width = 0
height = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 2, 2]))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation, layout).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75, -0.5, -1.0, 1.75, -0.75, -1.75, 0.25, 1.5, 1.5, -1.5, -1.25, -1.25, -1.25, -1.25, 2.0, -1.25, -0.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 5, 2]))
left = 1
right = 0
top = 2
bottom = 1
stride_width = 2
stride_height = 1
width = 2
height = 9
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 2, 2]))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation, layout).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75, -0.5, -1.0, 1.75, -0.75, -1.75, 0.25, 1.5, 1.5, -1.5, -1.25, -1.25, -1.25, -1.25, 2.0, -1.25, -0.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

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
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 2, 2], 0.25, 120))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation, layout).To(output)
Example({
    input: [82, 146, 153, 120, 125, 130, 151, 101, 81, 145, 137, 125, 152, 81, 96, 121, 102, 83, 158, 89, 89, 104, 142, 132, 86, 106, 94, 113, 101, 116, 103, 130, 83, 101, 88, 131, 84, 133, 143, 136],
    output: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

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
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 2, 2], 0.5, 121))
model = Model().Operation("AVERAGE_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation, layout).To(output)
Example({
    input: [82, 146, 153, 120, 125, 130, 151, 101, 81, 145, 137, 125, 152, 81, 96, 121, 102, 83, 158, 89, 89, 104, 142, 132, 86, 106, 94, 113, 101, 116, 103, 130, 83, 101, 88, 131, 84, 133, 143, 136],
    output: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()
