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
cell_to_input_weights = Input("cell_to_input_weights", ("TENSOR_FLOAT32", [0]))
cell_to_forget_weights = Input("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]))
cell_to_output_weights = Input("cell_to_output_weights", ("TENSOR_FLOAT32", [0]))
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.3125, 0.3125, -0.875, 0.125])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.9375, -0.1875, 0.9375, -0.125])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.4375, 0.5625, 0.5625, 0.5])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.6875, 1.0, -0.3125, -0.9375])
projection_weights = Input("projection_weights", ("TENSOR_FLOAT32", [0, 0]))
projection_bias = Input("projection_bias", ("TENSOR_FLOAT32", [0]))
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
    cell_to_input_weights: [],
    cell_to_forget_weights: [],
    cell_to_output_weights: [],
    projection_weights: [],
    projection_bias: [],
    output_state_in: [0.8125, -0.0625, -0.0625, -0.9375, -0.75, -0.1875, 0.0625, 0.625],
    cell_state_in: [-0.9375, -0.1875, 1.0, 0.875, 0.5625, -0.625, 1.0, 1.0],
    scratch: [0],
    output_state_out: [0.0029603178, 0.226388, 0.657337, 0.18292038, 0.0299269, -0.30368626, 0.19287564, 0.13806522],
    cell_state_out: [0.017307336, 0.34609655, 1.6849813, 0.8555026, 0.09355413, -0.37723428, 0.661654, 0.7469383],
    output: [0.0029603178, 0.226388, 0.657337, 0.18292038, 0.0299269, -0.30368626, 0.19287564, 0.13806522],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.0625, 0.625, -0.625, -0.6875, 0.875, 0.8125, 0.625, -0.1875])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.3125, -0.75, -1.0, -0.125, 1.0, 0.5, 0.6875, 0.0625])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [0.0625, -0.1875, 0.5, -0.5, -0.375, 0.5, 0.375, -0.25])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.6875, 0.1875, 0.6875, -0.3125, 0.0625, 0.5, 0.125, -0.75])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 4]), [0.0625, 0.9375, -0.0625, -0.3125, 0.9375, -0.75, 0.625, 0.3125, -0.25, 0.3125, -0.5, -1.0, -0.75, 0.1875, -0.5625, 0.8125])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [0.9375, -0.75, -0.375, -0.9375, -0.125, 0.5625, -0.4375, -0.5, 0.6875, 0.4375, -0.375, 0.4375, 1.0, -0.5, 0.625, 0.25])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [0.125, -1.0, -0.75, -0.5, 0.6875, 0.625, 0.625, -0.9375, 0.625, -0.6875, 0.5625, -0.9375, -0.3125, 0.9375, 0.1875, -0.3125])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.125, 0.5625, 0.5, 0.1875, -0.875, 0.5, -0.6875, 0.0, -0.125, 0.5, 1.0, -1.0, -0.125, -0.1875, 0.5, -0.5])
