# Written by tests/golden/write_recurrent_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
feature_weights = Parameter("feature_weights", ("TENSOR_FLOAT32", [6, 2]), [0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0, -0.125, -1.0, -0.625, 0.5])
time_weights = Parameter("time_weights", ("TENSOR_FLOAT32", [6, 3]), [0.8125, 1.0, -0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875, -0.25, -0.75, -0.625, -0.75, 0.6875, -0.0625, 0.9375])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-0.8125, -0.625, -0.375])
state_in = Input("state_in", ("TENSOR_FLOAT32", [2, 18]))
rank = Int32Scalar("rank", 4)
activation = Int32Scalar("activation", 0)
state_out = Output("state_out", ("TENSOR_FLOAT32", [2, 18]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("rank").Operation("SVDF", input, feature_weights, time_weights, bias, state_in, rank, activation).To(state_out, output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375],
    state_in: [0.3125, 0.6875, -1.0, 0.1875, -0.4375, -0.375, 0.4375, 0.6875, -0.5, 1.0, -0.125, 0.875, -0.5, -0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125, -0.375, -0.5, -0.75, -0.875, 0.25, 0.875, -0.625, -0.0625, -0.125, 0.25, 0.75, 0.25, -0.0625],
    state_out: [0.6875, -0.62109375, 0.0, -0.4375, -0.0859375, 0.0, 0.6875, -0.1015625, 0.0, -0.125, 0.2109375, 0.0, -0.6875, 0.4140625, 0.0, -0.875, 0.3515625, 0.0, 0.25, 0.015625, 0.0, -0.8125, -0.40234375, 0.0, -0.75, 0.70703125, 0.0, 0.875, 0.921875, 0.0, -0.125, 0.953125, 0.0, 0.25, -0.390625, 0.0],
    output: [0.08569336, -0.7758789, 0.11669922, -0.845459, 0.06665039, -0.8310547],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
feature_weights = Parameter("feature_weights", ("TENSOR_FLOAT32", [6, 2]), [0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0, -0.125, -1.0, -0.625, 0.5])
time_weights = Parameter("time_weights", ("TENSOR_FLOAT32", [6, 3]), [0.8125, 1.0, -0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875, -0.25, -0.75, -0.625, -0.75, 0.6875, -0.0625, 0.9375])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [-0.5, 0.6875])
state_in = Input("state_in", ("TENSOR_FLOAT32", [2, 18]))
rank = Int32Scalar("rank", 2)
activation = Int32Scalar("activation", 0)
state_out = Output("state_out", ("TENSOR_FLOAT32", [2, 18]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("bias").Operation("SVDF", input, feature_weights, time_weights, bias, state_in, rank, activation).To(state_out, output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375],
    state_in: [0.3125, 0.6875, -1.0, 0.1875, -0.4375, -0.375, 0.4375, 0.6875, -0.5, 1.0, -0.125, 0.875, -0.5, -0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125, -0.375, -0.5, -0.75, -0.875, 0.25, 0.875, -0.625, -0.0625, -0.125, 0.25, 0.75, 0.25, -0.0625],
    state_out: [0.6875, -0.62109375, 0.0, -0.4375, -0.0859375, 0.0, 0.6875, -0.1015625, 0.0, -0.125, 0.2109375, 0.0, -0.6875, 0.4140625, 0.0, -0.875, 0.3515625, 0.0, 0.25, 0.015625, 0.0, -0.8125, -0.40234375, 0.0, -0.75, 0.70703125, 0.0, 0.875, 0.921875, 0.0, -0.125, 0.953125, 0.0, 0.25, -0.390625, 0.0],
    output: [0.08569336, -0.7758789, 0.11669922, -0.845459, 0.06665039, -0.8310547],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
feature_weights = Parameter("feature_weights", ("TENSOR_FLOAT32", [6, 2]), [0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0, -0.125, -1.0, -0.625, 0.5])
time_weights = Parameter("time_weights", ("TENSOR_FLOAT32", [5, 3]), [-0.5, 0.6875, 0.0, 0.5625, -1.0, 0.4375, 1.0, -0.25, 0.9375, -0.875, 0.3125, 0.6875, -0.25, 0.375, 0.5625])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-0.8125, -0.625, -0.375])
state_in = Input("state_in", ("TENSOR_FLOAT32", [2, 18]))
rank = Int32Scalar("rank", 2)
activation = Int32Scalar("activation", 0)
state_out = Output("state_out", ("TENSOR_FLOAT32", [2, 18]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("time_weights").Operation("SVDF", input, feature_weights, time_weights, bias, state_in, rank, activation).To(state_out, output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375],
    state_in: [0.3125, 0.6875, -1.0, 0.1875, -0.4375, -0.375, 0.4375, 0.6875, -0.5, 1.0, -0.125, 0.875, -0.5, -0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125, -0.375, -0.5, -0.75, -0.875, 0.25, 0.875, -0.625, -0.0625, -0.125, 0.25, 0.75, 0.25, -0.0625],
    state_out: [0.6875, -0.62109375, 0.0, -0.4375, -0.0859375, 0.0, 0.6875, -0.1015625, 0.0, -0.125, 0.2109375, 0.0, -0.6875, 0.4140625, 0.0, -0.875, 0.3515625, 0.0, 0.25, 0.015625, 0.0, -0.8125, -0.40234375, 0.0, -0.75, 0.70703125, 0.0, 0.875, 0.921875, 0.0, -0.125, 0.953125, 0.0, 0.25, -0.390625, 0.0],
    output: [0.08569336, -0.7758789, 0.11669922, -0.845459, 0.06665039, -0.8310547],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
