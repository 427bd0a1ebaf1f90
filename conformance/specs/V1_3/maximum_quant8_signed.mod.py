# Written by tests/golden/write_extremum_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 0.5, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 0.5, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 0.5, 0))
model = Model().Operation("MAXIMUM", x, y).To(output)
Example({
    x: [-128, 127, 0, 56, -120, 74, -43, -66],
    y: [0, -128, 127, -38, -69, 53, 52, 74],
    output: [0, 127, 127, 56, -69, 74, 52, 74],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [8], 0.5, -128))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 1], 0.25, -28))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 8], 0.125, -98))
model = Model().Operation("MAXIMUM", x, y).To(output)
Example({
    x: [-128, 127, -128, -32, 85, 74, -66, -47],
    y: [-28, -128],
    output: [-98, 127, -98, 127, 127, 127, 127, 127, -98, 127, -98, 127, 127, 127, 127, 127],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 2], 0.1, 127))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2], 0.3, -121))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 2], 1.0, -51))
model = Model().Operation("MAXIMUM", x, y).To(output)
Example({
    x: [-128, 127, 127, -120, 34, 75, -89, -28],
    y: [-121, -128],
    output: [-51, -51, -51, -53, -51, -53, -51, -53],
}, model=model)
