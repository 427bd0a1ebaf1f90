# Written by tests/golden/write_extremum_specs.py.

condition = Input("condition", ("TENSOR_BOOL8", [5]))
x = Input("x", ("TENSOR_FLOAT32", [5]))
y = Input("y", ("TENSOR_FLOAT32", [5]))
output = Output("output", ("TENSOR_FLOAT32", [5]))
model = Model().Operation("SELECT", condition, x, y).To(output)
Example({
    condition: [0, 1, 0, 0, 1],
    x: [-9.0, 7.0, 8.0, -5.0, -7.0],
    y: [-9.0, -8.0, 8.0, -8.0, -4.0],
    output: [-9.0, 7.0, 8.0, -8.0, -7.0],
}, model=model).AddVariations("relaxed", "float16", "int32")

condition = Input("condition", ("TENSOR_BOOL8", [2, 3]))
x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("SELECT", condition, x, y).To(output)
Example({
    condition: [0, 0, 1, 1, 0, 0],
    x: [-2.0, 6.0, 7.0, 1.0, 3.0, -6.0],
    y: [-3.0, 4.0, 7.0, -2.0, 2.0, -4.0],
    output: [-3.0, 4.0, 7.0, 1.0, 2.0, -4.0],
}, model=model).AddVariations("relaxed", "float16", "int32")

condition = Input("condition", ("TENSOR_BOOL8", [1, 2, 3]))
x = Input("x", ("TENSOR_FLOAT32", [1, 2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [1, 2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 3]))
model = Model().Operation("SELECT", condition, x, y).To(output)
Example({
    condition: [0, 1, 0, 0, 1, 0],
    x: [-5.0, 3.0, 5.0, -9.0, -5.0, -5.0],
    y: [6.0, -4.0, 4.0, 4.0, 3.0, -7.0],
    output: [6.0, 3.0, 4.0, 4.0, -5.0, -7.0],
}, model=model).AddVariations("relaxed", "float16", "int32")

condition = Input("condition", ("TENSOR_BOOL8", [2, 1, 2, 2]))
x = Input("x", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
y = Input("y", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
model = Model().Operation("SELECT", condition, x, y).To(output)
Example({
    condition: [0, 1, 1, 0, 0, 1, 0, 0],
    x: [-2.0, -1.0, 7.0, -3.0, 0.0, 3.0, -4.0, 5.0],
    y: [5.0, 9.0, 9.0, -6.0, -9.0, -7.0, -6.0, 9.0],
    output: [5.0, -1.0, 7.0, -6.0, -9.0, 3.0, -6.0, 9.0],
}, model=model).AddVariations("relaxed", "float16", "int32")

condition = Input("condition", ("TENSOR_BOOL8", [1, 2, 1, 2, 1]))
x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 2, 1]))
y = Input("y", ("TENSOR_FLOAT32", [1, 2, 1, 2, 1]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 1, 2, 1]))
model = Model().Operation("SELECT", condition, x, y).To(output)
Example({
    condition: [0, 0, 0, 1],
    x: [-9.0, 7.0, 1.0, -7.0],
    y: [-4.0, 8.0, -5.0, -2.0],
    output: [-4.0, 8.0, -5.0, -7.0],
}, model=model).AddVariations("relaxed", "float16", "int32")
