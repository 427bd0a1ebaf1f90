# Written by tests/golden/write_extremum_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [2]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("MAXIMUM", x, y).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    y: [1.0, 1.0],
    output: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [2]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("MINIMUM", x, y).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    y: [1.0, 1.0],
    output: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [2]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("POW", x, y).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    y: [1.0, 1.0],
    output: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [2]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("PRELU", x, y).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    y: [1.0, 1.0],
    output: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
}, model=model).ExpectFailure()

condition = Input("condition", ("TENSOR_BOOL8", [1]))
x = Input("x", ("TENSOR_FLOAT32", [2]))
y = Input("y", ("TENSOR_FLOAT32", [2]))
output = Output("output", ("TENSOR_FLOAT32", [2]))
model = Model().Operation("SELECT", condition, x, y).To(output)
Example({
    condition: [1],
    x: [1.0, 1.0],
    y: [1.0, 1.0],
    output: [1.0, 1.0],
}, model=model).ExpectFailure()

condition = Input("condition", ("TENSOR_BOOL8", [1, 2]))
x = Input("x", ("TENSOR_FLOAT32", [2]))
y = Input("y", ("TENSOR_FLOAT32", [2]))
output = Output("output", ("TENSOR_FLOAT32", [2]))
model = Model().Operation("SELECT", condition, x, y).To(output)
Example({
    condition: [1, 1],
    x: [1.0, 1.0],
    y: [1.0, 1.0],
    output: [1.0, 1.0],
}, model=model).ExpectFailure()

condition = Input("condition", ("TENSOR_BOOL8", [2]))
x = Input("x", ("TENSOR_FLOAT32", [2]))
y = Input("y", ("TENSOR_FLOAT32", [1]))
output = Output("output", ("TENSOR_FLOAT32", [2]))
model = Model().Operation("SELECT", condition, x, y).To(output)
Example({
    condition: [1, 1],
    x: [1.0, 1.0],
    y: [1.0],
    output: [1.0, 1.0],
}, model=model).ExpectFailure()
