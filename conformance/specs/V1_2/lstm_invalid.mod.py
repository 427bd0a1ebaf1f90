# Written by tests/golden/write_lstm_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0, -0.1875, -0.625])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875, -0.25])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.75, -0.625, -0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 3]), [0.875, -0.5, -0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.375, -0.5, -0.75, -0.875, 0.25, 0.875, -0.625, -0.0625, -0.125, 0.25, 0.75, 0.25])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.0625, 0.5, -0.0625, 0.75, 0.8125, -0.9375, 0.9375, -0.75, 0.6875, -0.75, -0.125, 0.0625])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [4]), [-0.5625, 0.4375, 0.0, 0.0625])
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [0.0625, -0.9375, 0.625, 0.6875])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [-0.0625, 0.0, 0.25, -0.1875])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [0.0625, 0.0, 0.3125, 0.0625])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [0.625, -0.3125, 1.0, -0.5625])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [1.0, -0.6875, -0.4375, -0.4375])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.5, 0.75, 0.375, -0.3125])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [3, 4]), [-0.75, -0.0625, 0.1875, -0.75, -0.875, -1.0, -0.3125, 0.75, -0.875, 0.8125, -0.6875, 0.375])
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [3]), [0.0, 0.375, -0.875])
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 3]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
input_layer_norm_weights = Parameter("input_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.0625, 0.0625, 0.125, 0.0625])
forget_layer_norm_weights = Parameter("forget_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.125, 0.0, 0.8125, -0.0625])
cell_layer_norm_weights = Parameter("cell_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.5625, -0.75, -0.375, 0.3125])
output_layer_norm_weights = Parameter("output_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.125, -1.0, 0.75, -0.0625])
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 3]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("half_an_input_gate").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip, input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375],
    output_state_in: [-0.375, -0.4375, -0.5, -0.875, -0.875, -0.75],
    cell_state_in: [-0.375, -0.25, 0.125, 0.25, 0.5, 0.8125, 0.0625, -0.875],
    scratch: [0],
    output_state_out: [0.029381271, 0.5236324, -1.1511475, -0.027620014, 0.047636576, -1.1467395],
    cell_state_out: [0.20455816, -0.40835056, -0.28607, -0.29890746, 0.779257, -0.05165683, -0.2918242, -0.6988322],
    output: [0.029381271, 0.5236324, -1.1511475, -0.027620014, 0.047636576, -1.1467395],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0, -0.1875, -0.625])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875, -0.25])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.75, -0.625, -0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.375, 0.3125, 0.6875, -1.0, 0.1875, -0.4375, -0.375, 0.4375, 0.6875, -0.5, 1.0, -0.125])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 3]), [0.875, -0.5, -0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.375, -0.5, -0.75, -0.875, 0.25, 0.875, -0.625, -0.0625, -0.125, 0.25, 0.75, 0.25])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.0625, 0.5, -0.0625, 0.75, 0.8125, -0.9375, 0.9375, -0.75, 0.6875, -0.75, -0.125, 0.0625])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [4]), [-0.5625, 0.4375, 0.0, 0.0625])
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [0.0625, -0.9375, 0.625, 0.6875])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [0]), None)
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [0.0625, 0.0, 0.3125, 0.0625])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [0.625, -0.3125, 1.0, -0.5625])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [1.0, -0.6875, -0.4375, -0.4375])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.5, 0.75, 0.375, -0.3125])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [3, 4]), [-0.75, -0.0625, 0.1875, -0.75, -0.875, -1.0, -0.3125, 0.75, -0.875, 0.8125, -0.6875, 0.375])
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [3]), [0.0, 0.375, -0.875])
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 3]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
input_layer_norm_weights = Parameter("input_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.0625, 0.0625, 0.125, 0.0625])
forget_layer_norm_weights = Parameter("forget_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.125, 0.0, 0.8125, -0.0625])
cell_layer_norm_weights = Parameter("cell_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.5625, -0.75, -0.375, 0.3125])
output_layer_norm_weights = Parameter("output_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.125, -1.0, 0.75, -0.0625])
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 3]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("half_a_peephole").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip, input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375],
    output_state_in: [-0.375, -0.4375, -0.5, -0.875, -0.875, -0.75],
    cell_state_in: [-0.375, -0.25, 0.125, 0.25, 0.5, 0.8125, 0.0625, -0.875],
    scratch: [0],
    output_state_out: [0.029381271, 0.5236324, -1.1511475, -0.027620014, 0.047636576, -1.1467395],
    cell_state_out: [0.20455816, -0.40835056, -0.28607, -0.29890746, 0.779257, -0.05165683, -0.2918242, -0.6988322],
    output: [0.029381271, 0.5236324, -1.1511475, -0.027620014, 0.047636576, -1.1467395],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0, -0.1875, -0.625])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875, -0.25])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.75, -0.625, -0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625, -0.375, 0.3125, 0.6875, -1.0, 0.1875, -0.4375, -0.375, 0.4375])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [0.6875, -0.5, 1.0, -0.125, 0.875, -0.5, -0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.375, -0.5, -0.75, -0.875, 0.25, 0.875, -0.625, -0.0625, -0.125, 0.25, 0.75, 0.25, -0.0625, 0.5, -0.0625, 0.75])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [0]), None)
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [0.5, 0.5, 0.5, 0.5])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [0.8125, -0.9375, 0.9375, -0.75])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.6875, -0.75, -0.125, 0.0625])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.5625, 0.4375, 0.0, 0.0625])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [0, 0]), None)
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [0]), None)
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 4]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 12]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("bias_of_no_gate").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375],
    output_state_in: [0.0625, -0.9375, 0.625, 0.6875, -0.0625, 0.0, 0.25, -0.1875],
    cell_state_in: [0.0625, 0.0, 0.3125, 0.0625, 0.625, -0.3125, 1.0, -0.5625],
    scratch: [0],
    output_state_out: [0.06842263, 0.09157279, 0.119877554, 0.12663926, 0.13359806, -0.44829464, 0.30976474, 0.038348924],
    cell_state_out: [0.35782972, 0.27258393, 0.19864875, 0.32968572, 0.74460256, -0.7943794, 0.79176146, 0.07465378],
    output: [0.06842263, 0.09157279, 0.119877554, 0.12663926, 0.13359806, -0.44829464, 0.30976474, 0.038348924],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0, -0.1875, -0.625])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875, -0.25])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.75, -0.625, -0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.375, 0.3125, 0.6875, -1.0, 0.1875, -0.4375, -0.375, 0.4375, 0.6875, -0.5, 1.0, -0.125, 0.875, -0.5, -0.6875, 0.875])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125, -0.375, -0.5, -0.75, -0.875, 0.25, 0.875, -0.625, -0.0625])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.125, 0.25, 0.75, 0.25, -0.0625, 0.5, -0.0625, 0.75, 0.8125, -0.9375, 0.9375, -0.75, 0.6875, -0.75, -0.125, 0.0625])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.5625, 0.4375, 0.0, 0.0625, 0.0625, -0.9375, 0.625, 0.6875, -0.0625, 0.0, 0.25, -0.1875, 0.0625, 0.0, 0.3125, 0.0625])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [0]), None)
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [0]), None)
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [1.0, -0.6875, -0.4375, -0.4375])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.5, 0.75, 0.375, -0.3125])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.75, -0.0625, 0.1875, -0.75])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [0, 0]), None)
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [0]), None)
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 4]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("no_bias_of_a_gate").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375],
    output_state_in: [-0.875, -1.0, -0.3125, 0.75, -0.875, 0.8125, -0.6875, 0.375],
    cell_state_in: [0.0, 0.375, -0.875, -0.375, -0.4375, -0.5, -0.875, -0.875],
    scratch: [0],
    output_state_out: [-0.105944, 0.43489742, -0.1506256, -0.18298219, -0.48772314, 0.041424695, -0.17043391, -0.3351584],
    cell_state_out: [-0.19915459, 0.5881779, -0.35192564, -0.38375542, -0.88056076, 0.2521338, -0.6589882, -1.0753802],
    output: [-0.105944, 0.43489742, -0.1506256, -0.18298219, -0.48772314, 0.041424695, -0.17043391, -0.3351584],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0, -0.1875, -0.625])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875, -0.25])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.75, -0.625, -0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.375, 0.3125, 0.6875, -1.0, 0.1875, -0.4375, -0.375, 0.4375, 0.6875, -0.5, 1.0, -0.125])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 3]), [0.875, -0.5, -0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.375, -0.5, -0.75, -0.875, 0.25, 0.875, -0.625, -0.0625, -0.125, 0.25, 0.75, 0.25])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.0625, 0.5, -0.0625, 0.75, 0.8125, -0.9375, 0.9375, -0.75, 0.6875, -0.75, -0.125, 0.0625])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [4]), [-0.5625, 0.4375, 0.0, 0.0625])
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [0.0625, -0.9375, 0.625, 0.6875])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [-0.0625, 0.0, 0.25, -0.1875])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [0.0625, 0.0, 0.3125, 0.0625])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [0.625, -0.3125, 1.0, -0.5625])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [1.0, -0.6875, -0.4375, -0.4375])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.5, 0.75, 0.375, -0.3125])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [3, 4]), [-0.75, -0.0625, 0.1875, -0.75, -0.875, -1.0, -0.3125, 0.75, -0.875, 0.8125, -0.6875, 0.375])
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [3]), [0.0, 0.375, -0.875])
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 3]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
input_layer_norm_weights = Parameter("input_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.0625, 0.0625, 0.125, 0.0625])
forget_layer_norm_weights = Parameter("forget_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.125, 0.0, 0.8125, -0.0625])
cell_layer_norm_weights = Parameter("cell_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
output_layer_norm_weights = Parameter("output_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.125, -1.0, 0.75, -0.0625])
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 3]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("half_a_layer_norm").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip, input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375],
    output_state_in: [-0.375, -0.4375, -0.5, -0.875, -0.875, -0.75],
    cell_state_in: [-0.375, -0.25, 0.125, 0.25, 0.5, 0.8125, 0.0625, -0.875],
    scratch: [0],
    output_state_out: [0.029381271, 0.5236324, -1.1511475, -0.027620014, 0.047636576, -1.1467395],
    cell_state_out: [0.20455816, -0.40835056, -0.28607, -0.29890746, 0.779257, -0.05165683, -0.2918242, -0.6988322],
    output: [0.029381271, 0.5236324, -1.1511475, -0.027620014, 0.047636576, -1.1467395],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0, -0.1875, -0.625])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875, -0.25])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.75, -0.625, -0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.375, 0.3125, 0.6875, -1.0, 0.1875, -0.4375, -0.375, 0.4375, 0.6875, -0.5, 1.0, -0.125, 0.875, -0.5, -0.6875, 0.875])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125, -0.375, -0.5, -0.75, -0.875, 0.25, 0.875, -0.625, -0.0625])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.125, 0.25, 0.75, 0.25, -0.0625, 0.5, -0.0625, 0.75, 0.8125, -0.9375, 0.9375, -0.75, 0.6875, -0.75, -0.125, 0.0625])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.5625, 0.4375, 0.0, 0.0625, 0.0625, -0.9375, 0.625, 0.6875, -0.0625, 0.0, 0.25, -0.1875, 0.0625, 0.0, 0.3125, 0.0625])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [0]), None)
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [0.625, -0.3125, 1.0, -0.5625])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [3]), [0.5, 0.5, 0.5])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.5, 0.75, 0.375, -0.3125])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.75, -0.0625, 0.1875, -0.75])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [0, 0]), None)
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [0]), None)
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 4]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("short_bias").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375],
    output_state_in: [-0.875, -1.0, -0.3125, 0.75, -0.875, 0.8125, -0.6875, 0.375],
    cell_state_in: [0.0, 0.375, -0.875, -0.375, -0.4375, -0.5, -0.875, -0.875],
    scratch: [0],
    output_state_out: [-0.105944, 0.43489742, -0.1506256, -0.18298219, -0.48772314, 0.041424695, -0.17043391, -0.3351584],
    cell_state_out: [-0.19915459, 0.5881779, -0.35192564, -0.38375542, -0.88056076, 0.2521338, -0.6589882, -1.0753802],
    output: [-0.105944, 0.43489742, -0.1506256, -0.18298219, -0.48772314, 0.041424695, -0.17043391, -0.3351584],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0, -0.1875, -0.625])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875, -0.25])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.75, -0.625, -0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.375, 0.3125, 0.6875, -1.0, 0.1875, -0.4375, -0.375, 0.4375, 0.6875, -0.5, 1.0, -0.125])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 3]), [0.875, -0.5, -0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.375, -0.5, -0.75, -0.875, 0.25, 0.875, -0.625, -0.0625, -0.125, 0.25, 0.75, 0.25])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.0625, 0.5, -0.0625, 0.75, 0.8125, -0.9375, 0.9375, -0.75, 0.6875, -0.75, -0.125, 0.0625])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [4]), [-0.5625, 0.4375, 0.0, 0.0625])
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [0.0625, -0.9375, 0.625, 0.6875])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [-0.0625, 0.0, 0.25, -0.1875])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [0.0625, 0.0, 0.3125, 0.0625])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [0.625, -0.3125, 1.0, -0.5625])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [1.0, -0.6875, -0.4375, -0.4375])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.5, 0.75, 0.375, -0.3125])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [3, 4]), [-0.75, -0.0625, 0.1875, -0.75, -0.875, -1.0, -0.3125, 0.75, -0.875, 0.8125, -0.6875, 0.375])
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [3]), [0.0, 0.375, -0.875])
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 3]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", -1.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
input_layer_norm_weights = Parameter("input_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.0625, 0.0625, 0.125, 0.0625])
forget_layer_norm_weights = Parameter("forget_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.125, 0.0, 0.8125, -0.0625])
cell_layer_norm_weights = Parameter("cell_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.5625, -0.75, -0.375, 0.3125])
output_layer_norm_weights = Parameter("output_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.125, -1.0, 0.75, -0.0625])
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 3]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("negative_clip").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip, input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375],
    output_state_in: [-0.375, -0.4375, -0.5, -0.875, -0.875, -0.75],
    cell_state_in: [-0.375, -0.25, 0.125, 0.25, 0.5, 0.8125, 0.0625, -0.875],
    scratch: [0],
    output_state_out: [0.029381271, 0.5236324, -1.1511475, -0.027620014, 0.047636576, -1.1467395],
    cell_state_out: [0.20455816, -0.40835056, -0.28607, -0.29890746, 0.779257, -0.05165683, -0.2918242, -0.6988322],
    output: [0.029381271, 0.5236324, -1.1511475, -0.027620014, 0.047636576, -1.1467395],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.125, -1.0, -0.625, 0.5, 0.8125, 1.0, -0.1875, -0.625])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.0625, 0.8125, 0.0, -0.5, -0.1875, 0.3125, 0.6875, -0.25])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.75, -0.625, -0.75, 0.6875, -0.0625, 0.9375, -0.8125, -0.625])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.375, 0.3125, 0.6875, -1.0, 0.1875, -0.4375, -0.375, 0.4375, 0.6875, -0.5, 1.0, -0.125])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 3]), [0.875, -0.5, -0.6875, 0.875, -0.5625, -0.875, 0.375, 0.1875, 0.25, -0.6875, 0.25, -0.8125])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.375, -0.5, -0.75, -0.875, 0.25, 0.875, -0.625, -0.0625, -0.125, 0.25, 0.75, 0.25])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.0625, 0.5, -0.0625, 0.75, 0.8125, -0.9375, 0.9375, -0.75, 0.6875, -0.75, -0.125, 0.0625])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [4]), [-0.5625, 0.4375, 0.0, 0.0625])
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [0.0625, -0.9375, 0.625, 0.6875])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [-0.0625, 0.0, 0.25, -0.1875])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [0.0625, 0.0, 0.3125, 0.0625])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [0.625, -0.3125, 1.0, -0.5625])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [1.0, -0.6875, -0.4375, -0.4375])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.5, 0.75, 0.375, -0.3125])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [3, 4]), [-0.75, -0.0625, 0.1875, -0.75, -0.875, -1.0, -0.3125, 0.75, -0.875, 0.8125, -0.6875, 0.375])
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [3]), [0.0, 0.375, -0.875])
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 3]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", -1.0)
input_layer_norm_weights = Parameter("input_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.0625, 0.0625, 0.125, 0.0625])
forget_layer_norm_weights = Parameter("forget_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.125, 0.0, 0.8125, -0.0625])
cell_layer_norm_weights = Parameter("cell_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.5625, -0.75, -0.375, 0.3125])
output_layer_norm_weights = Parameter("output_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.125, -1.0, 0.75, -0.0625])
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 3]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("negative_projection_clip").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip, input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.8125, -0.3125, -0.125, -0.9375],
    output_state_in: [-0.375, -0.4375, -0.5, -0.875, -0.875, -0.75],
    cell_state_in: [-0.375, -0.25, 0.125, 0.25, 0.5, 0.8125, 0.0625, -0.875],
    scratch: [0],
    output_state_out: [0.029381271, 0.5236324, -1.1511475, -0.027620014, 0.047636576, -1.1467395],
    cell_state_out: [0.20455816, -0.40835056, -0.28607, -0.29890746, 0.779257, -0.05165683, -0.2918242, -0.6988322],
    output: [0.029381271, 0.5236324, -1.1511475, -0.027620014, 0.047636576, -1.1467395],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
