# Written by tests/golden/write_arithmetic_specs.py.

x = Input("x", ("TENSOR_INT32", [5]))
y = Input("y", ("TENSOR_INT32", [5]))
activation = 0
output = Output("output", ("TENSOR_INT32", [5]))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [12936, -10024, 14234, -23003, 3854],
    y: [6, 72, 277, -294, 114],
    output: [12942, -9952, 14511, -23297, 3968],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 3]))
y = Input("y", ("TENSOR_INT32", [3]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 3]))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [-27953, 24741, -25958, -25586, -11487, 16949],
    y: [-114, -21, -222],
    output: [-28067, 24720, -26180, -25700, -11508, 16727],
}, model=model)

x = Input("x", ("TENSOR_INT32", [3]))
y = Input("y", ("TENSOR_INT32", [2, 3]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 3]))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [-14376, -6030, -613],
    y: [-235, -141, -119, -51, 111, -144],
    output: [-14611, -6171, -732, -14427, -5919, -757],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 1, 3]))
y = Input("y", ("TENSOR_INT32", [4, 1]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 4, 3]))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [4736, 28735, 24732, -25217, 23367, -18870],
    y: [219, -234, -43, -229],
    output: [4955, 28954, 24951, 4502, 28501, 24498, 4693, 28692, 24689, 4507, 28506, 24503, -24998, 23586, -18651, -25451, 23133, -19104, -25260, 23324, -18913, -25446, 23138, -19099],
}, model=model)

x = Input("x", ("TENSOR_INT32", [1, 2, 2, 3]))
y = Input("y", ("TENSOR_INT32", [1, 2, 2, 3]))
activation = 0
output = Output("output", ("TENSOR_INT32", [1, 2, 2, 3]))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [23848, -2037, -15459, -27799, 8026, -4011, 22820, 27598, -29119, 24348, 22988, -3451],
    y: [99, 247, 60, 193, 80, 97, -280, 70, -84, -271, -178, 259],
    output: [23947, -1790, -15399, -27606, 8106, -3914, 22540, 27668, -29203, 24077, 22810, -3192],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 1, 2, 1]))
y = Input("y", ("TENSOR_INT32", [1, 3, 1, 2]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 3, 2, 2]))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [-22576, -27273, 9886, 29619],
    y: [-21, 154, 136, 14, -236, -69],
    output: [-22597, -22422, -27294, -27119, -22440, -22562, -27137, -27259, -22812, -22645, -27509, -27342, 9865, 10040, 29598, 29773, 10022, 9900, 29755, 29633, 9650, 9817, 29383, 29550],
}, model=model)

x = Input("x", ("TENSOR_INT32", [1]))
y = Input("y", ("TENSOR_INT32", [2, 2, 1, 1]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 2, 1, 1]))
model = Model().Operation("ADD", x, y, activation).To(output)
Example({
    x: [-3464],
    y: [-168, 34, 238, -165],
    output: [-3632, -3430, -3226, -3629],
}, model=model)
