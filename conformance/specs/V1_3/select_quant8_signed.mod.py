# Written by tests/golden/write_extremum_specs.py.

condition = Input("condition", ("TENSOR_BOOL8", [2, 4]))
x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 0.5, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 0.5, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 0.5, 0))
model = Model().Operation("SELECT", condition, x, y).To(output)
Example({
    condition: [1, 0, 1, 0, 0, 0, 0, 1],
    x: [-128, 0, 127, 0, -66, -38, -69, 53],
    y: [0, -128, 0, 127, 52, 74, -39, -73],
    output: [-128, -128, 127, 127, 52, 74, -39, 53],
}, model=model)

condition = Input("condition", ("TENSOR_BOOL8", [2, 4]))
x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 0.5, -128))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 0.25, -28))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 0.125, -98))
model = Model().Operation("SELECT", condition, x, y).To(output)
Example({
    condition: [1, 0, 1, 0, 0, 1, 0, 0],
    x: [-128, 0, 127, 0, -47, -27, -63, -57],
    y: [0, -128, 0, 127, -92, 107, -62, -106],
    output: [-98, -128, 127, 127, -128, 127, -128, -128],
}, model=model)

condition = Input("condition", ("TENSOR_BOOL8", [2, 4]))
x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 0.1, 127))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 0.3, -121))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 1.0, -51))
model = Model().Operation("SELECT", condition, x, y).To(output)
Example({
    condition: [1, 0, 1, 0, 0, 0, 1, 1],
    x: [-128, 0, 127, 0, -28, -16, -57, 90],
    y: [0, -128, 0, 127, 19, -117, -85, 118],
    output: [-77, -53, -51, 23, -9, -50, -69, -55],
}, model=model)
