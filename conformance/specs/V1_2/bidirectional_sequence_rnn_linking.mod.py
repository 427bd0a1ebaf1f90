# Written by tests/golden/write_recurrent_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 2]))
fw_weights = Parameter("fw_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0])
fw_recurrent_weights = Parameter("fw_recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875])
fw_bias = Parameter("fw_bias", ("TENSOR_FLOAT32", [3]), [-0.25, -0.75, -0.625])
fw_hidden_state_in = Input("fw_hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
bw_weights = Parameter("bw_weights", ("TENSOR_FLOAT32", [2, 2]), [-0.375, 0.3125, 0.6875, -1.0])
bw_recurrent_weights = Parameter("bw_recurrent_weights", ("TENSOR_FLOAT32", [2, 2]), [0.1875, -0.4375, -0.375, 0.4375])
bw_bias = Parameter("bw_bias", ("TENSOR_FLOAT32", [2]), [0.6875, -0.5])
bw_hidden_state_in = Input("bw_hidden_state_in", ("TENSOR_FLOAT32", [2, 2]))
aux_input = Parameter("aux_input", ("TENSOR_FLOAT32", [0, 0, 0]), None)
fw_aux_weights = Parameter("fw_aux_weights", ("TENSOR_FLOAT32", [0, 0]), None)
bw_aux_weights = Parameter("bw_aux_weights", ("TENSOR_FLOAT32", [0, 0]), None)
activation = Int32Scalar("activation", 0)
time_major = BoolScalar("time_major", False)
merge_outputs = BoolScalar("merge_outputs", False)
fw_output = Output("fw_output", ("TENSOR_FLOAT32", [2, 3, 3]))
bw_output = Output("bw_output", ("TENSOR_FLOAT32", [2, 3, 2]))
model = Model("none_apart_batch_major").Operation("BIDIRECTIONAL_SEQUENCE_RNN", input, fw_weights, fw_recurrent_weights, fw_bias, fw_hidden_state_in, bw_weights, bw_recurrent_weights, bw_bias, bw_hidden_state_in, aux_input, fw_aux_weights, bw_aux_weights, activation, time_major, merge_outputs).To(fw_output, bw_output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0],
    fw_hidden_state_in: [-0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625],
    bw_hidden_state_in: [1.0, -0.125, 0.875, -0.5],
    fw_output: [-0.12109375, -0.9765625, -1.2851562, 1.4165039, -0.59643555, -2.8300781, 0.057495117, 1.245636, -2.487503, -0.30859375, 0.58203125, -1.0976562, 0.2705078, -1.1315918, -1.5969238, 1.4907074, -0.3098755, -3.0256653],
    bw_output: [1.0075073, -0.98262024, 0.65893555, 0.024169922, 0.5859375, -0.24609375, 0.76083374, -0.9659729, 0.3857422, 0.36376953, 0.7109375, 0.0390625],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 2]))
