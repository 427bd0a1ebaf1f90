# Written by tests/golden/write_resize_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 3, 3, 1]))
model = Model("grow").Operation("RESIZE_NEAREST_NEIGHBOR", input0, 1.5, 1.5, input3).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [-9.0, -9.0, 4.0, -9.0, -9.0, 4.0, -4.0, -4.0, 2.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=127), includeDefault=False).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 4, 2]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1, 2, 2]))
model = Model("shrink").Operation("RESIZE_NEAREST_NEIGHBOR", input0, 0.5, 0.5, input3).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0, -3.0, 9.0, 0.0, 7.0],
    output0: [-12.0, 38.0, -20.0, -5.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=127), includeDefault=False).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 3, 3, 1]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 5, 4, 1]))
model = Model("rounded_down").Operation("RESIZE_NEAREST_NEIGHBOR", input0, 1.5, 1.75, input3).To(output0)
Example({
    input0: [23.0, 0.0, 33.0, 2.0, 35.0, 18.0, 28.0, 15.0, -2.0],
    output0: [23.0, 23.0, 0.0, 33.0, 23.0, 23.0, 0.0, 33.0, 2.0, 2.0, 35.0, 18.0, 2.0, 2.0, 35.0, 18.0, 28.0, 28.0, 15.0, -2.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=127), includeDefault=False).AddNchw(input0, input3, output0).DisableLifeTimeVariation()
