# Written by tests/golden/write_quantized_lstm_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.0078125, 128))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_QUANT8_ASYMM", [4, 2], 0.00390625, 100), [62, 90, 59, 181, 180, 202, 89, 55])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [4, 2], 0.00390625, 100), [61, 190, 38, 225, 242, 217, 251, 32])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [4, 2], 0.00390625, 100), [255, 50, 94, 193, 58, 9, 89, 105])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_QUANT8_ASYMM", [4, 2], 0.00390625, 100), [59, 5, 86, 140, 241, 230, 116, 229])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_QUANT8_ASYMM", [4, 4], 0.00390625, 100), [191, 191, 93, 111, 16, 178, 163, 221, 114, 33, 150, 144, 43, 107, 153, 18])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [4, 4], 0.00390625, 100), [83, 34, 254, 12, 108, 196, 93, 191, 121, 242, 107, 250, 150, 40, 81, 149])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [4, 4], 0.00390625, 100), [18, 248, 136, 103, 4, 188, 45, 190, 102, 212, 219, 89, 169, 90, 2, 220])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_QUANT8_ASYMM", [4, 4], 0.00390625, 100), [210, 94, 192, 205, 15, 152, 57, 8, 206, 165, 109, 186, 88, 192, 146, 213])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_INT32", [4], 3.0517578125e-05, 0), [-8825, -19758, -7796, -787])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_INT32", [4], 3.0517578125e-05, 0), [-11487, -5706, 9478, -4052])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_INT32", [4], 3.0517578125e-05, 0), [-11417, -13212, -1531, -6261])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_INT32", [4], 3.0517578125e-05, 0), [-15942, 19318, -2298, -5938])
cell_state_in = Input("cell_state_in", ("TENSOR_QUANT16_SYMM", [2, 4], 0.00048828125, 0))
output_state_in = Input("output_state_in", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.0078125, 128))
cell_state_out = Output("cell_state_out", ("TENSOR_QUANT16_SYMM", [2, 4], 0.00048828125, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.0078125, 128))
model = Model("basic").Operation("QUANTIZED_16BIT_LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, cell_state_in, output_state_in).To(cell_state_out, output)
Example({
    input: [184, 8, 202, 85],
    cell_state_in: [-24021, 3796, 31956, -4492, -7983, -28812, -14052, 14774],
    output_state_in: [233, 16, 140, 60, 231, 156, 102, 21],
    cell_state_out: [-15197, 565, 9530, -3208, -4174, -10815, -5944, 7702],
    output: [69, 148, 173, 97, 51, 64, 75, 176],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 1], 0.0078125, 128))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_QUANT8_ASYMM", [1, 1], 0.0078125, 128), [213])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [1, 1], 0.0078125, 128), [202])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [1, 1], 0.0078125, 128), [62])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_QUANT8_ASYMM", [1, 1], 0.0078125, 128), [81])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_QUANT8_ASYMM", [1, 1], 0.0078125, 128), [101])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [1, 1], 0.0078125, 128), [65])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [1, 1], 0.0078125, 128), [71])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_QUANT8_ASYMM", [1, 1], 0.0078125, 128), [36])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_INT32", [1], 6.103515625e-05, 0), [11979])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_INT32", [1], 6.103515625e-05, 0), [-15326])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_INT32", [1], 6.103515625e-05, 0), [4277])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_INT32", [1], 6.103515625e-05, 0), [-2338])
cell_state_in = Input("cell_state_in", ("TENSOR_QUANT16_SYMM", [1, 1], 0.00048828125, 0))
output_state_in = Input("output_state_in", ("TENSOR_QUANT8_ASYMM", [1, 1], 0.0078125, 128))
cell_state_out = Output("cell_state_out", ("TENSOR_QUANT16_SYMM", [1, 1], 0.00048828125, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 1], 0.0078125, 128))
model = Model("sizes_of_one").Operation("QUANTIZED_16BIT_LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, cell_state_in, output_state_in).To(cell_state_out, output)
Example({
    input: [96],
    cell_state_in: [-31228],
    output_state_in: [108],
    cell_state_out: [-8430],
    output: [61],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 3], 0.0078125, 128))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.0009765625, 0), [39, 100, 112, 71, 218, 147, 11, 43, 246])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.0009765625, 0), [65, 74, 178, 6, 36, 87, 94, 118, 202])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.0009765625, 0), [176, 133, 80, 251, 151, 115, 112, 138, 16])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.0009765625, 0), [251, 61, 177, 86, 146, 227, 231, 209, 230])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.0009765625, 0), [8, 56, 148, 248, 7, 29, 79, 178, 165])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.0009765625, 0), [215, 203, 253, 75, 65, 224, 96, 191, 47])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.0009765625, 0), [238, 16, 88, 65, 211, 140, 187, 58, 101])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.0009765625, 0), [183, 13, 223, 108, 105, 179, 72, 20, 144])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_INT32", [3], 7.62939453125e-06, 0), [-17375, -14950, 5578])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_INT32", [3], 7.62939453125e-06, 0), [673, -6051, -18783])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_INT32", [3], 7.62939453125e-06, 0), [-11278, -19917, 11239])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_INT32", [3], 7.62939453125e-06, 0), [-474, -3998, 15831])
