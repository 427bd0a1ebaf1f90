# Written by tests/golden/write_assembly_specs.py.

input1 = Input("input1", ("TENSOR_FLOAT32", [3]))
input2 = Input("input2", ("TENSOR_FLOAT32", [3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3]))
model = Model("front").Operation("PACK", 0, input1, input2).To(output0)
Example({
    input1: [-9.0, 4.0, -4.0],
    input2: [-12.0, 38.0, 26.0],
    output0: [-9.0, 4.0, -4.0, -12.0, 38.0, 26.0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32")

input1 = Input("input1", ("TENSOR_FLOAT32", [3]))
input2 = Input("input2", ("TENSOR_FLOAT32", [3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [3, 2]))
model = Model("back").Operation("PACK", 1, input1, input2).To(output0)
Example({
    input1: [7.0, 33.0, -5.0],
    input2: [26.0, 5.0, 3.0],
    output0: [7.0, 26.0, 33.0, 5.0, -5.0, 3.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32").DisableLifeTimeVariation()

input1 = Input("input1", ("TENSOR_FLOAT32", [2, 2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1, 2]))
model = Model("alone").Operation("PACK", 1, input1).To(output0)
Example({
    input1: [23.0, 0.0, 33.0, 2.0],
    output0: [23.0, 0.0, 33.0, 2.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32").DisableLifeTimeVariation()

input1 = Input("input1", ("TENSOR_FLOAT32", [2, 3]))
input2 = Input("input2", ("TENSOR_FLOAT32", [2, 3]))
input3 = Input("input3", ("TENSOR_FLOAT32", [2, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3, 3]))
model = Model("middle").Operation("PACK", 1, input1, input2, input3).To(output0)
Example({
    input1: [-19.0, 34.0, 1.0, -19.0, 5.0, -7.0],
    input2: [0.0, 7.0, 9.0, 21.0, -3.0, 7.0],
    input3: [19.0, 2.0, 39.0, 1.0, 28.0, -19.0],
    output0: [-19.0, 34.0, 1.0, 0.0, 7.0, 9.0, 19.0, 2.0, 39.0, -19.0, 5.0, -7.0, 21.0, -3.0, 7.0, 1.0, 28.0, -19.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32").DisableLifeTimeVariation()

input1 = Input("input1", ("TENSOR_FLOAT32", [1, 2, 1, 2]))
input2 = Input("input2", ("TENSOR_FLOAT32", [1, 2, 1, 2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 1, 2, 2]))
model = Model("to_rank_five").Operation("PACK", 4, input1, input2).To(output0)
Example({
    input1: [16.0, 36.0, -14.0, -20.0],
    input2: [35.0, 31.0, 15.0, 20.0],
    output0: [16.0, 35.0, 36.0, 31.0, -14.0, 15.0, -20.0, 20.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32").DisableLifeTimeVariation()