cell_to_input_weights = Input("cell_to_input_weights", ("TENSOR_FLOAT32", [0]))
cell_to_forget_weights = Input("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]))
cell_to_output_weights = Input("cell_to_output_weights", ("TENSOR_FLOAT32", [0]))
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.3125, 0.3125, -0.875, 0.125])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.9375, -0.1875, 0.9375, -0.125])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.4375, 0.5625, 0.5625, 0.5])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.6875, 1.0, -0.3125, -0.9375])
projection_weights = Input("projection_weights", ("TENSOR_FLOAT32", [0, 0]))
projection_bias = Input("projection_bias", ("TENSOR_FLOAT32", [0]))
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 4]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 1)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("basic_relu").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [1.0, 0.75, 0.375, 0.3125],
    cell_to_input_weights: [],
    cell_to_forget_weights: [],
    cell_to_output_weights: [],
    projection_weights: [],
    projection_bias: [],
    output_state_in: [0.8125, -0.0625, -0.0625, -0.9375, -0.75, -0.1875, 0.0625, 0.625],
    cell_state_in: [-0.9375, -0.1875, 1.0, 0.875, 0.5625, -0.625, 1.0, 1.0],
    scratch: [0],
    output_state_out: [0.029560946, 0.53858906, 1.7441747, 0.23236243, 0.030112619, 0.0, 0.2510344, 0.16727749],
    cell_state_out: [0.1728092, 0.7920087, 2.4769576, 0.88149834, 0.093861036, -0.1739105, 0.7541915, 0.76731837],
    output: [0.029560946, 0.53858906, 1.7441747, 0.23236243, 0.030112619, 0.0, 0.2510344, 0.16727749],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.0625, 0.625, -0.625, -0.6875, 0.875, 0.8125, 0.625, -0.1875])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.3125, -0.75, -1.0, -0.125, 1.0, 0.5, 0.6875, 0.0625])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [0.0625, -0.1875, 0.5, -0.5, -0.375, 0.5, 0.375, -0.25])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.6875, 0.1875, 0.6875, -0.3125, 0.0625, 0.5, 0.125, -0.75])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 4]), [0.0625, 0.9375, -0.0625, -0.3125, 0.9375, -0.75, 0.625, 0.3125, -0.25, 0.3125, -0.5, -1.0, -0.75, 0.1875, -0.5625, 0.8125])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [0.9375, -0.75, -0.375, -0.9375, -0.125, 0.5625, -0.4375, -0.5, 0.6875, 0.4375, -0.375, 0.4375, 1.0, -0.5, 0.625, 0.25])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [0.125, -1.0, -0.75, -0.5, 0.6875, 0.625, 0.625, -0.9375, 0.625, -0.6875, 0.5625, -0.9375, -0.3125, 0.9375, 0.1875, -0.3125])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.125, 0.5625, 0.5, 0.1875, -0.875, 0.5, -0.6875, 0.0, -0.125, 0.5, 1.0, -1.0, -0.125, -0.1875, 0.5, -0.5])
cell_to_input_weights = Input("cell_to_input_weights", ("TENSOR_FLOAT32", [0]))
cell_to_forget_weights = Input("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]))
cell_to_output_weights = Input("cell_to_output_weights", ("TENSOR_FLOAT32", [0]))
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.3125, 0.3125, -0.875, 0.125])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.9375, -0.1875, 0.9375, -0.125])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.4375, 0.5625, 0.5625, 0.5])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.6875, 1.0, -0.3125, -0.9375])
projection_weights = Input("projection_weights", ("TENSOR_FLOAT32", [0, 0]))
projection_bias = Input("projection_bias", ("TENSOR_FLOAT32", [0]))
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 4]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 3)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("basic_relu6").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [1.0, 0.75, 0.375, 0.3125],
    cell_to_input_weights: [],
    cell_to_forget_weights: [],
    cell_to_output_weights: [],
    projection_weights: [],
    projection_bias: [],
    output_state_in: [0.8125, -0.0625, -0.0625, -0.9375, -0.75, -0.1875, 0.0625, 0.625],
    cell_state_in: [-0.9375, -0.1875, 1.0, 0.875, 0.5625, -0.625, 1.0, 1.0],
    scratch: [0],
    output_state_out: [0.029560946, 0.53858906, 1.7441747, 0.23236243, 0.030112619, 0.0, 0.2510344, 0.16727749],
    cell_state_out: [0.1728092, 0.7920087, 2.4769576, 0.88149834, 0.093861036, -0.1739105, 0.7541915, 0.76731837],
    output: [0.029560946, 0.53858906, 1.7441747, 0.23236243, 0.030112619, 0.0, 0.2510344, 0.16727749],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.0625, 0.625, -0.625, -0.6875, 0.875, 0.8125, 0.625, -0.1875])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.3125, -0.75, -1.0, -0.125, 1.0, 0.5, 0.6875, 0.0625])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [0.0625, -0.1875, 0.5, -0.5, -0.375, 0.5, 0.375, -0.25])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.6875, 0.1875, 0.6875, -0.3125, 0.0625, 0.5, 0.125, -0.75])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 4]), [0.0625, 0.9375, -0.0625, -0.3125, 0.9375, -0.75, 0.625, 0.3125, -0.25, 0.3125, -0.5, -1.0, -0.75, 0.1875, -0.5625, 0.8125])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [0.9375, -0.75, -0.375, -0.9375, -0.125, 0.5625, -0.4375, -0.5, 0.6875, 0.4375, -0.375, 0.4375, 1.0, -0.5, 0.625, 0.25])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [0.125, -1.0, -0.75, -0.5, 0.6875, 0.625, 0.625, -0.9375, 0.625, -0.6875, 0.5625, -0.9375, -0.3125, 0.9375, 0.1875, -0.3125])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.125, 0.5625, 0.5, 0.1875, -0.875, 0.5, -0.6875, 0.0, -0.125, 0.5, 1.0, -1.0, -0.125, -0.1875, 0.5, -0.5])
