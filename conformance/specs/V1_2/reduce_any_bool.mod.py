# Written by tests/golden/write_reduction_specs.py.

x = Input("x", ("TENSOR_BOOL8", [5]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [0])
keep_dims = False
output = Output("output", ("TENSOR_BOOL8", [1]))
model = Model().Operation("REDUCE_ANY", x, axes, keep_dims).To(output)
Example({
    x: [0, 0, 0, 0, 0],
    output: [0],
}, model=model)

x = Input("x", ("TENSOR_BOOL8", [5]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [-1])
keep_dims = True
output = Output("output", ("TENSOR_BOOL8", [1]))
model = Model().Operation("REDUCE_ANY", x, axes, keep_dims).To(output)
Example({
    x: [0, 0, 0, 0, 0],
    output: [0],
}, model=model)

x = Input("x", ("TENSOR_BOOL8", [2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [0])
keep_dims = False
output = Output("output", ("TENSOR_BOOL8", [3]))
model = Model().Operation("REDUCE_ANY", x, axes, keep_dims).To(output)
Example({
    x: [0, 1, 0, 0, 0, 0],
    output: [0, 1, 0],
}, model=model)

x = Input("x", ("TENSOR_BOOL8", [2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [2]), [1, -2])
keep_dims = False
output = Output("output", ("TENSOR_BOOL8", [1]))
model = Model().Operation("REDUCE_ANY", x, axes, keep_dims).To(output)
Example({
    x: [0, 1, 0, 0, 0, 1],
    output: [1],
}, model=model)

x = Input("x", ("TENSOR_BOOL8", [2, 3, 2]))
axes = Parameter("axes", ("TENSOR_INT32", [2]), [-1, 0])
keep_dims = True
output = Output("output", ("TENSOR_BOOL8", [1, 3, 1]))
model = Model().Operation("REDUCE_ANY", x, axes, keep_dims).To(output)
Example({
    x: [0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0],
    output: [1, 0, 0],
}, model=model)

x = Input("x", ("TENSOR_BOOL8", [2, 3, 2]))
axes = Parameter("axes", ("TENSOR_INT32", [3]), [1, 1, -2])
keep_dims = False
output = Output("output", ("TENSOR_BOOL8", [2, 2]))
model = Model().Operation("REDUCE_ANY", x, axes, keep_dims).To(output)
Example({
    x: [0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0],
    output: [0, 0, 0, 1],
}, model=model)

x = Input("x", ("TENSOR_BOOL8", [2, 2, 2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [2]), [1, 2])
keep_dims = True
output = Output("output", ("TENSOR_BOOL8", [2, 1, 1, 3]))
model = Model().Operation("REDUCE_ANY", x, axes, keep_dims).To(output)
Example({
    x: [0, 0, 1, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 0, 0],
    output: [1, 1, 1, 1, 1, 1],
}, model=model)

x = Input("x", ("TENSOR_BOOL8", [2, 2, 2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [2]), [3, 1])
keep_dims = False
output = Output("output", ("TENSOR_BOOL8", [2, 2]))
model = Model().Operation("REDUCE_ANY", x, axes, keep_dims).To(output)
Example({
    x: [0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0],
    output: [0, 1, 1, 1],
}, model=model)

x = Input("x", ("TENSOR_BOOL8", [2, 2, 2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [4]), [0, 1, 2, 3])
keep_dims = True
output = Output("output", ("TENSOR_BOOL8", [1, 1, 1, 1]))
model = Model().Operation("REDUCE_ANY", x, axes, keep_dims).To(output)
Example({
    x: [1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0],
    output: [1],
}, model=model)
