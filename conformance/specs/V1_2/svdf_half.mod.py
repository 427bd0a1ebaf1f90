# Written by tests/golden/write_recurrent_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
feature_weights = Parameter("feature_weights", ("TENSOR_FLOAT32", [3, 2]), [0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125])
time_weights = Parameter("time_weights", ("TENSOR_FLOAT32", [3, 3]), [0.125, -1.0, -0.125, -1.0, -0.625, 0.5, 0.8125, 1.0, -0.1875])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-0.625, -0.0625, 0.8125])
state_in = Input("state_in", ("TENSOR_FLOAT32", [2, 9]))
rank = Int32Scalar("rank", 1)
activation = Int32Scalar("activation", 0)
state_out = Output("state_out", ("TENSOR_FLOAT32", [2, 9]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("none").Operation("SVDF", input, feature_weights, time_weights, bias, state_in, rank, activation).To(state_out, output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375],
    state_in: [0.0, -0.5, -0.1875, 0.3125, 0.6875, -0.25, -0.75, -0.625, -0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625, -0.375, 0.3125, 0.6875, -1.0],
    state_out: [-0.5, -0.62109375, 0.0, 0.6875, -0.0859375, 0.0, -0.625, -0.1015625, 0.0, -0.0625, 0.015625, 0.0, -0.625, -0.40234375, 0.0, 0.6875, 0.70703125, 0.0],
    output: [-0.04736328, -0.84765625, -0.40283203, -0.47851562, 0.9394531, 1.6213379],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
feature_weights = Parameter("feature_weights", ("TENSOR_FLOAT32", [6, 2]), [-1.0, 0.4375, 1.0, -0.25, 0.9375, -0.875, 0.3125, 0.6875, -0.25, 0.375, 0.5625, 0.8125])
time_weights = Parameter("time_weights", ("TENSOR_FLOAT32", [6, 3]), [-0.375, 0.125, 0.5, 0.6875, 0.6875, -1.0, -0.3125, 0.375, -0.625, -0.875, -0.125, -0.625, -0.4375, -0.0625, 0.0625, 0.4375, -0.4375, -0.4375])
bias = Parameter("bias", ("TENSOR_FLOAT32", [0]), None)
state_in = Input("state_in", ("TENSOR_FLOAT32", [2, 18]))
rank = Int32Scalar("rank", 2)
activation = Int32Scalar("activation", 1)
state_out = Output("state_out", ("TENSOR_FLOAT32", [2, 18]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("relu").Operation("SVDF", input, feature_weights, time_weights, bias, state_in, rank, activation).To(state_out, output)
Example({
    input: [-0.5, 0.6875, 0.0, 0.5625],
    state_in: [1.0, 0.125, -0.75, 0.0625, -0.625, -0.5, -0.5, 0.375, 0.6875, 0.75, -0.6875, 0.5, -0.9375, -0.375, 0.1875, -0.3125, -0.75, 0.5, -0.6875, 0.75, 1.0, 0.0, 1.0, -0.4375, -0.75, 1.0, 0.1875, 0.4375, -0.75, 0.25, 0.8125, 0.625, 0.875, 0.375, 0.0, 0.375],
    state_out: [0.125, 0.80078125, 0.0, -0.625, -0.671875, 0.0, 0.375, -1.0703125, 0.0, -0.6875, 0.31640625, 0.0, -0.375, 0.3828125, 0.0, -0.75, 0.27734375, 0.0, 0.75, 0.24609375, 0.0, 1.0, -0.140625, 0.0, 1.0, -0.4921875, 0.0, -0.75, 0.38671875, 0.0, 0.625, 0.2109375, 0.0, 0.0, 0.45703125, 0.0],
    output: [0.32617188, 0.1977539, 0.5275879, 1.3027344, 0.38623047, 0.0],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
feature_weights = Parameter("feature_weights", ("TENSOR_FLOAT32", [9, 2]), [0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0, -0.125, -1.0, -0.625, 0.5, 0.8125, 1.0, -0.1875, -0.625, -0.0625, 0.8125])
time_weights = Parameter("time_weights", ("TENSOR_FLOAT32", [9, 3]), [0.0, -0.5, -0.1875, 0.3125, 0.6875, -0.25, -0.75, -0.625, -0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625, -0.375, 0.3125, 0.6875, -1.0, 0.1875, -0.4375, -0.375, 0.4375, 0.6875, -0.5, 1.0, -0.125, 0.875])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-0.5, -0.6875, 0.875])
state_in = Input("state_in", ("TENSOR_FLOAT32", [2, 27]))
rank = Int32Scalar("rank", 3)
activation = Int32Scalar("activation", 3)
state_out = Output("state_out", ("TENSOR_FLOAT32", [2, 27]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("relu6").Operation("SVDF", input, feature_weights, time_weights, bias, state_in, rank, activation).To(state_out, output)
Example({
    input: [-6.5, -2.5, -1.0, -7.5],
    state_in: [-0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125, -0.375, -0.5, -0.75, -0.875, 0.25, 0.875, -0.625, -0.0625, -0.125, 0.25, 0.75, 0.25, -0.0625, 0.5, -0.0625, 0.75, 0.8125, -0.9375, 0.9375, -0.75, 0.6875, -0.75, -0.125, 0.0625, -0.5625, 0.4375, 0.0, 0.0625, 0.0625, -0.9375, 0.625, 0.6875, -0.0625, 0.0, 0.25, -0.1875, 0.0625, 0.0, 0.3125, 0.0625, 0.625, -0.3125, 1.0, -0.5625, 1.0, -0.6875],
    state_out: [-0.875, -4.96875, 0.0, 0.25, -0.6875, 0.0, -0.8125, -0.8125, 0.0, -0.75, 1.6875, 0.0, 0.875, 3.3125, 0.0, -0.125, 2.8125, 0.0, 0.25, -7.78125, 0.0, -0.0625, 2.78125, 0.0, -0.9375, -1.625, 0.0, 0.6875, 0.125, 0.0, 0.0625, -3.21875, 0.0, 0.0, 5.65625, 0.0, -0.9375, 7.375, 0.0, -0.0625, 7.625, 0.0, -0.1875, -3.125, 0.0, 0.3125, -8.3125, 0.0, -0.3125, 4.875, 0.0, 1.0, -6.03125, 0.0],
    output: [2.2011719, 0.0, 2.1171875, 0.0, 6.0, 0.0],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
feature_weights = Parameter("feature_weights", ("TENSOR_FLOAT32", [3, 2]), [0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125])
time_weights = Parameter("time_weights", ("TENSOR_FLOAT32", [3, 3]), [0.125, -1.0, -0.125, -1.0, -0.625, 0.5, 0.8125, 1.0, -0.1875])
bias = Parameter("bias", ("TENSOR_FLOAT32", [0]), None)
state_in = Input("state_in", ("TENSOR_FLOAT32", [2, 9]))
rank = Int32Scalar("rank", 1)
activation = Int32Scalar("activation", 4)
state_out = Output("state_out", ("TENSOR_FLOAT32", [2, 9]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("tanh").Operation("SVDF", input, feature_weights, time_weights, bias, state_in, rank, activation).To(state_out, output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375],
    state_in: [-0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875, -0.25, -0.75, -0.625, -0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625, -0.375],
    state_out: [-0.0625, -0.62109375, 0.0, -0.5, -0.0859375, 0.0, 0.6875, -0.1015625, 0.0, -0.625, 0.015625, 0.0, -0.0625, -0.40234375, 0.0, -0.625, 0.70703125, 0.0],
    output: [0.06193235, 0.2631886, 0.74447715, 0.48484343, -0.69086534, -0.88912326],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
feature_weights = Parameter("feature_weights", ("TENSOR_FLOAT32", [6, 2]), [0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0, -0.125, -1.0, -0.625, 0.5])
time_weights = Parameter("time_weights", ("TENSOR_FLOAT32", [6, 3]), [0.8125, 1.0, -0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875, -0.25, -0.75, -0.625, -0.75, 0.6875, -0.0625, 0.9375])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-0.8125, -0.625, -0.375])
state_in = Input("state_in", ("TENSOR_FLOAT32", [2, 18]))
rank = Int32Scalar("rank", 2)
activation = Int32Scalar("activation", 6)
state_out = Output("state_out", ("TENSOR_FLOAT32", [2, 18]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("sigmoid").Operation("SVDF", input, feature_weights, time_weights, bias, state_in, rank, activation).To(state_out, output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375],
    state_in: [0.3125, 0.6875, -1.0, 0.1875, -0.4375, -0.375, 0.4375, 0.6875, -0.5, 1.0, -0.125, 0.875, -0.5, -0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125, -0.375, -0.5, -0.75, -0.875, 0.25, 0.875, -0.625, -0.0625, -0.125, 0.25, 0.75, 0.25, -0.0625],
    state_out: [0.6875, -0.62109375, 0.0, -0.4375, -0.0859375, 0.0, 0.6875, -0.1015625, 0.0, -0.125, 0.2109375, 0.0, -0.6875, 0.4140625, 0.0, -0.875, 0.3515625, 0.0, 0.25, 0.015625, 0.0, -0.8125, -0.40234375, 0.0, -0.75, 0.70703125, 0.0, 0.875, 0.921875, 0.0, -0.125, 0.953125, 0.0, 0.25, -0.390625, 0.0],
    output: [0.5214102, 0.31520876, 0.5291417, 0.3003863, 0.51665646, 0.3034221],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
feature_weights = Parameter("feature_weights", ("TENSOR_FLOAT32", [9, 2]), [0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0, -0.125, -1.0, -0.625, 0.5, 0.8125, 1.0, -0.1875, -0.625, -0.0625, 0.8125])
time_weights = Parameter("time_weights", ("TENSOR_FLOAT32", [9, 3]), [0.0, -0.5, -0.1875, 0.3125, 0.6875, -0.25, -0.75, -0.625, -0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625, -0.375, 0.3125, 0.6875, -1.0, 0.1875, -0.4375, -0.375, 0.4375, 0.6875, -0.5, 1.0, -0.125, 0.875])
bias = Parameter("bias", ("TENSOR_FLOAT32", [0]), None)
state_in = Input("state_in", ("TENSOR_FLOAT32", [2, 27]))
rank = Int32Scalar("rank", 3)
activation = Int32Scalar("activation", 2)
state_out = Output("state_out", ("TENSOR_FLOAT32", [2, 27]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("relu1").Operation("SVDF", input, feature_weights, time_weights, bias, state_in, rank, activation).To(state_out, output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375],
    state_in: [-0.5, -0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125, -0.375, -0.5, -0.75, -0.875, 0.25, 0.875, -0.625, -0.0625, -0.125, 0.25, 0.75, 0.25, -0.0625, 0.5, -0.0625, 0.75, 0.8125, -0.9375, 0.9375, -0.75, 0.6875, -0.75, -0.125, 0.0625, -0.5625, 0.4375, 0.0, 0.0625, 0.0625, -0.9375, 0.625, 0.6875, -0.0625, 0.0, 0.25, -0.1875, 0.0625, 0.0, 0.3125, 0.0625, 0.625, -0.3125, 1.0],
    state_out: [-0.6875, -0.62109375, 0.0, -0.875, -0.0859375, 0.0, 0.25, -0.1015625, 0.0, -0.8125, 0.2109375, 0.0, -0.75, 0.4140625, 0.0, 0.875, 0.3515625, 0.0, -0.125, -0.97265625, 0.0, 0.25, 0.34765625, 0.0, -0.0625, -0.203125, 0.0, -0.9375, 0.015625, 0.0, 0.6875, -0.40234375, 0.0, 0.0625, 0.70703125, 0.0, 0.0, 0.921875, 0.0, -0.9375, 0.953125, 0.0, -0.0625, -0.390625, 0.0, -0.1875, -1.0390625, 0.0, 0.3125, 0.609375, 0.0, -0.3125, -0.75390625, 0.0],
    output: [-0.5163574, 1.0, 1.0, 0.32910156, 1.0, 0.43310547],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [1, 1]))
feature_weights = Parameter("feature_weights", ("TENSOR_FLOAT32", [1, 1]), [-0.5])
time_weights = Parameter("time_weights", ("TENSOR_FLOAT32", [1, 1]), [0.5625])
bias = Parameter("bias", ("TENSOR_FLOAT32", [1]), [-0.5625])
state_in = Input("state_in", ("TENSOR_FLOAT32", [1, 1]))
rank = Int32Scalar("rank", 1)
activation = Int32Scalar("activation", 4)
state_out = Output("state_out", ("TENSOR_FLOAT32", [1, 1]))
output = Output("output", ("TENSOR_FLOAT32", [1, 1]))
model = Model("sizes_of_one").Operation("SVDF", input, feature_weights, time_weights, bias, state_in, rank, activation).To(state_out, output)
Example({
    input: [-1.0],
    state_in: [-0.75],
    state_out: [0.0],
    output: [-0.2740616],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)
