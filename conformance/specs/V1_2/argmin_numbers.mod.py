# Written by tests/golden/write_reduction_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [5]))
axis = 0
output = Output("output", ("TENSOR_INT32", [1]))
model = Model().Operation("ARGMIN", x, axis).To(output)
Example({
    x: [1.0, 1.0, -1.0, 0.0, -1.0],
    output: [2],
}, model=model).AddVariations("relaxed", "float16", "int32", DataTypeConverter("quant8", scale=1.0, zeroPoint=128))

x = Input("x", ("TENSOR_FLOAT32", [2, 4]))
axis = -1
output = Output("output", ("TENSOR_INT32", [2]))
model = Model().Operation("ARGMIN", x, axis).To(output)
Example({
    x: [2.0, 1.0, -1.0, 2.0, -1.0, 0.0, 0.0, -1.0],
    output: [2, 0],
}, model=model).AddVariations("relaxed", "float16", "int32", DataTypeConverter("quant8", scale=1.0, zeroPoint=128))

x = Input("x", ("TENSOR_FLOAT32", [4, 2]))
axis = -2
output = Output("output", ("TENSOR_INT32", [2]))
model = Model().Operation("ARGMIN", x, axis).To(output)
Example({
    x: [2.0, 1.0, -1.0, 2.0, -1.0, 0.0, 0.0, -1.0],
    output: [1, 3],
}, model=model).AddVariations("relaxed", "float16", "int32", DataTypeConverter("quant8", scale=1.0, zeroPoint=128))

x = Input("x", ("TENSOR_FLOAT32", [2, 3, 2]))
axis = 1
output = Output("output", ("TENSOR_INT32", [2, 2]))
model = Model().Operation("ARGMIN", x, axis).To(output)
Example({
    x: [-1.0, 0.0, -2.0, -1.0, -2.0, -1.0, -2.0, 2.0, 0.0, -1.0, 0.0, -1.0],
    output: [1, 1, 0, 1],
}, model=model).AddVariations("relaxed", "float16", "int32", DataTypeConverter("quant8", scale=1.0, zeroPoint=128))

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
axis = 2
output = Output("output", ("TENSOR_INT32", [2, 2, 2]))
model = Model().Operation("ARGMIN", x, axis).To(output)
Example({
    x: [1.0, -1.0, 2.0, 1.0, -2.0, 2.0, 1.0, 0.0, 2.0, 0.0, 0.0, -2.0, 0.0, 2.0, 1.0, 1.0, 1.0, 2.0, -2.0, 1.0, 1.0, 0.0, -2.0, -1.0],
    output: [2, 0, 2, 2, 0, 1, 0, 2],
}, model=model).AddVariations("relaxed", "float16", "int32", DataTypeConverter("quant8", scale=1.0, zeroPoint=128))

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 3, 2]))
axis = -2
output = Output("output", ("TENSOR_INT32", [1, 2, 1, 2]))
model = Model().Operation("ARGMIN", x, axis).To(output)
Example({
    x: [-2.0, -1.0, 2.0, -1.0, 2.0, 0.0, -1.0, -1.0, 1.0, 2.0, -1.0, 2.0],
    output: [0, 0, 0, 0],
}, model=model).AddVariations("relaxed", "float16", "int32", DataTypeConverter("quant8", scale=1.0, zeroPoint=128))
