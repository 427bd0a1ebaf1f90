# Written by tests/golden/write_comparison_specs.py.

x = Input("x", ("TENSOR_BOOL8", [2, 3]))
y = Input("y", ("TENSOR_BOOL8", [2, 3]))
output = Output("output", ("TENSOR_BOOL8", [2, 3]))
model = Model().Operation("LOGICAL_AND", x, y).To(output)
Example({
    x: [0, 1, 1, 0, 0, 1],
    y: [0, 0, 1, 0, 0, 1],
    output: [0, 0, 1, 0, 0, 1],
}, model=model)

x = Input("x", ("TENSOR_BOOL8", [2, 1, 3]))
y = Input("y", ("TENSOR_BOOL8", [1]))
output = Output("output", ("TENSOR_BOOL8", [2, 1, 3]))
model = Model().Operation("LOGICAL_AND", x, y).To(output)
Example({
    x: [1, 0, 0, 0, 1, 1],
    y: [1],
    output: [1, 0, 0, 0, 1, 1],
}, model=model)

x = Input("x", ("TENSOR_BOOL8", [2]))
y = Input("y", ("TENSOR_BOOL8", [3, 1, 2]))
output = Output("output", ("TENSOR_BOOL8", [3, 1, 2]))
model = Model().Operation("LOGICAL_AND", x, y).To(output)
Example({
    x: [0, 0],
    y: [0, 1, 0, 1, 0, 1],
    output: [0, 0, 0, 0, 0, 0],
}, model=model)

x = Input("x", ("TENSOR_BOOL8", [2, 1, 2]))
y = Input("y", ("TENSOR_BOOL8", [1, 3, 1]))
output = Output("output", ("TENSOR_BOOL8", [2, 3, 2]))
model = Model().Operation("LOGICAL_AND", x, y).To(output)
Example({
    x: [0, 0, 1, 1],
    y: [0, 1, 0],
    output: [0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0],
}, model=model)

x = Input("x", ("TENSOR_BOOL8", [1, 2, 1, 1, 2]))
y = Input("y", ("TENSOR_BOOL8", [2, 1, 1, 2, 1]))
output = Output("output", ("TENSOR_BOOL8", [2, 2, 1, 2, 2]))
model = Model().Operation("LOGICAL_AND", x, y).To(output)
Example({
    x: [0, 0, 0, 1],
    y: [0, 1, 0, 1],
    output: [0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1],
}, model=model)
