# Written by tests/golden/write_resize_specs.py.

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 3, 2], 0.5, -98))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 4, 2], 0.5, -98))
model = Model("grow_align").Operation("RESIZE_BILINEAR", input0, 4, 3, input3, True, False).To(output0)
Example({
    input0: [-113, 88, 98, 19, 16, 36, 123, -18, -86, 61, 10, -58],
    output0: [-112, 88, 28, 42, 71, 25, 16, 36, 5, 35, 6, 38, 8, 23, 13, -10, 123, -17, -15, 35, -53, 21, 10, -57],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 3, 2], 0.5, -98))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 4, 2], 0.5, -98))
model = Model("grow_half").Operation("RESIZE_BILINEAR", input0, 4, 3, input3, False, True).To(output0)
Example({
    input0: [-113, 88, 98, 19, 16, 36, 123, -18, -86, 61, 10, -58],
    output0: [-112, 88, 19, 45, 67, 25, 16, 36, 5, 35, 6, 38, 9, 21, 13, -10, 123, -17, -7, 31, -49, 16, 10, -57],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 3, 2], 0.5, -98))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 4, 2], 0.5, -98))
model = Model("grow_neither").Operation("RESIZE_BILINEAR", input0, 4, 3, input3, False, False).To(output0)
Example({
    input0: [-66, 43, -123, -4, -125, 12, -105, 58, -93, 26, -33, -18],
    output0: [-65, 43, -108, 8, -123, 4, -124, 12, -91, 53, -99, 25, -82, 4, -63, -7, -104, 58, -95, 34, -62, 4, -32, -17],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 1], 0.5, -98))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 1], 0.5, -98))
model = Model("shrink_align").Operation("RESIZE_BILINEAR", input0, 2, 3, input3, True, False).To(output0)
Example({
    input0: [95, 35, 87, 82, 4, -113, 36, -19, -106, 117, 79, -114, -29, -31, 77, -102, 25, -119, -65, -2],
    output0: [95, 4, -16, 97, -101, -1],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 1], 0.5, -98))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 1], 0.5, -98))
model = Model("shrink_half").Operation("RESIZE_BILINEAR", input0, 2, 3, input3, False, True).To(output0)
Example({
    input0: [103, -67, 85, -106, -54, 111, 18, 54, 73, 19, -108, -17, -35, 15, 123, 99, -50, -52, 44, -4],
    output0: [-13, -67, 1, 51, -16, 34],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 5, 1], 0.5, -98))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 1], 0.5, -98))
model = Model("shrink_neither").Operation("RESIZE_BILINEAR", input0, 2, 3, input3, False, False).To(output0)
Example({
    input0: [15, -118, 85, 127, -35, 122, 24, -56, -72, 51, 125, -49, -33, 85, -63, 117, -25, 11, 93, -89],
    output0: [15, 106, 123, -33, 120, 43],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()
