# Written by tests/golden/write_arithmetic_specs.py.

x = Input("x", ("TENSOR_INT32", [5]))
y = Input("y", ("TENSOR_INT32", [5]))
activation = 0
output = Output("output", ("TENSOR_INT32", [5]))
model = Model().Operation("DIV", x, y, activation).To(output)
Example({
    x: [12936, -10024, 14234, -23003, 3854],
    y: [6, 72, 277, -294, 114],
    output: [2156, -140, 51, 78, 33],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 3]))
y = Input("y", ("TENSOR_INT32", [3]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 3]))
model = Model().Operation("DIV", x, y, activation).To(output)
Example({
    x: [-27953, 24741, -25958, -25586, -11487, 16949],
    y: [-114, -21, -222],
    output: [245, -1179, 116, 224, 547, -77],
}, model=model)

x = Input("x", ("TENSOR_INT32", [3]))
y = Input("y", ("TENSOR_INT32", [2, 3]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 3]))
model = Model().Operation("DIV", x, y, activation).To(output)
Example({
    x: [-14376, -6030, -613],
    y: [-235, -141, -119, -51, 111, -144],
    output: [61, 42, 5, 281, -55, 4],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 1, 3]))
y = Input("y", ("TENSOR_INT32", [4, 1]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 4, 3]))
model = Model().Operation("DIV", x, y, activation).To(output)
Example({
    x: [4736, 28735, 24732, -25217, 23367, -18870],
    y: [219, -234, -43, -229],
    output: [21, 131, 112, -21, -123, -106, -111, -669, -576, -21, -126, -108, -116, 106, -87, 107, -100, 80, 586, -544, 438, 110, -103, 82],
}, model=model)

x = Input("x", ("TENSOR_INT32", [1, 2, 2, 3]))
y = Input("y", ("TENSOR_INT32", [1, 2, 2, 3]))
activation = 0
output = Output("output", ("TENSOR_INT32", [1, 2, 2, 3]))
model = Model().Operation("DIV", x, y, activation).To(output)
Example({
    x: [23848, -2037, -15459, -27799, 8026, -4011, 22820, 27598, -29119, 24348, 22988, -3451],
    y: [99, 247, 60, 193, 80, 97, -280, 70, -84, -271, -178, 259],
    output: [240, -9, -258, -145, 100, -42, -82, 394, 346, -90, -130, -14],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 1, 2, 1]))
y = Input("y", ("TENSOR_INT32", [1, 3, 1, 2]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 3, 2, 2]))
model = Model().Operation("DIV", x, y, activation).To(output)
Example({
    x: [-22576, -27273, 9886, 29619],
    y: [-21, 154, 136, 14, -236, -69],
    output: [1075, -147, 1298, -178, -166, -1613, -201, -1949, 95, 327, 115, 395, -471, 64, -1411, 192, 72, 706, 217, 2115, -42, -144, -126, -430],
}, model=model)

x = Input("x", ("TENSOR_INT32", [1]))
y = Input("y", ("TENSOR_INT32", [2, 2, 1, 1]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 2, 1, 1]))
model = Model().Operation("DIV", x, y, activation).To(output)
Example({
    x: [-3464],
    y: [-168, 34, 238, -165],
    output: [20, -102, -15, 20],
}, model=model)

x = Input("x", ("TENSOR_INT32", [4]))
y = Input("y", ("TENSOR_INT32", [4]))
activation = 0
output = Output("output", ("TENSOR_INT32", [4]))
model = Model().Operation("DIV", x, y, activation).To(output)
Example({
    x: [-5, 5, -5, 4],
    y: [2, -2, -2, -2],
    output: [-3, -3, 2, -2],
}, model=model)
