# Written by tests/golden/write_reshaping_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [3]))
output0 = Output("output0", ("INT32", []))
model = Model("one").Operation("RANK", input0).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0],
    output0: [1],
}, model=model).AddVariations("relaxed", "float16", "int32", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20))

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2]))
output0 = Output("output0", ("INT32", []))
model = Model("two").Operation("RANK", input0).To(output0)
Example({
    input0: [-9.0, 4.0],
    output0: [2],
}, model=model).AddVariations("float16", "int32", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1, 2]))
output0 = Output("output0", ("INT32", []))
model = Model("four").Operation("RANK", input0).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [4],
}, model=model).AddVariations("float16", "int32", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 1, 2, 1, 1, 1]))
output0 = Output("output0", ("INT32", []))
model = Model("six").Operation("RANK", input0).To(output0)
Example({
    input0: [-9.0, 4.0],
    output0: [6],
}, model=model).AddVariations("float16", "int32", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20)).DisableLifeTimeVariation()
