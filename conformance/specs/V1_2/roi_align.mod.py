# Written by tests/golden/write_roi_specs.py.

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 1]))
rois = Input("rois", ("TENSOR_FLOAT32", [1, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
model = Model("one_region").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [2.75, 2.875, 3.25, -2.0625, -0.5, 2.125, -3.4375, 3.625, -0.875, -3.25, -0.625, 2.0, -1.625, 3.5, -2.6875, 2.75],
    rois: [0.625, 3.5, 1.375, 5.25],
    output: [-1.7949219, -2.2958984, -0.4765625, -0.08496094],
}, model=model).AddNchw(features, output, layout).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("channels").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.5, 3.5625, -3.9375, -3.25, 0.8125, 2.6875, 3.125, -0.4375, 3.8125, 2.8125, -1.875, -2.4375, 2.0625, -0.6875, 3.125, 0.25, 1.3125, 1.4375, 3.8125, -0.875, 3.3125, -2.375, -1.3125, 1.5, 3.8125, 1.375, -1.125, 2.8125, -1.75, 1.3125, -3.0625, 2.25, -3.625, -3.125, -0.9375, 1.875, -2.9375, 2.0625, -1.375, -0.3125, 0.875, -0.4375, -2.3125, 2.75, -0.5, -3.125, -3.0, 3.875],
    rois: [2.625, 0.875, 6.5, 5.625, 5.5, 3.0, 5.625, 4.25],
    output: [1.9756432, -0.090839386, 2.0707989, -0.76008606, -1.082283, 1.3250237, -1.6066723, 1.4689484, -1.6918907, -2.977726, -0.59254265, 1.2026043, -2.8378906, -0.875, 1.5517578, -2.9375, -1.03125, 1.78125, -3.109375, -1.2138672, 2.0488281, -3.125, -1.453125, 2.375],
}, model=model).AddNchw(features, output, layout).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [2, 4, 4, 2]))
rois = Input("rois", ("TENSOR_FLOAT32", [4, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [4]), [0, 0, 1, 1])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [4, 2, 2, 2]))
model = Model("two_images").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [0.5625, 4.0, -3.0625, 3.375, 2.125, 3.5, 1.625, 3.5625, 0.375, 1.0625, -3.1875, 1.125, -2.3125, 3.25, 0.875, -2.0625, 1.125, 0.0, -3.375, -3.9375, 2.3125, 2.5625, 2.1875, 2.1875, 2.375, -4.0, 2.9375, 2.3125, 2.3125, -1.1875, 1.3125, 1.0, 0.6875, -0.8125, -3.4375, 1.5, -1.1875, 1.625, -0.125, 3.1875, -1.625, -1.25, -0.0625, 0.0625, 2.25, -0.3125, -0.125, -3.9375, -0.125, 2.8125, 1.8125, 2.0, -0.9375, 1.625, -3.1875, 0.9375, -3.75, 2.4375, -0.9375, 2.4375, 2.1875, 3.625, -1.5625, -4.0],
    rois: [6.5, 0.875, 6.75, 6.0, 1.75, 4.875, 4.375, 6.0, 0.125, 5.0, 6.25, 5.875, 1.125, 1.5, 7.625, 8.0],
    output: [1.2272949, -0.53466797, 1.2272949, -0.53466797, 1.8730469, 1.7607422, 1.8730469, 1.7607422, 1.2385864, 0.28320312, 2.0986786, 0.057754517, 2.8105469, 1.6015625, 2.395996, -0.6286621, -0.79467773, 2.4685059, 0.13439941, 0.9296875, -1.3879395, 2.5627441, 0.75927734, 0.78149414, 0.7554321, 1.0040283, -1.3795166, -0.7946167, 0.29052734, 2.788147, -1.0118408, -2.0652618],
}, model=model).AddNchw(features, output, layout).AddVariations("relaxed", "float16")

