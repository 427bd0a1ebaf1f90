# Written by tests/golden/write_recurrent_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 2]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [3, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-0.25, -0.75, -0.625])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
activation = Int32Scalar("activation", 0)
time_major = Int32Scalar("time_major", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 3]))
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [2, 3]))
model = Model("none_batch_major").Operation("UNIDIRECTIONAL_SEQUENCE_RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation, time_major).To(output, hidden_state_out)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0],
    hidden_state_in: [-0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625],
    output: [-0.12109375, -0.9765625, -1.2851562, 1.4165039, -0.59643555, -2.8300781, 0.057495117, 1.245636, -2.487503, -0.30859375, 0.58203125, -1.0976562, 0.2705078, -1.1315918, -1.5969238, 1.4907074, -0.3098755, -3.0256653],
    hidden_state_out: [0.057495117, 1.245636, -2.487503, 1.4907074, -0.3098755, -3.0256653],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [3, 2, 2]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [3, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-0.25, -0.75, -0.625])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
activation = Int32Scalar("activation", 0)
time_major = Int32Scalar("time_major", 1)
output = Output("output", ("TENSOR_FLOAT32", [3, 2, 3]))
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [2, 3]))
model = Model("none_time_major").Operation("UNIDIRECTIONAL_SEQUENCE_RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation, time_major).To(output, hidden_state_out)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0],
    hidden_state_in: [-0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625],
    output: [-0.12109375, -0.9765625, -1.2851562, 1.0742188, -0.06640625, -2.5234375, 0.4868164, -0.77612305, -1.2558594, -0.68188477, 1.642334, -2.1953125, 0.98010254, -0.40621948, -2.279251, -0.027023315, -0.7845001, -2.391632],
    hidden_state_out: [0.98010254, -0.40621948, -2.279251, -0.027023315, -0.7845001, -2.391632],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [1, 1, 1]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [1, 1]), [0.6875])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [1, 1]), [0.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [1]), [0.5625])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [1, 1]))
activation = Int32Scalar("activation", 1)
time_major = Int32Scalar("time_major", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 1]))
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [1, 1]))
model = Model("relu_batch_major").Operation("UNIDIRECTIONAL_SEQUENCE_RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation, time_major).To(output, hidden_state_out)
Example({
    input: [-0.5],
    hidden_state_in: [-1.0],
    output: [0.21875],
    hidden_state_out: [0.21875],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [1, 1, 1]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [1, 1]), [0.6875])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [1, 1]), [0.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [1]), [0.5625])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [1, 1]))
activation = Int32Scalar("activation", 1)
time_major = Int32Scalar("time_major", 1)
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 1]))
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [1, 1]))
model = Model("relu_time_major").Operation("UNIDIRECTIONAL_SEQUENCE_RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation, time_major).To(output, hidden_state_out)
Example({
    input: [-0.5],
    hidden_state_in: [-1.0],
    output: [0.21875],
    hidden_state_out: [0.21875],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [1, 4, 3]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [2, 3]), [-0.25, 0.375, 0.5625, 0.8125, -0.375, 0.125])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [2, 2]), [0.5, 0.6875, 0.6875, -1.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [-0.3125, 0.375])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [1, 2]))
activation = Int32Scalar("activation", 3)
time_major = Int32Scalar("time_major", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 4, 2]))
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [1, 2]))
model = Model("relu6_batch_major").Operation("UNIDIRECTIONAL_SEQUENCE_RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation, time_major).To(output, hidden_state_out)
Example({
    input: [-4.0, 5.5, 0.0, 4.5, -8.0, 3.5, 8.0, -2.0, 7.5, -7.0, 2.5, 5.5],
    hidden_state_in: [-0.625, -0.875],
    output: [1.8359375, 0.0, 0.0, 6.0, 5.28125, 2.5625, 6.0, 0.0],
    hidden_state_out: [6.0, 0.0],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [4, 1, 3]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [2, 3]), [-0.25, 0.375, 0.5625, 0.8125, -0.375, 0.125])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [2, 2]), [0.5, 0.6875, 0.6875, -1.0])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [-0.3125, 0.375])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [1, 2]))
