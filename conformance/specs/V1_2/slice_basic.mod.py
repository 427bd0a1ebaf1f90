# Written by tests/golden/write_slicing_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [0, 1])
input2 = Parameter("input2", ("TENSOR_INT32", [2]), [2, 2])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2]))
model = Model("box").Operation("SLICE", input0, input1, input2).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [38.0, 26.0, -20.0, -5.0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), "int32")

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [1, 1])
input2 = Parameter("input2", ("TENSOR_INT32", [2]), [-1, -1])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2]))
model = Model("rest").Operation("SLICE", input0, input1, input2).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [-20.0, -5.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [1])
input2 = Parameter("input2", ("TENSOR_INT32", [1]), [2])
output0 = Output("output0", ("TENSOR_FLOAT32", [2]))
model = Model("vector").Operation("SLICE", input0, input1, input2).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [4.0, -4.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [0, 0])
input2 = Parameter("input2", ("TENSOR_INT32", [2]), [2, -1])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3]))
model = Model("whole").Operation("SLICE", input0, input1, input2).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [4]), [1, 0, 1, 1])
input2 = Parameter("input2", ("TENSOR_INT32", [4]), [1, 2, 2, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
model = Model("image").Operation("SLICE", input0, input1, input2).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0, 20.0, 13.0, 38.0, 24.0, 19.0, 4.0, -3.0, 22.0, 21.0, 34.0, 30.0, 28.0, -4.0, 37.0, 1.0, 31.0, 20.0, 0.0],
    output0: [34.0, 28.0, 31.0, 0.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), "int32").DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1, 3, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [5]), [0, 1, 0, 1, 0])
input2 = Parameter("input2", ("TENSOR_INT32", [5]), [1, 1, -1, 2, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1, 1, 2, 1]))
model = Model("rank_five").Operation("SLICE", input0, input1, input2).To(output0)
Example({
    input0: [26.0, 5.0, 3.0, 23.0, 3.0, -17.0, 35.0, -6.0, 7.0, 38.0, 20.0, -6.0],
    output0: [7.0, 20.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100), "int32").DisableLifeTimeVariation()
