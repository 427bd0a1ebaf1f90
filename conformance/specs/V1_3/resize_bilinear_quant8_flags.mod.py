# Written by tests/golden/write_resize_specs.py.

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [1, 2, 3, 2], 0.5, 30))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [1, 3, 4, 2], 0.5, 30))
model = Model("grow_align").Operation("RESIZE_BILINEAR", input0, 4, 3, input3, True, False).To(output0)
Example({
    input0: [72, 9, 209, 113, 254, 196, 121, 108, 12, 16, 113, 242],
    output0: [72, 9, 163, 78, 224, 141, 254, 196, 97, 59, 106, 62, 135, 116, 184, 219, 121, 108, 48, 47, 46, 91, 113, 242],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [1, 2, 3, 2], 0.5, 30))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [1, 3, 4, 2], 0.5, 30))
model = Model("grow_half").Operation("RESIZE_BILINEAR", input0, 4, 3, input3, False, True).To(output0)
Example({
    input0: [160, 60, 209, 136, 234, 186, 115, 218, 157, 240, 136, 18],
    output0: [160, 60, 191, 107, 218, 155, 234, 186, 138, 139, 166, 170, 184, 156, 185, 102, 115, 218, 141, 232, 149, 157, 136, 18],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [1, 2, 3, 2], 0.5, 30))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [1, 3, 4, 2], 0.5, 30))
model = Model("grow_neither").Operation("RESIZE_BILINEAR", input0, 4, 3, input3, False, False).To(output0)
Example({
    input0: [151, 163, 211, 68, 36, 218, 133, 145, 234, 81, 67, 176],
    output0: [151, 163, 196, 92, 124, 143, 36, 218, 139, 151, 205, 95, 142, 133, 57, 190, 133, 145, 209, 97, 151, 129, 67, 176],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 1], 0.5, 30))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 1], 0.5, 30))
model = Model("shrink_align").Operation("RESIZE_BILINEAR", input0, 2, 3, input3, True, False).To(output0)
Example({
    input0: [151, 163, 211, 68, 36, 218, 133, 145, 234, 81, 67, 176, 88, 4, 111, 190, 29, 206, 74, 38],
    output0: [151, 36, 143, 96, 190, 38],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 1], 0.5, 30))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 1], 0.5, 30))
model = Model("shrink_half").Operation("RESIZE_BILINEAR", input0, 2, 3, input3, False, True).To(output0)
Example({
    input0: [239, 214, 210, 90, 17, 207, 127, 255, 123, 49, 90, 209, 86, 190, 40, 172, 4, 143, 24, 123],
    output0: [208, 77, 163, 129, 68, 66],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 1], 0.5, 30))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 1], 0.5, 30))
model = Model("shrink_neither").Operation("RESIZE_BILINEAR", input0, 2, 3, input3, False, False).To(output0)
Example({
    input0: [231, 61, 213, 22, 74, 239, 146, 182, 201, 147, 20, 111, 93, 143, 251, 227, 78, 76, 172, 124],
    output0: [231, 118, 166, 167, 158, 122],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()