fw_weights = Parameter("fw_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.25, 0.375, 0.5625, 0.8125, -0.375, 0.125])
fw_recurrent_weights = Parameter("fw_recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [0.5, 0.6875, 0.6875, -1.0, -0.3125, 0.375, -0.625, -0.875, -0.125])
fw_bias = Parameter("fw_bias", ("TENSOR_FLOAT32", [3]), [-0.625, -0.4375, -0.0625])
fw_hidden_state_in = Input("fw_hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
bw_weights = Parameter("bw_weights", ("TENSOR_FLOAT32", [2, 2]), [-0.75, 0.0625, -0.625, -0.5])
bw_recurrent_weights = Parameter("bw_recurrent_weights", ("TENSOR_FLOAT32", [2, 2]), [-0.5, 0.375, 0.6875, 0.75])
bw_bias = Parameter("bw_bias", ("TENSOR_FLOAT32", [2]), [-0.6875, 0.5])
bw_hidden_state_in = Input("bw_hidden_state_in", ("TENSOR_FLOAT32", [2, 2]))
aux_input = Input("aux_input", ("TENSOR_FLOAT32", [2, 3, 2]))
fw_aux_weights = Parameter("fw_aux_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.75, 0.25, 0.8125, 0.625, 0.875, 0.375])
bw_aux_weights = Parameter("bw_aux_weights", ("TENSOR_FLOAT32", [2, 2]), [0.0, 0.375, 0.4375, 0.5])
activation = Int32Scalar("activation", 1)
time_major = BoolScalar("time_major", False)
merge_outputs = BoolScalar("merge_outputs", False)
fw_output = Output("fw_output", ("TENSOR_FLOAT32", [2, 3, 3]))
bw_output = Output("bw_output", ("TENSOR_FLOAT32", [2, 3, 2]))
model = Model("cross_apart_batch_major").Operation("BIDIRECTIONAL_SEQUENCE_RNN", input, fw_weights, fw_recurrent_weights, fw_bias, fw_hidden_state_in, bw_weights, bw_recurrent_weights, bw_bias, bw_hidden_state_in, aux_input, fw_aux_weights, bw_aux_weights, activation, time_major, merge_outputs).To(fw_output, bw_output)
Example({
    input: [-0.5, 0.6875, 0.0, 0.5625, -1.0, 0.4375, 1.0, -0.25, 0.9375, -0.875, 0.3125, 0.6875],
    fw_hidden_state_in: [0.0625, 0.4375, -0.4375, -0.4375, 1.0, 0.125],
    bw_hidden_state_in: [-0.9375, -0.375, 0.1875, -0.3125],
    aux_input: [-0.75, 0.5, -0.6875, 0.75, 1.0, 0.0, 1.0, -0.4375, -0.75, 1.0, 0.1875, 0.4375],
    fw_output: [0.4765625, 0.0, 0.0, 0.52734375, 0.0, 0.0, 0.0, 0.0, 0.91259766, 0.0, 0.6328125, 0.0, 0.060058594, 0.0, 0.0, 0.0, 0.66259766, 0.19683838],
    bw_output: [0.2531433, 1.0609741, 0.0, 0.8937988, 0.41796875, 0.41796875, 0.0, 0.69921875, 0.0, 0.640625, 0.0, 0.15625],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 2]))
fw_weights = Parameter("fw_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0])
fw_recurrent_weights = Parameter("fw_recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875])
fw_bias = Parameter("fw_bias", ("TENSOR_FLOAT32", [3]), [-0.25, -0.75, -0.625])
fw_hidden_state_in = Input("fw_hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
bw_weights = Parameter("bw_weights", ("TENSOR_FLOAT32", [2, 2]), [-0.375, 0.3125, 0.6875, -1.0])
bw_recurrent_weights = Parameter("bw_recurrent_weights", ("TENSOR_FLOAT32", [2, 2]), [0.1875, -0.4375, -0.375, 0.4375])
bw_bias = Parameter("bw_bias", ("TENSOR_FLOAT32", [2]), [0.6875, -0.5])
bw_hidden_state_in = Input("bw_hidden_state_in", ("TENSOR_FLOAT32", [2, 2]))
aux_input = Input("aux_input", ("TENSOR_FLOAT32", [2, 3, 2]))
fw_aux_weights = Parameter("fw_aux_weights", ("TENSOR_FLOAT32", [0, 0]), None)
bw_aux_weights = Parameter("bw_aux_weights", ("TENSOR_FLOAT32", [0, 0]), None)
activation = Int32Scalar("activation", 3)
time_major = BoolScalar("time_major", False)
merge_outputs = BoolScalar("merge_outputs", False)
fw_output = Output("fw_output", ("TENSOR_FLOAT32", [2, 3, 3]))
bw_output = Output("bw_output", ("TENSOR_FLOAT32", [2, 3, 2]))
model = Model("parallel_apart_batch_major").Operation("BIDIRECTIONAL_SEQUENCE_RNN", input, fw_weights, fw_recurrent_weights, fw_bias, fw_hidden_state_in, bw_weights, bw_recurrent_weights, bw_bias, bw_hidden_state_in, aux_input, fw_aux_weights, bw_aux_weights, activation, time_major, merge_outputs).To(fw_output, bw_output)
Example({
    input: [-6.5, -2.5, -1.0, -7.5, 6.5, -1.0, -0.5, 3.5, 3.5, -6.5, 1.0, -8.0],
    fw_hidden_state_in: [-0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625],
    bw_hidden_state_in: [1.0, -0.125, 0.875, -0.5],
    aux_input: [-0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125, -0.375, -0.5],
    fw_output: [2.7773438, 1.484375, 0.0, 5.9265137, 0.0, 0.0, 0.0, 0.0, 2.5450287, 0.0, 2.3867188, 1.609375, 4.220215, 0.0, 0.0, 6.0, 0.0, 0.0],
    bw_output: [1.3657379, 0.0, 0.78393555, 0.0, 0.84765625, 0.0, 0.44082642, 0.19665527, 0.53759766, 0.08886719, 1.0546875, 0.0],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 2]))
fw_weights = Parameter("fw_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0])
fw_recurrent_weights = Parameter("fw_recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875])
fw_bias = Parameter("fw_bias", ("TENSOR_FLOAT32", [3]), [-0.25, -0.75, -0.625])
fw_hidden_state_in = Input("fw_hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
bw_weights = Parameter("bw_weights", ("TENSOR_FLOAT32", [2, 2]), [-0.375, 0.3125, 0.6875, -1.0])
bw_recurrent_weights = Parameter("bw_recurrent_weights", ("TENSOR_FLOAT32", [2, 2]), [0.1875, -0.4375, -0.375, 0.4375])
bw_bias = Parameter("bw_bias", ("TENSOR_FLOAT32", [2]), [0.6875, -0.5])
bw_hidden_state_in = Input("bw_hidden_state_in", ("TENSOR_FLOAT32", [2, 2]))
aux_input = Parameter("aux_input", ("TENSOR_FLOAT32", [0, 0, 0]), None)
fw_aux_weights = Parameter("fw_aux_weights", ("TENSOR_FLOAT32", [0, 0]), None)
bw_aux_weights = Parameter("bw_aux_weights", ("TENSOR_FLOAT32", [0, 0]), None)
activation = Int32Scalar("activation", 4)
time_major = BoolScalar("time_major", False)
merge_outputs = BoolScalar("merge_outputs", True)
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 5]))
model = Model("none_merged_batch_major").Operation("BIDIRECTIONAL_SEQUENCE_RNN", input, fw_weights, fw_recurrent_weights, fw_bias, fw_hidden_state_in, bw_weights, bw_recurrent_weights, bw_bias, bw_hidden_state_in, aux_input, fw_aux_weights, bw_aux_weights, activation, time_major, merge_outputs).To(output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0],
    fw_hidden_state_in: [-0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625],
    bw_hidden_state_in: [1.0, -0.125, 0.875, -0.5],
    output: [-0.12050531, -0.751574, -0.85785264, 0.7530752, -0.73441035, 0.84802246, -0.6693746, -0.98568225, 0.56880635, 0.048367996, 0.09411814, -0.13757518, -0.8129557, 0.5269675, -0.24124323, -0.29915723, 0.52414024, -0.79965556, 0.6332922, -0.73778343, 0.27872142, -0.8545884, -0.88789874, 0.35141933, 0.38092247, 0.85426486, -0.5768404, -0.98531014, 0.6112644, 0.039042644],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 2]))
fw_weights = Parameter("fw_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0])
fw_recurrent_weights = Parameter("fw_recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875])
fw_bias = Parameter("fw_bias", ("TENSOR_FLOAT32", [3]), [-0.25, -0.75, -0.625])
fw_hidden_state_in = Input("fw_hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
bw_weights = Parameter("bw_weights", ("TENSOR_FLOAT32", [2, 2]), [-0.375, 0.3125, 0.6875, -1.0])
bw_recurrent_weights = Parameter("bw_recurrent_weights", ("TENSOR_FLOAT32", [2, 2]), [0.1875, -0.4375, -0.375, 0.4375])
bw_bias = Parameter("bw_bias", ("TENSOR_FLOAT32", [2]), [0.6875, -0.5])
bw_hidden_state_in = Input("bw_hidden_state_in", ("TENSOR_FLOAT32", [2, 2]))
aux_input = Input("aux_input", ("TENSOR_FLOAT32", [2, 3, 2]))
fw_aux_weights = Parameter("fw_aux_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.75, -0.875, 0.25, 0.875, -0.625, -0.0625])
bw_aux_weights = Parameter("bw_aux_weights", ("TENSOR_FLOAT32", [2, 2]), [-0.125, 0.25, 0.75, 0.25])
activation = Int32Scalar("activation", 6)
time_major = BoolScalar("time_major", False)
merge_outputs = BoolScalar("merge_outputs", True)
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 5]))
model = Model("cross_merged_batch_major").Operation("BIDIRECTIONAL_SEQUENCE_RNN", input, fw_weights, fw_recurrent_weights, fw_bias, fw_hidden_state_in, bw_weights, bw_recurrent_weights, bw_bias, bw_hidden_state_in, aux_input, fw_aux_weights, bw_aux_weights, activation, time_major, merge_outputs).To(output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0],
    fw_hidden_state_in: [-0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625],
    bw_hidden_state_in: [1.0, -0.125, 0.875, -0.5],
    aux_input: [-0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125, -0.375, -0.5],
    output: [0.40827677, 0.40544873, 0.28696787, 0.7531919, 0.25694865, 0.82386154, 0.13486235, 0.26690722, 0.546294, 0.4250057, 0.2834688, 0.37131816, 0.4341919, 0.64243245, 0.5204963, 0.52634275, 0.5107405, 0.2295352, 0.61341697, 0.29426548, 0.64542794, 0.1461354, 0.27512425, 0.49464607, 0.6298953, 0.7726925, 0.18655884, 0.24158397, 0.6531269, 0.40922078],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 2]))
