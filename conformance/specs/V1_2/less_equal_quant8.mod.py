# Written by tests/golden/write_comparison_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.5, 10))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.25, 0))
output = Output("output", ("TENSOR_BOOL8", [2, 3]))
model = Model().Operation("LESS_EQUAL", x, y).To(output)
Example({
    x: [8, 9, 10, 11, 12, 13],
    y: [0, 0, 1, 2, 4, 5],
    output: [1, 1, 1, 1, 1, 0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 3], 1.0, 128))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.5, 255))
output = Output("output", ("TENSOR_BOOL8", [2, 3]))
model = Model().Operation("LESS_EQUAL", x, y).To(output)
Example({
    x: [126, 127, 128, 129, 130, 131],
    y: [251, 252, 255, 255, 255, 255],
    output: [1, 0, 1, 0, 0, 0],
}, model=model)
