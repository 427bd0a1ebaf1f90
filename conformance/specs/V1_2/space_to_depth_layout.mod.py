# Written by tests/golden/write_blocks_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 4, 2, 2]))
input2 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 1, 8]))
model = Model("cells").Operation("SPACE_TO_DEPTH", input0, 2, input2).To(output0)
Example({
    input0: [-19.0, 34.0, 1.0, -19.0, 5.0, -7.0, -18.0, -4.0, -11.0, -15.0, 0.0, 34.0, 39.0, -19.0, 18.0, 11.0],
    output0: [-19.0, 34.0, 1.0, -19.0, 5.0, -7.0, -18.0, -4.0, -11.0, -15.0, 0.0, 34.0, 39.0, -19.0, 18.0, 11.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).AddNchw(input0, input2, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 2, 3]))
input2 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1, 2, 3]))
model = Model("one").Operation("SPACE_TO_DEPTH", input0, 1, input2).To(output0)
Example({
    input0: [0.0, 7.0, 9.0, 21.0, -3.0, 7.0, -3.0, 38.0, 19.0, -1.0, 1.0, -16.0],
    output0: [0.0, 7.0, 9.0, 21.0, -3.0, 7.0, -3.0, 38.0, 19.0, -1.0, 1.0, -16.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).AddNchw(input0, input2, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 3, 3, 1]))
input2 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1, 1, 9]))
model = Model("three").Operation("SPACE_TO_DEPTH", input0, 3, input2).To(output0)
Example({
    input0: [19.0, 2.0, 39.0, 1.0, 28.0, -19.0, -9.0, 20.0, 11.0],
    output0: [19.0, 2.0, 39.0, 1.0, 28.0, -19.0, -9.0, 20.0, 11.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).AddNchw(input0, input2, output0).DisableLifeTimeVariation()
