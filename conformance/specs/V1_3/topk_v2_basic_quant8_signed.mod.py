# Written by tests/golden/write_slicing_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2]))
output1 = Output("output1", ("TENSOR_INT32", [2, 2]))
model = Model("rows").Operation("TOPK_V2", input0, 2).To(output0, output1)
Example({
    input0: [3.0, 9.0, 5.0, -7.0, 8.0, 1.0],
    output0: [9.0, 5.0, 8.0, 1.0],
    output1: [1, 2, 1, 2],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False)

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
output0 = Output("output0", ("TENSOR_FLOAT32", [4]))
output1 = Output("output1", ("TENSOR_INT32", [4]))
model = Model("all").Operation("TOPK_V2", input0, 4).To(output0, output1)
Example({
    input0: [3.0, -9.0, 5.0, 11.0],
    output0: [11.0, 5.0, 3.0, -9.0],
    output1: [3, 2, 0, 1],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 1]))
output1 = Output("output1", ("TENSOR_INT32", [1, 2, 1]))
model = Model("first").Operation("TOPK_V2", input0, 1).To(output0, output1)
Example({
    input0: [3.0, 9.0, 5.0, 4.0],
    output0: [9.0, 5.0],
    output1: [1, 0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 4]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3]))
output1 = Output("output1", ("TENSOR_INT32", [2, 3]))
model = Model("ties").Operation("TOPK_V2", input0, 3).To(output0, output1)
Example({
    input0: [7.0, 3.0, 7.0, 3.0, 7.0, 7.0, 3.0, 3.0],
    output0: [7.0, 7.0, 3.0, 7.0, 7.0, 3.0],
    output1: [2, 0, 3, 1, 0, 3],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2]))
output1 = Output("output1", ("TENSOR_INT32", [2]))
model = Model("equal").Operation("TOPK_V2", input0, 2).To(output0, output1)
Example({
    input0: [5.0, 5.0, 5.0, 5.0],
    output0: [5.0, 5.0],
    output1: [3, 2],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1, 5]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 1, 3]))
output1 = Output("output1", ("TENSOR_INT32", [1, 2, 1, 3]))
model = Model("image").Operation("TOPK_V2", input0, 3).To(output0, output1)
Example({
    input0: [16.0, 36.0, -14.0, -20.0, -2.0, 17.0, 6.0, 1.0, -20.0, 29.0],
    output0: [36.0, 16.0, -2.0, 29.0, 17.0, 6.0],
    output1: [1, 0, 4, 4, 0, 1],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()
