# Written by tests/golden/write_arithmetic_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM", [5], 0.5, 120))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [5], 0.5, 100))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [5], 4.0, 128))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [184, 8, 202, 85, 62],
    y: [135, 14, 240, 227, 253],
    output: [140, 103, 156, 140, 140],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.1, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [3], 0.3, 255))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.7, 60))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [96, 213, 202, 62, 81, 101],
    y: [47, 219, 241],
    output: [0, 75, 83, 0, 56, 68],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [3], 0.02, 255))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.9, 0))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.5, 0))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [8, 162, 203],
    y: [215, 168, 242, 181, 35, 131],
    output: [255, 255, 255, 255, 59, 234],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 1, 3], 0.25, 128))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [4, 1], 0.125, 3))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 4, 3], 0.05, 255))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [176, 111, 204, 16, 119, 122],
    y: [127, 117, 243, 158],
    output: [255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 5, 255, 255, 0, 255, 255, 255, 255, 255, 82, 255, 255],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.5, 120))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.5, 100))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 4.0, 128))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [88, 59, 205, 250, 138, 133, 84, 254, 113, 76, 252, 181],
    y: [39, 66, 243, 136, 73, 152, 137, 148, 39, 172, 117, 90],
    output: [116, 116, 157, 149, 127, 136, 128, 151, 119, 132, 147, 134],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 1, 2, 1], 0.1, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [1, 3, 1, 2], 0.3, 255))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 3, 2, 2], 0.7, 60))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [0, 8, 206, 227],
    y: [207, 15, 244, 113, 93, 162],
    output: [39, 0, 41, 0, 55, 0, 56, 0, 0, 20, 0, 21, 69, 0, 72, 0, 85, 29, 88, 32, 20, 50, 23, 53],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1], 0.02, 255))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [2, 2, 1, 1], 0.9, 0))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 1, 1], 0.5, 0))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [168],
    y: [119, 219, 245, 90],
    output: [211, 255, 255, 159],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.5, 120))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.5, 100))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 4.0, 128))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [63, 72, 81, 68, 92, 155, 124, 62, 94, 79, 171, 110],
    y: [69, 120, 93, 46, 103, 148, 69, 74, 56, 124, 130, 124],
    output: [117, 124, 122, 115, 125, 138, 125, 117, 119, 126, 138, 130],
}, model=model).AddAllActivations(output, activation)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.1, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.3, 255))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.7, 60))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [46, 25, 23, 43, 23, 3, 55, 14, 27, 58, 40, 14],
    y: [250, 249, 251, 220, 211, 212, 252, 221, 233, 243, 234, 207],
    output: [64, 61, 62, 51, 44, 42, 67, 47, 54, 63, 57, 41],
}, model=model).AddAllActivations(output, activation)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.02, 255))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.9, 0))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.5, 0))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [241, 220, 218, 238, 218, 198, 250, 209, 222, 253, 235, 209],
    y: [55, 54, 56, 25, 16, 17, 57, 26, 38, 48, 39, 12],
    output: [98, 96, 99, 44, 27, 28, 102, 45, 67, 86, 69, 20],
}, model=model).AddAllActivations(output, activation)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.25, 128))
y = Input("y", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.125, 3))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 3], 0.05, 255))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [71, 80, 89, 76, 100, 163, 132, 70, 102, 87, 179, 118],
    y: [39, 2, 51, 8, 9, 24, 9, 20, 39, 44, 53, 26],
    output: [60, 12, 180, 7, 130, 255, 255, 7, 215, 152, 255, 255],
}, model=model).AddAllActivations(output, activation)