fw_weights = Parameter("fw_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0])
fw_recurrent_weights = Parameter("fw_recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875])
fw_bias = Parameter("fw_bias", ("TENSOR_FLOAT32", [3]), [-0.25, -0.75, -0.625])
fw_hidden_state_in = Input("fw_hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
bw_weights = Parameter("bw_weights", ("TENSOR_FLOAT32", [2, 2]), [-0.375, 0.3125, 0.6875, -1.0])
bw_recurrent_weights = Parameter("bw_recurrent_weights", ("TENSOR_FLOAT32", [2, 2]), [0.1875, -0.4375, -0.375, 0.4375])
bw_bias = Parameter("bw_bias", ("TENSOR_FLOAT32", [2]), [0.6875, -0.5])
bw_hidden_state_in = Input("bw_hidden_state_in", ("TENSOR_FLOAT32", [2, 2]))
aux_input = Input("aux_input", ("TENSOR_FLOAT32", [2, 3, 2]))
fw_aux_weights = Parameter("fw_aux_weights", ("TENSOR_FLOAT32", [0, 0]), None)
bw_aux_weights = Parameter("bw_aux_weights", ("TENSOR_FLOAT32", [0, 0]), None)
activation = Int32Scalar("activation", 0)
time_major = BoolScalar("time_major", False)
merge_outputs = BoolScalar("merge_outputs", True)
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 5]))
model = Model("parallel_merged_batch_major").Operation("BIDIRECTIONAL_SEQUENCE_RNN", input, fw_weights, fw_recurrent_weights, fw_bias, fw_hidden_state_in, bw_weights, bw_recurrent_weights, bw_bias, bw_hidden_state_in, aux_input, fw_aux_weights, bw_aux_weights, activation, time_major, merge_outputs).To(output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0],
    fw_hidden_state_in: [-0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625],
    bw_hidden_state_in: [1.0, -0.125, 0.875, -0.5],
    aux_input: [-0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125, -0.375, -0.5],
    output: [-0.12109375, -0.9765625, -1.2851562, 1.7449188, -2.5913086, 1.4165039, -0.59643555, -2.8300781, 1.1599121, -0.7055664, 0.057495117, 1.245636, -2.487503, 0.84765625, -0.859375, -0.30859375, 0.58203125, -1.0976562, 0.66085815, -0.08938599, 0.2705078, -1.1315918, -1.5969238, 0.88964844, -0.2631836, 1.4907074, -0.3098755, -3.0256653, 1.0546875, -0.8046875],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [3, 2, 2]))