cell_to_input_weights = Input("cell_to_input_weights", ("TENSOR_FLOAT32", [0]))
cell_to_forget_weights = Input("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]))
cell_to_output_weights = Input("cell_to_output_weights", ("TENSOR_FLOAT32", [0]))
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.3125, 0.3125, -0.875, 0.125])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.9375, -0.1875, 0.9375, -0.125])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.4375, 0.5625, 0.5625, 0.5])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.6875, 1.0, -0.3125, -0.9375])
projection_weights = Input("projection_weights", ("TENSOR_FLOAT32", [0, 0]))
projection_bias = Input("projection_bias", ("TENSOR_FLOAT32", [0]))
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 4]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 6)
cell_clip = Float32Scalar("cell_clip", 0.0)
projection_clip = Float32Scalar("projection_clip", 0.0)
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("basic_sigmoid").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [1.0, 0.75, 0.375, 0.3125],
    cell_to_input_weights: [],
    cell_to_forget_weights: [],
    cell_to_output_weights: [],
    projection_weights: [],
    projection_bias: [],
    output_state_in: [0.8125, -0.0625, -0.0625, -0.9375, -0.75, -0.1875, 0.0625, 0.625],
    cell_state_in: [-0.9375, -0.1875, 1.0, 0.875, 0.5625, -0.625, 1.0, 1.0],
    scratch: [0],
    output_state_out: [0.08528298, 0.39269897, 0.58760417, 0.186438, 0.17941844, 0.41385767, 0.23549834, 0.15503643],
    cell_state_out: [-0.005790097, 0.31241095, 1.6176816, 0.8821993, 0.23810783, -0.03594758, 0.8833501, 0.9010609],
    output: [0.08528298, 0.39269897, 0.58760417, 0.186438, 0.17941844, 0.41385767, 0.23549834, 0.15503643],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.0625, 0.625, -0.625, -0.6875, 0.875, 0.8125, 0.625, -0.1875])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.3125, -0.75, -1.0, -0.125, 1.0, 0.5, 0.6875, 0.0625])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [0.0625, -0.1875, 0.5, -0.5, -0.375, 0.5, 0.375, -0.25])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.6875, 0.1875, 0.6875, -0.3125, 0.0625, 0.5, 0.125, -0.75])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 4]), [0.0625, 0.9375, -0.0625, -0.3125, 0.9375, -0.75, 0.625, 0.3125, -0.25, 0.3125, -0.5, -1.0, -0.75, 0.1875, -0.5625, 0.8125])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [0.9375, -0.75, -0.375, -0.9375, -0.125, 0.5625, -0.4375, -0.5, 0.6875, 0.4375, -0.375, 0.4375, 1.0, -0.5, 0.625, 0.25])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [0.125, -1.0, -0.75, -0.5, 0.6875, 0.625, 0.625, -0.9375, 0.625, -0.6875, 0.5625, -0.9375, -0.3125, 0.9375, 0.1875, -0.3125])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.125, 0.5625, 0.5, 0.1875, -0.875, 0.5, -0.6875, 0.0, -0.125, 0.5, 1.0, -1.0, -0.125, -0.1875, 0.5, -0.5])
