# Written by tests/golden/write_extremum_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.5, 128))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.5, 128))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.5, 128))
model = Model().Operation("MAXIMUM", x, y).To(output)
Example({
    x: [0, 255, 128, 184, 8, 202, 85, 62],
    y: [128, 0, 255, 90, 59, 181, 180, 202],
    output: [128, 255, 255, 184, 59, 202, 180, 202],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [8], 0.5, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [2, 1], 0.25, 100))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 8], 0.125, 30))
model = Model().Operation("MAXIMUM", x, y).To(output)
Example({
    x: [0, 255, 0, 96, 213, 202, 62, 81],
    y: [100, 0],
    output: [30, 255, 30, 255, 255, 255, 255, 255, 30, 255, 30, 255, 255, 255, 255, 255],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 2, 2], 0.1, 255))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [1, 2], 0.3, 7))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 2], 1.0, 77))
model = Model().Operation("MAXIMUM", x, y).To(output)
Example({
    x: [0, 255, 255, 8, 162, 203, 39, 100],
    y: [7, 0],
    output: [77, 77, 77, 75, 77, 75, 77, 75],
}, model=model)
