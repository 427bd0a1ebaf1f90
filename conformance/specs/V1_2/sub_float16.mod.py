# Written by tests/golden/write_arithmetic_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [5]))
y = Input("y", ("TENSOR_FLOAT32", [5]))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [5]))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [2.0, -0.5, 1.75, -1.5, 0.75],
    y: [-1.25, -0.75, 1.25, -1.25, -1.0],
    output: [3.25, 0.25, 0.5, -0.25, 1.75],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
y = Parameter("y", ("TENSOR_FLOAT32", [3]), [-0.5, -0.75, 0.5])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [-1.25, -0.75, 1.25, -1.25, -1.0, -1.5],
    output: [-0.75, 0.0, 0.75, -0.75, -0.25, -2.0],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [3]))
y = Input("y", ("TENSOR_FLOAT32", [2, 3]))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [-0.5, -0.75, 0.5],
    y: [0.5, -1.0, 0.0, -0.75, 0.0, -1.0],
    output: [-1.0, 0.25, 0.5, 0.25, -0.75, 1.5],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 3]))
y = Parameter("y", ("TENSOR_FLOAT32", [4, 1]), [1.5, -1.25, -0.75, -0.5])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 4, 3]))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [0.5, -1.0, 0.0, -0.75, 0.0, -1.0],
    output: [-1.0, -2.5, -1.5, 1.75, 0.25, 1.25, 1.25, -0.25, 0.75, 1.0, -0.5, 0.5, -2.25, -1.5, -2.5, 0.5, 1.25, 0.25, 0.0, 0.75, -0.25, -0.25, 0.5, -0.5],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [1, 2, 2, 3]))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 2, 3]))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [1.5, -1.25, -0.75, -0.5, -1.5, -1.0, 0.5, 1.25, 1.75, -0.75, 0.0, -2.0],
    y: [-1.75, -1.25, -1.5, 0.0, 1.0, -1.0, -0.25, -0.75, 2.0, 2.0, 1.5, -1.0],
    output: [3.25, 0.0, 0.75, -0.5, -2.5, 0.0, 0.75, 2.0, -0.25, -2.75, -1.5, -1.0],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 2, 1]))
y = Parameter("y", ("TENSOR_FLOAT32", [1, 3, 1, 2]), [-1.0, -1.5, -2.0, 0.25, -0.75, -1.0])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 2, 2]))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [-1.75, -1.25, -1.5, 0.0],
    output: [-0.75, -0.25, -0.25, 0.25, 0.25, -2.0, 0.75, -1.5, -1.0, -0.75, -0.5, -0.25, -0.5, 0.0, 1.0, 1.5, 0.5, -1.75, 2.0, -0.25, -0.75, -0.5, 0.75, 1.0],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [1]))
y = Input("y", ("TENSOR_FLOAT32", [2, 2, 1, 1]))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 1, 1]))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [-1.0],
    y: [0.0, -1.5, 1.5, 0.5],
    output: [-1.0, 0.5, -2.5, -1.5],
}, model=model).AddVariations("float16", includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [1, 2, 2, 3]))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 2, 3]))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [1.75, -1.75, 0.25, 1.5, -1.25, -0.75, 1.75, -1.25, -0.25, -0.25, -1.5, -1.75],
    y: [-1.5, 2.0, -0.5, 1.75, 1.25, -0.5, 1.5, 1.0, 0.0, -1.75, -0.25, -0.75],
    output: [3.25, -3.75, 0.75, -0.25, -2.5, -0.25, 0.25, -2.25, -0.25, 1.5, -1.25, -1.0],
}, model=model).AddVariations("float16", includeDefault=False).AddAllActivations(output, activation)
