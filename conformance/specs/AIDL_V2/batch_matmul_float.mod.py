# Written by tests/golden/write_dense_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [3, 4]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75],
    y: [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75],
    output: [3.8125, -0.0625, -2.625, 2.75, 1.75, -2.25, 2.1875, -1.125],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [4, 3]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75],
    y: [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75],
    output: [1.875, 2.0625, -2.5, -1.125, 2.25, 1.625, 0.0625, -2.5625],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [3, 2]))
y = Input("y", ("TENSOR_FLOAT32", [3, 4]))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75],
    y: [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75],
    output: [5.1875, -2.9375, 0.9375, -0.5, -3.6875, 2.4375, -0.8125, -2.25],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [3, 2]))
y = Input("y", ("TENSOR_FLOAT32", [4, 3]))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75],
    y: [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75, 0.5, -1.5, 2.0, -1.75],
    output: [4.5, 4.3125, -1.8125, -4.6875, -3.0, -1.5625, 1.1875, 2.3125],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [2, 3, 1]))
y = Input("y", ("TENSOR_FLOAT32", [2, 1, 2]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [1.75, -1.75, 1.25, 0.75, -2.0, 1.0],
    y: [-1.75, -2.0, 0.75, 1.0],
    output: [-3.0625, -3.5, 3.0625, 3.5, -2.1875, -2.5, 0.5625, 0.75, -1.5, -2.0, 0.75, 1.0],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [2, 3, 1]))
y = Input("y", ("TENSOR_FLOAT32", [2, 2, 1]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [1.75, -1.75, 1.25, 0.75, -2.0, 1.0],
    y: [-1.75, -2.0, 0.75, 1.0],
    output: [-3.0625, -3.5, 3.0625, 3.5, -2.1875, -2.5, 0.5625, 0.75, -1.5, -2.0, 0.75, 1.0],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 3]))
y = Input("y", ("TENSOR_FLOAT32", [2, 1, 2]))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [1.75, -1.75, 1.25, 0.75, -2.0, 1.0],
    y: [-1.75, -2.0, 0.75, 1.0],
    output: [-3.0625, -3.5, 3.0625, 3.5, -2.1875, -2.5, 0.5625, 0.75, -1.5, -2.0, 0.75, 1.0],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 3]))
y = Input("y", ("TENSOR_FLOAT32", [2, 2, 1]))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [1.75, -1.75, 1.25, 0.75, -2.0, 1.0],
    y: [-1.75, -2.0, 0.75, 1.0],
    output: [-3.0625, -3.5, 3.0625, 3.5, -2.1875, -2.5, 0.5625, 0.75, -1.5, -2.0, 0.75, 1.0],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [2, 3, 1, 4]))
y = Input("y", ("TENSOR_FLOAT32", [2, 3, 4, 2]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 1, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-1.75, -2.0, 0.75, 1.0, 0.5, 1.25, -1.0, -1.25, 0.75, 1.0, -0.75, -0.75, 1.25, -0.25, 1.75, -0.5, 1.75, -1.5, -1.0, -0.75, 1.5, 1.75, -0.25, 0.5],
    y: [-0.75, -2.0, 0.25, 1.5, -1.0, 1.0, -1.25, 0.75, 1.25, -0.5, 0.5, 0.0, 0.75, -1.25, 1.5, 0.25, 0.75, -0.75, 1.75, 1.5, 1.5, 0.25, -2.0, 1.75, -1.0, -1.25, 1.0, -1.0, 1.25, 0.75, 2.0, -0.75, -0.5, 0.75, 1.75, -0.5, 0.75, 1.25, 0.5, -1.5, 0.75, -2.0, 2.0, 0.0, -0.75, -1.25, -1.5, 1.0],
    output: [-1.1875, 2.0, -1.375, 0.6875, 2.6875, -0.5625, -0.3125, 0.375, -4.625, 1.9375, 4.0625, -2.1875],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [2, 3, 1, 4]))
