# Written by tests/golden/write_roi_specs.py.

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 1]))
rois = Input("rois", ("TENSOR_FLOAT32", [1, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
model = Model("one_region").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [2.75, 2.875, 3.25, -2.0625, -0.5, 2.125, -3.4375, 3.625, -0.875, -3.25, -0.625, 2.0, -1.625, 3.5, -2.6875, 2.75],
    rois: [0.625, 3.5, 1.375, 5.25],
    output: [-0.875, -3.25, -1.625, 3.5],
}, model=model).AddNchw(features, output, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({features: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), rois: ("TENSOR_QUANT16_ASYMM", 0.125, 0), output: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0)}), includeDefault=False).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("channels").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [2.9375, 2.0, 1.5, 3.4375, -1.6875, -2.125, 1.3125, 0.1875, 3.0625, -2.0625, 3.625, -1.5, -1.9375, 1.0, -2.25, -0.5625, 0.8125, -2.375, -0.8125, -1.0, 1.4375, -2.0625, 0.8125, -0.0625, -3.375, 3.0625, -1.125, 3.8125, 0.625, -2.3125, 2.1875, 1.75, 2.3125, 3.875, -0.5625, 3.6875, 0.6875, 1.8125, 1.625, -3.4375, 1.125, -3.25, 0.9375, -1.375, -1.0625, 2.625, 2.375, -3.875],
    rois: [2.5, 4.125, 6.5, 7.25, 1.75, 4.75, 3.375, 5.75],
    output: [3.8125, 1.75, 2.3125, 3.875, 2.375, 3.6875, 0.9375, 1.125, -1.0625, 2.625, 2.375, -1.0625, 3.8125, 0.625, -2.3125, 2.1875, 1.75, 2.3125, -3.4375, 1.125, -3.25, 0.9375, -1.375, -1.0625],
}, model=model).AddNchw(features, output, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({features: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), rois: ("TENSOR_QUANT16_ASYMM", 0.125, 0), output: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0)}), includeDefault=False).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [2, 4, 4, 2]))
rois = Input("rois", ("TENSOR_FLOAT32", [4, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [4]), [0, 0, 1, 1])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [4, 2, 2, 2]))
model = Model("two_images").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [1.5625, -0.0625, 0.75, 3.1875, 2.75, -3.3125, 0.4375, 0.625, 1.1875, -0.75, 3.625, -2.8125, 3.125, 3.5, -1.875, -2.25, -4.0, -2.5625, -0.8125, 3.1875, 3.25, -0.3125, 1.5, -1.0625, -1.5, -1.8125, -1.25, -2.625, -1.25, 3.5, 3.0625, 0.875, 0.5625, -3.875, 2.6875, -3.1875, 2.375, -1.1875, -3.875, -3.1875, 0.5, -3.625, -0.75, -1.5625, 0.375, -1.5625, 0.5625, -0.75, 2.5625, 0.0, 3.25, -1.0625, 1.1875, -1.4375, -3.75, 3.5, 3.875, -0.125, -2.8125, -0.75, 2.0, 1.25, -1.0625, -3.5625],
    rois: [6.0, 3.25, 6.5, 3.75, 2.875, 3.5, 7.625, 5.75, 3.375, 3.75, 3.5, 4.5, 2.875, 3.75, 3.875, 7.125],
    output: [1.5, -1.0625, 1.5, -1.0625, 1.5, -1.0625, 1.5, -1.0625, 3.25, 3.1875, 1.5, -1.0625, -1.25, 3.5, 3.0625, 0.875, 1.1875, -1.4375, 1.1875, -1.4375, 1.1875, -1.4375, 1.1875, -1.4375, 3.25, -0.75, 2.0, 1.25, -2.8125, -0.75, 2.0, 1.25],
}, model=model).AddNchw(features, output, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({features: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), rois: ("TENSOR_QUANT16_ASYMM", 0.125, 0), output: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0)}), includeDefault=False)

