# Written by tests/golden/write_reshaping_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 2]))
model = Model("front").Operation("EXPAND_DIMS", input0, 0).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [-9.0, 4.0, -4.0, 2.0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), "int32")

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1, 3]))
model = Model("middle").Operation("EXPAND_DIMS", input0, 1).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1]))
model = Model("end").Operation("EXPAND_DIMS", input0, 1).To(output0)
Example({
    input0: [7.0, 33.0],
    output0: [7.0, 33.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3, 1]))
model = Model("last").Operation("EXPAND_DIMS", input0, -1).To(output0)
Example({
    input0: [26.0, 5.0, 3.0, 23.0, 3.0, -17.0],
    output0: [26.0, 5.0, 3.0, 23.0, 3.0, -17.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1, 2]))
model = Model("negative").Operation("EXPAND_DIMS", input0, -2).To(output0)
Example({
    input0: [23.0, 0.0, 33.0, 2.0],
    output0: [23.0, 0.0, 33.0, 2.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 3]))
model = Model("negative_front").Operation("EXPAND_DIMS", input0, -2).To(output0)
Example({
    input0: [-19.0, 34.0, 1.0],
    output0: [-19.0, 34.0, 1.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1, 2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 1, 2, 1]))
model = Model("rank_five").Operation("EXPAND_DIMS", input0, 4).To(output0)
Example({
    input0: [0.0, 7.0, 9.0, 21.0],
    output0: [0.0, 7.0, 9.0, 21.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), "int32").DisableLifeTimeVariation()
