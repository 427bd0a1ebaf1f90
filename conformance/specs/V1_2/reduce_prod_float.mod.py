# Written by tests/golden/write_reduction_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [5]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [0])
keep_dims = False
output = Output("output", ("TENSOR_FLOAT32", [1]))
model = Model().Operation("REDUCE_PROD", x, axes, keep_dims).To(output)
Example({
    x: [1.0, 0.5, 0.5, -0.75, -1.0],
    output: [0.1875],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [5]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [-1])
keep_dims = True
output = Output("output", ("TENSOR_FLOAT32", [1]))
model = Model().Operation("REDUCE_PROD", x, axes, keep_dims).To(output)
Example({
    x: [1.5, 1.25, 1.5, 0.25, -1.25],
    output: [-0.87890625],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [0])
keep_dims = False
output = Output("output", ("TENSOR_FLOAT32", [3]))
model = Model().Operation("REDUCE_PROD", x, axes, keep_dims).To(output)
Example({
    x: [1.25, 1.25, 0.25, 1.25, -1.5, 0.0],
    output: [1.5625, -1.875, 0.0],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [2]), [1, -2])
keep_dims = False
output = Output("output", ("TENSOR_FLOAT32", [1]))
model = Model().Operation("REDUCE_PROD", x, axes, keep_dims).To(output)
Example({
    x: [-1.5, -1.25, -1.0, -0.25, -1.0, -1.0],
    output: [0.46875],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 3, 2]))
axes = Parameter("axes", ("TENSOR_INT32", [2]), [-1, 0])
keep_dims = True
output = Output("output", ("TENSOR_FLOAT32", [1, 3, 1]))
model = Model().Operation("REDUCE_PROD", x, axes, keep_dims).To(output)
Example({
    x: [-1.0, -1.5, 0.25, 1.0, -1.25, -1.0, -1.25, 0.5, 1.0, 0.5, -1.5, -0.75],
    output: [-0.9375, 0.125, 1.40625],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 3, 2]))
axes = Parameter("axes", ("TENSOR_INT32", [3]), [1, 1, -2])
keep_dims = False
output = Output("output", ("TENSOR_FLOAT32", [2, 2]))
model = Model().Operation("REDUCE_PROD", x, axes, keep_dims).To(output)
Example({
    x: [-1.25, -0.75, -1.0, -1.25, -1.25, -1.25, 0.5, 1.25, 1.25, -0.75, 0.5, 1.0],
    output: [-1.5625, -1.171875, 0.3125, -0.9375],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [2]), [1, 2])
keep_dims = True
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 1, 3]))
model = Model().Operation("REDUCE_PROD", x, axes, keep_dims).To(output)
Example({
    x: [-0.75, -0.75, 0.75, -0.25, -1.5, -1.25, -0.25, -0.75, 1.5, 0.5, 0.0, -0.25, 0.5, 1.25, -0.75, 0.25, 0.5, -1.25, 0.5, -1.25, 0.5, -0.75, -1.0, 1.25],
    output: [-0.0234375, 0.0, 0.3515625, -0.046875, 0.78125, 0.5859375],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [2]), [3, 1])
keep_dims = False
output = Output("output", ("TENSOR_FLOAT32", [2, 2]))
model = Model().Operation("REDUCE_PROD", x, axes, keep_dims).To(output)
Example({
    x: [-0.25, -0.75, -1.25, 0.75, -1.0, 1.25, -1.0, 0.5, 1.0, -1.0, -0.5, -1.0, 0.75, -1.0, -1.5, 0.25, 1.5, 0.5, -0.5, -0.25, 0.0, 0.0, 1.5, -1.5],
    output: [0.1171875, 0.46875, 0.0, 0.0],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [4]), [0, 1, 2, 3])
keep_dims = True
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 1, 1]))
model = Model().Operation("REDUCE_PROD", x, axes, keep_dims).To(output)
Example({
    x: [0.25, 0.0, 0.75, -1.25, -1.25, 1.0, 1.0, -1.25, 1.5, 1.0, -1.25, 1.0, -1.5, 0.5, 0.25, -0.75, -0.75, -1.0, -1.0, 1.5, -1.0, 0.0, 0.5, -0.5],
    output: [0.0],
}, model=model).AddVariations("relaxed", "float16")
