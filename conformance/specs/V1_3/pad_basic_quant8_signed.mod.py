# Written by tests/golden/write_padding_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2, 2]), [1, 0, 0, 2])
output0 = Output("output0", ("TENSOR_FLOAT32", [3, 5]))
model = Model("matrix").Operation("PAD", input0, input1).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, -12.0, 38.0, 26.0, 0.0, 0.0, -19.0, -20.0, -5.0, 0.0, 0.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False)

input0 = Input("input0", ("TENSOR_FLOAT32", [3]))
input1 = Parameter("input1", ("TENSOR_INT32", [1, 2]), [2, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [6]))
model = Model("vector").Operation("PAD", input0, input1).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0],
    output0: [0.0, 0.0, -9.0, 4.0, -4.0, 0.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2, 2]), [0, 0, 0, 0])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3]))
model = Model("nothing").Operation("PAD", input0, input1).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
input1 = Parameter("input1", ("TENSOR_INT32", [4, 2]), [0, 0, 1, 1, 1, 1, 0, 0])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 4, 4, 1]))
model = Model("image").Operation("PAD", input0, input1).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 7.0, 33.0, 0.0, 0.0, -5.0, -18.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1]))
input1 = Parameter("input1", ("TENSOR_INT32", [3, 2]), [1, 1, 1, 0, 0, 2])
output0 = Output("output0", ("TENSOR_FLOAT32", [3, 3, 3]))
model = Model("all").Operation("PAD", input0, input1).To(output0)
Example({
    input0: [26.0, 5.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 26.0, 0.0, 0.0, 5.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()
