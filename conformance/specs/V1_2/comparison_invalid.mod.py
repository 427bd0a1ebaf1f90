# Written by tests/golden/write_comparison_specs.py.

x = Input("x", ("TENSOR_BOOL8", [2, 3]))
y = Input("y", ("TENSOR_BOOL8", [2]))
output = Output("output", ("TENSOR_BOOL8", [2, 3]))
model = Model().Operation("EQUAL", x, y).To(output)
Example({
    x: [0, 1, 0, 1, 0, 1],
    y: [0, 1],
    output: [0, 0, 0, 0, 0, 0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_BOOL8", [2, 3]))
y = Input("y", ("TENSOR_BOOL8", [2]))
output = Output("output", ("TENSOR_BOOL8", [2, 3]))
model = Model().Operation("NOT_EQUAL", x, y).To(output)
Example({
    x: [0, 1, 0, 1, 0, 1],
    y: [0, 1],
    output: [0, 0, 0, 0, 0, 0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_BOOL8", [2, 3]))
y = Input("y", ("TENSOR_BOOL8", [2]))
output = Output("output", ("TENSOR_BOOL8", [2, 3]))
model = Model().Operation("LESS", x, y).To(output)
Example({
    x: [0, 1, 0, 1, 0, 1],
    y: [0, 1],
    output: [0, 0, 0, 0, 0, 0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_BOOL8", [2, 3]))
y = Input("y", ("TENSOR_BOOL8", [2]))
output = Output("output", ("TENSOR_BOOL8", [2, 3]))
model = Model().Operation("LESS_EQUAL", x, y).To(output)
Example({
    x: [0, 1, 0, 1, 0, 1],
    y: [0, 1],
    output: [0, 0, 0, 0, 0, 0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_BOOL8", [2, 3]))
y = Input("y", ("TENSOR_BOOL8", [2]))
output = Output("output", ("TENSOR_BOOL8", [2, 3]))
model = Model().Operation("GREATER", x, y).To(output)
Example({
    x: [0, 1, 0, 1, 0, 1],
    y: [0, 1],
    output: [0, 0, 0, 0, 0, 0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_BOOL8", [2, 3]))
y = Input("y", ("TENSOR_BOOL8", [2]))
output = Output("output", ("TENSOR_BOOL8", [2, 3]))
model = Model().Operation("GREATER_EQUAL", x, y).To(output)
Example({
    x: [0, 1, 0, 1, 0, 1],
    y: [0, 1],
    output: [0, 0, 0, 0, 0, 0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_BOOL8", [2, 3]))
y = Input("y", ("TENSOR_BOOL8", [2]))
output = Output("output", ("TENSOR_BOOL8", [2, 3]))
model = Model().Operation("LOGICAL_AND", x, y).To(output)
Example({
    x: [0, 1, 0, 1, 0, 1],
    y: [0, 1],
    output: [0, 0, 0, 0, 0, 0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_BOOL8", [2, 3]))
y = Input("y", ("TENSOR_BOOL8", [2]))
output = Output("output", ("TENSOR_BOOL8", [2, 3]))
model = Model().Operation("LOGICAL_OR", x, y).To(output)
Example({
    x: [0, 1, 0, 1, 0, 1],
    y: [0, 1],
    output: [0, 0, 0, 0, 0, 0],
}, model=model).ExpectFailure()