cell_to_input_weights = Input("cell_to_input_weights", ("TENSOR_FLOAT32", [0]))
cell_to_forget_weights = Input("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]))
cell_to_output_weights = Input("cell_to_output_weights", ("TENSOR_FLOAT32", [0]))
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.3125, 0.3125, -0.875, 0.125])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.9375, -0.1875, 0.9375, -0.125])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.4375, 0.5625, 0.5625, 0.5])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.6875, 1.0, -0.3125, -0.9375])
projection_weights = Input("projection_weights", ("TENSOR_FLOAT32", [0, 0]))
projection_bias = Input("projection_bias", ("TENSOR_FLOAT32", [0]))
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
    cell_to_input_weights: [],
    cell_to_forget_weights: [],
    cell_to_output_weights: [],
    projection_weights: [],
    projection_bias: [],
    output_state_in: [0.8125, -0.0625, -0.0625, -0.9375, -0.75, -0.1875, 0.0625, 0.625],
    cell_state_in: [-0.9375, -0.1875, 1.0, 0.875, 0.5625, -0.625, 1.0, 1.0],
    scratch: [0],
    output_state_out: [0.0029603178, 0.16655186, 0.17246196, 0.06456041, 0.0299269, -0.20643291, 0.08152175, 0.05339293],
    cell_state_out: [0.017307336, 0.25, 0.25, 0.25, 0.09355413, -0.25, 0.25, 0.25],
    output: [0.0029603178, 0.16655186, 0.17246196, 0.06456041, 0.0299269, -0.20643291, 0.08152175, 0.05339293],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.0625, 0.625, -0.625, -0.6875, 0.875, 0.8125, 0.625, -0.1875])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.3125, -0.75, -1.0, -0.125, 1.0, 0.5, 0.6875, 0.0625])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [0.0625, -0.1875, 0.5, -0.5, -0.375, 0.5, 0.375, -0.25])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.6875, 0.1875, 0.6875, -0.3125, 0.0625, 0.5, 0.125, -0.75])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 4]), [0.0625, 0.9375, -0.0625, -0.3125, 0.9375, -0.75, 0.625, 0.3125, -0.25, 0.3125, -0.5, -1.0, -0.75, 0.1875, -0.5625, 0.8125])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [0.9375, -0.75, -0.375, -0.9375, -0.125, 0.5625, -0.4375, -0.5, 0.6875, 0.4375, -0.375, 0.4375, 1.0, -0.5, 0.625, 0.25])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [0.125, -1.0, -0.75, -0.5, 0.6875, 0.625, 0.625, -0.9375, 0.625, -0.6875, 0.5625, -0.9375, -0.3125, 0.9375, 0.1875, -0.3125])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.125, 0.5625, 0.5, 0.1875, -0.875, 0.5, -0.6875, 0.0, -0.125, 0.5, 1.0, -1.0, -0.125, -0.1875, 0.5, -0.5])
