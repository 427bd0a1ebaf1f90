# Written by tests/golden/write_reduction_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM", [5], 0.5, 0))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [-1])
keep_dims = 1
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1], 0.5, 0))
model = Model().Operation("MEAN", x, axes, keep_dims).To(output)
Example({
    x: [184, 8, 202, 85, 62],
    output: [108],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.5, 128))
axes = Parameter("axes", ("TENSOR_INT32", [2]), [1, -2])
keep_dims = 0
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1], 0.5, 128))
model = Model().Operation("MEAN", x, axes, keep_dims).To(output)
Example({
    x: [96, 213, 202, 62, 81, 101],
    output: [125],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 3, 2], 0.5, 255))
axes = Parameter("axes", ("TENSOR_INT32", [3]), [1, 1, -2])
keep_dims = 0
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.5, 255))
model = Model().Operation("MEAN", x, axes, keep_dims).To(output)
Example({
    x: [8, 162, 203, 39, 100, 112, 71, 218, 147, 11, 43, 246],
    output: [103, 104, 87, 158],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 2, 2, 3], 0.5, 7))
axes = Parameter("axes", ("TENSOR_INT32", [2]), [3, 1])
keep_dims = 0
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2], 0.5, 7))
model = Model().Operation("MEAN", x, axes, keep_dims).To(output)
Example({
    x: [176, 111, 204, 16, 119, 122, 78, 108, 2, 44, 19, 213, 68, 143, 248, 24, 60, 150, 143, 33, 47, 239, 25, 152],
    output: [113, 88, 113, 108],
}, model=model)