features = Input("features", ("TENSOR_FLOAT32", [3, 4, 4, 1]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [2, 2])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 1]))
model = Model("image_left_out").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [-0.6875, -3.375, -1.875, 2.1875, 3.5, -4.0, 0.125, -0.8125, -3.0, -0.875, 3.5625, -3.3125, 1.375, -0.9375, -1.375, 3.5, 0.6875, -1.6875, -2.25, 1.0625, 1.5, -0.625, -2.3125, 2.6875, 0.875, -1.125, -1.25, 2.0, -1.6875, -3.6875, -2.125, -0.25, -2.8125, 1.75, 2.0625, 1.375, 0.625, 1.5, 0.9375, -1.3125, 3.9375, -2.0625, 2.125, -2.9375, -3.0625, 2.25, 2.8125, -3.6875],
    rois: [1.25, 6.0, 6.5, 6.375, 2.375, 5.25, 7.375, 7.875],
    output: [2.8125, 2.8125, 2.8125, 2.8125, 2.8125, -3.6875, 0, 0],
}, model=model).AddNchw(features, output, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({features: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), rois: ("TENSOR_QUANT16_ASYMM", 0.125, 0), output: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0)}), includeDefault=False).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 2]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 1
output_width = 1
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 1, 2]))
model = Model("one_cell").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [-0.625, 1.0625, 2.8125, 0.625, -2.375, -2.0, -2.5625, 0.3125, 2.4375, 3.5625, 1.0625, -3.6875, 2.5, 3.25, 1.9375, 1.3125, 3.5, 2.6875, 1.25, -2.9375, 1.5, 1.4375, 0.5625, 0.125, 3.625, 3.75, -1.375, -3.25, -1.1875, -1.8125, -4.0, -1.625],
    rois: [0.125, 0.75, 1.875, 7.625, 5.125, 0.625, 5.125, 1.375],
    output: [3.625, 3.75, 1.9375, 1.3125],
}, model=model).AddNchw(features, output, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({features: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), rois: ("TENSOR_QUANT16_ASYMM", 0.125, 0), output: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0)}), includeDefault=False).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 5, 8, 1]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 1
output_width = 4
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 4, 1]))
model = Model("other_sizes").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [-2.875, -2.25, -0.125, -0.625, -1.9375, -2.9375, -2.625, -0.875, -2.0, 3.1875, 1.25, 3.9375, 0.75, -1.1875, 2.4375, -1.0, 0.375, 3.5625, 0.0625, 3.0, -0.25, 1.4375, -3.0, -3.9375, -2.0, -3.5625, -1.4375, 1.125, -1.625, -0.9375, -1.375, -2.75, -2.25, -1.6875, -3.0, 0.875, -3.9375, 0.9375, 3.5, -2.125],
    rois: [1.25, 4.0, 6.375, 8.625, 7.625, 3.125, 13.5, 6.25],
    output: [3.5625, 3.5625, 3.0, 3.0, -0.25, 1.4375, -1.375, -2.75],
}, model=model).AddNchw(features, output, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({features: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), rois: ("TENSOR_QUANT16_ASYMM", 0.125, 0), output: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0)}), includeDefault=False).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 8, 1]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 4.0
width_ratio = 0.5
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 1]))
model = Model("other_ratios").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [-1.5625, -2.125, 0.3125, -2.1875, 0.9375, 0.5625, 1.3125, -2.9375, -3.625, -1.9375, -2.5625, -0.4375, -0.5625, 3.0625, 2.75, -3.6875, -2.25, -2.75, -2.1875, -1.875, 0.4375, 0.375, -0.875, -1.75, -3.375, 3.75, 2.3125, -0.9375, 3.125, -2.4375, -1.5, 3.75],
    rois: [0.0, 4.875, 2.5, 5.875, 1.625, 1.25, 3.375, 3.0],
    output: [-1.9375, 3.0625, -1.9375, 3.0625, 0.9375, 1.3125, 3.0625, 3.0625],
}, model=model).AddNchw(features, output, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({features: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), rois: ("TENSOR_QUANT16_ASYMM", 0.125, 0), output: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0)}), includeDefault=False).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 1]))
rois = Input("rois", ("TENSOR_FLOAT32", [1, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [0])
output_height = 4
output_width = 4
height_ratio = 1.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 4, 4, 1]))
model = Model("more_cells_than_region").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [4.0, 2.625, -2.625, -3.4375, 1.625, -0.0625, 1.0, 3.9375, 0.0, -2.125, -2.5625, -0.875, -2.5625, -1.1875, 3.25, 2.3125],
    rois: [1.375, 3.0, 5.5, 3.375],
    output: [-1.1875, 3.25, 3.25, 2.3125, -1.1875, 3.25, 3.25, 2.3125, -1.1875, 3.25, 3.25, 2.3125, -1.1875, 3.25, 3.25, 2.3125],
}, model=model).AddNchw(features, output, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({features: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), rois: ("TENSOR_QUANT16_ASYMM", 0.125, 0), output: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0)}), includeDefault=False).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("outside_of_the_map").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [2.9375, 2.0, 1.5, 3.4375, -1.6875, -2.125, 1.3125, 0.1875, 3.0625, -2.0625, 3.625, -1.5, -1.9375, 1.0, -2.25, -0.5625, 0.8125, -2.375, -0.8125, -1.0, 1.4375, -2.0625, 0.8125, -0.0625, -3.375, 3.0625, -1.125, 3.8125, 0.625, -2.3125, 2.1875, 1.75, 2.3125, 3.875, -0.5625, 3.6875, 0.6875, 1.8125, 1.625, -3.4375, 1.125, -3.25, 0.9375, -1.375, -1.0625, 2.625, 2.375, -3.875],
    rois: [8, 8, 8, 8, 0, 0, 8, 8],
    output: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 3.8125, 3.0625, 3.0625, 3.875, 3.625, 3.6875, 3.8125, 3.0625, 2.3125, 3.875, 2.375, 3.6875],
}, model=model).AddNchw(features, output, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({features: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), rois: ("TENSOR_QUANT16_ASYMM", 0.125, 0), output: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0)}), includeDefault=False).DisableLifeTimeVariation()
