# Written by tests/golden/write_blocks_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 4, 1]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [2, 2])
input2 = Parameter("input2", ("TENSOR_INT32", [2, 2]), [0, 0, 0, 0])
output0 = Output("output0", ("TENSOR_FLOAT32", [4, 1, 2, 1]))
model = Model("square").Operation("SPACE_TO_BATCH_ND", input0, input1, input2).To(output0)
Example({
    input0: [24.0, 1.0, -2.0, 38.0, 24.0, 26.0, -8.0, -11.0],
    output0: [24.0, -2.0, 1.0, 38.0, 24.0, -8.0, 26.0, -11.0],
}, model=model).AddVariations("relaxed", DataTypeConverter("quant8", scale=0.25, zeroPoint=0))

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 3, 1]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [1, 3])
input2 = Parameter("input2", ("TENSOR_INT32", [2, 2]), [0, 0, 0, 0])
output0 = Output("output0", ("TENSOR_FLOAT32", [6, 1, 1, 1]))
model = Model("wide").Operation("SPACE_TO_BATCH_ND", input0, input1, input2).To(output0)
Example({
    input0: [-18.0, -4.0, 28.0, 18.0, 17.0, 39.0],
    output0: [-18.0, 18.0, -4.0, 17.0, 28.0, 39.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.25, zeroPoint=0)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 3, 1]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [3, 2])
input2 = Parameter("input2", ("TENSOR_INT32", [2, 2]), [1, 0, 2, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [6, 1, 3, 1]))
model = Model("padded").Operation("SPACE_TO_BATCH_ND", input0, input1, input2).To(output0)
Example({
    input0: [1.0, 29.0, 36.0, -3.0, -13.0, 14.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 36.0, 0.0, 29.0, 0.0, 0.0, -3.0, 14.0, 0.0, -13.0, 0.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.25, zeroPoint=0)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 1, 2, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [2, 1])
input2 = Parameter("input2", ("TENSOR_INT32", [2, 2]), [0, 3, 1, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2, 4, 2]))
model = Model("tall_padded").Operation("SPACE_TO_BATCH_ND", input0, input1, input2).To(output0)
Example({
    input0: [20.0, 24.0, 5.0, 37.0],
    output0: [0.0, 0.0, 20.0, 24.0, 5.0, 37.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.25, zeroPoint=0)).DisableLifeTimeVariation()
