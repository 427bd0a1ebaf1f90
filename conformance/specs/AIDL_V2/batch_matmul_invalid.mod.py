# Written by tests/golden/write_dense_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [2, 3]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75],
    y: [1.75, -1.75, 1.25, 0.75, -2.0, 1.0],
    output: [0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [3, 2]))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75],
    y: [1.75, -1.75, 1.25, 0.75, -2.0, 1.0],
    output: [0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [1, 3, 2]))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2]))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75],
    y: [1.75, -1.75, 1.25, 0.75, -2.0, 1.0],
    output: [0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()
