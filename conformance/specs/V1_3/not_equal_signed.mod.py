# Written by tests/golden/write_comparison_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
y = Input("y", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_BOOL8", [2, 3]))
model = Model().Operation("NOT_EQUAL", x, y).To(output)
Example({
    x: [1.0, 2.0, -1.0, -3.0, -1.0, 2.0],
    y: [2.0, -1.0, 3.0, -3.0, 2.0, 2.0],
    output: [1, 1, 1, 0, 1, 0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=1.0, zeroPoint=-3), includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 3]))
y = Input("y", ("TENSOR_FLOAT32", [1]))
output = Output("output", ("TENSOR_BOOL8", [2, 1, 3]))
model = Model().Operation("NOT_EQUAL", x, y).To(output)
Example({
    x: [3.0, 1.0, 0.0, -2.0, -2.0, -3.0],
    y: [-1.0],
    output: [1, 1, 1, 1, 1, 1],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=1.0, zeroPoint=-3), includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [2]))
y = Input("y", ("TENSOR_FLOAT32", [3, 1, 2]))
output = Output("output", ("TENSOR_BOOL8", [3, 1, 2]))
model = Model().Operation("NOT_EQUAL", x, y).To(output)
Example({
    x: [1.0, -2.0],
    y: [-3.0, -3.0, 3.0, -1.0, -1.0, -1.0],
    output: [1, 1, 1, 1, 1, 1],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=1.0, zeroPoint=-3), includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 2]))
y = Input("y", ("TENSOR_FLOAT32", [1, 3, 1]))
output = Output("output", ("TENSOR_BOOL8", [2, 3, 2]))
model = Model().Operation("NOT_EQUAL", x, y).To(output)
Example({
    x: [-2.0, 0.0, -3.0, -3.0],
    y: [-3.0, 0.0, -3.0],
    output: [1, 1, 1, 0, 1, 1, 0, 0, 1, 1, 0, 0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=1.0, zeroPoint=-3), includeDefault=False)

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 1, 2]))
y = Input("y", ("TENSOR_FLOAT32", [2, 1, 1, 2, 1]))
output = Output("output", ("TENSOR_BOOL8", [2, 2, 1, 2, 2]))
model = Model().Operation("NOT_EQUAL", x, y).To(output)
Example({
    x: [1.0, -2.0, -3.0, -3.0],
    y: [3.0, -1.0, -1.0, -1.0],
    output: [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=1.0, zeroPoint=-3), includeDefault=False)
