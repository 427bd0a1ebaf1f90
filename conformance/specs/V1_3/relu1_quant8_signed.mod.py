# Written by tests/golden/write_activation_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.05, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.05, 0))
model = Model().Operation("RELU1", x).To(output)
Example({
    x: [-128, -127, -1, 0, 1, 126, 127, -117, -94, -71, -48, -25],
    output: [-20, -20, -1, 0, 1, 20, 20, -20, -20, -20, -20, -20],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.5, -128))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.5, -128))
model = Model().Operation("RELU1", x).To(output)
Example({
    x: [-128, -127, -128, -127, 126, 127, -117, -94, -71, -48, -25, -2],
    output: [-128, -127, -128, -127, -126, -126, -126, -126, -126, -126, -126, -126],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 0.1, 127))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 0.1, 127))
model = Model().Operation("RELU1", x).To(output)
Example({
    x: [-128, -127, 126, 127, 126, 127, -117, -94, -71, -48, -25, -2],
    output: [117, 117, 126, 127, 126, 127, 117, 117, 117, 117, 117, 117],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.0078125, -28))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.0078125, -28))
model = Model().Operation("RELU1", x).To(output)
Example({
    x: [-128, -127, -29, -28, -27, 126, 127, -117, -94, -71, -48, -25],
    output: [-128, -127, -29, -28, -27, 100, 100, -117, -94, -71, -48, -25],
}, model=model)
