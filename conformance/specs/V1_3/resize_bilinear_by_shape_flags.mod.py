# Written by tests/golden/write_resize_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 4, 2]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 4, 7, 2]))
model = Model("grow_align").Operation("RESIZE_BILINEAR", input0, 7, 4, input3, True, False).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0, -3.0, 9.0, 0.0, 7.0],
    output0: [-12.0, 38.0, 7.0, 9.5, 26.0, -19.0, 3.0, -12.0, -20.0, -5.0, -8.0, 13.5, 4.0, 32.0, -12.666666, 28.333332, 5.5, 10.333333, 23.666666, -7.666666, 4.666667, -3.9999995, -14.333332, -0.33333302, -5.833333, 11.666667, 2.6666665, 23.666666, -13.333334, 18.666666, 3.9999995, 11.166666, 21.333332, 3.666667, 6.333333, 4.0, -8.666666, 4.3333335, -3.6666665, 9.833334, 1.3333333, 15.333333, -14.0, 9.0, 2.5, 12.0, 19.0, 15.0, 8.0, 12.0, -3.0, 9.0, -1.5, 8.0, 0.0, 7.0],
}, model=model).AddVariations("float16").AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 4, 2]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 4, 7, 2]))
model = Model("grow_half").Operation("RESIZE_BILINEAR", input0, 7, 4, input3, False, True).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0, -3.0, 9.0, 0.0, 7.0],
    output0: [-12.000002, 38.000004, 1.5714309, 17.642855, 23.285715, -14.928572, 3.0, -12.0, -18.28571, -2.3571353, -4.5714245, 18.78572, 4.0, 32.0, -12.5, 30.75, 0.6250025, 16.017855, 21.625002, -7.553573, 4.25, -6.0, -14.410709, 0.44643438, -3.6964257, 16.017862, 3.0, 25.75, -13.5, 16.250002, -1.2678537, 12.767857, 18.303574, 7.1964283, 6.75, 6.0, -6.6607127, 6.0535727, -1.9464271, 10.482144, 1.0, 13.25, -14.0, 9.000001, -2.2142835, 11.142858, 16.642859, 14.571428, 8.0, 12.0, -2.7857137, 8.857142, -1.0714281, 7.714285, 0.0, 7.0],
}, model=model).AddVariations("float16").AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 4, 2]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 4, 7, 2]))
model = Model("grow_neither").Operation("RESIZE_BILINEAR", input0, 7, 4, input3, False, False).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0, -3.0, 9.0, 0.0, 7.0],
    output0: [-12.0, 38.0, 9.714287, 5.42857, 19.42857, -17.0, -6.857149, -8.999998, -13.142855, 5.571432, 0.5714302, 26.714289, 4.0, 32.0, -13.0, 23.5, 7.285715, 8.928572, 17.642857, -1.428571, -1.7857189, 0.8571434, -7.642856, 7.000002, 0.07142949, 17.000002, 2.0, 19.5, -14.0, 9.0, 4.857144, 12.428572, 15.8571415, 14.142858, 3.2857113, 10.714285, -2.1428568, 8.428572, -0.42857122, 7.285714, 0.0, 7.0, -14.0, 9.0, 4.857144, 12.428572, 15.857142, 14.142858, 3.2857113, 10.714285, -2.1428568, 8.428572, -0.42857122, 7.285714, 0.0, 7.0],
}, model=model).AddVariations("float16").AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 4, 2]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1, 3, 2]))
model = Model("shrink_align").Operation("RESIZE_BILINEAR", input0, 3, 1, input3, True, False).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0, -3.0, 9.0, 0.0, 7.0],
    output0: [-12.0, 38.0, 3.0, -12.0, 4.0, 32.0],
}, model=model).AddVariations("float16").AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 4, 2]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1, 3, 2]))
model = Model("shrink_half").Operation("RESIZE_BILINEAR", input0, 3, 1, input3, False, True).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0, -3.0, 9.0, 0.0, 7.0],
    output0: [-7.0833325, 19.249998, 5.5, 0.0, -0.24999785, 16.583336],
}, model=model).AddVariations("float16").AddNchw(input0, input3, output0).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 4, 2]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1, 3, 2]))
model = Model("shrink_neither").Operation("RESIZE_BILINEAR", input0, 3, 1, input3, False, False).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0, -3.0, 9.0, 0.0, 7.0],
    output0: [-12.0, 38.0, 10.666664, -14.333333, -3.999998, 19.66667],
}, model=model).AddVariations("float16").AddNchw(input0, input3, output0).DisableLifeTimeVariation()
