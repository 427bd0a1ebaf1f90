# Written by tests/golden/write_dense_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [3, 4]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [2, 4]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [-1.75, -2.0])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [3, 2]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5],
    output: [0.5, -4.375, -4.125, -1.75, -0.125, -0.5625],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [1, 1]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [1, 1]), [-1.75])
bias = Parameter("bias", ("TENSOR_FLOAT32", [1]), [-0.75])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 1]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [1.75],
    output: [-3.8125],
}, model=model).AddRelaxed()

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 2]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [3, 6]), [-0.75, -2.0, 0.25, 1.5, -1.0, 1.0, -1.25, 0.75, 1.25, -0.5, 0.5, 0.0, 0.75, -1.25, 1.5, 0.25, 0.75, -0.75])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [0.25, 1.75, -0.5])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [-1.75, -2.0, 0.75, 1.0, 0.5, 1.25, -1.0, -1.25, 0.75, 1.0, -0.75, -0.75],
    output: [8.0, 3.125, 1.5, 5.1875, 2.125, 1.6875],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [2, 2, 1, 3]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [5, 3]), [0.25, 1.75, -0.5, 2.0, 1.5, 1.25, -1.75, -1.5, 1.5, 2.0, 2.0, 1.0, 0.25, 2.0, 1.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [5]), [1.0, 1.75, -1.0, -2.0, 0.0])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [4, 5]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [-0.75, -2.0, 0.25, 1.5, -1.0, 1.0, -1.25, 0.75, 1.25, -0.5, 0.5, 0.0],
    output: [-2.8125, -2.4375, 3.6875, -7.25, -3.9375, -0.875, 4.5, -0.625, 0.0, -0.625, 1.375, 1.9375, 1.9375, -1.75, 2.4375, 1.75, 1.5, -0.875, -2.0, 0.875],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [2, 6]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [2, 4]), [1.0, 1.75, -1.0, -2.0, 0.0, 1.25, 1.75, 0.5])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [2.0, 1.5])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [3, 2]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [0.25, 1.75, -0.5, 2.0, 1.5, 1.25, -1.75, -1.5, 1.5, 2.0, 2.0, 1.0],
    output: [1.8125, 3.8125, 10.4375, -0.75, 3.0, 8.0],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [1, 8]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [3, 2]), [2.0, 1.5, -1.75, -1.75, -1.75, 1.5])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-1.25, 1.25, 1.75])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [4, 3]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [1.0, 1.75, -1.0, -2.0, 0.0, 1.25, 1.75, 0.5],
    output: [3.375, -3.5625, 2.625, -6.25, 6.5, 0.5, 0.625, -0.9375, 3.625, 3.0, -2.6875, -0.5625],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [3, 4]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [2, 4]), [1.5, 1.0, -0.25, -0.5, 0.25, 1.75, -0.75, -2.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [-2.0, 0.75])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [3, 2]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [0.5, 1.0, 0.5, -0.75, 1.75, 1.75, -0.25, 0.25, -0.5, -1.75, 0.25, 1.25],
    output: [0.0, 3.75, 2.3125, 3.9375, -5.1875, -5.125],
}, model=model).AddAllActivations(output, activation)
