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
model = Model().Operation("L2_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation, layout).To(output)
Example({
    input: [2.0, -0.5, 1.75, -1.5, 0.75, -1.5, -1.75, 1.75, -0.25, 1.5, -1.25, -1.5, -0.5, 0.5, -1.5, 0.0, 0.75, 0.75, 0.5, 0.75, 0.75, -0.75, 0.75, 0.75, -1.0, 0.25, -1.25, 1.0, 1.25, -1.25, 1.5, -1.5, 1.75, -1.25, 1.0, 1.75, -0.75, 0.5, 0.75, 0.5],
    output: [2.0, 0.5, 1.3462912, 1.5, 1.25, 1.6298006, 1.667708, 1.118034, 1.2374369, 1.0897248, 0.99215674, 1.2686114, 1.428869, 1.010363, 1.1319232, 0.94648474, 1.0849347, 1.2247449, 1.2076148, 1.2990382, 1.1636866, 0.95742714, 0.91855866, 0.83541405, 1.1858541, 1.1858541, 1.1858541, 1.145644, 1.0307764, 0.875],
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
model = Model().Operation("L2_POOL_2D", input, padding, stride_width, stride_height, width, height, activation, layout).To(output)
Example({
    input: [-1.25, -0.75, 1.25, -1.25, -1.0, -1.5, 2.0, -0.75, 0.5, 0.0, 0.25, -0.5, -1.0, -0.25, -1.75, 0.5, 0.0, 1.5, -1.0, -1.5, 0.75, -2.0, -1.25, 2.0],
    output: [1.1592023, 1.3501543, 1.3228756, 1.386317, 0.35355338, 0.32274863, 0.32274863, 0.3952847, 0.91001374, 1.1086779, 1.21621, 1.2808689, 1.5103807, 1.428869, 1.7853571, 1.667708],
}, model=model).AddVariations("float16").AddNchw(input, output, layout)