cell_to_input_weights = Input("cell_to_input_weights", ("TENSOR_FLOAT32", [0]))
cell_to_forget_weights = Input("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]))
cell_to_output_weights = Input("cell_to_output_weights", ("TENSOR_FLOAT32", [0]))
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.3125, 0.3125, -0.875, 0.125])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.9375, -0.1875, 0.9375, -0.125])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.4375, 0.5625, 0.5625, 0.5])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.6875, 1.0, -0.3125, -0.9375])
projection_weights = Input("projection_weights", ("TENSOR_FLOAT32", [0, 0]))
projection_bias = Input("projection_bias", ("TENSOR_FLOAT32", [0]))
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 4]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 1)
cell_clip = Float32Scalar("cell_clip", 0.25)
projection_clip = Float32Scalar("projection_clip", 0.125)
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("basic_relu_clip").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [1.0, 0.75, 0.375, 0.3125],
    cell_to_input_weights: [],
    cell_to_forget_weights: [],
    cell_to_output_weights: [],
    projection_weights: [],
    projection_bias: [],
    output_state_in: [0.8125, -0.0625, -0.0625, -0.9375, -0.75, -0.1875, 0.0625, 0.625],
    cell_state_in: [-0.9375, -0.1875, 1.0, 0.875, 0.5625, -0.625, 1.0, 1.0],
    scratch: [0],
    output_state_out: [0.029560946, 0.17000732, 0.17604004, 0.06589985, 0.030112619, 0.0, 0.08321308, 0.05450068],
    cell_state_out: [0.1728092, 0.25, 0.25, 0.25, 0.093861036, -0.1739105, 0.25, 0.25],
    output: [0.029560946, 0.17000732, 0.17604004, 0.06589985, 0.030112619, 0.0, 0.08321308, 0.05450068],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.0625, 0.625, -0.625, -0.6875, 0.875, 0.8125, 0.625, -0.1875])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.3125, -0.75, -1.0, -0.125, 1.0, 0.5, 0.6875, 0.0625])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [0.0625, -0.1875, 0.5, -0.5, -0.375, 0.5, 0.375, -0.25])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.6875, 0.1875, 0.6875, -0.3125, 0.0625, 0.5, 0.125, -0.75])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 4]), [0.0625, 0.9375, -0.0625, -0.3125, 0.9375, -0.75, 0.625, 0.3125, -0.25, 0.3125, -0.5, -1.0, -0.75, 0.1875, -0.5625, 0.8125])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [0.9375, -0.75, -0.375, -0.9375, -0.125, 0.5625, -0.4375, -0.5, 0.6875, 0.4375, -0.375, 0.4375, 1.0, -0.5, 0.625, 0.25])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [0.125, -1.0, -0.75, -0.5, 0.6875, 0.625, 0.625, -0.9375, 0.625, -0.6875, 0.5625, -0.9375, -0.3125, 0.9375, 0.1875, -0.3125])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.125, 0.5625, 0.5, 0.1875, -0.875, 0.5, -0.6875, 0.0, -0.125, 0.5, 1.0, -1.0, -0.125, -0.1875, 0.5, -0.5])
cell_to_input_weights = Input("cell_to_input_weights", ("TENSOR_FLOAT32", [0]))
cell_to_forget_weights = Input("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]))
cell_to_output_weights = Input("cell_to_output_weights", ("TENSOR_FLOAT32", [0]))
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.3125, 0.3125, -0.875, 0.125])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.9375, -0.1875, 0.9375, -0.125])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.4375, 0.5625, 0.5625, 0.5])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.6875, 1.0, -0.3125, -0.9375])
projection_weights = Input("projection_weights", ("TENSOR_FLOAT32", [0, 0]))
projection_bias = Input("projection_bias", ("TENSOR_FLOAT32", [0]))
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 4]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 3)
cell_clip = Float32Scalar("cell_clip", 0.25)
projection_clip = Float32Scalar("projection_clip", 0.125)
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("basic_relu6_clip").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [1.0, 0.75, 0.375, 0.3125],
    cell_to_input_weights: [],
    cell_to_forget_weights: [],
    cell_to_output_weights: [],
    projection_weights: [],
    projection_bias: [],
    output_state_in: [0.8125, -0.0625, -0.0625, -0.9375, -0.75, -0.1875, 0.0625, 0.625],
    cell_state_in: [-0.9375, -0.1875, 1.0, 0.875, 0.5625, -0.625, 1.0, 1.0],
    scratch: [0],
    output_state_out: [0.029560946, 0.17000732, 0.17604004, 0.06589985, 0.030112619, 0.0, 0.08321308, 0.05450068],
    cell_state_out: [0.1728092, 0.25, 0.25, 0.25, 0.093861036, -0.1739105, 0.25, 0.25],
    output: [0.029560946, 0.17000732, 0.17604004, 0.06589985, 0.030112619, 0.0, 0.08321308, 0.05450068],
}, model=model)

