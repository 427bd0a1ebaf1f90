# Written by tests/golden/write_padding_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2, 2]), [1, 0, 2, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [3, 6]))
model = Model("reflect_matrix").Operation("MIRROR_PAD", input0, input1, 0).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [-5.0, -20.0, -19.0, -20.0, -5.0, -20.0, 26.0, 38.0, -12.0, 38.0, 26.0, 38.0, -5.0, -20.0, -19.0, -20.0, -5.0, -20.0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32")

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2, 2]), [2, 1, 0, 3])
output0 = Output("output0", ("TENSOR_FLOAT32", [5, 6]))
model = Model("symmetric_matrix").Operation("MIRROR_PAD", input0, input1, 1).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [-19.0, -20.0, -5.0, -5.0, -20.0, -19.0, -12.0, 38.0, 26.0, 26.0, 38.0, -12.0, -12.0, 38.0, 26.0, 26.0, 38.0, -12.0, -19.0, -20.0, -5.0, -5.0, -20.0, -19.0, -19.0, -20.0, -5.0, -5.0, -20.0, -19.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [3]))
input1 = Parameter("input1", ("TENSOR_INT32", [1, 2]), [2, 2])
output0 = Output("output0", ("TENSOR_FLOAT32", [7]))
model = Model("reflect_vector").Operation("MIRROR_PAD", input0, input1, 0).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0],
    output0: [-4.0, 4.0, -9.0, 4.0, -4.0, 4.0, -9.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [3]))
input1 = Parameter("input1", ("TENSOR_INT32", [1, 2]), [3, 3])
output0 = Output("output0", ("TENSOR_FLOAT32", [9]))
model = Model("symmetric_vector").Operation("MIRROR_PAD", input0, input1, 1).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0],
    output0: [-4.0, 4.0, -9.0, -9.0, 4.0, -4.0, -4.0, 4.0, -9.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2, 2]), [0, 0, 0, 0])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3]))
model = Model("reflect_nothing").Operation("MIRROR_PAD", input0, input1, 0).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1]))
input1 = Parameter("input1", ("TENSOR_INT32", [1, 2]), [1, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [3]))
model = Model("symmetric_one").Operation("MIRROR_PAD", input0, input1, 1).To(output0)
Example({
    input0: [23.0],
    output0: [23.0, 23.0, 23.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 3, 1]))
input1 = Parameter("input1", ("TENSOR_INT32", [4, 2]), [0, 0, 1, 1, 2, 0, 0, 0])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 4, 5, 1]))
model = Model("reflect_image").Operation("MIRROR_PAD", input0, input1, 0).To(output0)
Example({
    input0: [-19.0, 34.0, 1.0, -19.0, 5.0, -7.0],
    output0: [-7.0, 5.0, -19.0, 5.0, -7.0, 1.0, 34.0, -19.0, 34.0, 1.0, -7.0, 5.0, -19.0, 5.0, -7.0, 1.0, 34.0, -19.0, 34.0, 1.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1, 1, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [5, 2]), [1, 0, 0, 2, 0, 1, 0, 0, 1, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 4, 2, 1, 4]))
model = Model("symmetric_rank_five").Operation("MIRROR_PAD", input0, input1, 1).To(output0)
Example({
    input0: [0.0, 7.0, 9.0, 21.0],
    output0: [0.0, 0.0, 7.0, 7.0, 0.0, 0.0, 7.0, 7.0, 9.0, 9.0, 21.0, 21.0, 9.0, 9.0, 21.0, 21.0, 9.0, 9.0, 21.0, 21.0, 9.0, 9.0, 21.0, 21.0, 0.0, 0.0, 7.0, 7.0, 0.0, 0.0, 7.0, 7.0, 0.0, 0.0, 7.0, 7.0, 0.0, 0.0, 7.0, 7.0, 9.0, 9.0, 21.0, 21.0, 9.0, 9.0, 21.0, 21.0, 9.0, 9.0, 21.0, 21.0, 9.0, 9.0, 21.0, 21.0, 0.0, 0.0, 7.0, 7.0, 0.0, 0.0, 7.0, 7.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), "int32").DisableLifeTimeVariation()
