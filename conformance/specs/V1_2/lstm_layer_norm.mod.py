# Written by tests/golden/write_lstm_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.0625, 0.625, -0.625, -0.6875, 0.875, 0.8125, 0.625, -0.1875])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.3125, -0.75, -1.0, -0.125, 1.0, 0.5, 0.6875, 0.0625])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [0.0625, -0.1875, 0.5, -0.5, -0.375, 0.5, 0.375, -0.25])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.6875, 0.1875, 0.6875, -0.3125, 0.0625, 0.5, 0.125, -0.75])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 4]), [0.0625, 0.9375, -0.0625, -0.3125, 0.9375, -0.75, 0.625, 0.3125, -0.25, 0.3125, -0.5, -1.0, -0.75, 0.1875, -0.5625, 0.8125])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [0.9375, -0.75, -0.375, -0.9375, -0.125, 0.5625, -0.4375, -0.5, 0.6875, 0.4375, -0.375, 0.4375, 1.0, -0.5, 0.625, 0.25])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [0.125, -1.0, -0.75, -0.5, 0.6875, 0.625, 0.625, -0.9375, 0.625, -0.6875, 0.5625, -0.9375, -0.3125, 0.9375, 0.1875, -0.3125])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.125, 0.5625, 0.5, 0.1875, -0.875, 0.5, -0.6875, 0.0, -0.125, 0.5, 1.0, -1.0, -0.125, -0.1875, 0.5, -0.5])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [0]), None)
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.3125, 0.3125, -0.875, 0.125])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.9375, -0.1875, 0.9375, -0.125])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.4375, 0.5625, 0.5625, 0.5])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.6875, 1.0, -0.3125, -0.9375])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [0, 0]), None)
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [0]), None)
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 4]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
input_layer_norm_weights = Parameter("input_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.5, 0.1875, -0.625, 1.0])
forget_layer_norm_weights = Parameter("forget_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [-0.75, 0.9375, 0.3125, -0.1875])
cell_layer_norm_weights = Parameter("cell_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [-0.75, 0.75, -0.6875, -0.875])
output_layer_norm_weights = Parameter("output_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.9375, 0.5, 0.0, 0.3125])
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("layer_norm_tanh").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip, input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [1.0, 0.75, 0.375, 0.3125],
    output_state_in: [0.8125, -0.0625, -0.0625, -0.9375, -0.75, -0.1875, 0.0625, 0.625],
    cell_state_in: [-0.9375, -0.1875, 1.0, 0.875, 0.5625, -0.625, 1.0, 1.0],
    scratch: [0],
    output_state_out: [0.009941296, 0.29085457, 0.27234063, 0.15950845, 0.08584158, -0.35296562, 0.3235993, 0.00032071755],
    cell_state_out: [0.069322415, 0.44276863, 0.76598054, 0.66290855, 0.2776136, -0.43517235, 1.0103508, 0.0013515677],
    output: [0.009941296, 0.29085457, 0.27234063, 0.15950845, 0.08584158, -0.35296562, 0.3235993, 0.00032071755],
}, model=model).AddVariations("relaxed", "float16")

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.0625, 0.625, -0.625, -0.6875, 0.875, 0.8125, 0.625, -0.1875])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.3125, -0.75, -1.0, -0.125, 1.0, 0.5, 0.6875, 0.0625])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [0.0625, -0.1875, 0.5, -0.5, -0.375, 0.5, 0.375, -0.25])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.6875, 0.1875, 0.6875, -0.3125, 0.0625, 0.5, 0.125, -0.75])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 4]), [0.0625, 0.9375, -0.0625, -0.3125, 0.9375, -0.75, 0.625, 0.3125, -0.25, 0.3125, -0.5, -1.0, -0.75, 0.1875, -0.5625, 0.8125])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [0.9375, -0.75, -0.375, -0.9375, -0.125, 0.5625, -0.4375, -0.5, 0.6875, 0.4375, -0.375, 0.4375, 1.0, -0.5, 0.625, 0.25])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [0.125, -1.0, -0.75, -0.5, 0.6875, 0.625, 0.625, -0.9375, 0.625, -0.6875, 0.5625, -0.9375, -0.3125, 0.9375, 0.1875, -0.3125])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.125, 0.5625, 0.5, 0.1875, -0.875, 0.5, -0.6875, 0.0, -0.125, 0.5, 1.0, -1.0, -0.125, -0.1875, 0.5, -0.5])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [0]), None)
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.3125, 0.3125, -0.875, 0.125])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.9375, -0.1875, 0.9375, -0.125])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.4375, 0.5625, 0.5625, 0.5])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.6875, 1.0, -0.3125, -0.9375])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [0, 0]), None)
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [0]), None)
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 4]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.25)
projection_clip = Float32Scalar("projection_clip", 0.125)
input_layer_norm_weights = Parameter("input_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.5, 0.1875, -0.625, 1.0])
forget_layer_norm_weights = Parameter("forget_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [-0.75, 0.9375, 0.3125, -0.1875])
cell_layer_norm_weights = Parameter("cell_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [-0.75, 0.75, -0.6875, -0.875])
output_layer_norm_weights = Parameter("output_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.9375, 0.5, 0.0, 0.3125])
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("layer_norm_tanh_clip").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip, input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [1.0, 0.75, 0.375, 0.3125],
    output_state_in: [0.8125, -0.0625, -0.0625, -0.9375, -0.75, -0.1875, 0.0625, 0.625],
    cell_state_in: [-0.9375, -0.1875, 1.0, 0.875, 0.5625, -0.625, 1.0, 1.0],
    scratch: [0],
    output_state_out: [0.009941296, 0.17126575, 0.10347927, 0.06732187, 0.07766751, -0.21103641, 0.10347927, 0.00032071755],
    cell_state_out: [0.069322415, 0.25, 0.25, 0.25, 0.25, -0.25, 0.25, 0.0013515677],
    output: [0.009941296, 0.17126575, 0.10347927, 0.06732187, 0.07766751, -0.21103641, 0.10347927, 0.00032071755],
}, model=model).AddVariations("relaxed", "float16")

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [0.1875, -0.875, 0.4375, 0.6875, -0.75, 0.875, 0.6875, -0.375])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.375, 0.5, 0.1875, 0.1875, -0.1875, -0.375, -0.875, -0.6875])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [1.0, -0.0625, 0.1875, 0.3125, -0.75, -0.6875, -0.4375, -0.6875])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.1875, 0.875, -0.75, -0.5, -0.4375, -0.875, -0.125, 0.0, -0.3125, 0.6875, 0.5, 0.25, 0.25, 0.0625, -0.5, 0.625])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [0.375, -0.75, -0.375, 1.0, 0.5625, 0.25, -0.625, 0.3125, 0.8125, 1.0, 0.1875, 0.9375, 0.625, 0.875, 0.6875, -0.875])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.6875, -0.5, -0.375, -0.5625, -0.5, -0.75, 0.0, 0.6875, 0.1875, -0.75, -0.9375, -0.25, 0.3125, -0.25, 0.4375, -0.125])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [0]), None)
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [0]), None)
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.1875, -0.625, 0.0, 0.625])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.125, -0.8125, 0.25, 1.0])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [0.375, -0.1875, -0.3125, 0.25])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [0, 0]), None)
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [0]), None)
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 4]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
input_layer_norm_weights = Parameter("input_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
forget_layer_norm_weights = Parameter("forget_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [-0.875, 0.6875, -0.875, 0.8125])
cell_layer_norm_weights = Parameter("cell_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.125, 0.5, -0.9375, -1.0])
output_layer_norm_weights = Parameter("output_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [-0.3125, -0.9375, -0.375, 0.75])
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 12]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("layer_norm_cifg_tanh").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip, input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.75, -0.1875, 0.375, -0.25],
    output_state_in: [0.5625, -0.875, -0.5625, -0.5625, -0.5, 0.6875, 0.8125, 0.0625],
    cell_state_in: [0.9375, 0.625, 0.1875, -0.1875, 0.75, 0.75, -0.875, 0.0],
    scratch: [0],
    output_state_out: [0.20849076, 0.037212193, 0.09795495, 0.02268863, 0.022050131, -0.18942888, -0.3164168, -0.0098221805],
    cell_state_out: [0.3312334, 0.05718531, 0.35695618, 0.03943065, 0.04110185, -0.53361523, -0.610594, -0.014377172],
    output: [0.20849076, 0.037212193, 0.09795495, 0.02268863, 0.022050131, -0.18942888, -0.3164168, -0.0098221805],
}, model=model).AddVariations("relaxed", "float16")

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [0.1875, -0.875, 0.4375, 0.6875, -0.75, 0.875, 0.6875, -0.375])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.375, 0.5, 0.1875, 0.1875, -0.1875, -0.375, -0.875, -0.6875])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [1.0, -0.0625, 0.1875, 0.3125, -0.75, -0.6875, -0.4375, -0.6875])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.1875, 0.875, -0.75, -0.5, -0.4375, -0.875, -0.125, 0.0, -0.3125, 0.6875, 0.5, 0.25, 0.25, 0.0625, -0.5, 0.625])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [0.375, -0.75, -0.375, 1.0, 0.5625, 0.25, -0.625, 0.3125, 0.8125, 1.0, 0.1875, 0.9375, 0.625, 0.875, 0.6875, -0.875])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.6875, -0.5, -0.375, -0.5625, -0.5, -0.75, 0.0, 0.6875, 0.1875, -0.75, -0.9375, -0.25, 0.3125, -0.25, 0.4375, -0.125])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [0]), None)
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [0]), None)
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.1875, -0.625, 0.0, 0.625])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.125, -0.8125, 0.25, 1.0])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [0.375, -0.1875, -0.3125, 0.25])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [0, 0]), None)
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [0]), None)
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 4]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.25)
projection_clip = Float32Scalar("projection_clip", 0.125)
input_layer_norm_weights = Parameter("input_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
forget_layer_norm_weights = Parameter("forget_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [-0.875, 0.6875, -0.875, 0.8125])
cell_layer_norm_weights = Parameter("cell_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.125, 0.5, -0.9375, -1.0])
output_layer_norm_weights = Parameter("output_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [-0.3125, -0.9375, -0.375, 0.75])
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 12]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("layer_norm_cifg_tanh_clip").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip, input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.75, -0.1875, 0.375, -0.25],
    output_state_in: [0.5625, -0.875, -0.5625, -0.5625, -0.5, 0.6875, 0.8125, 0.0625],
    cell_state_in: [0.9375, 0.625, 0.1875, -0.1875, 0.75, 0.75, -0.875, 0.0],
    scratch: [0],
    output_state_out: [0.15975815, 0.037212193, 0.07004054, 0.02268863, 0.022050131, -0.09504382, -0.14231399, -0.0098221805],
    cell_state_out: [0.25, 0.05718531, 0.25, 0.03943065, 0.04110185, -0.25, -0.25, -0.014377172],
    output: [0.15975815, 0.037212193, 0.07004054, 0.02268863, 0.022050131, -0.09504382, -0.14231399, -0.0098221805],
}, model=model).AddVariations("relaxed", "float16")

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [0.3125, -0.1875, -0.5625, 0.0, -0.1875, 0.75, 0.75, -0.75])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.375, -0.1875, -0.8125, 0.4375, 0.6875, 0.8125, -0.1875, 0.75])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.3125, 0.0625, -0.125, -0.875, 0.8125, 0.1875, 0.6875, 1.0])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [0.3125, -0.625, 0.0, -0.75, -0.8125, -0.0625, -0.375, 0.875])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.5625, 0.375, -0.8125, 0.8125, -0.5, 0.875, 0.5, -1.0, 0.9375, 0.25, -0.3125, 0.75])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.25, 0.3125, -0.5625, -0.125, 0.6875, 0.5625, 0.8125, 0.6875, -0.6875, -0.9375, -0.25, 0.8125])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.0625, 0.4375, -0.25, 0.4375, 0.0625, -1.0, -0.4375, -0.9375, 0.1875, -0.625, 0.75, 0.0])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 3]), [0.0, 0.9375, 0.0625, 0.8125, 1.0, -0.625, -0.4375, 0.25, 0.0625, -0.5, 0.25, 0.0625])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [4]), [0.8125, -1.0, 1.0, 0.3125])
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [0.0, -0.125, -0.4375, 0.875])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [-0.9375, 0.6875, 0.625, -0.875])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [0.125, -0.625, -0.25, 0.125])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.1875, -0.6875, -0.875, -0.3125])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.875, -0.3125, -0.5625, -0.4375])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [0.0, 0.5, -0.5, -0.4375])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [3, 4]), [0.0625, -0.6875, -0.5, 0.25, 1.0, 0.625, 0.0, 0.0625, 1.0, 0.625, 0.0, -0.4375])
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [0]), None)
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 3]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
input_layer_norm_weights = Parameter("input_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.25, 1.0, -0.8125, 0.1875])
forget_layer_norm_weights = Parameter("forget_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.25, -0.125, -0.8125, -0.1875])
cell_layer_norm_weights = Parameter("cell_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.75, 0.0625, 0.5, -0.25])
output_layer_norm_weights = Parameter("output_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [-0.5625, 0.75, -0.3125, 0.9375])
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 3]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("layer_norm_peephole_projection_tanh").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip, input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.4375, 0.9375, 0.5625, -0.8125],
    output_state_in: [-0.5625, 0.0625, 0.0, 0.25, 0.625, -0.6875],
    cell_state_in: [-0.25, 0.1875, 0.1875, -0.1875, 1.0, 0.5, -0.3125, 0.6875],
    scratch: [0],
    output_state_out: [-0.058773648, -0.2552282, -0.1307073, 0.04603657, 0.09033255, 0.075747564],
    cell_state_out: [-0.4246811, -0.059202906, -0.011741064, -0.36887205, 0.047155093, 0.13758469, -0.56986433, 0.15651889],
    output: [-0.058773648, -0.2552282, -0.1307073, 0.04603657, 0.09033255, 0.075747564],
}, model=model).AddVariations("relaxed", "float16")

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [0.3125, -0.1875, -0.5625, 0.0, -0.1875, 0.75, 0.75, -0.75])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.375, -0.1875, -0.8125, 0.4375, 0.6875, 0.8125, -0.1875, 0.75])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.3125, 0.0625, -0.125, -0.875, 0.8125, 0.1875, 0.6875, 1.0])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [0.3125, -0.625, 0.0, -0.75, -0.8125, -0.0625, -0.375, 0.875])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.5625, 0.375, -0.8125, 0.8125, -0.5, 0.875, 0.5, -1.0, 0.9375, 0.25, -0.3125, 0.75])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.25, 0.3125, -0.5625, -0.125, 0.6875, 0.5625, 0.8125, 0.6875, -0.6875, -0.9375, -0.25, 0.8125])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.0625, 0.4375, -0.25, 0.4375, 0.0625, -1.0, -0.4375, -0.9375, 0.1875, -0.625, 0.75, 0.0])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 3]), [0.0, 0.9375, 0.0625, 0.8125, 1.0, -0.625, -0.4375, 0.25, 0.0625, -0.5, 0.25, 0.0625])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [4]), [0.8125, -1.0, 1.0, 0.3125])
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [0.0, -0.125, -0.4375, 0.875])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [-0.9375, 0.6875, 0.625, -0.875])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [0.125, -0.625, -0.25, 0.125])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.1875, -0.6875, -0.875, -0.3125])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.875, -0.3125, -0.5625, -0.4375])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [0.0, 0.5, -0.5, -0.4375])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [3, 4]), [0.0625, -0.6875, -0.5, 0.25, 1.0, 0.625, 0.0, 0.0625, 1.0, 0.625, 0.0, -0.4375])
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [0]), None)
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 3]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.25)
projection_clip = Float32Scalar("projection_clip", 0.125)
input_layer_norm_weights = Parameter("input_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.25, 1.0, -0.8125, 0.1875])
forget_layer_norm_weights = Parameter("forget_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.25, -0.125, -0.8125, -0.1875])
cell_layer_norm_weights = Parameter("cell_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.75, 0.0625, 0.5, -0.25])
output_layer_norm_weights = Parameter("output_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [-0.5625, 0.75, -0.3125, 0.9375])
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 3]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("layer_norm_peephole_projection_tanh_clip").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip, input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.4375, 0.9375, 0.5625, -0.8125],
    output_state_in: [-0.5625, 0.0625, 0.0, 0.25, 0.625, -0.6875],
    cell_state_in: [-0.25, 0.1875, 0.1875, -0.1875, 1.0, 0.5, -0.3125, 0.6875],
    scratch: [0],
    output_state_out: [-0.033959113, -0.125, -0.08046171, -0.014968446, 0.09036018, 0.07659966],
    cell_state_out: [-0.25, -0.059202906, -0.011741064, -0.25, 0.047155093, 0.13758469, -0.25, 0.15651889],
    output: [-0.033959113, -0.125, -0.08046171, -0.014968446, 0.09036018, 0.07659966],
}, model=model).AddVariations("relaxed", "float16")

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [0.5625, 0.3125, 0.6875, -0.625, 0.3125, 0.6875, 0.75, -0.9375])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.5, 1.0, 0.375, 0.75, -0.5, -0.0625, 0.3125, 0.0])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [0.625, 0.3125, -0.5, -0.1875, 0.3125, -1.0, -0.25, 0.5625])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 3]), [0.6875, -0.125, 0.625, -0.9375, 0.9375, 0.625, -0.625, -0.4375, -0.875, 0.125, -0.1875, -0.75])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 3]), [1.0, -0.4375, -0.5625, -0.5625, -0.4375, -0.875, -0.1875, 0.5625, -0.9375, 0.5, -0.625, -0.5])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 3]), [0.4375, 0.25, -0.5, 0.4375, 0.125, -0.6875, 0.75, 0.375, 0.5, -0.5, -0.125, -0.5])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [0.625, 0.75, -1.0, -0.5])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [0.25, -0.5, 0.5625, 0.25])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [0]), None)
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.1875, 0.25, -0.125, -0.4375])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.125, -0.625, -1.0, -0.25])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [0.3125, -0.125, 0.3125, -0.8125])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [3, 4]), [-0.6875, 0.25, 0.3125, 0.3125, -0.625, 0.5, -0.3125, 0.3125, 0.6875, 0.875, 0.25, 0.1875])
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [3]), [-0.75, 0.1875, -0.5625])
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 3]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
input_layer_norm_weights = Parameter("input_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
forget_layer_norm_weights = Parameter("forget_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [-0.5625, -0.5625, -0.25, 0.125])
cell_layer_norm_weights = Parameter("cell_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.0, 0.0625, 0.5625, -0.125])
output_layer_norm_weights = Parameter("output_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.0625, -1.0, -0.0625, -0.25])
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 12]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 3]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("layer_norm_cifg_peephole_projection_bias_tanh").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip, input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.125, -0.125, 0.625, 0.75],
    output_state_in: [0.4375, 0.875, -0.25, -0.9375, -0.625, -0.8125],
    cell_state_in: [0.5625, -0.3125, 0.4375, -0.25, 0.4375, -0.0625, 0.125, 0.5],
    scratch: [0],
    output_state_out: [-0.88102996, -0.026761327, -0.54677117, -0.9738037, 0.12760428, -0.6007825],
    cell_state_out: [0.2775204, -0.45067823, 0.1822082, -0.208998, 0.295028, -0.20280857, -0.514443, 0.065619715],
    output: [-0.88102996, -0.026761327, -0.54677117, -0.9738037, 0.12760428, -0.6007825],
}, model=model).AddVariations("relaxed", "float16")

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [0.5625, 0.3125, 0.6875, -0.625, 0.3125, 0.6875, 0.75, -0.9375])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.5, 1.0, 0.375, 0.75, -0.5, -0.0625, 0.3125, 0.0])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [0.625, 0.3125, -0.5, -0.1875, 0.3125, -1.0, -0.25, 0.5625])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 3]), [0.6875, -0.125, 0.625, -0.9375, 0.9375, 0.625, -0.625, -0.4375, -0.875, 0.125, -0.1875, -0.75])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 3]), [1.0, -0.4375, -0.5625, -0.5625, -0.4375, -0.875, -0.1875, 0.5625, -0.9375, 0.5, -0.625, -0.5])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 3]), [0.4375, 0.25, -0.5, 0.4375, 0.125, -0.6875, 0.75, 0.375, 0.5, -0.5, -0.125, -0.5])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [0.625, 0.75, -1.0, -0.5])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [0.25, -0.5, 0.5625, 0.25])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [0]), None)
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.1875, 0.25, -0.125, -0.4375])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.125, -0.625, -1.0, -0.25])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [0.3125, -0.125, 0.3125, -0.8125])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [3, 4]), [-0.6875, 0.25, 0.3125, 0.3125, -0.625, 0.5, -0.3125, 0.3125, 0.6875, 0.875, 0.25, 0.1875])
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [3]), [-0.75, 0.1875, -0.5625])
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 3]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.25)
projection_clip = Float32Scalar("projection_clip", 0.125)
input_layer_norm_weights = Parameter("input_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
forget_layer_norm_weights = Parameter("forget_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [-0.5625, -0.5625, -0.25, 0.125])
cell_layer_norm_weights = Parameter("cell_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.0, 0.0625, 0.5625, -0.125])
output_layer_norm_weights = Parameter("output_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.0625, -1.0, -0.0625, -0.25])
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 12]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 3]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("layer_norm_cifg_peephole_projection_bias_tanh_clip").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip, input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.125, -0.125, 0.625, 0.75],
    output_state_in: [0.4375, 0.875, -0.25, -0.9375, -0.625, -0.8125],
    cell_state_in: [0.5625, -0.3125, 0.4375, -0.25, 0.4375, -0.0625, 0.125, 0.5],
    scratch: [0],
    output_state_out: [-0.125, 0.0034516403, -0.125, -0.125, 0.099167675, -0.125],
    cell_state_out: [0.25, -0.25, 0.1822082, -0.208998, 0.25, -0.20280857, -0.25, 0.065619715],
    output: [-0.125, 0.0034516403, -0.125, -0.125, 0.099167675, -0.125],
}, model=model).AddVariations("relaxed", "float16")
