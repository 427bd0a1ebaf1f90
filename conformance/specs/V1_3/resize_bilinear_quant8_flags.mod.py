# Written by tests/golden/write_resize_specs.py.

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [1, 2, 3, 2], 0.5, 30))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [1, 3, 4, 2], 0.5, 30))
model = Model("grow_align").Operation("RESIZE_BILINEAR", input0, 4, 3, input3, True, False).To(output0)
Example({
    input0: [15, 216, 226, 147, 144, 164, 251, 110, 42, 189, 138, 70],
    output0: [15, 216, 156, 170, 199, 153, 144, 164, 133, 163, 134, 166, 136, 151, 141, 117, 251, 110, 112, 163, 74, 149, 138, 70],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [1, 2, 3, 2], 0.5, 30))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [1, 3, 4, 2], 0.5, 30))
model = Model("grow_half").Operation("RESIZE_BILINEAR", input0, 4, 3, input3, False, True).To(output0)
Example({
    input0: [15, 216, 226, 147, 144, 164, 251, 110, 42, 189, 138, 70],
    output0: [15, 216, 147, 173, 195, 153, 144, 164, 133, 163, 134, 166, 137, 149, 141, 117, 251, 110, 120, 159, 78, 144, 138, 70],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [1, 2, 3, 2], 0.5, 30))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [1, 3, 4, 2], 0.5, 30))
model = Model("grow_neither").Operation("RESIZE_BILINEAR", input0, 4, 3, input3, False, False).To(output0)
Example({
    input0: [62, 171, 5, 124, 3, 140, 23, 186, 35, 154, 95, 110],
    output0: [62, 171, 19, 136, 4, 132, 3, 140, 36, 181, 28, 153, 45, 132, 64, 120, 23, 186, 32, 162, 65, 132, 95, 110],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 1], 0.5, 30))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 1], 0.5, 30))
model = Model("shrink_align").Operation("RESIZE_BILINEAR", input0, 2, 3, input3, True, False).To(output0)
Example({
    input0: [223, 163, 215, 210, 132, 15, 164, 109, 22, 245, 207, 14, 99, 97, 205, 26, 153, 9, 63, 126],
    output0: [223, 132, 111, 225, 26, 126],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 1], 0.5, 30))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 1], 0.5, 30))
model = Model("shrink_half").Operation("RESIZE_BILINEAR", input0, 2, 3, input3, False, True).To(output0)
Example({
    input0: [231, 61, 213, 22, 74, 239, 146, 182, 201, 147, 20, 111, 93, 143, 251, 227, 78, 76, 172, 124],
    output0: [114, 60, 129, 179, 111, 162],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [1, 4, 5, 1], 0.5, 30))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 1], 0.5, 30))
model = Model("shrink_neither").Operation("RESIZE_BILINEAR", input0, 2, 3, input3, False, False).To(output0)
Example({
    input0: [143, 10, 213, 255, 93, 250, 152, 72, 56, 179, 253, 79, 95, 213, 65, 245, 103, 139, 221, 39],
    output0: [143, 234, 251, 94, 248, 171],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()
