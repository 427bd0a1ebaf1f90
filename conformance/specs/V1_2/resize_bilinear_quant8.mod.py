# Written by tests/golden/write_resize_specs.py.

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 1], 0.5, 30))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [1, 3, 3, 1], 0.5, 30))
model = Model("grow").Operation("RESIZE_BILINEAR", input0, 3, 3, input3).To(output0)
Example({
    input0: [88, 59, 205, 250],
    output0: [88, 69, 59, 166, 180, 186, 205, 235, 250],
}, model=model).AddNchw(input0, input3, output0)

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [1, 4, 3, 2], 0.5, 30))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 0.5, 30))
model = Model("shrink").Operation("RESIZE_BILINEAR", input0, 2, 3, input3).To(output0)
Example({
    input0: [47, 61, 216, 164, 170, 36, 177, 146, 244, 54, 160, 205, 104, 236, 89, 63, 203, 135, 162, 212, 135, 227, 84, 16],
    output0: [47, 61, 193, 100, 153, 176, 183, 119, 143, 220, 122, 114],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [2, 2, 3, 1], 0.5, 30))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [2, 1, 5, 1], 0.5, 30))
model = Model("batches").Operation("RESIZE_BILINEAR", input0, 5, 1, input3).To(output0)
Example({
    input0: [80, 162, 207, 181, 196, 165, 102, 181, 190, 174, 183, 83],
    output0: [80, 129, 171, 198, 207, 102, 149, 183, 188, 190],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()
