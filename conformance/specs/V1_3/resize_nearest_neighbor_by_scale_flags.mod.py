# Written by tests/golden/write_resize_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 4, 4, 1]))
model = Model("scaled_align").Operation("RESIZE_NEAREST_NEIGHBOR", input0, 2.0, 2.0, input3, True, False).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [-9.0, -9.0, 4.0, 4.0, -9.0, -9.0, 4.0, 4.0, -4.0, -4.0, 2.0, 2.0, -4.0, -4.0, 2.0, 2.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=255), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=127)).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 4, 4, 1]))
model = Model("scaled_half").Operation("RESIZE_NEAREST_NEIGHBOR", input0, 2.0, 2.0, input3, False, True).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [-9.0, -9.0, 4.0, 4.0, -9.0, -9.0, 4.0, 4.0, -4.0, -4.0, 2.0, 2.0, -4.0, -4.0, 2.0, 2.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=0), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-128)).AddNchw(input0, input3, output0).DisableLifeTimeVariation()