input = Input("input", ("TENSOR_FLOAT32", [2, 2]))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.0625, 0.625, -0.625, -0.6875, 0.875, 0.8125, 0.625, -0.1875])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.3125, -0.75, -1.0, -0.125, 1.0, 0.5, 0.6875, 0.0625])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_FLOAT32", [4, 2]), [0.0625, -0.1875, 0.5, -0.5, -0.375, 0.5, 0.375, -0.25])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_FLOAT32", [4, 2]), [-0.6875, 0.1875, 0.6875, -0.3125, 0.0625, 0.5, 0.125, -0.75])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_FLOAT32", [4, 4]), [0.0625, 0.9375, -0.0625, -0.3125, 0.9375, -0.75, 0.625, 0.3125, -0.25, 0.3125, -0.5, -1.0, -0.75, 0.1875, -0.5625, 0.8125])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_FLOAT32", [4, 4]), [0.9375, -0.75, -0.375, -0.9375, -0.125, 0.5625, -0.4375, -0.5, 0.6875, 0.4375, -0.375, 0.4375, 1.0, -0.5, 0.625, 0.25])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_FLOAT32", [4, 4]), [0.125, -1.0, -0.75, -0.5, 0.6875, 0.625, 0.625, -0.9375, 0.625, -0.6875, 0.5625, -0.9375, -0.3125, 0.9375, 0.1875, -0.3125])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_FLOAT32", [4, 4]), [-0.125, 0.5625, 0.5, 0.1875, -0.875, 0.5, -0.6875, 0.0, -0.125, 0.5, 1.0, -1.0, -0.125, -0.1875, 0.5, -0.5])
cell_to_input_weights = Input("cell_to_input_weights", ("TENSOR_FLOAT32", [0]))
cell_to_forget_weights = Input("cell_to_forget_weights", ("TENSOR_FLOAT32", [0]))
cell_to_output_weights = Input("cell_to_output_weights", ("TENSOR_FLOAT32", [0]))
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.3125, 0.3125, -0.875, 0.125])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.9375, -0.1875, 0.9375, -0.125])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_FLOAT32", [4]), [0.4375, 0.5625, 0.5625, 0.5])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_FLOAT32", [4]), [-0.6875, 1.0, -0.3125, -0.9375])
projection_weights = Input("projection_weights", ("TENSOR_FLOAT32", [0, 0]))
projection_bias = Input("projection_bias", ("TENSOR_FLOAT32", [0]))
output_state_in = Input("output_state_in", ("TENSOR_FLOAT32", [2, 4]))
cell_state_in = Input("cell_state_in", ("TENSOR_FLOAT32", [2, 4]))
activation = Int32Scalar("activation", 6)
cell_clip = Float32Scalar("cell_clip", 0.25)
projection_clip = Float32Scalar("projection_clip", 0.125)
scratch = IgnoredOutput("scratch", ("TENSOR_FLOAT32", [2, 16]))
output_state_out = Output("output_state_out", ("TENSOR_FLOAT32", [2, 4]))
cell_state_out = Output("cell_state_out", ("TENSOR_FLOAT32", [2, 4]))
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("basic_sigmoid_clip").Operation("LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, cell_to_input_weights, cell_to_forget_weights, cell_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, projection_weights, projection_bias, output_state_in, cell_state_in, activation, cell_clip, projection_clip).To(scratch, output_state_out, cell_state_out, output)
Example({
    input: [1.0, 0.75, 0.375, 0.3125],
    cell_to_input_weights: [],
    cell_to_forget_weights: [],
    cell_to_output_weights: [],
    projection_weights: [],
    projection_bias: [],
    output_state_in: [0.8125, -0.0625, -0.0625, -0.9375, -0.75, -0.1875, 0.0625, 0.625],
    cell_state_in: [-0.9375, -0.1875, 1.0, 0.875, 0.5625, -0.625, 1.0, 1.0],
    scratch: [0],
    output_state_out: [0.08528298, 0.38229647, 0.39586228, 0.14818938, 0.17941844, 0.41385767, 0.18712175, 0.122556],
    cell_state_out: [-0.005790097, 0.25, 0.25, 0.25, 0.23810783, -0.03594758, 0.25, 0.25],
    output: [0.08528298, 0.38229647, 0.39586228, 0.14818938, 0.17941844, 0.41385767, 0.18712175, 0.122556],
}, model=model)
