# Written by tests/golden/write_resize_specs.py.

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 3, 2], 0.5, -98))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 4, 2], 0.5, -98))
model = Model("grow_align").Operation("RESIZE_BILINEAR", input0, 4, 3, input3, True, False).To(output0)
Example({
    input0: [-56, -119, 81, -15, 126, 68, -7, -20, -116, -112, -15, 114],
    output0: [-55, -118, 35, -49, 96, 13, 126, 68, -31, -69, -21, -65, 7, -11, 56, 91, -6, -19, -79, -80, -81, -36, -14, 114],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 3, 2], 0.5, -98))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 4, 2], 0.5, -98))
model = Model("grow_half").Operation("RESIZE_BILINEAR", input0, 4, 3, input3, False, True).To(output0)
Example({
    input0: [32, -68, 81, 8, 106, 58, -13, 90, 29, 112, 8, -110],
    output0: [32, -67, 63, -19, 90, 27, 106, 58, 10, 11, 38, 42, 56, 28, 57, -25, -12, 90, 13, 104, 21, 29, 8, -109],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 3, 2], 0.5, -98))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 4, 2], 0.5, -98))
model = Model("grow_neither").Operation("RESIZE_BILINEAR", input0, 4, 3, input3, False, False).To(output0)
Example({
    input0: [23, 35, 83, -60, -92, 90, 5, 17, 106, -47, -61, 48],
    output0: [23, 35, 68, -35, -4, 15, -91, 90, 11, 23, 77, -32, 14, 5, -70, 62, 5, 17, 81, -30, 23, 1, -60, 48],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 1], 0.5, -98))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 1], 0.5, -98))
model = Model("shrink_align").Operation("RESIZE_BILINEAR", input0, 2, 3, input3, True, False).To(output0)
Example({
    input0: [23, 35, 83, -60, -92, 90, 5, 17, 106, -47, -61, 48, -40, -124, -17, 62, -99, 78, -54, -90],
    output0: [23, -91, 15, -31, 62, -89],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 1], 0.5, -98))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 1], 0.5, -98))
model = Model("shrink_half").Operation("RESIZE_BILINEAR", input0, 2, 3, input3, False, True).To(output0)
Example({
    input0: [111, 86, 82, -38, -111, 79, -1, 127, -5, -79, -38, 81, -42, 62, -88, 44, -124, 15, -104, -5],
    output0: [80, -50, 35, 1, -59, -61],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 1], 0.5, -98))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 1], 0.5, -98))
model = Model("shrink_neither").Operation("RESIZE_BILINEAR", input0, 2, 3, input3, False, False).To(output0)
Example({
    input0: [103, -67, 85, -106, -54, 111, 18, 54, 73, 19, -108, -17, -35, 15, 123, 99, -50, -52, 44, -4],
    output0: [103, -10, 38, 39, 30, -5],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()