activation = Int32Scalar("activation", 3)
time_major = Int32Scalar("time_major", 1)
output = Output("output", ("TENSOR_FLOAT32", [4, 1, 2]))
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [1, 2]))
model = Model("relu6_time_major").Operation("UNIDIRECTIONAL_SEQUENCE_RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation, time_major).To(output, hidden_state_out)
Example({
    input: [-4.0, 5.5, 0.0, 4.5, -8.0, 3.5, 8.0, -2.0, 7.5, -7.0, 2.5, 5.5],
    hidden_state_in: [-0.625, -0.875],
    output: [1.8359375, 0.0, 0.0, 6.0, 5.28125, 2.5625, 6.0, 0.0],
    hidden_state_out: [6.0, 0.0],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 2]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [3, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-0.25, -0.75, -0.625])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
activation = Int32Scalar("activation", 4)
time_major = Int32Scalar("time_major", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 3]))
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [2, 3]))
model = Model("tanh_batch_major").Operation("UNIDIRECTIONAL_SEQUENCE_RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation, time_major).To(output, hidden_state_out)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0],
    hidden_state_in: [-0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625],
    output: [-0.12050531, -0.751574, -0.85785264, 0.84802246, -0.6693746, -0.98568225, 0.09411814, -0.13757518, -0.8129557, -0.29915723, 0.52414024, -0.79965556, 0.27872142, -0.8545884, -0.88789874, 0.85426486, -0.5768404, -0.98531014],
    hidden_state_out: [0.09411814, -0.13757518, -0.8129557, 0.85426486, -0.5768404, -0.98531014],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [3, 2, 2]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [3, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [-0.25, -0.75, -0.625])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
activation = Int32Scalar("activation", 4)
time_major = Int32Scalar("time_major", 1)
output = Output("output", ("TENSOR_FLOAT32", [3, 2, 3]))
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [2, 3]))
model = Model("tanh_time_major").Operation("UNIDIRECTIONAL_SEQUENCE_RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation, time_major).To(output, hidden_state_out)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0],
    hidden_state_in: [-0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625],
    output: [-0.12050531, -0.751574, -0.85785264, 0.79104537, -0.06630881, -0.9872234, 0.3089478, -0.75706226, -0.71232575, -0.61991316, 0.5677176, -0.79542816, 0.74763405, -0.67643076, -0.9532543, 0.49713954, -0.8925018, -0.9443336],
    hidden_state_out: [0.74763405, -0.67643076, -0.9532543, 0.49713954, -0.8925018, -0.9443336],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [1, 1, 1]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [1, 1]), [-0.3125])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [1, 1]), [-0.125])
bias = Parameter("bias", ("TENSOR_FLOAT32", [1]), [-0.9375])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [1, 1]))
activation = Int32Scalar("activation", 6)
time_major = Int32Scalar("time_major", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 1]))
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [1, 1]))
model = Model("sigmoid_batch_major").Operation("UNIDIRECTIONAL_SEQUENCE_RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation, time_major).To(output, hidden_state_out)
Example({
    input: [-0.8125],
    hidden_state_in: [0.8125],
    output: [0.31320965],
    hidden_state_out: [0.31320965],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [1, 1, 1]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [1, 1]), [-0.3125])
recurrent_weights = Parameter("recurrent_weights", ("TENSOR_FLOAT32", [1, 1]), [-0.125])
bias = Parameter("bias", ("TENSOR_FLOAT32", [1]), [-0.9375])
hidden_state_in = Input("hidden_state_in", ("TENSOR_FLOAT32", [1, 1]))
activation = Int32Scalar("activation", 6)
time_major = Int32Scalar("time_major", 1)
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 1]))
hidden_state_out = Output("hidden_state_out", ("TENSOR_FLOAT32", [1, 1]))
model = Model("sigmoid_time_major").Operation("UNIDIRECTIONAL_SEQUENCE_RNN", input, weights, recurrent_weights, bias, hidden_state_in, activation, time_major).To(output, hidden_state_out)
Example({
    input: [-0.8125],
    hidden_state_in: [0.8125],
    output: [0.31320965],
    hidden_state_out: [0.31320965],
}, model=model).AddVariations("float16")