features = Input("features", ("TENSOR_FLOAT32", [3, 4, 4, 1]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [2, 2])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 1]))
model = Model("image_left_out").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [-0.6875, -3.375, -1.875, 2.1875, 3.5, -4.0, 0.125, -0.8125, -3.0, -0.875, 3.5625, -3.3125, 1.375, -0.9375, -1.375, 3.5, 0.6875, -1.6875, -2.25, 1.0625, 1.5, -0.625, -2.3125, 2.6875, 0.875, -1.125, -1.25, 2.0, -1.6875, -3.6875, -2.125, -0.25, -2.8125, 1.75, 2.0625, 1.375, 0.625, 1.5, 0.9375, -1.3125, 3.9375, -2.0625, 2.125, -2.9375, -3.0625, 2.25, 2.8125, -3.6875],
    rois: [1.25, 6.0, 6.5, 6.375, 2.375, 5.25, 7.375, 7.875],
    output: [2.296875, -1.046875, 2.296875, -1.046875, 2.10701, -2.8148499, 2.265625, -2.875],
}, model=model).AddNchw(features, output, layout).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 2]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 1
output_width = 1
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 1, 2]))
model = Model("one_cell").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [-1.875, -2.9375, -1.0, 0.75, -3.25, -3.4375, -1.375, 3.1875, 1.375, -2.875, 2.5625, 0.3125, -2.9375, 2.9375, -3.625, 1.25, 0.5625, -3.0625, -1.0625, -2.0, 0.75, -3.5, 1.25, 3.375, -0.5625, 1.5625, 2.5625, 1.6875, 2.375, 1.8125, 2.3125, -1.5],
    rois: [6.0, 1.625, 6.625, 2.25, 0.5, 3.625, 1.0, 7.5],
    output: [-2.1015625, 1.9140625, 0.9243164, 0.27746582],
}, model=model).AddNchw(features, output, layout).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 5, 8, 1]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 1
output_width = 4
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 4, 1]))
model = Model("other_sizes").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [-2.875, -2.25, -0.125, -0.625, -1.9375, -2.9375, -2.625, -0.875, -2.0, 3.1875, 1.25, 3.9375, 0.75, -1.1875, 2.4375, -1.0, 0.375, 3.5625, 0.0625, 3.0, -0.25, 1.4375, -3.0, -3.9375, -2.0, -3.5625, -1.4375, 1.125, -1.625, -0.9375, -1.375, -2.75, -2.25, -1.6875, -3.0, 0.875, -3.9375, 0.9375, 3.5, -2.125],
    rois: [1.25, 4.0, 6.375, 8.625, 7.625, 3.125, 13.5, 6.25],
    output: [-1.4117689, -1.5607796, -0.9871483, 0.9217682, -0.50106907, 0.20169163, -1.2986107, -2.7186928],
}, model=model).AddNchw(features, output, layout).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 8, 1]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 4.0
width_ratio = 0.5
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 1]))
model = Model("other_ratios").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [-2.8125, 2.1875, -3.5, -2.0, 0.3125, -0.875, 2.5, 0.1875, 3.6875, -0.375, -1.25, 3.5625, 1.8125, 3.0, -2.5625, -3.5, 2.875, -0.4375, 3.5625, -0.9375, -0.3125, 3.1875, -0.1875, 1.5625, 0.5, 1.5625, -1.5625, 4.0, -1.125, 1.1875, -3.25, 3.9375],
    rois: [2.75, 8.75, 3.25, 15.75, 2.25, 10.5, 4.0, 14.125],
    output: [-1.0917969, -0.8144531, -2.140625, -1.453125, -0.3881836, 2.6237793, -0.6875, 2.8144531],
}, model=model).AddNchw(features, output, layout).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 1]))
rois = Input("rois", ("TENSOR_FLOAT32", [1, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [0])
output_height = 4
output_width = 4
height_ratio = 1.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 4, 4, 1]))
model = Model("more_cells_than_region").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [2.75, -1.125, 1.9375, -3.25, 1.0, -1.5625, 2.375, -1.1875, -0.75, -0.5, -1.3125, 3.0625, 0.0625, -1.5, -2.0625, 2.3125],
    rois: [3.75, 0.5, 5.0, 1.75],
    output: [1.9821777, 1.1943359, 0.1640625, -0.86621094, 2.0382843, 1.3983154, 0.5319824, -0.3343506, 1.2150269, 1.0053711, 0.67285156, 0.34033203, 0.18658447, 0.47314453, 0.7607422, 1.0483398],
}, model=model).AddNchw(features, output, layout).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 8, 8, 1]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 0
width_samples = 0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 1]))
model = Model("adaptive").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [3.0625, 3.3125, -1.4375, 3.4375, 2.9375, 0.4375, -0.25, -0.125, -3.375, 3.9375, -3.5625, 2.6875, 1.125, 2.6875, 1.0, -0.1875, 2.3125, -3.3125, -2.4375, 1.0, -2.0625, -2.8125, -1.125, 2.75, -2.4375, -0.9375, -1.75, 3.375, -1.0, 4.0, -2.3125, 1.1875, 2.5, 2.25, 3.375, 3.375, -3.125, -2.9375, 3.625, 2.0, 1.875, 0.1875, -3.75, -1.9375, 1.0625, -1.3125, 1.6875, 0.8125, 1.0625, -1.8125, -2.3125, -3.0625, -2.25, 2.125, 2.5625, 2.125, -2.625, 1.75, 2.625, 3.6875, -3.625, 2.5625, -3.875, 3.375],
    rois: [8.625, 6.625, 12.125, 11.875, 3.25, 3.625, 7.75, 4.125],
    output: [-1.6176758, 0.87542725, -0.23864746, 1.1359863, -1.6002197, 0.16577148, -1.019165, 1.1481934],
}, model=model).AddNchw(features, output, layout).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 8, 4, 2]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 0
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 2]))
model = Model("adaptive_height").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [0.5625, 0.0625, 3.6875, 2.1875, 3.625, -0.4375, -0.625, -1.25, 0.25, 3.5625, -3.625, 2.0, -0.625, -1.75, 1.5, -2.5, -0.8125, -2.4375, -3.875, -0.875, -3.8125, -2.875, 3.125, -1.5625, 0.25, -0.4375, -1.8125, -0.3125, -1.1875, -3.1875, 0.5625, 0.0625, -0.875, -0.4375, 2.75, -0.125, 3.375, -0.25, 0.625, 3.875, -2.75, 1.75, -0.8125, -3.3125, -2.125, 2.5, 3.9375, -2.125, 2.0, 3.25, -3.1875, -0.6875, -3.625, 3.25, 1.5625, -0.6875, -0.75, 3.125, 1.0625, 0.9375, -2.875, 2.6875, -3.5, -2.5625],
    rois: [3.875, 2.5, 5.5, 16.0, 3.0, 2.875, 3.625, 12.625],
    output: [-0.21669006, -1.4260254, 0.8825531, -0.31860352, -2.3576813, 1.9276581, -0.9078522, -0.4169464, -1.6158854, -1.9938151, -0.70442706, -1.9270834, -1.1681315, 1.1499023, -0.39241537, 1.516276],
}, model=model).AddNchw(features, output, layout).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 8, 2]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 1
width_samples = 0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 2]))
model = Model("adaptive_width").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.875, 0.1875, -3.9375, 0.6875, -1.8125, 3.0625, 3.625, -3.125, -1.375, -1.5625, 0.625, -2.125, -2.125, 2.5, 2.0625, 3.125, -3.1875, -0.6875, 2.1875, 2.0, -2.875, -3.9375, -2.8125, 0.6875, -1.125, -1.1875, 1.9375, -2.375, 3.3125, 3.375, 0.1875, -1.5, 2.9375, 3.5625, -3.625, -1.8125, 4.0, 1.5, 2.375, 2.625, -1.0625, -3.5625, 0.0625, -0.9375, -3.4375, 2.75, 0.125, -3.5625, 3.375, 0.375, -0.0625, 1.25, 1.375, 2.75, -0.9375, -3.75, 0.0, -2.9375, 2.5, -3.5625, -3.1875, 3.125, -1.375, 0.6875],
    rois: [5.25, 0.875, 6.125, 6.125, 6.125, 1.75, 13.125, 3.25],
    output: [-2.314209, 0.33203125, -1.8735352, 0.014404297, 1.267334, 0.28173828, 0.40673828, -1.21875, -0.85009766, -1.0141602, 2.0385742, 0.9213867, -0.35986328, -1.3051758, -0.2133789, 0.9506836],
}, model=model).AddNchw(features, output, layout).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 2]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 1
width_samples = 1
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 2]))
model = Model("one_sample").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [-1.625, 1.1875, -2.3125, -0.375, -1.75, 0.875, -3.625, -1.3125, 1.5, -0.125, 2.125, 1.125, -1.5, -2.0, -2.75, 1.0625, -1.4375, 2.8125, -1.5625, 1.0625, 2.6875, -1.125, 2.125, -0.375, -2.9375, -2.875, -2.25, -0.9375, -1.125, -0.1875, 1.3125, -2.6875],
    rois: [2.625, 5.0, 3.875, 5.5, 2.625, 2.125, 6.875, 5.5],
    output: [-1.0058594, -0.42871094, -0.06640625, -0.52734375, -1.6171875, -0.515625, -0.97265625, -0.34375, 0.49871826, -1.158844, -0.30270386, 0.18411255, 0.9326782, -0.6261902, 1.8188477, -1.104126],
}, model=model).AddNchw(features, output, layout).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 1]))
rois = Input("rois", ("TENSOR_FLOAT32", [1, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 4
width_samples = 3
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
model = Model("many_samples").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [-2.8125, 1.875, -1.4375, -1.8125, -0.4375, 1.4375, 2.9375, 2.375, -1.9375, -2.125, 0.875, -3.3125, 2.1875, 1.875, 3.0625, -1.4375],
    rois: [3.125, 5.625, 6.875, 6.75],
    output: [2.3162231, -0.93481445, 2.3886719, -0.875],
}, model=model).AddNchw(features, output, layout).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("points").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.5, 3.5625, -3.9375, -3.25, 0.8125, 2.6875, 3.125, -0.4375, 3.8125, 2.8125, -1.875, -2.4375, 2.0625, -0.6875, 3.125, 0.25, 1.3125, 1.4375, 3.8125, -0.875, 3.3125, -2.375, -1.3125, 1.5, 3.8125, 1.375, -1.125, 2.8125, -1.75, 1.3125, -3.0625, 2.25, -3.625, -3.125, -0.9375, 1.875, -2.9375, 2.0625, -1.375, -0.3125, 0.875, -0.4375, -2.3125, 2.75, -0.5, -3.125, -3.0, 3.875],
    rois: [2, 4, 2, 4, 8, 8, 8, 8],
    output: [0.8046875, -0.2265625, -0.0546875, -1.6484375, 1.5078125, -1.9140625, -0.2734375, 0.8203125, -0.3203125, -1.7578125, 2.0234375, -0.9609375, -3.125, -3.0, 3.875, -3.125, -3.0, 3.875, -3.125, -3.0, 3.875, -3.125, -3.0, 3.875],
}, model=model).AddNchw(features, output, layout).AddVariations("relaxed", "float16").DisableLifeTimeVariation()
