# Written by tests/golden/write_recurrent_specs.py.

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
bw_aux_weights = Parameter("bw_aux_weights", ("TENSOR_FLOAT32", [0, 0]), None)
activation = Int32Scalar("activation", 4)
time_major = BoolScalar("time_major", True)
merge_outputs = BoolScalar("merge_outputs", False)
output = Output("output", ("TENSOR_FLOAT32", [3, 2, 3]))
bw_output = Output("bw_output", ("TENSOR_FLOAT32", [3, 2, 2]))
model = Model("linking").Operation("BIDIRECTIONAL_SEQUENCE_RNN", input, fw_weights, fw_recurrent_weights, fw_bias, fw_hidden_state_in, bw_weights, bw_recurrent_weights, bw_bias, bw_hidden_state_in, aux_input, fw_aux_weights, bw_aux_weights, activation, time_major, merge_outputs).To(output, bw_output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0],
    fw_hidden_state_in: [-0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625],
    bw_hidden_state_in: [1.0, -0.125, 0.875, -0.5],
    aux_input: [-0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125, -0.375, -0.5],
    output: [-0.35494804, -0.36514747, -0.72120726, 0.9785297, -0.7498692, -0.97143614, -0.3203433, -0.75748664, -0.7060802, 0.08011169, 0.24447066, -0.89313936, 0.92299336, -0.9629788, -0.9517064, 0.87194365, -0.87351274, -0.94787955],
    bw_output: [0.78612804, -0.745735, 0.6683347, -0.73449993, 0.31100306, 0.44872674, 0.7179119, -0.8689147, 0.27044487, 0.16640672, 0.5599858, -0.3515292],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

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
activation = Int32Scalar("activation", 4)
time_major = BoolScalar("time_major", True)
merge_outputs = BoolScalar("merge_outputs", True)
output = Output("output", ("TENSOR_FLOAT32", [3, 2, 3]))
bw_output = Output("bw_output", ("TENSOR_FLOAT32", [3, 2, 2]))
model = Model("merging").Operation("BIDIRECTIONAL_SEQUENCE_RNN", input, fw_weights, fw_recurrent_weights, fw_bias, fw_hidden_state_in, bw_weights, bw_recurrent_weights, bw_bias, bw_hidden_state_in, aux_input, fw_aux_weights, bw_aux_weights, activation, time_major, merge_outputs).To(output, bw_output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0],
    fw_hidden_state_in: [-0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625],
    bw_hidden_state_in: [1.0, -0.125, 0.875, -0.5],
    aux_input: [-0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125, -0.375, -0.5],
    output: [-0.35494804, -0.36514747, -0.72120726, 0.9785297, -0.7498692, -0.97143614, -0.3203433, -0.75748664, -0.7060802, 0.08011169, 0.24447066, -0.89313936, 0.92299336, -0.9629788, -0.9517064, 0.87194365, -0.87351274, -0.94787955],
    bw_output: [0.78612804, -0.745735, 0.6683347, -0.73449993, 0.31100306, 0.44872674, 0.7179119, -0.8689147, 0.27044487, 0.16640672, 0.5599858, -0.3515292],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input = Input("input", ("TENSOR_FLOAT32", [3, 2, 2]))
fw_weights = Parameter("fw_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0])
fw_recurrent_weights = Parameter("fw_recurrent_weights", ("TENSOR_FLOAT32", [3, 3]), [-0.1875, -0.625, -0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875])
fw_bias = Parameter("fw_bias", ("TENSOR_FLOAT32", [3]), [-0.25, -0.75, -0.625])
fw_hidden_state_in = Input("fw_hidden_state_in", ("TENSOR_FLOAT32", [2, 3]))
bw_weights = Parameter("bw_weights", ("TENSOR_FLOAT32", [2, 2]), [-0.375, 0.3125, 0.6875, -1.0])
bw_recurrent_weights = Parameter("bw_recurrent_weights", ("TENSOR_FLOAT32", [2, 2]), [0.1875, -0.4375, -0.375, 0.4375])
bw_bias = Parameter("bw_bias", ("TENSOR_FLOAT32", [2]), [0.6875, -0.5])
bw_hidden_state_in = Input("bw_hidden_state_in", ("TENSOR_FLOAT32", [2, 2]))
aux_input = Input("aux_input", ("TENSOR_FLOAT32", [2, 2, 2]))
fw_aux_weights = Parameter("fw_aux_weights", ("TENSOR_FLOAT32", [3, 2]), [-0.75, -0.875, 0.25, 0.875, -0.625, -0.0625])
bw_aux_weights = Parameter("bw_aux_weights", ("TENSOR_FLOAT32", [2, 2]), [-0.125, 0.25, 0.75, 0.25])
activation = Int32Scalar("activation", 4)
time_major = BoolScalar("time_major", True)
merge_outputs = BoolScalar("merge_outputs", False)
output = Output("output", ("TENSOR_FLOAT32", [3, 2, 3]))
bw_output = Output("bw_output", ("TENSOR_FLOAT32", [3, 2, 2]))
model = Model("steps").Operation("BIDIRECTIONAL_SEQUENCE_RNN", input, fw_weights, fw_recurrent_weights, fw_bias, fw_hidden_state_in, bw_weights, bw_recurrent_weights, bw_bias, bw_hidden_state_in, aux_input, fw_aux_weights, bw_aux_weights, activation, time_major, merge_outputs).To(output, bw_output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0],
    fw_hidden_state_in: [-0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625],
    bw_hidden_state_in: [1.0, -0.125, 0.875, -0.5],
    aux_input: [-0.5, 0.6875, 0.0, 0.5625, -1.0, 0.4375, 1.0, -0.25],
    output: [-0.35494804, -0.36514747, -0.72120726, 0.9785297, -0.7498692, -0.97143614, -0.3203433, -0.75748664, -0.7060802, 0.08011169, 0.24447066, -0.89313936, 0.92299336, -0.9629788, -0.9517064, 0.87194365, -0.87351274, -0.94787955],
    bw_output: [0.78612804, -0.745735, 0.6683347, -0.73449993, 0.31100306, 0.44872674, 0.7179119, -0.8689147, 0.27044487, 0.16640672, 0.5599858, -0.3515292],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
