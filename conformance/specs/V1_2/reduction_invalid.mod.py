# Written by tests/golden/write_reduction_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [2])
keep_dims = False
output = Output("output", ("TENSOR_FLOAT32", [2]))
model = Model().Operation("REDUCE_MAX", x, axes, keep_dims).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    output: [1.0, 1.0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [2])
keep_dims = False
output = Output("output", ("TENSOR_FLOAT32", [2]))
model = Model().Operation("REDUCE_MIN", x, axes, keep_dims).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    output: [1.0, 1.0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [2])
keep_dims = False
output = Output("output", ("TENSOR_FLOAT32", [2]))
model = Model().Operation("REDUCE_PROD", x, axes, keep_dims).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    output: [1.0, 1.0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [2])
keep_dims = False
output = Output("output", ("TENSOR_FLOAT32", [2]))
model = Model().Operation("REDUCE_SUM", x, axes, keep_dims).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    output: [1.0, 1.0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [2])
keep_dims = 0
output = Output("output", ("TENSOR_FLOAT32", [2]))
model = Model().Operation("MEAN", x, axes, keep_dims).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    output: [1.0, 1.0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axis = 2
output = Output("output", ("TENSOR_INT32", [2]))
model = Model().Operation("ARGMAX", x, axis).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    output: [0, 0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axis = 2
output = Output("output", ("TENSOR_INT32", [2]))
model = Model().Operation("ARGMIN", x, axis).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    output: [0, 0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [-3])
keep_dims = False
output = Output("output", ("TENSOR_FLOAT32", [2]))
model = Model().Operation("REDUCE_MAX", x, axes, keep_dims).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    output: [1.0, 1.0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [-3])
keep_dims = False
output = Output("output", ("TENSOR_FLOAT32", [2]))
model = Model().Operation("REDUCE_MIN", x, axes, keep_dims).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    output: [1.0, 1.0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [-3])
keep_dims = False
output = Output("output", ("TENSOR_FLOAT32", [2]))
model = Model().Operation("REDUCE_PROD", x, axes, keep_dims).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    output: [1.0, 1.0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [-3])
keep_dims = False
output = Output("output", ("TENSOR_FLOAT32", [2]))
model = Model().Operation("REDUCE_SUM", x, axes, keep_dims).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    output: [1.0, 1.0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [-3])
keep_dims = 0
output = Output("output", ("TENSOR_FLOAT32", [2]))
model = Model().Operation("MEAN", x, axes, keep_dims).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    output: [1.0, 1.0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axis = -3
output = Output("output", ("TENSOR_INT32", [2]))
model = Model().Operation("ARGMAX", x, axis).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    output: [0, 0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axis = -3
output = Output("output", ("TENSOR_INT32", [2]))
model = Model().Operation("ARGMIN", x, axis).To(output)
Example({
    x: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    output: [0, 0],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.5, 3))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [0])
keep_dims = 0
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3], 0.25, 3))
model = Model().Operation("MEAN", x, axes, keep_dims).To(output)
Example({
    x: [1, 1, 1, 1, 1, 1],
    output: [1, 1, 1],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.5, 3))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [0])
keep_dims = False
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3], 0.25, 3))
model = Model().Operation("REDUCE_MAX", x, axes, keep_dims).To(output)
Example({
    x: [1, 1, 1, 1, 1, 1],
    output: [1, 1, 1],
}, model=model).ExpectFailure()

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.5, 3))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [0])
keep_dims = False
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3], 0.25, 3))
model = Model().Operation("REDUCE_MIN", x, axes, keep_dims).To(output)
Example({
    x: [1, 1, 1, 1, 1, 1],
    output: [1, 1, 1],
}, model=model).ExpectFailure()
