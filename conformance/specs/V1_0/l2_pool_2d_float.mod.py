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
output = Output("output", ("TENSOR_FLOAT32", [1, 5, 3, 2]))
model = Model().Operation("L2_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75, -0.5, -1.0, 1.75, -0.75, -1.75, 0.25, 1.5, 1.5, -1.5, -1.25, -1.25, -1.25, -1.25, 2.0, -1.25, -0.75],
    output: [0.75, 1.75, 1.4252193, 0.63737744, 0.25, 0.8838835, 0.75, 1.6298006, 1.5309311, 1.2374369, 0.91855866, 0.8838835, 0.84162545, 1.3385315, 1.3030413, 1.3030413, 1.2583058, 0.7905694, 1.1273124, 1.2332207, 1.2869538, 1.4433757, 1.4433757, 1.0606602, 1.2747549, 1.0752907, 1.0752907, 1.3404757, 1.5206907, 1.1388042],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 4, 1]))
padding = 1
stride_width = 1
stride_height = 2
width = 3
height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 4, 1]))
model = Model().Operation("L2_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75, 2.0, 0.5, -2.0, -1.25, -1.75, 1.75, 0.25, 1.5, 1.25, -1.25, 1.75, -0.5],
    output: [1.667708, 1.457738, 1.0655594, 0.8291562, 1.118034, 1.4719602, 1.7618645, 1.8791621, 1.6105124, 1.5512092, 1.3654975, 1.4031215, 1.25, 1.4361407, 1.2747549, 1.2869538],
}, model=model).AddRelaxed()

input = Input("input", ("TENSOR_FLOAT32", [1, 5, 4, 3]))
padding = 2
stride_width = 1
stride_height = 1
width = 2
height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 4, 3, 3]))
model = Model().Operation("L2_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [-1.75, -2.0, 0.75, 1.0, 0.5, 1.25, -1.0, -1.25, 0.75, 1.0, -0.75, -0.75, 1.25, -0.25, 1.75, -0.5, 1.75, -1.5, -1.0, -0.75, 1.5, 1.75, -0.25, 0.5, -2.0, -1.5, -0.25, 2.0, 0.25, -0.75, -1.0, 0.0, -0.75, 0.0, 0.75, 2.0, 0.0, 1.75, -1.5, -1.0, 0.75, -1.75, 0.75, 2.0, -1.0, -1.75, 1.25, 1.0, 0.5, -0.75, 0.25, -0.75, 0.5, -0.25, -2.0, 1.0, -0.5, -1.25, -1.5, 1.25],
    output: [1.21192, 1.3578476, 1.363589, 0.9013878, 1.1659224, 1.2869538, 1.2311072, 0.8291562, 0.95197165, 1.5662456, 1.1659224, 1.2183493, 1.25, 0.9601432, 1.1858541, 1.125, 0.5448624, 1.3287683, 1.5, 1.2183493, 1.2183493, 1.2808689, 1.0752907, 1.1388042, 1.0752907, 1.2374369, 1.2808689, 0.6731456, 1.0532687, 1.1659224, 1.2374369, 1.2054564, 1.045825, 1.5155444, 1.4842927, 0.9762812],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 4, 5]))
padding = 2
stride_width = 4
stride_height = 4
width = 4
height = 4
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 1, 5]))
model = Model().Operation("L2_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [-0.75, -2.0, 0.25, 1.5, -1.0, 1.0, -1.25, 0.75, 1.25, -0.5, 0.5, 0.0, 0.75, -1.25, 1.5, 0.25, 0.75, -0.75, 1.75, 1.5, 1.5, 0.25, -2.0, 1.75, -1.0, -1.25, 1.0, -1.0, 1.25, 0.75, 2.0, -0.75, -0.5, 0.75, 1.75, -0.5, 0.75, 1.25, 0.5, -1.5, 0.75, -2.0, 2.0, 0.0, -0.75, -1.25, -1.5, 1.0, 1.5, 0.0, -0.75, -1.0, -0.5, 0.25, 1.25, -0.5, -1.5, -1.0, 1.25, -1.75, -2.0, 2.0, 0.75, -0.75, -2.0, -1.5, 0.5, -1.75, 0.5, -1.0, -2.0, 1.75, 0.75, -0.75, 0.0, 1.5, -2.0, 0.0, -2.0, 0.5],
    output: [1.25934, 1.3491895, 1.0897248, 1.2022115, 1.2005858],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [1, 7, 2, 1]))
padding = 1
stride_width = 2
stride_height = 3
width = 2
height = 3
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 3, 1, 1]))
model = Model().Operation("L2_POOL_2D", input, padding, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [0.25, 1.75, -0.5, 2.0, 1.5, 1.25, -1.75, -1.5, 1.5, 2.0, 2.0, 1.0, 0.25, 2.0],
    output: [1.3578476, 1.6007811, 1.5051993],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [1, 1, 1, 1]))
left = 0
right = 0
top = 0
bottom = 0
stride_width = 1
stride_height = 1
width = 1
height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 1, 1]))
model = Model().Operation("L2_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [1.0],
    output: [1.0],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [1, 7, 5, 1]))
left = 0
right = 0
top = 0
bottom = 0
stride_width = 3
stride_height = 4
width = 2
height = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
model = Model().Operation("L2_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [2.0, 1.5, -1.75, -1.75, -1.75, 1.5, 1.25, -1.75, -1.75, -1.25, 0.5, -1.5, -0.75, 0.5, 0.0, -2.0, -1.5, 1.75, 2.0, -0.25, -2.0, 0.75, 0.75, 1.0, -1.5, -2.0, 0.0, -1.25, 0.0, 1.5, -1.75, 1.0, 0.75, -1.5, 0.25],
    output: [1.767767, 1.75, 1.5103807, 1.2747549],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [1, 1, 2, 2]))
left = 2
right = 2
top = 1
bottom = 1
stride_width = 1
stride_height = 1
width = 3
height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 4, 2]))
model = Model().Operation("L2_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [-1.25, 1.25, 1.75, -1.5],
    output: [1.25, 1.25, 1.5206907, 1.3806701, 1.5206907, 1.3806701, 1.75, 1.5, 1.25, 1.25, 1.5206907, 1.3806701, 1.5206907, 1.3806701, 1.75, 1.5],
}, model=model)

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
model = Model().Operation("L2_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [0.5, 1.0, 0.5, -0.75, 1.75, 1.75, -0.25, 0.25, -0.5, -1.75, 0.25, 1.25, 1.5, 1.75, -1.25, 0.5, 0.5, 0.0, -2.0, 2.0, -1.5, 1.0, -0.5, 0.5, -2.0, 2.0, -1.0, -1.25, -1.25, 2.0, -1.75, -1.25, 2.0, 0.25, -1.0, 0.75, 0.5, -0.25, -0.25, -2.0],
    output: [0.5, 1.0, 1.2869538, 1.3462912, 0.3952847, 1.25, 0.3952847, 1.1319232, 1.3346348, 1.3169568, 1.0680004, 1.3346348, 0.9242114, 1.0897248, 1.3768927, 1.3654975, 1.0897248, 1.4541607, 1.3385315, 1.172604, 1.4754943, 1.1681539, 1.0897248, 1.5069284, 1.6298006, 1.1319232, 1.5206907, 1.10397, 0.84779125, 1.5512092],
}, model=model).AddAllActivations(output, activation)
