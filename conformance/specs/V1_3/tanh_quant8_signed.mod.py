# Written by tests/golden/write_activation_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.05, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.0078125, 0))
model = Model().Operation("TANH", x).To(output)
Example({
    x: [-128, -127, -1, 0, 1, 126, 127, -117, -94, -71, -48, -25],
    output: [-128, -128, -6, 0, 6, 127, 127, -128, -128, -128, -126, -109],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.5, -128))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.0078125, 0))
model = Model().Operation("TANH", x).To(output)
Example({
    x: [-128, -127, -128, -127, 126, 127, -117, -94, -71, -48, -25, -2],
    output: [0, 59, 0, 59, 127, 127, 127, 127, 127, 127, 127, 127],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 0.1, 127))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 0.0078125, 0))
model = Model().Operation("TANH", x).To(output)
Example({
    x: [-128, -127, 126, 127, 126, 127, -117, -94, -71, -48, -25, -2],
    output: [-128, -128, -13, 0, -13, 0, -128, -128, -128, -128, -128, -128],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.0078125, -28))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.0078125, 0))
model = Model().Operation("TANH", x).To(output)
Example({
    x: [-128, -127, -29, -28, -27, 126, 127, -117, -94, -71, -48, -25],
    output: [-84, -83, -1, 0, 1, 107, 107, -77, -61, -41, -20, 3],
}, model=model)