y = Input("y", ("TENSOR_FLOAT32", [2, 3, 2, 4]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 1, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-1.75, -2.0, 0.75, 1.0, 0.5, 1.25, -1.0, -1.25, 0.75, 1.0, -0.75, -0.75, 1.25, -0.25, 1.75, -0.5, 1.75, -1.5, -1.0, -0.75, 1.5, 1.75, -0.25, 0.5],
    y: [-0.75, -2.0, 0.25, 1.5, -1.0, 1.0, -1.25, 0.75, 1.25, -0.5, 0.5, 0.0, 0.75, -1.25, 1.5, 0.25, 0.75, -0.75, 1.75, 1.5, 1.5, 0.25, -2.0, 1.75, -1.0, -1.25, 1.0, -1.0, 1.25, 0.75, 2.0, -0.75, -0.5, 0.75, 1.75, -0.5, 0.75, 1.25, 0.5, -1.5, 0.75, -2.0, 2.0, 0.0, -0.75, -1.25, -1.5, 1.0],
    output: [7.0, -0.4375, -0.5, -3.0, -2.625, 1.5625, 1.3125, 5.25, -3.375, 0.0625, -2.875, -2.4375],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [2, 3, 4, 1]))
y = Input("y", ("TENSOR_FLOAT32", [2, 3, 4, 2]))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 1, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-1.75, -2.0, 0.75, 1.0, 0.5, 1.25, -1.0, -1.25, 0.75, 1.0, -0.75, -0.75, 1.25, -0.25, 1.75, -0.5, 1.75, -1.5, -1.0, -0.75, 1.5, 1.75, -0.25, 0.5],
    y: [-0.75, -2.0, 0.25, 1.5, -1.0, 1.0, -1.25, 0.75, 1.25, -0.5, 0.5, 0.0, 0.75, -1.25, 1.5, 0.25, 0.75, -0.75, 1.75, 1.5, 1.5, 0.25, -2.0, 1.75, -1.0, -1.25, 1.0, -1.0, 1.25, 0.75, 2.0, -0.75, -0.5, 0.75, 1.75, -0.5, 0.75, 1.25, 0.5, -1.5, 0.75, -2.0, 2.0, 0.0, -0.75, -1.25, -1.5, 1.0],
    output: [-1.1875, 2.0, -1.375, 0.6875, 2.6875, -0.5625, -0.3125, 0.375, -4.625, 1.9375, 4.0625, -2.1875],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [2, 3, 4, 1]))
y = Input("y", ("TENSOR_FLOAT32", [2, 3, 2, 4]))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 1, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-1.75, -2.0, 0.75, 1.0, 0.5, 1.25, -1.0, -1.25, 0.75, 1.0, -0.75, -0.75, 1.25, -0.25, 1.75, -0.5, 1.75, -1.5, -1.0, -0.75, 1.5, 1.75, -0.25, 0.5],
    y: [-0.75, -2.0, 0.25, 1.5, -1.0, 1.0, -1.25, 0.75, 1.25, -0.5, 0.5, 0.0, 0.75, -1.25, 1.5, 0.25, 0.75, -0.75, 1.75, 1.5, 1.5, 0.25, -2.0, 1.75, -1.0, -1.25, 1.0, -1.0, 1.25, 0.75, 2.0, -0.75, -0.5, 0.75, 1.75, -0.5, 0.75, 1.25, 0.5, -1.5, 0.75, -2.0, 2.0, 0.0, -0.75, -1.25, -1.5, 1.0],
    output: [7.0, -0.4375, -0.5, -3.0, -2.625, 1.5625, 1.3125, 5.25, -3.375, 0.0625, -2.875, -2.4375],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [1, 1]))
y = Input("y", ("TENSOR_FLOAT32", [1, 1]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 1]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-0.75],
    y: [0.25],
    output: [-0.1875],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [1, 1]))
y = Input("y", ("TENSOR_FLOAT32", [1, 1]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_FLOAT32", [1, 1]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-0.75],
    y: [0.25],
    output: [-0.1875],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [1, 1]))
y = Input("y", ("TENSOR_FLOAT32", [1, 1]))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 1]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-0.75],
    y: [0.25],
    output: [-0.1875],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [1, 1]))
y = Input("y", ("TENSOR_FLOAT32", [1, 1]))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_FLOAT32", [1, 1]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-0.75],
    y: [0.25],
    output: [-0.1875],
}, model=model)
