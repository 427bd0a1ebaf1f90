# Written by tests/golden/write_assembly_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [2, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [4, 3]))
model = Model("matrix").Operation("TILE", input0, input1).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0, 10.0, 20.0],
    output0: [-9.0, 4.0, -4.0, 2.0, 10.0, 20.0, -9.0, 4.0, -4.0, 2.0, 10.0, 20.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False)

input0 = Input("input0", ("TENSOR_FLOAT32", [3]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [3])
output0 = Output("output0", ("TENSOR_FLOAT32", [9]))
model = Model("vector").Operation("TILE", input0, input1).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0],
    output0: [-12.0, 38.0, 26.0, -12.0, 38.0, 26.0, -12.0, 38.0, 26.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1]))
input1 = Parameter("input1", ("TENSOR_INT32", [3]), [2, 3, 2])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 6, 2]))
model = Model("all").Operation("TILE", input0, input1).To(output0)
Example({
    input0: [7.0, 33.0],
    output0: [7.0, 7.0, 33.0, 33.0, 7.0, 7.0, 33.0, 33.0, 7.0, 7.0, 33.0, 33.0, 7.0, 7.0, 33.0, 33.0, 7.0, 7.0, 33.0, 33.0, 7.0, 7.0, 33.0, 33.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [1, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2]))
model = Model("once").Operation("TILE", input0, input1).To(output0)
Example({
    input0: [26.0, 5.0, 3.0, 23.0],
    output0: [26.0, 5.0, 3.0, 23.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1, 1, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [5]), [1, 2, 1, 3, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 4, 1, 3, 2]))
model = Model("rank_five").Operation("TILE", input0, input1).To(output0)
Example({
    input0: [23.0, 0.0, 33.0, 2.0],
    output0: [23.0, 0.0, 23.0, 0.0, 23.0, 0.0, 33.0, 2.0, 33.0, 2.0, 33.0, 2.0, 23.0, 0.0, 23.0, 0.0, 23.0, 0.0, 33.0, 2.0, 33.0, 2.0, 33.0, 2.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()
