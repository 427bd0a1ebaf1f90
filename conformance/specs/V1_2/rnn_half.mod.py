# Written by tests/golden/write_recurrent_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [3, 2]), [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0, -0.125, -1.0, -0.625])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [0.5, 0.8125, 1.0])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
activation = Int32Scalar("activation", 0)
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("none").Operation("RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation).To(hidden_state_out, output)
Example({
    input: [-0.1875, 0.3125, 0.6875, -0.25],
    hidden_state_in: [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5],
    hidden_state_out: [0.265625, 0.6796875, 1.4960938, -0.25, 0.80078125, 1.8007812],
    output: [0.265625, 0.6796875, 1.4960938, -0.25, 0.80078125, 1.8007812],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [3, 2]), [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0, -0.125, -1.0, -0.625])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [0.5, 0.8125, 1.0])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
activation = Int32Scalar("activation", 1)
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("relu").Operation("RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation).To(hidden_state_out, output)
Example({
    input: [-0.1875, 0.3125, 0.6875, -0.25],
    hidden_state_in: [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5],
    hidden_state_out: [0.265625, 0.6796875, 1.4960938, 0.0, 0.80078125, 1.8007812],
    output: [0.265625, 0.6796875, 1.4960938, 0.0, 0.80078125, 1.8007812],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [3, 2]), [0.3125, 1.0, 0.8125, 0.1875, 0.8125, 0.875])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.3125, 0.75, 0.875, 0.625, 0.9375, 0.875, -0.5, 0.3125, -0.5])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [1.0, 0.375, 1.0])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
activation = Int32Scalar("activation", 3)
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("relu6").Operation("RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation).To(hidden_state_out, output)
Example({
    input: [0.0, -1.5, 7.5, 0.0],
    hidden_state_in: [0.9375, -0.75, -0.5625, 0.4375, -0.8125, 0.6875],
    hidden_state_out: [0.0, 0.0, 0.0, 3.1992188, 6.0, 6.0],
    output: [0.0, 0.0, 0.0, 3.1992188, 6.0, 6.0],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [3, 2]), [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0, -0.125, -1.0, -0.625])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [0.5, 0.8125, 1.0])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
activation = Int32Scalar("activation", 4)
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("tanh").Operation("RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation).To(hidden_state_out, output)
Example({
    input: [-0.1875, 0.3125, 0.6875, -0.25],
    hidden_state_in: [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5],
    hidden_state_out: [0.2595492, 0.5913162, 0.90443987, -0.24491866, 0.6644733, 0.94688684],
    output: [0.2595492, 0.5913162, 0.90443987, -0.24491866, 0.6644733, 0.94688684],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [3, 2]), [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0, -0.125, -1.0, -0.625])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [0.5, 0.8125, 1.0])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
activation = Int32Scalar("activation", 6)
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("sigmoid").Operation("RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation).To(hidden_state_out, output)
Example({
    input: [-0.1875, 0.3125, 0.6875, -0.25],
    hidden_state_in: [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5],
    hidden_state_out: [0.5660185, 0.66366893, 0.81699115, 0.4378235, 0.69014156, 0.858244],
    output: [0.5660185, 0.66366893, 0.81699115, 0.4378235, 0.69014156, 0.858244],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [1, 1]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [1, 1]), [0.3125])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [1, 1]), [1.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [1]), [0.8125])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [1, 1]))
activation = Int32Scalar("activation", 4)
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [1, 1]))
output = Output("output", ("TENSOR_FLOAT32", [1, 1]))
model = Model("sizes_of_one").Operation("RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation).To(hidden_state_out, output)
Example({
    input: [0.8125],
    hidden_state_in: [0.1875],
    hidden_state_out: [0.84937537],
    output: [0.84937537],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)