fw_weights = Parameter("fw_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.25, -0.4375, -0.3125, -0.875, 0.5, -0.875])
fw_recurrent_weights = Parameter("fw_recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [1.0, 0.0625, -0.4375, -0.875, -0.6875, -0.875, 0.9375, 0.0, 1.0])
fw_bias = Parameter("fw_bias", ("TENSOR_FLOAT32", [3]), [1.0, 0.0625, 0.4375])
fw_hidden_state_in = Input("fw_hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
bw_weights = Parameter("bw_weights", ("TENSOR_FLOAT32", [2, 2]), [-1.0, -0.3125, -0.0625, 0.0625])
bw_recurrent_weights = Parameter("bw_recurrent_weights", ("TENSOR_FLOAT32", [2, 2]), [0.875, -0.875, -0.375, -0.875])
bw_bias = Parameter("bw_bias", ("TENSOR_FLOAT32", [2]), [-0.0625, -0.5625])
bw_hidden_state_in = Input("bw_hidden_state_in", ("TENSOR_FLOAT32", [2, 2]))
aux_input = Parameter("aux_input", ("TENSOR_FLOAT32", [0, 0, 0]), None)
fw_aux_weights = Parameter("fw_aux_weights", ("TENSOR_FLOAT32", [0, 0]), None)
bw_aux_weights = Parameter("bw_aux_weights", ("TENSOR_FLOAT32", [0, 0]), None)
activation = Int32Scalar("activation", 1)
time_major = BoolScalar("time_major", True)
merge_outputs = BoolScalar("merge_outputs", False)
fw_output = Output("fw_output", ("TENSOR_FLOAT32", [3, 2, 3]))
bw_output = Output("bw_output", ("TENSOR_FLOAT32", [3, 2, 2]))
model = Model("none_apart_time_major").Operation("BIDIRECTIONAL_SEQUENCE_RNN", input, fw_weights, fw_recurrent_weights, fw_bias, fw_hidden_state_in, bw_weights, bw_recurrent_weights, bw_bias, bw_hidden_state_in, aux_input, fw_aux_weights, bw_aux_weights, activation, time_major, merge_outputs).To(fw_output, bw_output)
Example({
    input: [-0.0625, -0.25, 0.0625, 0.0, -0.75, 1.0, 0.125, -0.875, -0.5625, -1.0, 0.375, 0.5],
    fw_hidden_state_in: [0.6875, 0.25, -0.9375, 0.375, 0.75, 1.0],
    bw_hidden_state_in: [-0.8125, -0.4375, -0.625, -0.25],
    fw_output: [2.2382812, 0.34765625, 0.33203125, 0.96875, 0.0, 1.8203125, 2.864746, 0.0, 1.6179199, 1.5239258, 0.0, 3.9941406, 3.7350311, 0.0, 5.3348694, 0.46398926, 0.0, 5.610321],
    bw_output: [0.70233154, 0.0, 0.0, 0.0, 0.7133789, 0.0, 0.0859375, 0.0, 0.484375, 0.09765625, 0.0, 0.0],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [3, 2, 2]))
fw_weights = Parameter("fw_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.25, -0.4375, -0.3125, -0.875, 0.5, -0.875])
fw_recurrent_weights = Parameter("fw_recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [1.0, 0.0625, -0.4375, -0.875, -0.6875, -0.875, 0.9375, 0.0, 1.0])
fw_bias = Parameter("fw_bias", ("TENSOR_FLOAT32", [3]), [1.0, 0.0625, 0.4375])
fw_hidden_state_in = Input("fw_hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
bw_weights = Parameter("bw_weights", ("TENSOR_FLOAT32", [2, 2]), [-1.0, -0.3125, -0.0625, 0.0625])
bw_recurrent_weights = Parameter("bw_recurrent_weights", ("TENSOR_FLOAT32", [2, 2]), [0.875, -0.875, -0.375, -0.875])
bw_bias = Parameter("bw_bias", ("TENSOR_FLOAT32", [2]), [-0.0625, -0.5625])
bw_hidden_state_in = Input("bw_hidden_state_in", ("TENSOR_FLOAT32", [2, 2]))
aux_input = Input("aux_input", ("TENSOR_FLOAT32", [3, 2, 2]))
fw_aux_weights = Parameter("fw_aux_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.6875, -0.75, -0.6875, 0.3125, 0.3125, 0.8125])
bw_aux_weights = Parameter("bw_aux_weights", ("TENSOR_FLOAT32", [2, 2]), [-0.0625, 0.5, 0.1875, 0.75])
activation = Int32Scalar("activation", 3)
time_major = BoolScalar("time_major", True)
merge_outputs = BoolScalar("merge_outputs", False)
fw_output = Output("fw_output", ("TENSOR_FLOAT32", [3, 2, 3]))
bw_output = Output("bw_output", ("TENSOR_FLOAT32", [3, 2, 2]))
model = Model("cross_apart_time_major").Operation("BIDIRECTIONAL_SEQUENCE_RNN", input, fw_weights, fw_recurrent_weights, fw_bias, fw_hidden_state_in, bw_weights, bw_recurrent_weights, bw_bias, bw_hidden_state_in, aux_input, fw_aux_weights, bw_aux_weights, activation, time_major, merge_outputs).To(fw_output, bw_output)
Example({
    input: [-0.5, -2.0, 0.5, 0.0, -6.0, 8.0, 1.0, -7.0, -4.5, -8.0, 3.0, 4.0],
    fw_hidden_state_in: [0.6875, 0.25, -0.9375, 0.375, 0.75, 1.0],
    bw_hidden_state_in: [-0.8125, -0.4375, -0.625, -0.25],
    aux_input: [-0.6875, 0.0625, -0.8125, 0.4375, -0.3125, -0.25, -0.375, -0.1875, 0.375, 0.5625, 0.875, -0.5],
    fw_output: [3.5390625, 2.5078125, 1.4804688, 1.0898438, 0.0, 2.140625, 2.4504395, 0.0, 0.0, 4.364258, 3.2475586, 6.0, 6.0, 6.0, 6.0, 0.21566772, 0.0, 6.0],
    bw_output: [6.0, 0.0, 0.6298828, 0.0, 6.0, 0.0, 1.0546875, 0.0, 6.0, 0.3984375, 0.0, 0.0],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [3, 2, 2]))
fw_weights = Parameter("fw_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0])
fw_recurrent_weights = Parameter("fw_recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875])
fw_bias = Parameter("fw_bias", ("TENSOR_FLOAT32", [3]), [-0.25, -0.75, -0.625])
fw_hidden_state_in = Input("fw_hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
bw_weights = Parameter("bw_weights", ("TENSOR_FLOAT32", [2, 2]), [-0.375, 0.3125, 0.6875, -1.0])
bw_recurrent_weights = Parameter("bw_recurrent_weights", ("TENSOR_FLOAT32", [2, 2]), [0.1875, -0.4375, -0.375, 0.4375])
bw_bias = Parameter("bw_bias", ("TENSOR_FLOAT32", [2]), [0.6875, -0.5])
bw_hidden_state_in = Input("bw_hidden_state_in", ("TENSOR_FLOAT32", [2, 2]))
aux_input = Input("aux_input", ("TENSOR_FLOAT32", [3, 2, 2]))
fw_aux_weights = Parameter("fw_aux_weights", ("TENSOR_FLOAT32", [0, 0]), None)
bw_aux_weights = Parameter("bw_aux_weights", ("TENSOR_FLOAT32", [0, 0]), None)
activation = Int32Scalar("activation", 4)
time_major = BoolScalar("time_major", True)
merge_outputs = BoolScalar("merge_outputs", False)
fw_output = Output("fw_output", ("TENSOR_FLOAT32", [3, 2, 3]))
bw_output = Output("bw_output", ("TENSOR_FLOAT32", [3, 2, 2]))
model = Model("parallel_apart_time_major").Operation("BIDIRECTIONAL_SEQUENCE_RNN", input, fw_weights, fw_recurrent_weights, fw_bias, fw_hidden_state_in, bw_weights, bw_recurrent_weights, bw_bias, bw_hidden_state_in, aux_input, fw_aux_weights, bw_aux_weights, activation, time_major, merge_outputs).To(fw_output, bw_output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0],
    fw_hidden_state_in: [-0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625],
    bw_hidden_state_in: [1.0, -0.125, 0.875, -0.5],
    aux_input: [-0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125, -0.375, -0.5],
    fw_output: [-0.12050531, -0.751574, -0.85785264, 0.79104537, -0.06630881, -0.9872234, 0.3089478, -0.75706226, -0.71232575, -0.61991316, 0.5677176, -0.79542816, 0.74763405, -0.67643076, -0.9532543, 0.49713954, -0.8925018, -0.9443336],
    bw_output: [0.91627926, -0.9802973, 0.69033945, -0.3466597, 0.59141743, -0.53871125, 0.6737038, -0.22236454, 0.52414024, 0.054633047, 0.7836221, -0.66664916],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [3, 2, 2]))
fw_weights = Parameter("fw_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0])
fw_recurrent_weights = Parameter("fw_recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875])
fw_bias = Parameter("fw_bias", ("TENSOR_FLOAT32", [3]), [-0.25, -0.75, -0.625])
fw_hidden_state_in = Input("fw_hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
bw_weights = Parameter("bw_weights", ("TENSOR_FLOAT32", [2, 2]), [-0.375, 0.3125, 0.6875, -1.0])
bw_recurrent_weights = Parameter("bw_recurrent_weights", ("TENSOR_FLOAT32", [2, 2]), [0.1875, -0.4375, -0.375, 0.4375])
bw_bias = Parameter("bw_bias", ("TENSOR_FLOAT32", [2]), [0.6875, -0.5])
bw_hidden_state_in = Input("bw_hidden_state_in", ("TENSOR_FLOAT32", [2, 2]))
aux_input = Parameter("aux_input", ("TENSOR_FLOAT32", [0, 0, 0]), None)
fw_aux_weights = Parameter("fw_aux_weights", ("TENSOR_FLOAT32", [0, 0]), None)
bw_aux_weights = Parameter("bw_aux_weights", ("TENSOR_FLOAT32", [0, 0]), None)
activation = Int32Scalar("activation", 6)
time_major = BoolScalar("time_major", True)
merge_outputs = BoolScalar("merge_outputs", True)
output = Output("output", ("TENSOR_FLOAT32", [3, 2, 5]))
model = Model("none_merged_time_major").Operation("BIDIRECTIONAL_SEQUENCE_RNN", input, fw_weights, fw_recurrent_weights, fw_bias, fw_hidden_state_in, bw_weights, bw_recurrent_weights, bw_bias, bw_hidden_state_in, aux_input, fw_aux_weights, bw_aux_weights, activation, time_major, merge_outputs).To(output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0],
    fw_hidden_state_in: [-0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625],
    bw_hidden_state_in: [1.0, -0.125, 0.875, -0.5],
    output: [0.4697635, 0.27357438, 0.21667379, 0.68122596, 0.32847357, 0.7453984, 0.48340455, 0.07423137, 0.61108416, 0.5532314, 0.3777359, 0.25980803, 0.5141289, 0.5553232, 0.5468409, 0.24485992, 0.51907396, 0.45612675, 0.6792601, 0.26719028, 0.56032324, 0.20103444, 0.3277888, 0.62520933, 0.54576993, 0.58310544, 0.20468928, 0.25095022, 0.6706083, 0.5097644],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [3, 2, 2]))
fw_weights = Parameter("fw_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0])
fw_recurrent_weights = Parameter("fw_recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875])
fw_bias = Parameter("fw_bias", ("TENSOR_FLOAT32", [3]), [-0.25, -0.75, -0.625])
fw_hidden_state_in = Input("fw_hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
bw_weights = Parameter("bw_weights", ("TENSOR_FLOAT32", [2, 2]), [-0.375, 0.3125, 0.6875, -1.0])
bw_recurrent_weights = Parameter("bw_recurrent_weights", ("TENSOR_FLOAT32", [2, 2]), [0.1875, -0.4375, -0.375, 0.4375])
bw_bias = Parameter("bw_bias", ("TENSOR_FLOAT32", [2]), [0.6875, -0.5])
bw_hidden_state_in = Input("bw_hidden_state_in", ("TENSOR_FLOAT32", [2, 2]))
aux_input = Input("aux_input", ("TENSOR_FLOAT32", [3, 2, 2]))
fw_aux_weights = Parameter("fw_aux_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.75, -0.875, 0.25, 0.875, -0.625, -0.0625])
bw_aux_weights = Parameter("bw_aux_weights", ("TENSOR_FLOAT32", [2, 2]), [-0.125, 0.25, 0.75, 0.25])
activation = Int32Scalar("activation", 0)
time_major = BoolScalar("time_major", True)
merge_outputs = BoolScalar("merge_outputs", True)
output = Output("output", ("TENSOR_FLOAT32", [3, 2, 5]))
model = Model("cross_merged_time_major").Operation("BIDIRECTIONAL_SEQUENCE_RNN", input, fw_weights, fw_recurrent_weights, fw_bias, fw_hidden_state_in, bw_weights, bw_recurrent_weights, bw_bias, bw_hidden_state_in, aux_input, fw_aux_weights, bw_aux_weights, activation, time_major, merge_outputs).To(output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0],
    fw_hidden_state_in: [-0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625],
    bw_hidden_state_in: [1.0, -0.125, 0.875, -0.5],
    aux_input: [-0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125, -0.375, -0.5],
    output: [-0.37109375, -0.3828125, -0.91015625, 1.049118, -0.95329285, 2.2617188, -0.97265625, -2.1171875, 1.0624084, -1.23172, -0.30615234, -0.90893555, -1.0117188, 0.32226562, 0.48120117, 0.05053711, 1.8649902, -2.5351562, 0.9238281, -1.362793, 1.7199707, -1.8210144, -2.1096954, 0.27734375, 0.16796875, 0.43647766, -0.5507355, -2.4273987, 0.6328125, -0.3671875],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [3, 2, 2]))
fw_weights = Parameter("fw_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.25, -0.4375, -0.3125, -0.875, 0.5, -0.875])
fw_recurrent_weights = Parameter("fw_recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [1.0, 0.0625, -0.4375, -0.875, -0.6875, -0.875, 0.9375, 0.0, 1.0])
fw_bias = Parameter("fw_bias", ("TENSOR_FLOAT32", [3]), [1.0, 0.0625, 0.4375])
fw_hidden_state_in = Input("fw_hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
bw_weights = Parameter("bw_weights", ("TENSOR_FLOAT32", [2, 2]), [-1.0, -0.3125, -0.0625, 0.0625])
bw_recurrent_weights = Parameter("bw_recurrent_weights", ("TENSOR_FLOAT32", [2, 2]), [0.875, -0.875, -0.375, -0.875])
bw_bias = Parameter("bw_bias", ("TENSOR_FLOAT32", [2]), [-0.0625, -0.5625])
bw_hidden_state_in = Input("bw_hidden_state_in", ("TENSOR_FLOAT32", [2, 2]))
aux_input = Input("aux_input", ("TENSOR_FLOAT32", [3, 2, 2]))
fw_aux_weights = Parameter("fw_aux_weights", ("TENSOR_FLOAT32", [0, 0]), None)
bw_aux_weights = Parameter("bw_aux_weights", ("TENSOR_FLOAT32", [0, 0]), None)
activation = Int32Scalar("activation", 1)
time_major = BoolScalar("time_major", True)
merge_outputs = BoolScalar("merge_outputs", True)
output = Output("output", ("TENSOR_FLOAT32", [3, 2, 5]))
model = Model("parallel_merged_time_major").Operation("BIDIRECTIONAL_SEQUENCE_RNN", input, fw_weights, fw_recurrent_weights, fw_bias, fw_hidden_state_in, bw_weights, bw_recurrent_weights, bw_bias, bw_hidden_state_in, aux_input, fw_aux_weights, bw_aux_weights, activation, time_major, merge_outputs).To(output)
Example({
    input: [-0.0625, -0.25, 0.0625, 0.0, -0.75, 1.0, 0.125, -0.875, -0.5625, -1.0, 0.375, 0.5],
    fw_hidden_state_in: [0.6875, 0.25, -0.9375, 0.375, 0.75, 1.0],
    bw_hidden_state_in: [-0.8125, -0.4375, -0.625, -0.25],
    aux_input: [-0.6875, 0.0625, -0.8125, 0.4375, -0.3125, -0.25, -0.375, -0.1875, 0.375, 0.5625, 0.875, -0.5],
    output: [2.2382812, 0.34765625, 0.33203125, 0.78790283, 0.0, 0.96875, 0.0, 1.8203125, 0.9379883, 0.0, 2.864746, 0.0, 1.6179199, 0.2084961, 0.0, 1.5239258, 0.0, 3.9941406, 0.37109375, 0.0, 3.7350311, 0.0, 5.3348694, 0.0, 0.13671875, 0.46398926, 0.0, 5.610321, 0.0, 0.0],
}, model=model).AddVariations("float16")
