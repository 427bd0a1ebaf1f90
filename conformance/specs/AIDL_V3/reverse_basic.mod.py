# Written by tests/golden/write_assembly_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [3, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [0])
output0 = Output("output0", ("TENSOR_FLOAT32", [3, 2]))
model = Model("rows").Operation("REVERSE", input0, input1).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0, 10.0, 20.0],
    output0: [10.0, 20.0, -4.0, 2.0, -9.0, 4.0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32")

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [1])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3]))
model = Model("columns").Operation("REVERSE", input0, input1).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [26.0, 38.0, -12.0, -5.0, -20.0, -19.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [5]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [0])
output0 = Output("output0", ("TENSOR_FLOAT32", [5]))
model = Model("vector").Operation("REVERSE", input0, input1).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0],
    output0: [33.0, -18.0, -5.0, 33.0, 7.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [0])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2]))
model = Model("one").Operation("REVERSE", input0, input1).To(output0)
Example({
    input0: [26.0, 5.0],
    output0: [26.0, 5.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 3, 1, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [2])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 3, 1, 2]))
model = Model("rank_five").Operation("REVERSE", input0, input1).To(output0)
Example({
    input0: [23.0, 0.0, 33.0, 2.0, 35.0, 18.0, 28.0, 15.0, -2.0, -8.0, -1.0, -17.0],
    output0: [35.0, 18.0, 33.0, 2.0, 23.0, 0.0, -1.0, -17.0, -2.0, -8.0, 28.0, 15.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1, 1, 2, 1, 1, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [7])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 1, 1, 2, 1, 1, 2]))
model = Model("rank_eight").Operation("REVERSE", input0, input1).To(output0)
Example({
    input0: [-19.0, 34.0, 1.0, -19.0, 5.0, -7.0, -18.0, -4.0],
    output0: [34.0, -19.0, -19.0, 1.0, -7.0, 5.0, -4.0, -18.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32").DisableLifeTimeVariation()
