# Written by tests/golden/write_pooling_specs.py.

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
    input: [-1.5, 2.0, -0.5, 1.75, 1.25, -0.5, 1.5, 1.0, 0.0, -1.75, -0.25, -0.75, -2.0, 0.0, -1.5, -1.5, 1.5, 0.5, -0.25, 1.5, -1.75, -1.0, -0.75, -0.25],
    output: [1.4197271, 1.326807, 1.342417, 1.2808689, 1.2374369, 1.0206207, 1.1086779, 0.559017, 1.2747549, 1.21192, 1.0849347, 1.3050383, 1.4252193, 1.2416388, 0.7359801, 0.559017],
}, model=model).AddVariations("float16", includeDefault=False)

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
    input: [-0.5, 2.0, -1.0, 2.0, -0.5, -0.25, 1.0, -1.25, 0.5, 0.75, 1.25, 0.0, 1.5, -0.75, -2.0, -0.75, 0.75, 1.25, -1.5, -0.5, -1.5, 1.75, 1.5, 1.25, -0.25, -1.5, -1.75, -1.25, -0.25, -0.5, 0.0, -1.5, 1.5, 1.75, -1.0, -1.25, -1.75, 1.75, 1.75, -1.0, 0.25, 1.25, -0.5, -1.75, 2.0, 1.75, -0.75, 1.25, 2.0, -1.0, 1.0, 1.75, -0.25, -2.0, -0.75, -2.0, -1.0, 0.25, 1.25, -0.75],
    output: [1.3287683, 1.1592023, 1.2869538, 1.3975425, 0.81009257, 1.0155048, 1.3110111, 1.1858541, 1.0077822, 1.0532687, 0.9270248, 1.4895469, 1.045825, 0.8838835, 1.2562344, 1.4469796, 1.1989579, 1.3806701, 1.192424, 1.1659224, 1.4086784, 0.8385255, 1.1659224, 1.4197271, 1.262438, 1.3110111, 1.5309311, 1.667708, 1.023169, 1.5512092, 1.10397, 1.3404757, 1.625, 0.99215674, 1.5155444, 1.3346348],
}, model=model).AddVariations("float16", includeDefault=False)

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
    input: [0.5, 1.75, -2.0, -2.0, 2.0, -0.25, 0.25, 0.75, 0.75, -1.0, -1.5, 1.0, 1.0, -1.5, 2.0, 0.0, 0.0, -2.0, 1.25, 1.5, -1.25, 0.5, -0.25, -2.0, 1.0, -1.75, -0.5, 0.25, 0.75, 1.25, -1.5, 2.0, -2.0, -1.75, 0.0, 0.0, -1.25, 1.25, -0.5, -1.25, 0.25, 1.0, 0.75, 0.5, 2.0, -2.0, 1.0, 1.25, -1.25, 0.0, 0.0, 1.25, -1.25, -1.75, -1.75, 0.75, -2.0, 0.5, -0.25, 0.5, 0.0, 1.25, -1.0, 1.25, 1.25, -0.5, 1.5, -2.0, -1.25, 0.75, -1.5, -1.0, 1.5, 0.5, -0.5, -1.5, -1.25, -2.0, -0.5, 0.25],
    output: [1.0843345, 1.2279302, 1.3792548, 1.2453036, 1.2531211],
}, model=model).AddVariations("float16", includeDefault=False)

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
    input: [1.25, 1.75, 1.75, -1.5, 0.75, 0.0, -0.25, -1.25, 1.25, 1.75, 0.0, 2.0, 0.5, 1.75],
    output: [1.57619, 1.0655594, 1.3520818],
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
model = Model().Operation("L2_POOL_2D", input, left, right, top, bottom, stride_width, stride_height, width, height, activation).To(output)
Example({
    input: [-1.75, 1.0, -2.0, 0.25, -0.75, 0.25, 0.75, -1.75, -0.5, 0.5, -0.25, -1.0, 1.25, 0.5, -1.0, 0.75, -1.25, -0.25, 0.75, 0.0, 0.25, 0.0, -0.5, -2.0, 1.25, 1.25, -1.0, 1.0, -0.75, -0.5, -1.75, 0.5, 0.5, -1.75, -1.75, -1.0, -0.75, -0.75, 0.75, 2.0],
    output: [1.75, 1.0, 1.5103807, 0.25, 0.63737744, 1.2869538, 1.25, 1.0, 1.3346348, 0.48412293, 0.85695684, 0.91855866, 1.0307764, 0.8164966, 1.2204849, 1.040833, 0.8660254, 0.8779712, 1.0307764, 0.64549726, 1.1319232, 1.3189327, 0.8955911, 0.98952854, 1.25, 0.35355338, 1.1319232, 1.5512092, 0.8196798, 1.2054564],
}, model=model).AddVariations("float16", includeDefault=False).AddAllActivations(output, activation)
