# Written by tests/golden/write_reduction_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [5]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [0])
keep_dims = 0
output = Output("output", ("TENSOR_FLOAT32", [1]))
model = Model().Operation("MEAN", x, axes, keep_dims).To(output)
Example({
    x: [-6.9375, 3.6875, -6.125, -4.375, 3.6875],
    output: [-2.0125],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [5]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [-1])
keep_dims = 1
output = Output("output", ("TENSOR_FLOAT32", [1]))
model = Model().Operation("MEAN", x, axes, keep_dims).To(output)
Example({
    x: [-1.0625, -8.0, 3.6875, -5.1875, -7.4375],
    output: [-3.6],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [0])
keep_dims = 0
output = Output("output", ("TENSOR_FLOAT32", [3]))
model = Model().Operation("MEAN", x, axes, keep_dims).To(output)
Example({
    x: [4.75, -3.6875, -2.4375, -6.0, -2.5, 0.0],
    output: [-0.625, -3.09375, -1.21875],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [2]), [1, -2])
keep_dims = 0
output = Output("output", ("TENSOR_FLOAT32", [1]))
model = Model().Operation("MEAN", x, axes, keep_dims).To(output)
Example({
    x: [-5.4375, 0.6875, 7.5, -6.75, 2.5, -3.0625],
    output: [-0.7604167],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [2, 3, 2]))
axes = Parameter("axes", ("TENSOR_INT32", [2]), [-1, 0])
keep_dims = 1
output = Output("output", ("TENSOR_FLOAT32", [1, 3, 1]))
model = Model().Operation("MEAN", x, axes, keep_dims).To(output)
Example({
    x: [0.4375, 4.9375, 1.3125, -7.5, 7.4375, -6.0, 0.4375, -6.125, -1.125, -0.4375, -5.125, -3.125],
    output: [-0.078125, -1.9375, -1.703125],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [2, 3, 2]))
axes = Parameter("axes", ("TENSOR_INT32", [3]), [1, 1, -2])
keep_dims = 0
output = Output("output", ("TENSOR_FLOAT32", [2, 2]))
model = Model().Operation("MEAN", x, axes, keep_dims).To(output)
Example({
    x: [6.25, -6.75, -4.8125, 7.75, -3.625, 7.0625, -4.0625, 1.0, -1.1875, -0.1875, 5.5, -2.125],
    output: [-0.7291667, 2.6875, 0.083333336, -0.4375],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [2]), [1, 2])
keep_dims = 1
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 1, 3]))
model = Model().Operation("MEAN", x, axes, keep_dims).To(output)
Example({
    x: [-3.9375, -2.4375, 5.0625, 6.9375, 1.3125, 4.125, 7.5625, -7.9375, -1.25, 0.0, 0.125, -1.0625, 0.125, -0.625, 2.9375, -6.625, 7.8125, 2.625, -0.375, -2.875, -6.625, -5.125, 4.0, -7.75],
    output: [2.640625, -2.234375, 1.71875, -3.0, 2.078125, -2.203125],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [2]), [3, 1])
keep_dims = 0
output = Output("output", ("TENSOR_FLOAT32", [2, 2]))
model = Model().Operation("MEAN", x, axes, keep_dims).To(output)
Example({
    x: [1.9375, 1.875, -1.125, 6.125, 6.3125, 1.125, 3.125, -0.8125, -1.375, 0.1875, -5.25, 0.0, 6.9375, -2.375, -4.1875, 2.0, -6.0, -4.6875, -5.625, 1.9375, 5.0, 7.4375, -3.75, 0.9375],
    output: [0.6041667, 1.4166666, 0.28125, -0.6770833],
}, model=model).AddVariations("relaxed")

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
axes = Parameter("axes", ("TENSOR_INT32", [4]), [0, 1, 2, 3])
keep_dims = 1
output = Output("output", ("TENSOR_FLOAT32", [1, 1, 1, 1]))
model = Model().Operation("MEAN", x, axes, keep_dims).To(output)
Example({
    x: [7.8125, 6.25, -7.25, 5.375, -4.8125, -1.875, -1.3125, 6.375, -1.375, 0.4375, 5.375, 1.0625, -2.25, -4.125, 4.6875, -5.5625, -3.75, 4.0625, 5.1875, 6.8125, 0.5625, 3.875, 4.5, -6.4375],
    output: [0.984375],
}, model=model).AddVariations("relaxed")
