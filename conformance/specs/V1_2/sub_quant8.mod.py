# Written by tests/golden/write_arithmetic_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM", [5], 0.5, 120))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [5], 0.5, 100))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [5], 4.0, 128))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [184, 8, 202, 85, 62],
    y: [135, 14, 240, 227, 253],
    output: [132, 125, 121, 108, 102],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.1, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [3], 0.3, 255))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.7, 60))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [96, 213, 202, 62, 81, 101],
    y: [47, 219, 241],
    output: [163, 106, 95, 158, 87, 80],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [3], 0.02, 255))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.9, 0))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.5, 0))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [8, 162, 203],
    y: [215, 168, 242, 181, 35, 131],
    output: [0, 0, 0, 0, 0, 0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 1, 3], 0.25, 128))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [4, 1], 0.125, 3))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 4, 3], 0.05, 255))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [176, 111, 204, 16, 119, 122],
    y: [127, 117, 243, 158],
    output: [185, 0, 255, 210, 0, 255, 0, 0, 35, 107, 0, 247, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.5, 120))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.5, 100))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 4.0, 128))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [88, 59, 205, 250, 138, 133, 84, 254, 113, 76, 252, 181],
    y: [39, 66, 243, 136, 73, 152, 137, 148, 39, 172, 117, 90],
    output: [132, 125, 121, 140, 134, 123, 119, 139, 135, 113, 142, 137],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 1, 2, 1], 0.1, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [1, 3, 1, 2], 0.3, 255))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 3, 2, 2], 0.7, 60))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [0, 8, 206, 227],
    y: [207, 15, 244, 113, 93, 162],
    output: [81, 163, 82, 164, 65, 121, 66, 122, 129, 100, 131, 101, 110, 192, 113, 195, 94, 150, 97, 153, 159, 129, 162, 132],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1], 0.02, 255))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [2, 2, 1, 1], 0.9, 0))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 1, 1], 0.5, 0))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [168],
    y: [119, 219, 245, 90],
    output: [0, 0, 0, 0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.5, 120))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.5, 100))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 4.0, 128))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [63, 72, 81, 68, 92, 155, 124, 62, 94, 79, 171, 110],
    y: [69, 120, 93, 46, 103, 148, 69, 74, 56, 124, 130, 124],
    output: [125, 119, 124, 128, 124, 126, 132, 124, 130, 120, 131, 124],
}, model=model).AddAllActivations(output, activation)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.1, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.3, 255))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.7, 60))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [46, 25, 23, 43, 23, 3, 55, 14, 27, 58, 40, 14],
    y: [250, 249, 251, 220, 211, 212, 252, 221, 233, 243, 234, 207],
    output: [69, 66, 65, 81, 82, 79, 69, 77, 73, 73, 75, 83],
}, model=model).AddAllActivations(output, activation)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.02, 255))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.9, 0))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.5, 0))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [241, 220, 218, 238, 218, 198, 250, 209, 222, 253, 235, 209],
    y: [55, 54, 56, 25, 16, 17, 57, 26, 38, 48, 39, 12],
    output: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
}, model=model).AddAllActivations(output, activation)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.25, 128))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.125, 3))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.05, 255))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [71, 80, 89, 76, 100, 163, 132, 70, 102, 87, 179, 118],
    y: [39, 2, 51, 8, 9, 24, 9, 20, 39, 44, 53, 26],
    output: [0, 17, 0, 0, 100, 255, 255, 0, 35, 0, 255, 147],
}, model=model).AddAllActivations(output, activation)
