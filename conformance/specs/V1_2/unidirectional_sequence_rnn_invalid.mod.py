# Written by tests/golden/write_recurrent_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [3, 2, 2]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [3, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-0.25, -0.75, -0.625])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
activation = Int32Scalar("activation", 4)
time_major = Int32Scalar("time_major", 2)
output = Output("output", ("TENSOR_FLOAT32", [3, 2, 3]))
model = Model("time_major").Operation("UNIDIRECTIONAL_SEQUENCE_RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation, time_major).To(output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0],
    hidden_state_in: [-0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625],
    output: [-0.12050531, -0.751574, -0.85785264, 0.79104537, -0.06630881, -0.9872234, 0.3089478, -0.75706226, -0.71232575, -0.61991316, 0.5677176, -0.79542816, 0.74763405, -0.67643076, -0.9532543, 0.49713954, -0.8925018, -0.9443336],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input = Input("input", ("TENSOR_FLOAT32", [3, 2, 2]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [3, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-0.25, -0.75, -0.625])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [2, 2]))
activation = Int32Scalar("activation", 4)
time_major = Int32Scalar("time_major", 1)
output = Output("output", ("TENSOR_FLOAT32", [3, 2, 3]))
model = Model("hidden_state").Operation("UNIDIRECTIONAL_SEQUENCE_RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation, time_major).To(output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0],
    hidden_state_in: [-0.5, 0.6875, 0.0, 0.5625],
    output: [-0.12050531, -0.751574, -0.85785264, 0.79104537, -0.06630881, -0.9872234, 0.3089478, -0.75706226, -0.71232575, -0.61991316, 0.5677176, -0.79542816, 0.74763405, -0.67643076, -0.9532543, 0.49713954, -0.8925018, -0.9443336],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
