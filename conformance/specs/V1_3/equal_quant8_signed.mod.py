# Written by tests/golden/write_comparison_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 0.5, -118))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 0.25, -128))
output = Output("output", ("TENSOR_BOOL8", [2, 3]))
model = Model().Operation("EQUAL", x, y).To(output)
Example({
    x: [-120, -119, -118, -117, -116, -115],
    y: [-128, -128, -127, -126, -124, -123],
    output: [0, 0, 0, 1, 1, 0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 1.0, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 0.5, 127))
output = Output("output", ("TENSOR_BOOL8", [2, 3]))
model = Model().Operation("EQUAL", x, y).To(output)
Example({
    x: [-2, -1, 0, 1, 2, 3],
    y: [123, 124, 127, 127, 127, 127],
    output: [1, 0, 1, 0, 0, 0],
}, model=model)
