# Written by tests/golden/write_arithmetic_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [2]))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75],
    y: [1.0, 2.0],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [1, 1, 1, 1, 3]))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 1, 2, 3]))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75],
    y: [1.0, 2.0, 3.0],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

x = Input("x", ("TENSOR_INT32", [2]))
y = Input("y", ("TENSOR_INT32", [2]))
activation = 1
output = Output("output", ("TENSOR_INT32", [2]))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [1, 2],
    y: [3, 4],
    output: [0, 0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2], 0.5, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [2], 0.5, 0))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2], 9.5367431640625e-07, 0))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [1, 2],
    y: [3, 4],
    output: [0, 0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2], 0.5, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2], 0.5, 0))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2], 9.5367431640625e-07, 0))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [1, 2],
    y: [3, 4],
    output: [0, 0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()
