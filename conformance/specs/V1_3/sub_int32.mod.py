# Written by tests/golden/write_arithmetic_specs.py.

x = Input("x", ("TENSOR_INT32", [5]))
y = Input("y", ("TENSOR_INT32", [5]))
activation = 0
output = Output("output", ("TENSOR_INT32", [5]))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [12936, -10024, 14234, -23003, 3854],
    y: [6, 72, 277, -294, 114],
    output: [12930, -10096, 13957, -22709, 3740],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 3]))
y = Input("y", ("TENSOR_INT32", [3]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 3]))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [-27953, 24741, -25958, -25586, -11487, 16949],
    y: [-114, -21, -222],
    output: [-27839, 24762, -25736, -25472, -11466, 17171],
}, model=model)

x = Input("x", ("TENSOR_INT32", [3]))
y = Input("y", ("TENSOR_INT32", [2, 3]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 3]))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [-14376, -6030, -613],
    y: [-235, -141, -119, -51, 111, -144],
    output: [-14141, -5889, -494, -14325, -6141, -469],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 1, 3]))
y = Input("y", ("TENSOR_INT32", [4, 1]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 4, 3]))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [4736, 28735, 24732, -25217, 23367, -18870],
    y: [219, -234, -43, -229],
    output: [4517, 28516, 24513, 4970, 28969, 24966, 4779, 28778, 24775, 4965, 28964, 24961, -25436, 23148, -19089, -24983, 23601, -18636, -25174, 23410, -18827, -24988, 23596, -18641],
}, model=model)

x = Input("x", ("TENSOR_INT32", [1, 2, 2, 3]))
y = Input("y", ("TENSOR_INT32", [1, 2, 2, 3]))
activation = 0
output = Output("output", ("TENSOR_INT32", [1, 2, 2, 3]))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [23848, -2037, -15459, -27799, 8026, -4011, 22820, 27598, -29119, 24348, 22988, -3451],
    y: [99, 247, 60, 193, 80, 97, -280, 70, -84, -271, -178, 259],
    output: [23749, -2284, -15519, -27992, 7946, -4108, 23100, 27528, -29035, 24619, 23166, -3710],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 1, 2, 1]))
y = Input("y", ("TENSOR_INT32", [1, 3, 1, 2]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 3, 2, 2]))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [-22576, -27273, 9886, 29619],
    y: [-21, 154, 136, 14, -236, -69],
    output: [-22555, -22730, -27252, -27427, -22712, -22590, -27409, -27287, -22340, -22507, -27037, -27204, 9907, 9732, 29640, 29465, 9750, 9872, 29483, 29605, 10122, 9955, 29855, 29688],
}, model=model)

x = Input("x", ("TENSOR_INT32", [1]))
y = Input("y", ("TENSOR_INT32", [2, 2, 1, 1]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 2, 1, 1]))
model = Model().Operation("SUB", x, y, activation).To(output)
Example({
    x: [-3464],
    y: [-168, 34, 238, -165],
    output: [-3296, -3498, -3702, -3299],
}, model=model)
