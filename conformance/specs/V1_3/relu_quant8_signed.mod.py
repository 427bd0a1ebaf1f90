# Written by tests/golden/write_activation_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.05, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.05, 0))
model = Model().Operation("RELU", x).To(output)
Example({
    x: [-128, -127, -1, 0, 1, 126, 127, -117, -94, -71, -48, -25],
    output: [0, 0, 0, 0, 1, 126, 127, 0, 0, 0, 0, 0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.5, -128))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.5, -128))
model = Model().Operation("RELU", x).To(output)
Example({
    x: [-128, -127, -128, -127, 126, 127, -117, -94, -71, -48, -25, -2],
    output: [-128, -127, -128, -127, 126, 127, -117, -94, -71, -48, -25, -2],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 0.1, 127))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 0.1, 127))
model = Model().Operation("RELU", x).To(output)
Example({
    x: [-128, -127, 126, 127, 126, 127, -117, -94, -71, -48, -25, -2],
    output: [127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.0078125, -28))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.0078125, -28))
model = Model().Operation("RELU", x).To(output)
Example({
    x: [-128, -127, -29, -28, -27, 126, 127, -117, -94, -71, -48, -25],
    output: [-28, -28, -28, -28, -27, 126, 127, -28, -28, -28, -28, -25],
}, model=model)
