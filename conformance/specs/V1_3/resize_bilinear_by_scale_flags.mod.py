# Written by tests/golden/write_resize_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 4, 4, 1]))
model = Model("scaled_align").Operation("RESIZE_BILINEAR", input0, 2.0, 2.0, input3, True, False).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [-9.0, -4.666666, -0.33333302, 4.0, -7.333333, -3.7777772, -0.22222203, 3.3333333, -5.6666665, -2.8888886, -0.111110926, 2.6666665, -4.0, -1.9999998, 1.1920929e-07, 2.0],
}, model=model).AddVariations("float16").AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 4, 4, 1]))
model = Model("scaled_half").Operation("RESIZE_BILINEAR", input0, 2.0, 2.0, input3, False, True).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [-9.0, -5.75, 0.75, 4.0, -7.75, -4.9375, 0.6875, 3.5, -5.25, -3.3125, 0.5625, 2.5, -4.0, -2.5, 0.5, 2.0],
}, model=model).AddVariations("float16").AddNchw(input0, input3, output0).DisableLifeTimeVariation()
