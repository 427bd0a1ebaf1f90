# Written by tests/golden/write_reduction_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [5], 0.5, -128))
axes = Parameter("axes", ("TENSOR_INT32", [1]), [-1])
keep_dims = True
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1], 0.5, -128))
model = Model().Operation("REDUCE_MAX", x, axes, keep_dims).To(output)
Example({
    x: [56, -120, 74, -43, -66],
    output: [74],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 0.5, 0))
axes = Parameter("axes", ("TENSOR_INT32", [2]), [1, -2])
keep_dims = False
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1], 0.5, 0))
model = Model().Operation("REDUCE_MAX", x, axes, keep_dims).To(output)
Example({
    x: [-32, 85, 74, -66, -47, -27],
    output: [85],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 2], 0.5, 127))
axes = Parameter("axes", ("TENSOR_INT32", [3]), [1, 1, -2])
keep_dims = False
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2], 0.5, 127))
model = Model().Operation("REDUCE_MAX", x, axes, keep_dims).To(output)
Example({
    x: [-120, 34, 75, -89, -28, -16, -57, 90, 19, -117, -85, 118],
    output: [75, 34, 19, 118],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 2, 3], 0.5, -121))
axes = Parameter("axes", ("TENSOR_INT32", [2]), [3, 1])
keep_dims = False
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2], 0.5, -121))
model = Model().Operation("REDUCE_MAX", x, axes, keep_dims).To(output)
Example({
    x: [48, -17, 76, -112, -9, -6, -50, -20, -126, -84, -109, 85, -60, 15, 120, -104, -68, 22, 15, -95, -81, 111, -103, 24],
    output: [76, 85, 120, 111],
}, model=model)
