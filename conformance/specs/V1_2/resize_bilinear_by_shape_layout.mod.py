# Written by tests/golden/write_resize_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 3, 3, 1]))
model = Model("grow").Operation("RESIZE_BILINEAR", input0, 3, 3, input3).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [-9.0, -0.33333302, 4.0, -5.6666665, -0.111110926, 2.6666665, -4.0, 8.940697e-08, 2.0],
}, model=model).AddVariations("relaxed", "float16").AddNchw(input0, input3, output0)

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 4, 2]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1, 2, 2]))
model = Model("shrink").Operation("RESIZE_BILINEAR", input0, 2, 1, input3).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0, -3.0, 9.0, 0.0, 7.0],
    output0: [-12.0, 38.0, -20.0, -5.0],
}, model=model).AddVariations("float16").AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3, 2, 1]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 4, 5, 1]))
model = Model("uneven").Operation("RESIZE_BILINEAR", input0, 5, 4, input3).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0, 20.0, 13.0, 38.0, 24.0, 19.0, 4.0],
    output0: [7.0, 17.4, 27.8, 33.0, 33.0, -2.0, -3.3000002, -4.6000004, -5.25, -5.25, 14.0, 6.4, -1.2000005, -5.0, -5.0, 33.0, 23.0, 13.0, 8.0, 8.0, 20.0, 17.2, 14.400001, 13.0, 13.0, 33.5, 28.6, 23.7, 21.25, 21.25, 28.5, 22.7, 16.9, 14.0, 13.999999, 19.0, 13.0, 7.0, 4.0, 4.0],
}, model=model).AddVariations("float16").AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
model = Model("same").Operation("RESIZE_BILINEAR", input0, 2, 2, input3).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [-9.0, 4.0, -4.0, 2.0],
}, model=model).AddVariations("float16").AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 1, 1, 2]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 3, 2]))
model = Model("one_pixel").Operation("RESIZE_BILINEAR", input0, 3, 2, input3).To(output0)
Example({
    input0: [26.0, 5.0],
    output0: [26.0, 5.0, 26.0, 5.0, 26.0, 5.0, 26.0, 5.0, 26.0, 5.0, 26.0, 5.0],
}, model=model).AddVariations("float16").AddNchw(input0, input3, output0).DisableLifeTimeVariation()
