# Written by tests/golden/write_arithmetic_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [5]))
y = Input("y", ("TENSOR_FLOAT32", [5]))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [5]))
model = Model().Operation("DIV", x, y, activation).To(output)
Example({
    x: [0.75, -1.75, -2.0, 0.5, -0.25],
    y: [1.75, -1.75, 1.25, 0.75, -2.0],
    output: [0.42857143, 1.0, -1.6, 0.6666667, 0.125],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
y = Parameter("y", ("TENSOR_FLOAT32", [3]), [-1.75, -2.0, 0.75])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("DIV", x, y, activation).To(output)
Example({
    x: [1.75, -1.75, 1.25, 0.75, -2.0, 1.0],
    output: [-1.0, 0.875, 1.6666666, -0.42857143, 1.0, 1.3333334],
}, model=model).AddRelaxed()

x = Input("x", ("TENSOR_FLOAT32", [3]))
y = Input("y", ("TENSOR_FLOAT32", [2, 3]))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("DIV", x, y, activation).To(output)
Example({
    x: [-1.75, -2.0, 0.75],
    y: [-0.75, -2.0, 0.5, 1.5, -1.0, 1.0],
    output: [2.3333333, 1.0, 1.5, -1.1666666, 2.0, 0.75],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 3]))
y = Parameter("y", ("TENSOR_FLOAT32", [4, 1]), [0.5, 1.75, -0.5, 2.0])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 4, 3]))
model = Model().Operation("DIV", x, y, activation).To(output)
Example({
    x: [-0.75, -2.0, 0.25, 1.5, -1.0, 1.0],
    output: [-1.5, -4.0, 0.5, -0.42857143, -1.1428572, 0.14285715, 1.5, 4.0, -0.5, -0.375, -1.0, 0.125, 3.0, -2.0, 2.0, 0.85714287, -0.5714286, 0.5714286, -3.0, 2.0, -2.0, 0.75, -0.5, 0.5],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [1, 2, 2, 3]))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 2, 3]))
model = Model().Operation("DIV", x, y, activation).To(output)
Example({
    x: [0.25, 1.75, -0.5, 2.0, 1.5, 1.25, -1.75, -1.5, 1.5, 2.0, 2.0, 1.0],
    y: [1.0, 1.75, -1.0, -2.0, 0.5, 1.25, 1.75, 0.5, 2.0, 0.5, -1.0, 1.75],
    output: [0.25, 1.0, 0.5, -1.0, 3.0, 1.0, -1.0, -3.0, 0.75, 4.0, -2.0, 0.5714286],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 2, 1]))
y = Parameter("y", ("TENSOR_FLOAT32", [1, 3, 1, 2]), [2.0, 1.5, -1.75, -1.75, -1.75, 1.5])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 2, 2]))
model = Model().Operation("DIV", x, y, activation).To(output)
Example({
    x: [1.0, 1.75, -1.0, -2.0],
    output: [0.5, 0.6666667, 0.875, 1.1666666, -0.5714286, -0.5714286, -1.0, -1.0, -0.5714286, 0.6666667, -1.0, 1.1666666, -0.5, -0.6666667, -1.0, -1.3333334, 0.5714286, 0.5714286, 1.1428572, 1.1428572, 0.5714286, -0.6666667, 1.1428572, -1.3333334],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [1]))
y = Input("y", ("TENSOR_FLOAT32", [2, 2, 1, 1]))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 1, 1]))
model = Model().Operation("DIV", x, y, activation).To(output)
Example({
    x: [2.0],
    y: [-1.25, 1.25, 1.75, -1.5],
    output: [-1.6, 1.6, 1.1428572, -1.3333334],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [1, 2, 2, 3]))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 2, 3]))
model = Model().Operation("DIV", x, y, activation).To(output)
Example({
    x: [0.5, 1.0, 0.5, -0.75, 1.75, 1.75, -0.25, 0.25, -0.5, -1.75, 0.25, 1.25],
    y: [1.5, 1.0, 0.5, -0.5, 0.5, 1.75, -0.75, -2.0, 0.5, 0.75, 1.75, -2.0],
    output: [0.33333334, 1.0, 1.0, 1.5, 3.5, 1.0, 0.33333334, -0.125, -1.0, -2.3333333, 0.14285715, -0.625],
}, model=model).AddAllActivations(output, activation)
