# Written by tests/golden/write_assembly_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [4, 2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2]))
output1 = Output("output1", ("TENSOR_FLOAT32", [2, 2]))
model = Model("rows").Operation("SPLIT", input0, 0, 2).To(output0, output1)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0, 10.0, 20.0, 11.0, -11.0],
    output0: [-9.0, 4.0, -4.0, 2.0],
    output1: [10.0, 20.0, 11.0, -11.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False)

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1]))
output1 = Output("output1", ("TENSOR_FLOAT32", [2, 1]))
output2 = Output("output2", ("TENSOR_FLOAT32", [2, 1]))
model = Model("columns").Operation("SPLIT", input0, 1, 3).To(output0, output1, output2)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [-12.0, -19.0],
    output1: [38.0, -20.0],
    output2: [26.0, -5.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 4]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1, 2]))
output1 = Output("output1", ("TENSOR_FLOAT32", [2, 1, 2]))
model = Model("negative").Operation("SPLIT", input0, -1, 2).To(output0, output1)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0, 20.0, 13.0],
    output0: [7.0, 33.0, 33.0, 8.0],
    output1: [-5.0, -18.0, 20.0, 13.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2]))
model = Model("one").Operation("SPLIT", input0, 0, 1).To(output0)
Example({
    input0: [26.0, 5.0, 3.0, 23.0],
    output0: [26.0, 5.0, 3.0, 23.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [6]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1]))
output1 = Output("output1", ("TENSOR_FLOAT32", [1]))
output2 = Output("output2", ("TENSOR_FLOAT32", [1]))
output3 = Output("output3", ("TENSOR_FLOAT32", [1]))
output4 = Output("output4", ("TENSOR_FLOAT32", [1]))
output5 = Output("output5", ("TENSOR_FLOAT32", [1]))
model = Model("vector").Operation("SPLIT", input0, -1, 6).To(output0, output1, output2, output3, output4, output5)
Example({
    input0: [23.0, 0.0, 33.0, 2.0, 35.0, 18.0],
    output0: [23.0],
    output1: [0.0],
    output2: [33.0],
    output3: [2.0],
    output4: [35.0],
    output5: [18.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1, 2, 2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 1, 1, 2]))
output1 = Output("output1", ("TENSOR_FLOAT32", [1, 2, 1, 1, 2]))
model = Model("rank_five").Operation("SPLIT", input0, 3, 2).To(output0, output1)
Example({
    input0: [-19.0, 34.0, 1.0, -19.0, 5.0, -7.0, -18.0, -4.0],
    output0: [-19.0, 34.0, 5.0, -7.0],
    output1: [1.0, -19.0, -18.0, -4.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()
