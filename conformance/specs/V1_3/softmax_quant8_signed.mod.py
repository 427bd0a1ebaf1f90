# Written by tests/golden/write_normalization_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 5], 0.05, -28))
beta = 1.0
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 5], 0.00390625, -128))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [-120, 34, 75, -89, -28, -16, -57, 90, 19, -117],
    output: [-128, -99, 98, -128, -127, -127, -128, 119, -121, -128],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 1, 4], 0.01, -28))
beta = 0.5
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 1, 4], 0.00390625, -128))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [-40, -69, 77, 122, 10, 5, -44, 126, -15, -52, 124, 53, -58, 85, -66, -86],
    output: [-85, -91, -50, -31, -71, -73, -85, -27, -79, -87, -30, -59, -75, -21, -78, -82],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 6], 0.5, -28))
beta = 1.0
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 6], 0.00390625, -128))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [-120, 34, 75, -89, -28, -16],
    output: [-128, -128, 127, -128, -128, -128],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 2], 0.1, -28))
beta = 4.0
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 2], 0.00390625, -128))
model = Model().Operation("SOFTMAX", x, beta).To(output)
Example({
    x: [-120, 34, 75, -89, -28, -16],
    output: [-128, 127, 127, -128, -126, 126],
}, model=model)
