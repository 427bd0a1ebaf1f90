# Written by tests/golden/write_arithmetic_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [5], 0.5, -8))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [5], 0.5, -28))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [5], 4.0, 0))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [56, -120, 74, -43, -66],
    y: [7, -114, 112, 99, 125],
    output: [12, -25, 28, 12, 12],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 0.1, -128))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [3], 0.3, 127))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 0.7, -68))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [-32, 85, 74, -66, -47, -27],
    y: [-81, 91, 113],
    output: [-128, -53, -45, -128, -72, -60],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [3], 0.02, 127))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 0.9, -128))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 0.5, -128))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [-120, 34, 75],
    y: [87, 40, 114, 53, -93, 3],
    output: [127, 127, 127, 127, -69, 106],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 1, 3], 0.25, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [4, 1], 0.125, -125))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4, 3], 0.05, 127))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [48, -17, 76, -112, -9, -6],
    y: [-1, -11, 115, 30],
    output: [127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, -123, 127, 127, -128, 127, 127, 127, 127, 127, -46, 127, 127],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.5, -8))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.5, -28))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 4.0, 0))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [-40, -69, 77, 122, 10, 5, -44, 126, -15, -52, 124, 53],
    y: [-89, -62, 115, 8, -55, 24, 9, 20, -89, 44, -11, -38],
    output: [-12, -12, 29, 21, -1, 8, 0, 23, -9, 4, 19, 6],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 1, 2, 1], 0.1, -128))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 1, 2], 0.3, 127))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 2, 2], 0.7, -68))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [-128, -120, 78, 99],
    y: [79, -113, 116, -15, -35, 34],
    output: [-89, -128, -87, -128, -73, -128, -72, -128, -128, -108, -128, -107, -59, -128, -56, -128, -43, -99, -40, -96, -108, -78, -105, -75],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1], 0.02, 127))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 1, 1], 0.9, -128))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 1, 1], 0.5, -128))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [40],
    y: [-9, 91, 117, -38],
    output: [83, 127, 127, 31],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.5, -8))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.5, -28))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 4.0, 0))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [-65, -56, -47, -60, -36, 27, -4, -66, -34, -49, 43, -18],
    y: [-59, -8, -35, -82, -25, 20, -59, -54, -72, -4, 2, -4],
    output: [-11, -4, -6, -13, -3, 10, -3, -11, -9, -2, 10, 2],
}, model=model).AddAllActivations(output, activation)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.1, -128))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.3, 127))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.7, -68))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [-82, -103, -105, -85, -105, -125, -73, -114, -101, -70, -88, -114],
    y: [122, 121, 123, 92, 83, 84, 124, 93, 105, 115, 106, 79],
    output: [-64, -67, -66, -77, -84, -86, -61, -81, -74, -65, -71, -87],
}, model=model).AddAllActivations(output, activation)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.02, 127))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.9, -128))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.5, -128))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [113, 92, 90, 110, 90, 70, 122, 81, 94, 125, 107, 81],
    y: [-73, -74, -72, -103, -112, -111, -71, -102, -90, -80, -89, -116],
    output: [-30, -32, -29, -84, -101, -100, -26, -83, -61, -42, -59, -108],
}, model=model).AddAllActivations(output, activation)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.25, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.125, -125))
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 3], 0.05, 127))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [-57, -48, -39, -52, -28, 35, 4, -58, -26, -41, 51, -10],
    y: [-89, -126, -77, -120, -119, -104, -119, -108, -89, -84, -75, -102],
    output: [-68, -116, 52, -121, 2, 127, 127, -121, 87, 24, 127, 127],
}, model=model).AddAllActivations(output, activation)
