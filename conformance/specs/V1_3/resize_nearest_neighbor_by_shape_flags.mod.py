# Written by tests/golden/write_resize_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 4, 2]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 4, 7, 2]))
model = Model("grow_align").Operation("RESIZE_NEAREST_NEIGHBOR", input0, 7, 4, input3, True, False).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0, -3.0, 9.0, 0.0, 7.0],
    output0: [-12.0, 38.0, 26.0, -19.0, 26.0, -19.0, -20.0, -5.0, -20.0, -5.0, 4.0, 32.0, 4.0, 32.0, -12.0, 38.0, 26.0, -19.0, 26.0, -19.0, -20.0, -5.0, -20.0, -5.0, 4.0, 32.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0, 19.0, 15.0, -3.0, 9.0, -3.0, 9.0, 0.0, 7.0, 0.0, 7.0, -14.0, 9.0, 19.0, 15.0, 19.0, 15.0, -3.0, 9.0, -3.0, 9.0, 0.0, 7.0, 0.0, 7.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=255), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=127)).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 4, 2]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 4, 7, 2]))
model = Model("grow_half").Operation("RESIZE_NEAREST_NEIGHBOR", input0, 7, 4, input3, False, True).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0, -3.0, 9.0, 0.0, 7.0],
    output0: [-12.0, 38.0, -12.0, 38.0, 26.0, -19.0, -20.0, -5.0, -20.0, -5.0, 4.0, 32.0, 4.0, 32.0, -12.0, 38.0, -12.0, 38.0, 26.0, -19.0, -20.0, -5.0, -20.0, -5.0, 4.0, 32.0, 4.0, 32.0, -14.0, 9.0, -14.0, 9.0, 19.0, 15.0, -3.0, 9.0, -3.0, 9.0, 0.0, 7.0, 0.0, 7.0, -14.0, 9.0, -14.0, 9.0, 19.0, 15.0, -3.0, 9.0, -3.0, 9.0, 0.0, 7.0, 0.0, 7.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=0), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-128)).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 4, 2]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 4, 7, 2]))
model = Model("grow_neither").Operation("RESIZE_NEAREST_NEIGHBOR", input0, 7, 4, input3, False, False).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0, -3.0, 9.0, 0.0, 7.0],
    output0: [-12.0, 38.0, -12.0, 38.0, 26.0, -19.0, 26.0, -19.0, -20.0, -5.0, -20.0, -5.0, 4.0, 32.0, -12.0, 38.0, -12.0, 38.0, 26.0, -19.0, 26.0, -19.0, -20.0, -5.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, -14.0, 9.0, 19.0, 15.0, 19.0, 15.0, -3.0, 9.0, -3.0, 9.0, 0.0, 7.0, -14.0, 9.0, -14.0, 9.0, 19.0, 15.0, 19.0, 15.0, -3.0, 9.0, -3.0, 9.0, 0.0, 7.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=255), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=127)).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 4, 2]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1, 3, 2]))
model = Model("shrink_align").Operation("RESIZE_NEAREST_NEIGHBOR", input0, 3, 1, input3, True, False).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0, -3.0, 9.0, 0.0, 7.0],
    output0: [-12.0, 38.0, -20.0, -5.0, 4.0, 32.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=255), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=127)).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 4, 2]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1, 3, 2]))
model = Model("shrink_half").Operation("RESIZE_NEAREST_NEIGHBOR", input0, 3, 1, input3, False, True).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0, -3.0, 9.0, 0.0, 7.0],
    output0: [-14.0, 9.0, -3.0, 9.0, 0.0, 7.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=0), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-128)).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 4, 2]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1, 3, 2]))
model = Model("shrink_neither").Operation("RESIZE_NEAREST_NEIGHBOR", input0, 3, 1, input3, False, False).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0, -3.0, 9.0, 0.0, 7.0],
    output0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=255), DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=127)).AddNchw(input0, input3, output0).DisableLifeTimeVariation()
