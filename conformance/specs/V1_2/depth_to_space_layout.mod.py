# Written by tests/golden/write_blocks_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1, 8]))
input2 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 4, 2, 2]))
model = Model("cells").Operation("DEPTH_TO_SPACE", input0, 2, input2).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0, 10.0, 20.0, 11.0, -11.0, 17.0, -5.0, 18.0, 25.0, -2.0, -5.0, 1.0, 1.0],
    output0: [-9.0, 4.0, -4.0, 2.0, 10.0, 20.0, 11.0, -11.0, 17.0, -5.0, 18.0, 25.0, -2.0, -5.0, 1.0, 1.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).AddNchw(input0, input2, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 2, 3]))
input2 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1, 2, 3]))
model = Model("one").Operation("DEPTH_TO_SPACE", input0, 1, input2).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0],
    output0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).AddNchw(input0, input2, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 1, 1, 9]))
input2 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 3, 3, 1]))
model = Model("three").Operation("DEPTH_TO_SPACE", input0, 3, input2).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0, 20.0, 13.0, 38.0],
    output0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0, 20.0, 13.0, 38.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).AddNchw(input0, input2, output0).DisableLifeTimeVariation()
