# Written by tests/golden/write_recurrent_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [3, 3]), [-0.5, 0.6875, 0.0, 0.5625, -1.0, 0.4375, 1.0, -0.25, 0.9375])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0, -0.125, -1.0, -0.625])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [0.5, 0.8125, 1.0])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
activation = Int32Scalar("activation", 4)
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("weights").Operation("RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation).To(hidden_state_out, output)
Example({
    input: [-0.1875, 0.3125, 0.6875, -0.25],
    hidden_state_in: [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5],
    hidden_state_out: [0.2595492, 0.5913162, 0.90443987, -0.24491866, 0.6644733, 0.94688684],
    output: [0.2595492, 0.5913162, 0.90443987, -0.24491866, 0.6644733, 0.94688684],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [3, 2]), [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.5, 0.6875, 0.0, 0.5625, -1.0, 0.4375])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [0.5, 0.8125, 1.0])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
activation = Int32Scalar("activation", 4)
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("recurrent_weights").Operation("RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation).To(hidden_state_out, output)
Example({
    input: [-0.1875, 0.3125, 0.6875, -0.25],
    hidden_state_in: [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5],
    hidden_state_out: [0.2595492, 0.5913162, 0.90443987, -0.24491866, 0.6644733, 0.94688684],
    output: [0.2595492, 0.5913162, 0.90443987, -0.24491866, 0.6644733, 0.94688684],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
