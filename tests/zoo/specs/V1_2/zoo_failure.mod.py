# There is no third row to gather.
x, y = Input("x", ("TENSOR_FLOAT32", [2, 1])), Output("y", ("TENSOR_FLOAT32", [1, 1]))
rows = Input("rows", ("TENSOR_INT32", [1]))
Example({x: [1.0, 2.0], rows: [2], y: [0.0]}, model=Model("gather").Operation("GATHER", x, 0, rows).To(y)) \
    .DisableLifeTimeVariation().ExpectFailure()
