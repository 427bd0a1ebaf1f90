# Written by tests/golden/write_resize_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 3, 3, 1]))
model = Model("grow").Operation("RESIZE_BILINEAR", input0, 3, 3).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [-9.0, -0.33333302, 4.0, -5.6666665, -0.111110926, 2.6666665, -4.0, 8.940697e-08, 2.0],
}, model=model).AddVariations("float16", includeDefault=False)

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 4, 3, 2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 1, 2]))
model = Model("shrink").Operation("RESIZE_BILINEAR", input0, 1, 2).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0, -3.0, 9.0, 0.0, 7.0, 16.0, 35.0, 20.0, 31.0, -7.0, 26.0, -3.0, 0.0],
    output0: [-12.0, 38.0, -3.0, 9.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()
