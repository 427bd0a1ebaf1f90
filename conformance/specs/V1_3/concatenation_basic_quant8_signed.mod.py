# Written by tests/golden/write_assembly_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Input("input1", ("TENSOR_FLOAT32", [1, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [3, 3]))
model = Model("rows").Operation("CONCATENATION", input0, input1, 0).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0, 10.0, 20.0],
    input1: [-12.0, 38.0, 26.0],
    output0: [-9.0, 4.0, -4.0, 2.0, 10.0, 20.0, -12.0, 38.0, 26.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False)

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1]))
input1 = Input("input1", ("TENSOR_FLOAT32", [2, 2]))
input2 = Input("input2", ("TENSOR_FLOAT32", [2, 1]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 4]))
model = Model("columns").Operation("CONCATENATION", input0, input1, input2, 1).To(output0)
Example({
    input0: [7.0, 33.0],
    input1: [26.0, 5.0, 3.0, 23.0],
    input2: [23.0, 0.0],
    output0: [7.0, 26.0, 5.0, 23.0, 33.0, 3.0, 23.0, 0.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2]))
model = Model("alone").Operation("CONCATENATION", input0, 0).To(output0)
Example({
    input0: [-19.0, 34.0, 1.0, -19.0],
    output0: [-19.0, 34.0, 1.0, -19.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1]))
input1 = Input("input1", ("TENSOR_FLOAT32", [3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [4]))
model = Model("vectors").Operation("CONCATENATION", input0, input1, 0).To(output0)
Example({
    input0: [0.0],
    input1: [19.0, 2.0, 39.0],
    output0: [0.0, 19.0, 2.0, 39.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1, 2]))
input1 = Input("input1", ("TENSOR_FLOAT32", [2, 2, 1, 2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [3, 2, 1, 2]))
model = Model("batches").Operation("CONCATENATION", input0, input1, 0).To(output0)
Example({
    input0: [16.0, 36.0, -14.0, -20.0],
    input1: [35.0, 31.0, 15.0, 20.0, 30.0, -9.0, 21.0, -18.0],
    output0: [16.0, 36.0, -14.0, -20.0, 35.0, 31.0, 15.0, 20.0, 30.0, -9.0, 21.0, -18.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1, 2]))
input1 = Input("input1", ("TENSOR_FLOAT32", [1, 2, 1, 1]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 1, 3]))
model = Model("channels").Operation("CONCATENATION", input0, input1, 3).To(output0)
Example({
    input0: [-8.0, 4.0, -16.0, -1.0],
    input1: [-11.0, -1.0],
    output0: [-8.0, 4.0, -11.0, -16.0, -1.0, -1.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1]))
input1 = Input("input1", ("TENSOR_FLOAT32", [2, 1]))
input2 = Input("input2", ("TENSOR_FLOAT32", [2, 1]))
input3 = Input("input3", ("TENSOR_FLOAT32", [2, 1]))
input4 = Input("input4", ("TENSOR_FLOAT32", [2, 1]))
input5 = Input("input5", ("TENSOR_FLOAT32", [2, 1]))
input6 = Input("input6", ("TENSOR_FLOAT32", [2, 1]))
input7 = Input("input7", ("TENSOR_FLOAT32", [2, 1]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 8]))
model = Model("many").Operation("CONCATENATION", input0, input1, input2, input3, input4, input5, input6, input7, 1).To(output0)
Example({
    input0: [36.0, -8.0],
    input1: [-6.0, 26.0],
    input2: [-9.0, 21.0],
    input3: [10.0, -6.0],
    input4: [29.0, 28.0],
    input5: [-13.0, 23.0],
    input6: [-16.0, -4.0],
    input7: [3.0, -9.0],
    output0: [36.0, -6.0, -9.0, 10.0, 29.0, -13.0, -16.0, 3.0, -8.0, 26.0, 21.0, -6.0, 28.0, 23.0, -4.0, -9.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()
