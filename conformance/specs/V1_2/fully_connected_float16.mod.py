# Written by tests/golden/write_dense_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [3, 4]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [2, 4]), [-2.0, 0.75, -0.75, -0.25, -1.25, 2.0, -1.25, 0.25])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [-1.25, 0.75])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [3, 2]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [1.5, 1.0, -0.25, -0.5, 0.25, 1.75, -0.75, -2.0, 0.0, 0.75, 1.75, -2.0],
    output: [-3.1875, 1.0625, 0.625, 4.375, -1.5, -0.4375],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [1, 1]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [1, 1]), [-1.25])
bias = Parameter("bias", ("TENSOR_FLOAT32", [1]), [-0.25])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 1]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [-2.0],
    output: [2.25],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 2]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [3, 6]), [-0.25, 0.5, -2.0, 0.5, -0.5, 2.0, 2.0, 0.0, 1.25, 0.25, 1.75, 0.75, -0.75, -1.75, 1.5, -1.0, 1.75, -0.75])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [0.75, 0.5, 1.5])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [-1.25, 0.75, -1.5, 0.25, 1.25, 2.0, -2.0, -2.0, 0.75, 1.75, 0.5, -0.25],
    output: [7.9375, -0.125, -0.6875, -1.125, -1.4375, 6.9375],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2, 1, 3]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [5, 3]), [0.75, 0.5, 1.5, 0.75, 2.0, -2.0, 1.5, 2.0, 1.75, -1.25, -1.25, 1.5, -1.25, 1.75, 1.25])
bias = Parameter("bias", ("TENSOR_FLOAT32", [5]), [1.5, 0.25, 0.75, 1.0, 0.25])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [4, 5]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [-0.25, 0.5, -2.0, 0.5, -0.5, 2.0, 2.0, 0.0, 1.25, 0.25, 1.75, 0.75],
    output: [-1.4375, 5.0625, -2.125, -2.3125, -1.0625, 4.625, -4.375, 4.0, 4.0, 1.25, 4.875, -0.75, 5.9375, 0.375, -0.6875, 3.6875, 2.4375, 5.9375, -0.375, 3.9375],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 6]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [2, 4]), [1.5, 0.25, 0.75, 1.0, 0.25, -1.75, 0.75, -0.25])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [-1.75, 0.25])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [3, 2]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [0.75, 0.5, 1.5, 0.75, 2.0, -2.0, 1.5, 2.0, 1.75, -1.25, -1.25, 1.5],
    output: [1.375, 0.5, 3.875, 4.875, 1.125, 1.5625],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [1, 8]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [3, 2]), [-1.75, 0.25, 0.25, 1.5, -1.0, -2.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-0.75, -0.25, -0.5])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [4, 3]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [1.5, 0.25, 0.75, 1.0, 0.25, -1.75, 0.75, -0.25],
    output: [-3.3125, 0.5, -2.5, -1.8125, 1.4375, -3.25, -1.625, -2.8125, 2.75, -2.125, -0.4375, -0.75],
}, model=model).AddVariations("float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [3, 4]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [2, 4]), [2.0, -0.5, 1.75, -1.5, 0.75, -1.5, -1.75, 1.75])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [-1.25, -0.75])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [3, 2]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [1.0, -0.5, -2.0, -2.0, -2.0, -1.5, -1.25, -0.25, -0.5, -1.0, 1.5, 2.0],
    output: [0.5, 0.75, -6.3125, 1.75, -2.125, 1.25],
}, model=model).AddVariations("float16", includeDefault=False).AddAllActivations(output, activation)