cell_state_in = Input("cell_state_in", ("TENSOR_QUANT16_SYMM", [1, 3], 0.00048828125, 0))
output_state_in = Input("output_state_in", ("TENSOR_QUANT8_ASYMM", [1, 3], 0.0078125, 128))
cell_state_out = Output("cell_state_out", ("TENSOR_QUANT16_SYMM", [1, 3], 0.00048828125, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 3], 0.0078125, 128))
model = Model("lowest_zero_point").Operation("QUANTIZED_16BIT_LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, cell_state_in, output_state_in).To(cell_state_out, output)
Example({
    input: [8, 162, 203],
    cell_state_in: [20643, -14489, 28404],
    output_state_in: [207, 35, 208],
    cell_state_out: [10655, -7435, 13745],
    output: [198, 61, 201],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.0078125, 128))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.0009765625, 255), [78, 108, 2, 44])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.0009765625, 255), [19, 213, 68, 143])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.0009765625, 255), [248, 24, 60, 150])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.0009765625, 255), [143, 33, 47, 239])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.0009765625, 255), [25, 152, 91, 95])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.0009765625, 255), [0, 243, 50, 150])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.0009765625, 255), [205, 22, 17, 142])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.0009765625, 255), [161, 98, 123, 89])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_INT32", [2], 7.62939453125e-06, 0), [-10997, -19148])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_INT32", [2], 7.62939453125e-06, 0), [4202, 2916])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_INT32", [2], 7.62939453125e-06, 0), [5635, -9860])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_INT32", [2], 7.62939453125e-06, 0), [-1006, 4806])
cell_state_in = Input("cell_state_in", ("TENSOR_QUANT16_SYMM", [3, 2], 0.00048828125, 0))
output_state_in = Input("output_state_in", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.0078125, 128))
cell_state_out = Output("cell_state_out", ("TENSOR_QUANT16_SYMM", [3, 2], 0.00048828125, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.0078125, 128))
model = Model("highest_zero_point").Operation("QUANTIZED_16BIT_LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, cell_state_in, output_state_in).To(cell_state_out, output)
Example({
    input: [176, 111, 204, 16, 119, 122],
    cell_state_in: [8255, 21423, -3667, -20741, -28241, 17896],
    output_state_in: [185, 191, 17, 24, 145, 3],
    cell_state_out: [3700, 9554, -1532, -11459, -14257, 9525],
    output: [183, 189, 81, 55, 58, 193],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.0078125, 128))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.125, 128), [113, 76, 252, 181, 70, 213, 62, 42, 85, 213, 192, 204])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.125, 128), [149, 46, 173, 223, 187, 38, 141, 119, 218, 28, 159, 238])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.125, 128), [114, 198, 176, 225, 15, 226, 111, 161, 95, 117, 77, 49])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.125, 128), [200, 124, 205, 186, 131, 43, 98, 132, 48, 158, 194, 114])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.125, 128), [243, 24, 194, 242, 8, 180, 174, 123, 222])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.125, 128), [163, 28, 134, 172, 224, 74, 0, 140, 108])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.125, 128), [243, 71, 15, 0, 167, 161, 90, 75, 164])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.125, 128), [50, 187, 167, 46, 120, 192, 80, 101, 62])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_INT32", [3], 0.0009765625, 0), [-3149, 13056, -18048])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_INT32", [3], 0.0009765625, 0), [-10248, -10963, 9635])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_INT32", [3], 0.0009765625, 0), [4576, 2873, 15602])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_INT32", [3], 0.0009765625, 0), [12880, -4429, 14442])
cell_state_in = Input("cell_state_in", ("TENSOR_QUANT16_SYMM", [2, 3], 0.00048828125, 0))
output_state_in = Input("output_state_in", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.0078125, 128))
cell_state_out = Output("cell_state_out", ("TENSOR_QUANT16_SYMM", [2, 3], 0.00048828125, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.0078125, 128))
model = Model("saturating").Operation("QUANTIZED_16BIT_LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, cell_state_in, output_state_in).To(cell_state_out, output)
Example({
    input: [88, 59, 205, 250, 138, 133, 84, 254],
    cell_state_in: [167, 30754, 29726, -2969, -25910, -21423],
    output_state_in: [253, 80, 140, 39, 185, 70],
    cell_state_out: [1, 2057, 29716, -769, -26091, -21414],
    output: [128, 129, 253, 82, 113, 0],
}, model=model)
