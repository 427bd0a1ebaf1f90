# Written by tests/golden/write_extremum_specs.py.

condition = Input("condition", ("TENSOR_BOOL8", [2, 4]))
x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.5, 128))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.5, 128))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.5, 128))
model = Model().Operation("SELECT", condition, x, y).To(output)
Example({
    condition: [1, 0, 1, 0, 0, 0, 0, 1],
    x: [0, 0, 255, 0, 62, 90, 59, 181],
    y: [0, 0, 0, 255, 180, 202, 89, 55],
    output: [0, 0, 255, 255, 180, 202, 89, 181],
}, model=model)

condition = Input("condition", ("TENSOR_BOOL8", [2, 4]))
x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.5, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.25, 100))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.125, 30))
model = Model().Operation("SELECT", condition, x, y).To(output)
Example({
    condition: [1, 0, 1, 0, 0, 1, 0, 0],
    x: [0, 0, 255, 0, 81, 101, 65, 71],
    y: [0, 0, 0, 255, 36, 235, 66, 22],
    output: [30, 0, 255, 255, 0, 255, 0, 0],
}, model=model)

condition = Input("condition", ("TENSOR_BOOL8", [2, 4]))
x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.1, 255))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.3, 7))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 4], 1.0, 77))
model = Model().Operation("SELECT", condition, x, y).To(output)
Example({
    condition: [1, 0, 1, 0, 0, 0, 1, 1],
    x: [0, 0, 255, 0, 100, 112, 71, 218],
    y: [0, 0, 0, 255, 147, 11, 43, 246],
    output: [52, 75, 77, 151, 119, 78, 59, 73],
}, model=model)
