# Written by tests/golden/write_elementwise_specs.py.

x = Input("x", ("TENSOR_BOOL8", [6]))
output = Output("output", ("TENSOR_BOOL8", [6]))
model = Model().Operation("LOGICAL_NOT", x).To(output)
Example({
    x: [0, 1, 0, 0, 1, 1],
    output: [1, 0, 1, 1, 0, 0],
}, model=model)

x = Input("x", ("TENSOR_BOOL8", [2, 3]))
output = Output("output", ("TENSOR_BOOL8", [2, 3]))
model = Model().Operation("LOGICAL_NOT", x).To(output)
Example({
    x: [0, 0, 1, 1, 0, 0],
    output: [1, 1, 0, 0, 1, 1],
}, model=model)

x = Input("x", ("TENSOR_BOOL8", [1, 2, 3]))
output = Output("output", ("TENSOR_BOOL8", [1, 2, 3]))
model = Model().Operation("LOGICAL_NOT", x).To(output)
Example({
    x: [0, 1, 0, 0, 1, 0],
    output: [1, 0, 1, 1, 0, 1],
}, model=model)

x = Input("x", ("TENSOR_BOOL8", [2, 1, 2, 2]))
output = Output("output", ("TENSOR_BOOL8", [2, 1, 2, 2]))
model = Model().Operation("LOGICAL_NOT", x).To(output)
Example({
    x: [0, 1, 1, 0, 0, 1, 0, 0],
    output: [1, 0, 0, 1, 1, 0, 1, 1],
}, model=model)

x = Input("x", ("TENSOR_BOOL8", [1, 2, 1, 2, 2]))
output = Output("output", ("TENSOR_BOOL8", [1, 2, 1, 2, 2]))
model = Model().Operation("LOGICAL_NOT", x).To(output)
Example({
    x: [0, 0, 0, 1, 0, 1, 0, 1],
    output: [1, 1, 1, 0, 1, 0, 1, 0],
}, model=model)
