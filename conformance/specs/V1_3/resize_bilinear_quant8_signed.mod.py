# Written by tests/golden/write_resize_specs.py.

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 1], 0.5, -98))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 3, 1], 0.5, -98))
model = Model("grow").Operation("RESIZE_BILINEAR", input0, 3, 3, input3).To(output0)
Example({
    input0: [-40, -69, 77, 122],
    output0: [-39, -58, -68, 38, 52, 58, 77, 107, 122],
}, model=model).AddNchw(input0, input3, output0)

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 3, 2], 0.5, -98))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.5, -98))
model = Model("shrink").Operation("RESIZE_BILINEAR", input0, 2, 3, input3).To(output0)
Example({
    input0: [-81, -67, 88, 36, 42, -92, 49, 18, 116, -74, 32, 77, -24, 108, -39, -65, 75, 7, 34, 84, 7, 99, -44, -112],
    output0: [-80, -66, 65, -27, 25, 48, 55, -8, 15, 92, -5, -13],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3, 1], 0.5, -98))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 1, 5, 1], 0.5, -98))
model = Model("batches").Operation("RESIZE_BILINEAR", input0, 5, 1, input3).To(output0)
Example({
    input0: [-48, 34, 79, 53, 68, 37, -26, 53, 62, 46, 55, -45],
    output0: [-47, 1, 43, 70, 79, -25, 21, 55, 60, 62],
}, model=model).AddNchw(input0, input3, output0).DisableLifeTimeVariation()
