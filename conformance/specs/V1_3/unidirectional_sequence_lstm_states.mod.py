# Written by tests/golden/write_lstm_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [0.8125, 0.5, -1.0, 0.8125, -0.0625, 0.5, 0.6875, -0.8125])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [1.0, 0.5, 0.625, -0.8125, 0.875, -0.5, 0.75, -0.75])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [0.125, 0.8125, -0.8125, 1.0, 0.3125, 0.5625, 0.25, 0.625])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [0.5, 0.0, -0.125, 0.875, 0.625, -0.1875, 1.0, -0.25])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 4]), [0.9375, 0.4375, 0.1875, -1.0, -0.8125, 0.8125, -0.1875, 0.0625, -0.1875, 0.4375, -0.4375, -0.125, 0.125, 1.0, 0.4375, 0.6875])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [0.125, -0.375, -0.5, 0.375, 0.4375, -0.9375, 0.8125, -0.3125, -0.6875, -0.75, 0.375, -0.3125, -0.3125, 0.9375, 0.1875, 0.625])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.0625, 0.25, 0.6875, 0.3125, 0.5625, -1.0, -0.6875, 0.375, -0.25, -0.375, 0.3125, -1.0, 0.875, -0.625, 0.6875, 0.625])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.25, 1.0, -0.8125, -0.875, 0.75, 0.875, -0.375, -0.9375, -0.8125, -0.875, -0.375, 0.0, 0.0625, 0.5625, -0.625, -0.375])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [0]), None)
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [0.8125, -0.4375, -0.125, 0.25])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-1.0, -0.1875, -0.375, 0.5625])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.8125, 0.0, 0.9375, -0.9375])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [0.3125, 1.0, 0.0, -0.25])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [0, 0]), None)
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [0]), None)
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 4]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 4)
cell_clip = Float32Scalar("cell_clip", 0.25)
projection_clip = Float32Scalar("projection_clip", 0.125)
time_major = BoolScalar("time_major", False)
input_layer_norm_weights = Parameter("input_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
forget_layer_norm_weights = Parameter("forget_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
cell_layer_norm_weights = Parameter("cell_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
output_layer_norm_weights = Parameter("output_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 4]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
model = Model("basic_tanh_batch_major").Operation("UNIDIRECTIONAL_SEQUENCE_LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip, time_major, input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights).To(output, output_state_out, cell_state_out)
Example({
    input: [-0.6875, 0.5625, 0.75, 0.9375, -0.5, 0.4375, 0.3125, -0.4375, -1.0, -0.9375, 0.5625, -0.125],
    output_state_in: [0.625, -0.5625, 0.0, -0.75, -0.3125, 0.6875, 0.25, 0.5],
    cell_state_in: [0.3125, 0.1875, 0.0625, 0.6875, 0.5, -1.0, 0.4375, 0.5625],
    output: [0.116723254, 0.22173032, 0.08956263, 0.017530803, 0.16856474, 0.120432064, 0.12065509, -0.016316367, 0.12595065, 0.20536615, 0.08224116, -0.07331679, 0.15778275, -0.1456167, 0.11243631, -0.13438039, -0.007743848, -0.08834457, 0.06648391, -0.060820006, 0.15282807, -0.14184839, 0.14860386, -0.1391818],
    output_state_out: [0.12595065, 0.20536615, 0.08224116, -0.07331679, 0.15282807, -0.14184839, 0.14860386, -0.1391818],
    cell_state_out: [0.25, 0.25, 0.25, -0.25, 0.25, -0.21063337, 0.25, -0.25],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [3, 2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [0.8125, -0.3125, 0.1875, 1.0, 0.8125, -0.375, -0.875, 0.5])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.125, 0.75, 0.25, -0.0625, 0.375, 0.25, -0.125, 0.875])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [0.5625, -0.6875, -0.1875, 0.6875, -0.0625, -0.6875, 0.0, -0.6875])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [0.125, -0.375, 0.625, -0.625, -0.0625, 0.625, -0.0625, 0.0625, -0.5, -0.6875, 0.3125, 0.8125, 0.4375, 1.0, -0.25, -0.5])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.3125, 0.0, 0.1875, -0.1875, 0.8125, -0.8125, -0.5625, 0.25, 0.6875, 0.75, -0.5, -0.5625, 1.0, 0.875, 0.25, 0.125])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.625, -0.5, 0.125, -0.0625, -0.5, 0.0625, -0.1875, -0.5, -0.875, 0.25, 0.25, -0.1875, 0.75, -0.6875, -0.6875, -0.5625])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [0.25, 1.0, -0.4375, -0.9375])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [0.25, 0.0, 0.875, 0.125])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [0]), None)
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.625, -0.875, 1.0, 0.25])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.125, -0.375, -0.8125, -0.6875])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [0.25, -0.25, -0.375, -0.3125])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [0, 0]), None)
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [0]), None)
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 4]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 1)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
time_major = BoolScalar("time_major", True)
input_layer_norm_weights = Parameter("input_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
forget_layer_norm_weights = Parameter("forget_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
cell_layer_norm_weights = Parameter("cell_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
output_layer_norm_weights = Parameter("output_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
output = Output("output", ("TENSOR_FLOAT32", [3, 2, 4]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
model = Model("cifg_peephole_relu_time_major").Operation("UNIDIRECTIONAL_SEQUENCE_LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip, time_major, input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights).To(output, output_state_out, cell_state_out)
Example({
    input: [-0.375, -0.5, 0.8125, 0.375, -0.25, 1.0, -0.6875, 0.9375, -0.5625, 1.0, 0.625, -0.375],
    output_state_in: [0.1875, -0.625, -0.375, 0.5, 0.6875, -0.5, 0.25, 0.8125],
    cell_state_in: [-0.4375, 0.0625, -0.5, 0.0625, -0.0625, -0.625, 1.0, -0.5],
    output: [0.0, 0.14633247, 0.0, 0.015801165, 0.0, 0.14218493, 0.27666813, 0.0, 0.17850322, 0.19713068, 0.0, 0.026687734, 0.19020179, 0.20107415, 0.13406304, 0.0, 0.18501903, 0.118937746, 0.0, 0.055835426, 0.20710674, 0.035006773, 0.14490217, 0.0],
    output_state_out: [0.18501903, 0.118937746, 0.0, 0.055835426, 0.20710674, 0.035006773, 0.14490217, 0.0],
    cell_state_out: [0.6029913, 0.19457178, -0.13850878, 0.20623432, 0.30657813, 0.10784291, 0.28792658, -0.04078136],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [2, 3, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [0.6875, 0.9375, -0.8125, -0.6875, -0.375, 0.6875, -0.25, -0.125])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [0.625, 0.875, -0.0625, 0.75, 0.0625, -0.9375, 1.0, 0.5])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-1.0, -0.125, 0.5625, 0.5625, -0.5, 0.0, -0.25, 0.125])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.125, -0.6875, -0.875, -0.125, -0.8125, -0.6875, 1.0, 0.5])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 3]), [0.1875, 0.3125, 0.4375, 0.75, -0.25, -1.0, -0.1875, -0.875, -0.5625, -0.3125, 0.8125, -0.4375])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.375, -0.5625, 0.5625, -0.125, -0.6875, -0.375, -0.375, 0.4375, -0.5, 0.5625, -0.3125, 0.5625])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.5, -0.375, -0.1875, 0.1875, -0.8125, -0.6875, -0.375, 0.3125, 0.3125, 0.25, -0.3125, -0.5625])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 3]), [1.0, -0.375, -0.625, 0.625, 0.8125, 0.1875, 0.8125, -0.875, -0.1875, 0.75, 1.0, -0.4375])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [0]), None)
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [1.0, -0.8125, 0.8125, -0.875])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-1.0, 0.4375, 0.9375, -0.375])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.8125, 0.1875, -0.25, -0.4375])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [0.25, 0.375, -0.125, -0.75])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [3, 4]), [0.375, -0.5625, 0.6875, -0.6875, -0.0625, 0.1875, -0.5625, -0.3125, -1.0, 0.8125, 1.0, 0.0])
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [0]), None)
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 3]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 3)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
time_major = BoolScalar("time_major", False)
input_layer_norm_weights = Parameter("input_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
forget_layer_norm_weights = Parameter("forget_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
cell_layer_norm_weights = Parameter("cell_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
output_layer_norm_weights = Parameter("output_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 3]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 3]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
model = Model("projection_relu6_batch_major").Operation("UNIDIRECTIONAL_SEQUENCE_LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip, time_major, input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights).To(output, output_state_out, cell_state_out)
Example({
    input: [-0.0625, 0.625, 0.9375, -0.1875, 0.0, -0.5625, 0.5, 0.25, 0.0, -1.0, 0.6875, -0.5625],
    output_state_in: [0.0, -0.125, 0.0, 0.75, 1.0, -0.375],
    cell_state_in: [-0.9375, 0.6875, -0.25, 0.625, -1.0, -0.375, 0.0625, 0.0],
    output: [-0.27614647, 0.035567638, 0.2953294, -0.13812266, 0.0013620408, 0.11759929, -0.07414115, 0.016807029, 0.09259718, 0.009277447, -0.007590639, 0.013494469, 0.01775058, -0.014523203, 0.025819026, -0.0017589864, -0.004147089, 0.03084265],
    output_state_out: [-0.07414115, 0.016807029, 0.09259718, -0.0017589864, -0.004147089, 0.03084265],
    cell_state_out: [-0.03136929, 0.19173576, -0.08808411, 0.062335704, -0.0062294425, 0.04433113, 0.03288758, 0.0],
}, model=model).AddVariations("float16")

input = Input("input", ("TENSOR_FLOAT32", [3, 2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [0.75, 0.25, 0.375, -0.5, 0.5, -0.125, 0.25, -0.875])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.5, -0.875, -0.375, -0.4375, -0.4375, -0.0625, 0.0625, 0.0625])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.5, 0.5, -0.875, 0.375, -0.875, 0.8125, -0.5, 0.875])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [0, 0]), None)
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.5, -0.9375, -0.125, 0.4375, 0.5625, 0.125, -0.1875, 0.8125, 0.75, -0.75, 0.5625, 0.5])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 3]), [0.9375, -1.0, -0.25, 0.8125, -0.6875, -0.75, -0.5, -0.6875, 0.375, -0.3125, -0.375, -0.375])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 3]), [-0.0625, 0.75, -0.25, -0.5625, 0.0625, 0.3125, -0.9375, -1.0, -0.5625, -0.25, -0.4375, 0.4375])
cell_to_input_weights = Parameter("cell_to_input_weights", ("TENSOR_FLOAT32", [0]), None)
cell_to_forget_weights = Parameter("cell_to_forget_weights", ("TENSOR_FLOAT32", [4]), [0.9375, 0.5, -0.625, -0.8125])
cell_to_output_weights = Parameter("cell_to_output_weights", ("TENSOR_FLOAT32", [4]), [-0.5625, 0.375, -0.75, 1.0])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [0]), None)
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.875, 0.0, -0.625, -0.125])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.8125, -0.5625, 0.1875, -0.8125])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.8125, -0.6875, -0.9375, -0.9375])
projection_weights = Parameter("projection_weights", ("TENSOR_FLOAT32", [3, 4]), [0.5625, -0.625, 0.5, 0.25, 0.0625, -0.875, 0.625, -0.0625, 0.3125, 0.75, -0.25, -0.75])
projection_bias = Parameter("projection_bias", ("TENSOR_FLOAT32", [3]), [0.25, -0.75, 0.125])
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 3]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 6)
cell_clip = Float32Scalar("cell_clip", 0.25)
projection_clip = Float32Scalar("projection_clip", 0.125)
time_major = BoolScalar("time_major", True)
input_layer_norm_weights = Parameter("input_layer_norm_weights", ("TENSOR_FLOAT32", [0]), None)
forget_layer_norm_weights = Parameter("forget_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [-0.8125, 1.0, -0.8125, -0.75])
cell_layer_norm_weights = Parameter("cell_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.8125, 0.6875, -0.75, 0.75])
output_layer_norm_weights = Parameter("output_layer_norm_weights", ("TENSOR_FLOAT32", [4]), [0.625, -0.625, -0.875, -0.1875])
output = Output("output", ("TENSOR_FLOAT32", [3, 2, 3]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 3]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
model = Model("layer_norm_cifg_peephole_projection_bias_sigmoid_time_major").Operation("UNIDIRECTIONAL_SEQUENCE_LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip, time_major, input_layer_norm_weights, forget_layer_norm_weights, cell_layer_norm_weights, output_layer_norm_weights).To(output, output_state_out, cell_state_out)
Example({
    input: [0.375, -0.4375, 1.0, -0.6875, 0.1875, 0.0, -0.5, -0.375, 0.4375, 1.0, 0.75, -0.9375],
    output_state_in: [0.1875, 0.125, -0.625, -0.8125, -0.125, 0.375],
    cell_state_in: [0.4375, -0.6875, -0.8125, 0.1875, 0.25, -1.0, 0.4375, 0.9375],
    output: [0.125, -0.125, 0.125, 0.125, -0.125, 0.08707416, 0.125, -0.125, 0.125, 0.125, -0.125, 0.06416951, 0.125, -0.125, 0.125, 0.125, -0.125, 0.096369125],
    output_state_out: [0.125, -0.125, 0.125, 0.125, -0.125, 0.096369125],
    cell_state_out: [0.13642418, 0.25, 0.25, 0.25, 0.25, 0.1751788, 0.25, 0.20565109],
}, model=model).AddVariations("float16")
