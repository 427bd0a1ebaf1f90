# Written by tests/golden/write_activation_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.05, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.00390625, -128))
model = Model().Operation("LOGISTIC", x).To(output)
Example({
    x: [-128, -127, -1, 0, 1, 126, 127, -117, -94, -71, -48, -25],
    output: [-128, -128, -3, 0, 3, 127, 127, -127, -126, -121, -107, -71],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.5, -128))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.00390625, -128))
model = Model().Operation("LOGISTIC", x).To(output)
Example({
    x: [-128, -127, -128, -127, 126, 127, -117, -94, -71, -48, -25, -2],
    output: [0, 31, 0, 31, 127, 127, 127, 127, 127, 127, 127, 127],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 0.1, 127))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 0.00390625, -128))
model = Model().Operation("LOGISTIC", x).To(output)
Example({
    x: [-128, -127, 126, 127, 126, 127, -117, -94, -71, -48, -25, -2],
    output: [-128, -128, -6, 0, -6, 0, -128, -128, -128, -128, -128, -128],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.0078125, -28))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.00390625, -128))
model = Model().Operation("LOGISTIC", x).To(output)
Example({
    x: [-128, -127, -29, -28, -27, 126, 127, -117, -94, -71, -48, -25],
    output: [-48, -47, -1, 0, 1, 69, 69, -43, -32, -21, -10, 1],
}, model=model)
