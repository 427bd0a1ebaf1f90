# Written by tests/golden/write_extremum_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.5, 128))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.5, 128))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.5, 128))
model = Model().Operation("MINIMUM", x, y).To(output)
Example({
    x: [0, 255, 128, 184, 8, 202, 85, 62],
    y: [128, 0, 255, 90, 59, 181, 180, 202],
    output: [0, 0, 128, 90, 8, 181, 85, 62],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [8], 0.5, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [2, 1], 0.25, 100))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 8], 0.125, 30))
model = Model().Operation("MINIMUM", x, y).To(output)
Example({
    x: [0, 255, 0, 96, 213, 202, 62, 81],
    y: [100, 0],
    output: [30, 30, 30, 30, 30, 30, 30, 30, 0, 0, 0, 0, 0, 0, 0, 0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 2, 2], 0.1, 255))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [1, 2], 0.3, 7))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 2], 1.0, 77))
model = Model().Operation("MINIMUM", x, y).To(output)
Example({
    x: [0, 255, 255, 8, 162, 203, 39, 100],
    y: [7, 0],
    output: [52, 75, 77, 52, 68, 72, 55, 62],
}, model=model)
