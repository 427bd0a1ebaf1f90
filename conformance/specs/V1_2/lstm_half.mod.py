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
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("basic_tanh").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [1.0, 0.75, 0.375, 0.3125],
    output_state_in: [0.8125, -0.0625, -0.0625, -0.9375, -0.75, -0.1875, 0.0625, 0.625],
    cell_state_in: [-0.9375, -0.1875, 1.0, 0.875, 0.5625, -0.625, 1.0, 1.0],
    scratch: [0],
    output_state_out: [0.0029603178, 0.226388, 0.657337, 0.18292038, 0.0299269, -0.30368626, 0.19287564, 0.13806522],
    cell_state_out: [0.017307336, 0.34609655, 1.6849813, 0.8555026, 0.09355413, -0.37723428, 0.661654, 0.7469383],
    output: [0.0029603178, 0.226388, 0.657337, 0.18292038, 0.0299269, -0.30368626, 0.19287564, 0.13806522],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

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
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("basic_tanh_clip").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [1.0, 0.75, 0.375, 0.3125],
    output_state_in: [0.8125, -0.0625, -0.0625, -0.9375, -0.75, -0.1875, 0.0625, 0.625],
    cell_state_in: [-0.9375, -0.1875, 1.0, 0.875, 0.5625, -0.625, 1.0, 1.0],
    scratch: [0],
    output_state_out: [0.0029603178, 0.16655186, 0.17246196, 0.06456041, 0.0299269, -0.20643291, 0.08152175, 0.05339293],
    cell_state_out: [0.017307336, 0.25, 0.25, 0.25, 0.09355413, -0.25, 0.25, 0.25],
    output: [0.0029603178, 0.16655186, 0.17246196, 0.06456041, 0.0299269, -0.20643291, 0.08152175, 0.05339293],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

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
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 12]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("cifg_tanh").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.75, -0.1875, 0.375, -0.25],
    output_state_in: [0.5625, -0.875, -0.5625, -0.5625, -0.5, 0.6875, 0.8125, 0.0625],
    cell_state_in: [0.9375, 0.625, 0.1875, -0.1875, 0.75, 0.75, -0.875, 0.0],
    scratch: [0],
    output_state_out: [0.33281776, -0.05735494, -0.25619864, 0.21105853, 0.0017137751, -0.17715819, -0.04350329, 0.18835355],
    cell_state_out: [0.6951668, -0.14376725, -0.30752698, 0.30368856, 0.0028333222, -0.4799943, -0.31938893, 0.3440483],
    output: [0.33281776, -0.05735494, -0.25619864, 0.21105853, 0.0017137751, -0.17715819, -0.04350329, 0.18835355],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

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
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 12]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("cifg_tanh_clip").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.75, -0.1875, 0.375, -0.25],
    output_state_in: [0.5625, -0.875, -0.5625, -0.5625, -0.5, 0.6875, 0.8125, 0.0625],
    cell_state_in: [0.9375, 0.625, 0.1875, -0.1875, 0.75, 0.75, -0.875, 0.0],
    scratch: [0],
    output_state_out: [0.13556378, -0.05735494, -0.21043211, 0.1754153, 0.0017137751, -0.09723342, -0.034486547, 0.13933298],
    cell_state_out: [0.25, -0.14376725, -0.25, 0.25, 0.0028333222, -0.25, -0.25, 0.25],
    output: [0.13556378, -0.05735494, -0.21043211, 0.1754153, 0.0017137751, -0.09723342, -0.034486547, 0.13933298],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [0.3125, -0.1875, -0.5625, 0.0, -0.1875, 0.75, 0.75, -0.75])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.375, -0.1875, -0.8125, 0.4375, 0.6875, 0.8125, -0.1875, 0.75])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.3125, 0.0625, -0.125, -0.875, 0.8125, 0.1875, 0.6875, 1.0])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [0.3125, -0.625, 0.0, -0.75, -0.8125, -0.0625, -0.375, 0.875])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.5625, 0.375, -0.8125, 0.8125, -0.5, 0.875, 0.5, -1.0, 0.9375, 0.25, -0.3125, 0.75, -0.25, 0.3125, -0.5625, -0.125])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [0.6875, 0.5625, 0.8125, 0.6875, -0.6875, -0.9375, -0.25, 0.8125, -0.0625, 0.4375, -0.25, 0.4375, 0.0625, -1.0, -0.4375, -0.9375])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [0.1875, -0.625, 0.75, 0.0, 0.0, 0.9375, 0.0625, 0.8125, 1.0, -0.625, -0.4375, 0.25, 0.0625, -0.5, 0.25, 0.0625])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [0.8125, -1.0, 1.0, 0.3125, 0.0, -0.125, -0.4375, 0.875, -0.9375, 0.6875, 0.625, -0.875, 0.125, -0.625, -0.25, 0.125])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [4]), [-0.1875, -0.6875, -0.875, -0.3125])
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [-0.875, -0.3125, -0.5625, -0.4375])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [0.0, 0.5, -0.5, -0.4375])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [0.0625, -0.6875, -0.5, 0.25])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [1.0, 0.625, 0.0, 0.0625])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [1.0, 0.625, 0.0, -0.4375])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.5625, 0.0625, 0.0, 0.25])
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
model = Model("peephole_tanh").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.4375, 0.9375, 0.5625, -0.8125],
    output_state_in: [0.625, -0.6875, -0.25, 0.1875, 0.1875, -0.1875, 1.0, 0.5],
    cell_state_in: [-0.3125, 0.6875, 0.25, 1.0, -0.8125, 0.1875, 0.25, -0.125],
    scratch: [0],
    output_state_out: [0.04936376, 0.23299722, 0.11245942, 0.5585204, -0.25088274, 0.18639162, 0.05502197, -0.108325765],
    cell_state_out: [0.115267925, 0.51250225, 0.65011895, 0.844965, -0.31025818, 0.2741413, 0.15673026, -0.31197995],
    output: [0.04936376, 0.23299722, 0.11245942, 0.5585204, -0.25088274, 0.18639162, 0.05502197, -0.108325765],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [0.3125, -0.1875, -0.5625, 0.0, -0.1875, 0.75, 0.75, -0.75])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.375, -0.1875, -0.8125, 0.4375, 0.6875, 0.8125, -0.1875, 0.75])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.3125, 0.0625, -0.125, -0.875, 0.8125, 0.1875, 0.6875, 1.0])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [0.3125, -0.625, 0.0, -0.75, -0.8125, -0.0625, -0.375, 0.875])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.5625, 0.375, -0.8125, 0.8125, -0.5, 0.875, 0.5, -1.0, 0.9375, 0.25, -0.3125, 0.75, -0.25, 0.3125, -0.5625, -0.125])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [0.6875, 0.5625, 0.8125, 0.6875, -0.6875, -0.9375, -0.25, 0.8125, -0.0625, 0.4375, -0.25, 0.4375, 0.0625, -1.0, -0.4375, -0.9375])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [0.1875, -0.625, 0.75, 0.0, 0.0, 0.9375, 0.0625, 0.8125, 1.0, -0.625, -0.4375, 0.25, 0.0625, -0.5, 0.25, 0.0625])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [0.8125, -1.0, 1.0, 0.3125, 0.0, -0.125, -0.4375, 0.875, -0.9375, 0.6875, 0.625, -0.875, 0.125, -0.625, -0.25, 0.125])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [4]), [-0.1875, -0.6875, -0.875, -0.3125])
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [-0.875, -0.3125, -0.5625, -0.4375])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [0.0, 0.5, -0.5, -0.4375])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [0.0625, -0.6875, -0.5, 0.25])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [1.0, 0.625, 0.0, 0.0625])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [1.0, 0.625, 0.0, -0.4375])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.5625, 0.0625, 0.0, 0.25])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [0, 0]), None)
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [0]), None)
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 4]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.25)
projection_clip = Float32Scalar("projection_clip", 0.125)
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("peephole_tanh_clip").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.4375, 0.9375, 0.5625, -0.8125],
    output_state_in: [0.625, -0.6875, -0.25, 0.1875, 0.1875, -0.1875, 1.0, 0.5],
    cell_state_in: [-0.3125, 0.6875, 0.25, 1.0, -0.8125, 0.1875, 0.25, -0.125],
    scratch: [0],
    output_state_out: [0.04936376, 0.11291161, 0.05638683, 0.20768313, -0.20436181, 0.17004769, 0.05502197, -0.08626079],
    cell_state_out: [0.115267925, 0.25, 0.25, 0.25, -0.25, 0.25, 0.15673026, -0.25],
    output: [0.04936376, 0.11291161, 0.05638683, 0.20768313, -0.20436181, 0.17004769, 0.05502197, -0.08626079],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [0.5625, 0.3125, 0.6875, -0.625, 0.3125, 0.6875, 0.75, -0.9375])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.5, 1.0, 0.375, 0.75, -0.5, -0.0625, 0.3125, 0.0])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [0.625, 0.3125, -0.5, -0.1875, 0.3125, -1.0, -0.25, 0.5625])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [0.6875, -0.125, 0.625, -0.9375, 0.9375, 0.625, -0.625, -0.4375])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.875, 0.125, -0.1875, -0.75, 1.0, -0.4375, -0.5625, -0.5625, -0.4375, -0.875, -0.1875, 0.5625])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.9375, 0.5, -0.625, -0.5, 0.4375, 0.25, -0.5, 0.4375, 0.125, -0.6875, 0.75, 0.375])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 3]), [0.5, -0.5, -0.125, -0.5, 0.625, 0.75, -1.0, -0.5, 0.25, -0.5, 0.5625, 0.25])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.1875, 0.25, -0.125, -0.4375, 0.125, -0.625, -1.0, -0.25, 0.3125, -0.125, 0.3125, -0.8125])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [0]), None)
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.6875, 0.25, 0.3125, 0.3125])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.625, 0.5, -0.3125, 0.3125])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.6875, 0.875, 0.25, 0.1875])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.75, 0.1875, -0.5625, 0.4375])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [3, 4]), [0.875, -0.25, -0.9375, -0.625, -0.8125, 0.5625, -0.3125, 0.4375, -0.25, 0.4375, -0.0625, 0.125])
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [0]), None)
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 3]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 3]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("projection_tanh").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.125, -0.125, 0.625, 0.75],
    output_state_in: [0.5, -0.5625, -0.5625, -0.25, 0.125, 0.0],
    cell_state_in: [0.0625, 0.5625, -0.125, 0.0625, -1.0, -0.0625, -0.25, -0.875],
    scratch: [0],
    output_state_out: [0.11064706, -0.029926525, 0.024144974, 0.11729273, 0.09892878, 0.06572283],
    cell_state_out: [0.20682617, 0.21818163, -0.05293726, -0.19348669, -0.09583409, 0.29738328, -0.18222861, -0.27465665],
    output: [0.11064706, -0.029926525, 0.024144974, 0.11729273, 0.09892878, 0.06572283],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [0.5625, 0.3125, 0.6875, -0.625, 0.3125, 0.6875, 0.75, -0.9375])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.5, 1.0, 0.375, 0.75, -0.5, -0.0625, 0.3125, 0.0])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [0.625, 0.3125, -0.5, -0.1875, 0.3125, -1.0, -0.25, 0.5625])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [0.6875, -0.125, 0.625, -0.9375, 0.9375, 0.625, -0.625, -0.4375])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.875, 0.125, -0.1875, -0.75, 1.0, -0.4375, -0.5625, -0.5625, -0.4375, -0.875, -0.1875, 0.5625])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.9375, 0.5, -0.625, -0.5, 0.4375, 0.25, -0.5, 0.4375, 0.125, -0.6875, 0.75, 0.375])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 3]), [0.5, -0.5, -0.125, -0.5, 0.625, 0.75, -1.0, -0.5, 0.25, -0.5, 0.5625, 0.25])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.1875, 0.25, -0.125, -0.4375, 0.125, -0.625, -1.0, -0.25, 0.3125, -0.125, 0.3125, -0.8125])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [0]), None)
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.6875, 0.25, 0.3125, 0.3125])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.625, 0.5, -0.3125, 0.3125])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.6875, 0.875, 0.25, 0.1875])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.75, 0.1875, -0.5625, 0.4375])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [3, 4]), [0.875, -0.25, -0.9375, -0.625, -0.8125, 0.5625, -0.3125, 0.4375, -0.25, 0.4375, -0.0625, 0.125])
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [0]), None)
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 3]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.25)
projection_clip = Float32Scalar("projection_clip", 0.125)
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 3]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("projection_tanh_clip").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [-0.125, -0.125, 0.625, 0.75],
    output_state_in: [0.5, -0.5625, -0.5625, -0.25, 0.125, 0.0],
    cell_state_in: [0.0625, 0.5625, -0.125, 0.0625, -1.0, -0.0625, -0.25, -0.875],
    scratch: [0],
    output_state_out: [0.11064706, -0.029926525, 0.024144974, 0.11635071, 0.09106369, 0.057386726],
    cell_state_out: [0.20682617, 0.21818163, -0.05293726, -0.19348669, -0.09583409, 0.25, -0.18222861, -0.25],
    output: [0.11064706, -0.029926525, 0.024144974, 0.11635071, 0.09106369, 0.057386726],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [0.8125, 0.875, -0.3125, 0.75, 0.875, 0.625, 0.9375, 0.875])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.5, 0.3125, -0.5, 1.0, 0.375, 1.0, 0.9375, -0.75])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.5625, 0.4375, -0.8125, 0.6875, 0.0, -0.1875, 0.9375, 0.0])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.9375, 0.5625, -0.6875, 1.0, 0.4375, -0.625, -0.875, 0.4375, 0.9375, -0.25, 0.5, -0.1875, 0.3125, 0.375, 0.5, -0.25])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [0.1875, 0.125, -0.0625, 0.4375, 0.3125, 0.5, -0.5625, -1.0, 0.3125, -0.1875, 0.125, 0.25, 0.875, -0.4375, -0.1875, 0.125])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.875, 0.5625, -0.0625, 0.5625, -0.875, 0.5, 0.4375, 0.0, 0.375, -0.3125, 0.1875, 0.375, -0.5, -0.625, -0.375, 0.5])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [-0.6875, -0.625, 0.625, -0.625])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [0.5, 0.1875, 0.3125, 0.3125])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [0]), None)
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.25, -0.5, -0.5, 0.375])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.875, -0.8125, -0.1875, -0.1875])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [0.3125, 0.9375, 0.0625, -0.75])
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
model = Model("cifg_peephole_tanh").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [0.3125, 1.0, 0.8125, 0.1875],
    output_state_in: [0.4375, 0.875, -0.875, 0.75, -0.1875, 0.3125, -0.8125, -0.75],
    cell_state_in: [-0.8125, -0.5, -0.0625, -0.6875, -0.5625, 0.375, 0.375, 0.6875],
    scratch: [0],
    output_state_out: [-0.42549247, -0.21700796, 0.16798024, -0.18550503, -0.15018326, 0.1772836, 0.052270513, 0.2405402],
    cell_state_out: [-0.7195027, -0.3073447, 0.35096058, -0.6427367, -0.36312795, 0.30171123, 0.14200744, 0.523332],
    output: [-0.42549247, -0.21700796, 0.16798024, -0.18550503, -0.15018326, 0.1772836, 0.052270513, 0.2405402],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [0.8125, 0.875, -0.3125, 0.75, 0.875, 0.625, 0.9375, 0.875])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.5, 0.3125, -0.5, 1.0, 0.375, 1.0, 0.9375, -0.75])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.5625, 0.4375, -0.8125, 0.6875, 0.0, -0.1875, 0.9375, 0.0])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.9375, 0.5625, -0.6875, 1.0, 0.4375, -0.625, -0.875, 0.4375, 0.9375, -0.25, 0.5, -0.1875, 0.3125, 0.375, 0.5, -0.25])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [0.1875, 0.125, -0.0625, 0.4375, 0.3125, 0.5, -0.5625, -1.0, 0.3125, -0.1875, 0.125, 0.25, 0.875, -0.4375, -0.1875, 0.125])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.875, 0.5625, -0.0625, 0.5625, -0.875, 0.5, 0.4375, 0.0, 0.375, -0.3125, 0.1875, 0.375, -0.5, -0.625, -0.375, 0.5])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [-0.6875, -0.625, 0.625, -0.625])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [0.5, 0.1875, 0.3125, 0.3125])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [0]), None)
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.25, -0.5, -0.5, 0.375])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.875, -0.8125, -0.1875, -0.1875])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [0.3125, 0.9375, 0.0625, -0.75])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [0, 0]), None)
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [0]), None)
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 4]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.25)
projection_clip = Float32Scalar("projection_clip", 0.125)
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 12]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("cifg_peephole_tanh_clip").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [0.3125, 1.0, 0.8125, 0.1875],
    output_state_in: [0.4375, 0.875, -0.875, 0.75, -0.1875, 0.3125, -0.8125, -0.75],
    cell_state_in: [-0.8125, -0.5, -0.0625, -0.6875, -0.5625, 0.375, 0.375, 0.6875],
    scratch: [0],
    output_state_out: [-0.18072899, -0.17886162, 0.12006785, -0.08691676, -0.1091185, 0.14768524, 0.052270513, 0.1174394],
    cell_state_out: [-0.25, -0.25, 0.25, -0.25, -0.25, 0.25, 0.14200744, 0.25],
    output: [-0.18072899, -0.17886162, 0.12006785, -0.08691676, -0.1091185, 0.14768524, 0.052270513, 0.1174394],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.9375, -0.6875, 0.75, 0.0625, -0.75, 0.5, 1.0, 0.6875])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.4375, -0.5, 0.5625, -0.75, -0.8125, 0.1875, -0.625, 0.6875])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [0.1875, 0.75, 0.9375, -0.5625, -0.5, 0.6875, 0.0, -0.4375])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.4375, -0.9375, 0.0, 0.6875, 0.0625, 0.0625, 0.875, -0.9375])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 3]), [0.5625, -0.5625, -0.9375, 0.3125, -0.375, -1.0, -0.5625, 0.1875, 0.875, -0.9375, 0.0625, 0.1875])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.375, 0.6875, -0.625, 0.625, 0.1875, -0.5, 0.75, 0.125, -0.5, -0.1875, 1.0, -0.25])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.1875, -0.5, -0.0625, -0.375, -0.3125, 0.25, -0.125, 0.5625, 0.3125, -0.0625, 0.0, 0.6875])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.8125, 0.6875, -0.6875, -0.6875, 0.5, -0.5, 0.0625, 0.9375, 0.75, 0.5, 0.375, -0.5625])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [4]), [0.25, 0.875, 0.8125, 0.3125])
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [0.25, -0.1875, -0.0625, -0.75])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [-0.125, -1.0, -0.125, 0.375])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.4375, -0.4375, 0.75, -1.0])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [0.8125, 0.875, -0.8125, 1.0])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.6875, 0.375, 0.1875, 0.25])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.6875, 0.3125, 0.875, -0.8125])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [3, 4]), [-0.8125, -0.125, -0.75, 0.9375, 0.375, 0.6875, 0.1875, -0.5, -0.4375, 0.8125, 0.875, 0.875])
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [3]), [0.125, -0.625, 0.8125])
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 3]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 3]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("peephole_projection_bias_tanh").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [0.625, -0.0625, 0.8125, -0.375],
    output_state_in: [0.125, -0.3125, -0.75, 0.9375, 1.0, -0.375],
    cell_state_in: [0.5625, -0.8125, -0.3125, 0.25, -0.6875, 0.0, -0.4375, -0.75],
    scratch: [0],
    output_state_out: [0.22902502, -0.7821615, 0.5316958, 0.062110476, -0.45461214, 0.5342499],
    cell_state_out: [0.18495059, -0.31269333, -0.2578003, 0.05480409, -0.7877724, 0.32242292, -0.20280068, -0.61878294],
    output: [0.22902502, -0.7821615, 0.5316958, 0.062110476, -0.45461214, 0.5342499],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.9375, -0.6875, 0.75, 0.0625, -0.75, 0.5, 1.0, 0.6875])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.4375, -0.5, 0.5625, -0.75, -0.8125, 0.1875, -0.625, 0.6875])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [0.1875, 0.75, 0.9375, -0.5625, -0.5, 0.6875, 0.0, -0.4375])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.4375, -0.9375, 0.0, 0.6875, 0.0625, 0.0625, 0.875, -0.9375])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 3]), [0.5625, -0.5625, -0.9375, 0.3125, -0.375, -1.0, -0.5625, 0.1875, 0.875, -0.9375, 0.0625, 0.1875])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.375, 0.6875, -0.625, 0.625, 0.1875, -0.5, 0.75, 0.125, -0.5, -0.1875, 1.0, -0.25])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.1875, -0.5, -0.0625, -0.375, -0.3125, 0.25, -0.125, 0.5625, 0.3125, -0.0625, 0.0, 0.6875])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.8125, 0.6875, -0.6875, -0.6875, 0.5, -0.5, 0.0625, 0.9375, 0.75, 0.5, 0.375, -0.5625])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [4]), [0.25, 0.875, 0.8125, 0.3125])
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [0.25, -0.1875, -0.0625, -0.75])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [-0.125, -1.0, -0.125, 0.375])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.4375, -0.4375, 0.75, -1.0])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [0.8125, 0.875, -0.8125, 1.0])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.6875, 0.375, 0.1875, 0.25])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.6875, 0.3125, 0.875, -0.8125])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [3, 4]), [-0.8125, -0.125, -0.75, 0.9375, 0.375, 0.6875, 0.1875, -0.5, -0.4375, 0.8125, 0.875, 0.875])
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [3]), [0.125, -0.625, 0.8125])
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 3]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.25)
projection_clip = Float32Scalar("projection_clip", 0.125)
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 3]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("peephole_projection_bias_tanh_clip").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [0.625, -0.0625, 0.8125, -0.375],
    output_state_in: [0.125, -0.3125, -0.75, 0.9375, 1.0, -0.375],
    cell_state_in: [0.5625, -0.8125, -0.3125, 0.25, -0.6875, 0.0, -0.4375, -0.75],
    scratch: [0],
    output_state_out: [0.125, -0.125, 0.125, 0.125, -0.125, 0.125],
    cell_state_out: [0.18495059, -0.25, -0.25, 0.05480409, -0.25, 0.25, -0.20280068, -0.25],
    output: [0.125, -0.125, 0.125, 0.125, -0.125, 0.125],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.8125, -0.125, -0.25, -0.5625, -0.1875, 0.4375, -1.0, 0.4375])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.5625, 0.75, -0.3125, -0.5, 0.0625, -0.6875, 0.0, 0.0])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.9375, 0.875, 0.5625, 0.3125, -1.0, -0.5, -0.8125, -0.8125])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.0625, -0.25, 0.625, 0.5625, -0.3125, 0.875, 0.625, -0.1875, 0.3125, -0.8125, -0.25, 0.875])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 3]), [0.9375, -0.25, 0.5, 0.5, -0.6875, 0.125, 0.1875, 0.125, 1.0, 0.75, -0.5, 0.125])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 3]), [0.125, -0.9375, -0.625, -0.0625, 0.25, 0.0625, 0.0625, -0.6875, 0.375, 0.5625, 0.0625, 0.625])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [0.25, -0.0625, -0.6875, 1.0])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [0.4375, 0.0625, -0.375, 0.9375])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [0]), None)
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-1.0, -0.1875, -0.9375, 0.25])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.3125, -0.4375, -0.375, 0.5625])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [0.9375, 0.8125, 0.4375, 0.625])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [3, 4]), [0.6875, 0.0625, 0.125, 0.375, -0.3125, 0.625, 0.0625, 0.8125, -0.5625, -0.9375, -0.3125, -0.75])
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [3]), [0.75, 0.375, 0.4375])
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 3]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 12]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 3]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("cifg_peephole_projection_bias_tanh").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [0.875, -1.0, 0.875, -0.9375],
    output_state_in: [-0.6875, -0.1875, -0.6875, -0.8125, 0.6875, -0.625],
    cell_state_in: [-0.6875, 0.4375, -0.875, -0.9375, 0.25, -0.75, -0.25, -0.375],
    scratch: [0],
    output_state_out: [0.5254096, 0.33073783, 0.8055851, 0.55608577, -0.029574435, 1.1375327],
    cell_state_out: [-0.9538208, -0.18968913, -0.51664186, -0.064039625, -0.84939384, -0.8118051, -0.3411423, -0.42555124],
    output: [0.5254096, 0.33073783, 0.8055851, 0.55608577, -0.029574435, 1.1375327],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.8125, -0.125, -0.25, -0.5625, -0.1875, 0.4375, -1.0, 0.4375])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.5625, 0.75, -0.3125, -0.5, 0.0625, -0.6875, 0.0, 0.0])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.9375, 0.875, 0.5625, 0.3125, -1.0, -0.5, -0.8125, -0.8125])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.0625, -0.25, 0.625, 0.5625, -0.3125, 0.875, 0.625, -0.1875, 0.3125, -0.8125, -0.25, 0.875])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 3]), [0.9375, -0.25, 0.5, 0.5, -0.6875, 0.125, 0.1875, 0.125, 1.0, 0.75, -0.5, 0.125])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 3]), [0.125, -0.9375, -0.625, -0.0625, 0.25, 0.0625, 0.0625, -0.6875, 0.375, 0.5625, 0.0625, 0.625])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [0.25, -0.0625, -0.6875, 1.0])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [0.4375, 0.0625, -0.375, 0.9375])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [0]), None)
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-1.0, -0.1875, -0.9375, 0.25])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.3125, -0.4375, -0.375, 0.5625])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [0.9375, 0.8125, 0.4375, 0.625])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [3, 4]), [0.6875, 0.0625, 0.125, 0.375, -0.3125, 0.625, 0.0625, 0.8125, -0.5625, -0.9375, -0.3125, -0.75])
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [3]), [0.75, 0.375, 0.4375])
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 3]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.25)
projection_clip = Float32Scalar("projection_clip", 0.125)
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 12]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 3]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model("cifg_peephole_projection_bias_tanh_clip").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [0.875, -1.0, 0.875, -0.9375],
    output_state_in: [-0.6875, -0.1875, -0.6875, -0.8125, 0.6875, -0.625],
    cell_state_in: [-0.6875, 0.4375, -0.875, -0.9375, 0.25, -0.75, -0.25, -0.375],
    scratch: [0],
    output_state_out: [0.125, 0.125, 0.125, 0.125, 0.125, 0.125],
    cell_state_out: [-0.25, -0.18968913, -0.25, -0.064039625, -0.25, -0.25, -0.25, -0.25],
    output: [0.125, 0.125, 0.125, 0.125, 0.125, 0.125],
}, model=model).AddVariations("relaxed", "float16", includeDefault=False)
