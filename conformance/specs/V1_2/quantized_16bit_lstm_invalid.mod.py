# Written by tests/golden/write_quantized_lstm_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.015625, 128))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [62, 90, 59, 181, 180, 202])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [89, 55, 61, 190, 38, 225])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [242, 217, 251, 32, 255, 50])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [94, 193, 58, 9, 89, 105])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [59, 5, 86, 140, 241, 230, 116, 229, 191])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [191, 93, 111, 16, 178, 163, 221, 114, 33])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [150, 144, 43, 107, 153, 18, 83, 34, 254])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [12, 108, 196, 93, 191, 121, 242, 107, 250])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [15990, 12040, 4657])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [-13451, 9714, 216])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [4712, -11961, 1955])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [-8101, 8461, 17054])
cell_state_in = Input("cell_state_in", ("TENSOR_QUANT16_SYMM", [2, 3], 0.00048828125, 0))
output_state_in = Input("output_state_in", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.0078125, 128))
cell_state_out = Output("cell_state_out", ("TENSOR_QUANT16_SYMM", [2, 3], 0.00048828125, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.0078125, 128))
model = Model("input_scale").Operation("QUANTIZED_16BIT_LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, cell_state_in, output_state_in).To(cell_state_out, output)
Example({
    input: [184, 8, 202, 85],
    cell_state_in: [-31386, 30164, -22309, -9895, 16297, 14426],
    output_state_in: [2, 220, 210, 94, 192, 205],
    cell_state_out: [-11453, 13150, -14200, -3294, 8225, 9149],
    output: [82, 176, 59, 79, 186, 213],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.0078125, 127))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [62, 90, 59, 181, 180, 202])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [89, 55, 61, 190, 38, 225])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [242, 217, 251, 32, 255, 50])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [94, 193, 58, 9, 89, 105])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [59, 5, 86, 140, 241, 230, 116, 229, 191])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [191, 93, 111, 16, 178, 163, 221, 114, 33])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [150, 144, 43, 107, 153, 18, 83, 34, 254])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [12, 108, 196, 93, 191, 121, 242, 107, 250])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [15990, 12040, 4657])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [-13451, 9714, 216])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [4712, -11961, 1955])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [-8101, 8461, 17054])
cell_state_in = Input("cell_state_in", ("TENSOR_QUANT16_SYMM", [2, 3], 0.00048828125, 0))
output_state_in = Input("output_state_in", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.0078125, 128))
cell_state_out = Output("cell_state_out", ("TENSOR_QUANT16_SYMM", [2, 3], 0.00048828125, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.0078125, 128))
model = Model("input_zero_point").Operation("QUANTIZED_16BIT_LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, cell_state_in, output_state_in).To(cell_state_out, output)
Example({
    input: [184, 8, 202, 85],
    cell_state_in: [-31386, 30164, -22309, -9895, 16297, 14426],
    output_state_in: [2, 220, 210, 94, 192, 205],
    cell_state_out: [-11453, 13150, -14200, -3294, 8225, 9149],
    output: [82, 176, 59, 79, 186, 213],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.0078125, 128))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [62, 90, 59, 181, 180, 202])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [89, 55, 61, 190, 38, 225])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [242, 217, 251, 32, 255, 50])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [94, 193, 58, 9, 89, 105])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [59, 5, 86, 140, 241, 230, 116, 229, 191])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [191, 93, 111, 16, 178, 163, 221, 114, 33])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.0078125, 100), [150, 144, 43, 107, 153, 18, 83, 34, 254])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [12, 108, 196, 93, 191, 121, 242, 107, 250])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [15990, 12040, 4657])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [-13451, 9714, 216])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [4712, -11961, 1955])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [-8101, 8461, 17054])
