# Written by tests/golden/write_arithmetic_specs.py.

x = Input("x", ("TENSOR_INT32", [5]))
y = Input("y", ("TENSOR_INT32", [5]))
activation = 0
output = Output("output", ("TENSOR_INT32", [5]))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [12936, -10024, 14234, -23003, 3854],
    y: [6, 72, 277, -294, 114],
    output: [77616, -721728, 3942818, 6762882, 439356],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 3]))
y = Input("y", ("TENSOR_INT32", [3]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 3]))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [-27953, 24741, -25958, -25586, -11487, 16949],
    y: [-114, -21, -222],
    output: [3186642, -519561, 5762676, 2916804, 241227, -3762678],
}, model=model)

x = Input("x", ("TENSOR_INT32", [3]))
y = Input("y", ("TENSOR_INT32", [2, 3]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 3]))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [-14376, -6030, -613],
    y: [-235, -141, -119, -51, 111, -144],
    output: [3378360, 850230, 72947, 733176, -669330, 88272],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 1, 3]))
y = Input("y", ("TENSOR_INT32", [4, 1]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 4, 3]))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [4736, 28735, 24732, -25217, 23367, -18870],
    y: [219, -234, -43, -229],
    output: [1037184, 6292965, 5416308, -1108224, -6723990, -5787288, -203648, -1235605, -1063476, -1084544, -6580315, -5663628, -5522523, 5117373, -4132530, 5900778, -5467878, 4415580, 1084331, -1004781, 811410, 5774693, -5351043, 4321230],
}, model=model)

x = Input("x", ("TENSOR_INT32", [1, 2, 2, 3]))
y = Input("y", ("TENSOR_INT32", [1, 2, 2, 3]))
activation = 0
output = Output("output", ("TENSOR_INT32", [1, 2, 2, 3]))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [23848, -2037, -15459, -27799, 8026, -4011, 22820, 27598, -29119, 24348, 22988, -3451],
    y: [99, 247, 60, 193, 80, 97, -280, 70, -84, -271, -178, 259],
    output: [2360952, -503139, -927540, -5365207, 642080, -389067, -6389600, 1931860, 2445996, -6598308, -4091864, -893809],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 1, 2, 1]))
y = Input("y", ("TENSOR_INT32", [1, 3, 1, 2]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 3, 2, 2]))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [-22576, -27273, 9886, 29619],
    y: [-21, 154, 136, 14, -236, -69],
    output: [474096, -3476704, 572733, -4200042, -3070336, -316064, -3709128, -381822, 5327936, 1557744, 6436428, 1881837, -207606, 1522444, -621999, 4561326, 1344496, 138404, 4028184, 414666, -2333096, -682134, -6990084, -2043711],
}, model=model)

x = Input("x", ("TENSOR_INT32", [1]))
y = Input("y", ("TENSOR_INT32", [2, 2, 1, 1]))
activation = 0
output = Output("output", ("TENSOR_INT32", [2, 2, 1, 1]))
model = Model().Operation("MUL", x, y, activation).To(output)
Example({
    x: [-3464],
    y: [-168, 34, 238, -165],
    output: [581952, -117776, -824432, 571560],
}, model=model)
