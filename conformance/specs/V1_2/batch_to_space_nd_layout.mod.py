# Written by tests/golden/write_blocks_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [4, 1, 2, 1]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [2, 2])
input2 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 4, 1]))
model = Model("square").Operation("BATCH_TO_SPACE_ND", input0, input1, input2).To(output0)
Example({
    input0: [-8.0, 4.0, -16.0, -1.0, 22.0, 27.0, 36.0, 25.0],
    output0: [-8.0, -16.0, 4.0, -1.0, 22.0, 36.0, 27.0, 25.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).AddNchw(input0, input2, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [6, 1, 1, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [1, 3])
input2 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1, 3, 2]))
model = Model("wide").Operation("BATCH_TO_SPACE_ND", input0, input1, input2).To(output0)
Example({
    input0: [-11.0, -1.0, -8.0, 40.0, -8.0, -20.0, 29.0, 6.0, -8.0, 11.0, -17.0, 14.0],
    output0: [-11.0, -1.0, -8.0, -20.0, -8.0, 11.0, -8.0, 40.0, 29.0, 6.0, -17.0, 14.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).AddNchw(input0, input2, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [4, 2, 1, 1]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [2, 1])
input2 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 4, 1, 1]))
model = Model("tall").Operation("BATCH_TO_SPACE_ND", input0, input1, input2).To(output0)
Example({
    input0: [8.0, 33.0, 22.0, 19.0, 23.0, 15.0, -16.0, 27.0],
    output0: [8.0, 23.0, 33.0, 15.0, 22.0, -16.0, 19.0, 27.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).AddNchw(input0, input2, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 2, 1]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [1, 1])
input2 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1, 2, 1]))
model = Model("one").Operation("BATCH_TO_SPACE_ND", input0, input1, input2).To(output0)
Example({
    input0: [27.0, 28.0, 30.0, -2.0],
    output0: [27.0, 28.0, 30.0, -2.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).AddNchw(input0, input2, output0).DisableLifeTimeVariation()
