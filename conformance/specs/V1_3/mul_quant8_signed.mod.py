# Written by tests/golden/write_arithmetic_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [5], 0.5, -8))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [5], 0.5, -28))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [5], 4.0, 0))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [56, -120, 74, -43, -66],
    y: [7, -114, 112, 99, 125],
    output: [127, 127, 127, -128, -128],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 0.1, -128))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [3], 0.3, 127))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 0.7, -68))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [-32, 85, 74, -66, -47, -27],
    y: [-81, 91, 113],
    output: [-128, -128, -128, -128, -128, -128],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [3], 0.02, 127))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 0.9, -128))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 2.0, -128))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [-120, 34, 75],
    y: [87, 40, 114, 53, -93, 3],
    output: [-128, -128, -128, -128, -128, -128],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 1, 3], 0.25, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [4, 1], 0.125, -125))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4, 3], 0.2, 127))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [48, -17, 76, -112, -9, -6],
    y: [-1, -11, 115, 30],
    output: [127, -128, 127, 127, -128, 127, 127, -128, 127, 127, -128, 127, -128, -47, 11, -128, -33, 20, -128, -128, -98, -128, -91, -18],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.5, -8))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.5, -28))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 4.0, 0))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [-40, -69, 77, 122, 10, 5, -44, 126, -15, -52, 124, 53],
    y: [-89, -62, 115, 8, -55, 24, 9, 20, -89, 44, -11, -38],
    output: [122, 127, 127, 127, -30, 42, -83, 127, 27, -128, 127, -38],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 1, 2, 1], 0.1, -128))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 1, 2], 0.3, 127))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 2, 2], 0.7, -68))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [-128, -120, 78, 99],
    y: [79, -113, 116, -15, -35, 34],
    output: [-68, -68, -84, -128, -68, -68, -72, -117, -68, -68, -124, -100, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1], 0.02, 127))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 1, 1], 0.9, -128))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 1, 1], 2.0, -128))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [40],
    y: [-9, 91, 117, -38],
    output: [-128, -128, -128, -128],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.5, -8))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.5, -28))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 4.0, 0))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [-65, -56, -47, -60, -36, 27, -4, -66, -34, -49, 43, -18],
    y: [-59, -8, -35, -82, -25, 20, -59, -54, -72, -4, 2, -4],
    output: [111, -60, 17, 127, -5, 105, -8, 94, 72, -62, 96, -15],
}, model=model).AddAllActivations(output, activation)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.1, -128))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.3, 127))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.7, -68))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [-82, -103, -105, -85, -105, -125, -73, -114, -101, -70, -88, -114],
    y: [122, 121, 123, 92, 83, 84, 124, 93, 105, 115, 106, 79],
    output: [-78, -74, -72, -128, -111, -74, -75, -88, -93, -98, -104, -97],
}, model=model).AddAllActivations(output, activation)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.02, 127))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.9, -128))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 2.0, -128))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [113, 92, 90, 110, 90, 70, 122, 81, 94, 125, 107, 81],
    y: [-73, -74, -72, -103, -112, -111, -71, -102, -90, -80, -89, -116],
    output: [-128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128],
}, model=model).AddAllActivations(output, activation)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.25, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.125, -125))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.2, 127))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [-57, -48, -39, -52, -28, 35, 4, -58, -26, -41, 51, -10],
    y: [-89, -126, -77, -120, -119, -104, -119, -108, -89, -84, -75, -102],
    output: [-128, 127, -128, 86, 101, 127, 127, -27, -19, -128, 127, 91],
}, model=model).AddAllActivations(output, activation)
