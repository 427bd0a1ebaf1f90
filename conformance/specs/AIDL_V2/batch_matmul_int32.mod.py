# Written by tests/golden/write_dense_specs.py.

x = Input("x", ("TENSOR_INT32", [2, 3]))
y = Input("y", ("TENSOR_INT32", [3, 4]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_INT32", [2, 4]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [6, -2, -7, -4, 6, 9],
    y: [4, -7, 5, -3, -2, -9, 7, 8, -5, -7, -9, -8],
    output: [63, 25, 79, 22, -73, -89, -59, -12],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 3]))
y = Input("y", ("TENSOR_INT32", [4, 3]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_INT32", [2, 4]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [6, -2, -7, -4, 6, 9],
    y: [4, -7, 5, -3, -2, -9, 7, 8, -5, -7, -9, -8],
    output: [3, 49, 61, 32, -13, -81, -25, -98],
}, model=model)

x = Input("x", ("TENSOR_INT32", [3, 2]))
y = Input("y", ("TENSOR_INT32", [3, 4]))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_INT32", [2, 4]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [6, -2, -7, -4, 6, 9],
    y: [4, -7, 5, -3, -2, -9, 7, 8, -5, -7, -9, -8],
    output: [8, -21, -73, -122, -45, -13, -119, -98],
}, model=model)

x = Input("x", ("TENSOR_INT32", [3, 2]))
y = Input("y", ("TENSOR_INT32", [4, 3]))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_INT32", [2, 4]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [6, -2, -7, -4, 6, 9],
    y: [4, -7, 5, -3, -2, -9, 7, 8, -5, -7, -9, -8],
    output: [103, -58, -44, -27, 65, -67, -91, -22],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 3, 1]))
y = Input("y", ("TENSOR_INT32", [2, 1, 2]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_INT32", [2, 3, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [4, -7, 5, -3, -2, -9],
    y: [-3, 2, 4, -2],
    output: [-12, 8, 21, -14, -15, 10, -12, 6, -8, 4, -36, 18],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 3, 1]))
y = Input("y", ("TENSOR_INT32", [2, 2, 1]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_INT32", [2, 3, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [4, -7, 5, -3, -2, -9],
    y: [-3, 2, 4, -2],
    output: [-12, 8, 21, -14, -15, 10, -12, 6, -8, 4, -36, 18],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 1, 3]))
y = Input("y", ("TENSOR_INT32", [2, 1, 2]))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_INT32", [2, 3, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [4, -7, 5, -3, -2, -9],
    y: [-3, 2, 4, -2],
    output: [-12, 8, 21, -14, -15, 10, -12, 6, -8, 4, -36, 18],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 1, 3]))
y = Input("y", ("TENSOR_INT32", [2, 2, 1]))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_INT32", [2, 3, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [4, -7, 5, -3, -2, -9],
    y: [-3, 2, 4, -2],
    output: [-12, 8, 21, -14, -15, 10, -12, 6, -8, 4, -36, 18],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 3, 1, 4]))
y = Input("y", ("TENSOR_INT32", [2, 3, 4, 2]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_INT32", [2, 3, 1, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-3, 2, 4, -2, 9, -8, -2, 6, 7, 1, 3, -6, -3, 4, 7, -2, 2, -4, -8, -3, 3, -9, -2, 3],
    y: [-5, -3, 3, 4, 6, 6, -5, 3, 5, -9, -5, -5, 6, -4, 4, 4, 3, -7, -2, -2, -6, -1, -4, 4, -8, -1, -2, 4, -1, 2, 1, -5, -4, -3, -1, -1, -3, 1, 7, 7, -7, -7, -5, 4, -9, 2, -7, -6],
    output: [55, 35, 97, -9, 25, -78, 7, 43, -1, -31, 21, -79],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 3, 1, 4]))
y = Input("y", ("TENSOR_INT32", [2, 3, 2, 4]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_INT32", [2, 3, 1, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-3, 2, 4, -2, 9, -8, -2, 6, 7, 1, 3, -6, -3, 4, 7, -2, 2, -4, -8, -3, 3, -9, -2, 3],
    y: [-5, -3, 3, 4, 6, 6, -5, 3, 5, -9, -5, -5, 6, -4, 4, 4, 3, -7, -2, -2, -6, -1, -4, 4, -8, -1, -2, 4, -1, 2, 1, -5, -4, -3, -1, -1, -3, 1, 7, 7, -7, -7, -5, 4, -9, 2, -7, -6],
    output: [13, -32, 97, 102, 20, -79, -2, 28, 15, -87, 64, -49],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 3, 4, 1]))
y = Input("y", ("TENSOR_INT32", [2, 3, 4, 2]))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_INT32", [2, 3, 1, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-3, 2, 4, -2, 9, -8, -2, 6, 7, 1, 3, -6, -3, 4, 7, -2, 2, -4, -8, -3, 3, -9, -2, 3],
    y: [-5, -3, 3, 4, 6, 6, -5, 3, 5, -9, -5, -5, 6, -4, 4, 4, 3, -7, -2, -2, -6, -1, -4, 4, -8, -1, -2, 4, -1, 2, 1, -5, -4, -3, -1, -1, -3, 1, 7, 7, -7, -7, -5, 4, -9, 2, -7, -6],
    output: [55, 35, 97, -9, 25, -78, 7, 43, -1, -31, 21, -79],
}, model=model)

x = Input("x", ("TENSOR_INT32", [2, 3, 4, 1]))
y = Input("y", ("TENSOR_INT32", [2, 3, 2, 4]))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_INT32", [2, 3, 1, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-3, 2, 4, -2, 9, -8, -2, 6, 7, 1, 3, -6, -3, 4, 7, -2, 2, -4, -8, -3, 3, -9, -2, 3],
    y: [-5, -3, 3, 4, 6, 6, -5, 3, 5, -9, -5, -5, 6, -4, 4, 4, 3, -7, -2, -2, -6, -1, -4, 4, -8, -1, -2, 4, -1, 2, 1, -5, -4, -3, -1, -1, -3, 1, 7, 7, -7, -7, -5, 4, -9, 2, -7, -6],
    output: [13, -32, 97, 102, 20, -79, -2, 28, 15, -87, 64, -49],
}, model=model)

x = Input("x", ("TENSOR_INT32", [1, 1]))
y = Input("y", ("TENSOR_INT32", [1, 1]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_INT32", [1, 1]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-5],
    y: [-7],
    output: [35],
}, model=model)

x = Input("x", ("TENSOR_INT32", [1, 1]))
y = Input("y", ("TENSOR_INT32", [1, 1]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_INT32", [1, 1]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-5],
    y: [-7],
    output: [35],
}, model=model)

x = Input("x", ("TENSOR_INT32", [1, 1]))
y = Input("y", ("TENSOR_INT32", [1, 1]))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_INT32", [1, 1]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-5],
    y: [-7],
    output: [35],
}, model=model)

x = Input("x", ("TENSOR_INT32", [1, 1]))
y = Input("y", ("TENSOR_INT32", [1, 1]))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_INT32", [1, 1]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-5],
    y: [-7],
    output: [35],
}, model=model)
