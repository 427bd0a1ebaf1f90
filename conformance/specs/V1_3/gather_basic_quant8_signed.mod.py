# Written by tests/golden/write_slicing_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input2 = Parameter("input2", ("TENSOR_INT32", [2]), [1, 0])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3]))
model = Model("rows").Operation("GATHER", input0, 0, input2).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [-19.0, -20.0, -5.0, -12.0, 38.0, 26.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False)

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input2 = Input("input2", ("TENSOR_INT32", [4]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 4]))
model = Model("columns").Operation("GATHER", input0, 1, input2).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    input2: [2, 0, 2, 1],
    output0: [26.0, -12.0, 26.0, 38.0, -5.0, -19.0, -5.0, -20.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
input2 = Input("input2", ("TENSOR_INT32", [1]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2, 1, 2]))
model = Model("negative_axis").Operation("GATHER", input0, -2, input2).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0, 20.0, 13.0, 38.0, 24.0, 19.0, 4.0, -3.0, 22.0, 21.0, 34.0, 30.0, 28.0, -4.0, 37.0, 1.0, 31.0, 20.0, 0.0],
    input2: [2],
    output0: [33.0, 8.0, 19.0, 4.0, 30.0, 28.0, 20.0, 0.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input2 = Input("input2", ("TENSOR_INT32", [2, 2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2, 3]))
model = Model("matrix_of_rows").Operation("GATHER", input0, 0, input2).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    input2: [0, 1, 1, 0],
    output0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, -19.0, -20.0, -5.0, -12.0, 38.0, 26.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
input2 = Input("input2", ("TENSOR_INT32", [3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [3]))
model = Model("vector").Operation("GATHER", input0, 0, input2).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    input2: [3, 3, 1],
    output0: [2.0, 2.0, 4.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3, 1]))
input2 = Input("input2", ("TENSOR_INT32", [1, 2, 1]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1, 2, 1, 1]))
model = Model("deep").Operation("GATHER", input0, 1, input2).To(output0)
Example({
    input0: [23.0, 0.0, 33.0, 2.0, 35.0, 18.0],
    input2: [2, 0],
    output0: [33.0, 23.0, 18.0, 2.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()