cell_state_in = Input("cell_state_in", ("TENSOR_QUANT16_SYMM", [2, 3], 0.00048828125, 0))
output_state_in = Input("output_state_in", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.0078125, 128))
cell_state_out = Output("cell_state_out", ("TENSOR_QUANT16_SYMM", [2, 3], 0.00048828125, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.0078125, 128))
model = Model("weights_scale").Operation("QUANTIZED_16BIT_LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, cell_state_in, output_state_in).To(cell_state_out, output)
Example({
    input: [184, 8, 202, 85],
    cell_state_in: [-31386, 30164, -22309, -9895, 16297, 14426],
    output_state_in: [2, 220, 210, 94, 192, 205],
    cell_state_out: [-11453, 13150, -14200, -3294, 8225, 9149],
    output: [82, 176, 59, 79, 186, 213],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.0078125, 128))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [62, 90, 59, 181, 180, 202])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [89, 55, 61, 190, 38, 225])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [242, 217, 251, 32, 255, 50])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [94, 193, 58, 9, 89, 105])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [59, 5, 86, 140, 241, 230, 116, 229, 191])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [191, 93, 111, 16, 178, 163, 221, 114, 33])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [150, 144, 43, 107, 153, 18, 83, 34, 254])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [12, 108, 196, 93, 191, 121, 242, 107, 250])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_INT32", [3], 0.00390625, 0), [15990, 12040, 4657])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [-13451, 9714, 216])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [4712, -11961, 1955])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [-8101, 8461, 17054])
cell_state_in = Input("cell_state_in", ("TENSOR_QUANT16_SYMM", [2, 3], 0.00048828125, 0))
output_state_in = Input("output_state_in", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.0078125, 128))
cell_state_out = Output("cell_state_out", ("TENSOR_QUANT16_SYMM", [2, 3], 0.00048828125, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.0078125, 128))
model = Model("bias_scale").Operation("QUANTIZED_16BIT_LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, cell_state_in, output_state_in).To(cell_state_out, output)
Example({
    input: [184, 8, 202, 85],
    cell_state_in: [-31386, 30164, -22309, -9895, 16297, 14426],
    output_state_in: [2, 220, 210, 94, 192, 205],
    cell_state_out: [-11453, 13150, -14200, -3294, 8225, 9149],
    output: [82, 176, 59, 79, 186, 213],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.0078125, 128))
input_to_input_weights = Parameter("input_to_input_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [62, 90, 59, 181, 180, 202])
input_to_forget_weights = Parameter("input_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [89, 55, 61, 190, 38, 225])
input_to_cell_weights = Parameter("input_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [242, 217, 251, 32, 255, 50])
input_to_output_weights = Parameter("input_to_output_weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.00390625, 100), [94, 193, 58, 9, 89, 105])
recurrent_to_input_weights = Parameter("recurrent_to_input_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [59, 5, 86, 140, 241, 230, 116, 229, 191])
recurrent_to_forget_weights = Parameter("recurrent_to_forget_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [191, 93, 111, 16, 178, 163, 221, 114, 33])
recurrent_to_cell_weights = Parameter("recurrent_to_cell_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [150, 144, 43, 107, 153, 18, 83, 34, 254])
recurrent_to_output_weights = Parameter("recurrent_to_output_weights", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.00390625, 100), [12, 108, 196, 93, 191, 121, 242, 107, 250])
input_gate_bias = Parameter("input_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [15990, 12040, 4657])
forget_gate_bias = Parameter("forget_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [-13451, 9714, 216])
cell_gate_bias = Parameter("cell_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [4712, -11961, 1955])
output_gate_bias = Parameter("output_gate_bias", ("TENSOR_INT32", [3], 3.0517578125e-05, 0), [-8101, 8461, 17054])
cell_state_in = Input("cell_state_in", ("TENSOR_QUANT16_SYMM", [2, 3], 0.0009765625, 0))
output_state_in = Input("output_state_in", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.0078125, 128))
cell_state_out = Output("cell_state_out", ("TENSOR_QUANT16_SYMM", [2, 3], 0.0009765625, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.0078125, 128))
model = Model("cell_scale").Operation("QUANTIZED_16BIT_LSTM", input, input_to_input_weights, input_to_forget_weights, input_to_cell_weights, input_to_output_weights, recurrent_to_input_weights, recurrent_to_forget_weights, recurrent_to_cell_weights, recurrent_to_output_weights, input_gate_bias, forget_gate_bias, cell_gate_bias, output_gate_bias, cell_state_in, output_state_in).To(cell_state_out, output)
Example({
    input: [184, 8, 202, 85],
    cell_state_in: [-31386, 30164, -22309, -9895, 16297, 14426],
    output_state_in: [2, 220, 210, 94, 192, 205],
    cell_state_out: [-11453, 13150, -14200, -3294, 8225, 9149],
    output: [82, 176, 59, 79, 186, 213],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
