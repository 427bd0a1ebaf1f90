# Written by tests/golden/write_roi_specs.py.

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 1])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("image_too_large").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.5, 3.5625, -3.9375, -3.25, 0.8125, 2.6875, 3.125, -0.4375, 3.8125, 2.8125, -1.875, -2.4375, 2.0625, -0.6875, 3.125, 0.25, 1.3125, 1.4375, 3.8125, -0.875, 3.3125, -2.375, -1.3125, 1.5, 3.8125, 1.375, -1.125, 2.8125, -1.75, 1.3125, -3.0625, 2.25, -3.625, -3.125, -0.9375, 1.875, -2.9375, 2.0625, -1.375, -0.3125, 0.875, -0.4375, -2.3125, 2.75, -0.5, -3.125, -3.0, 3.875],
    rois: [2.625, 0.875, 6.5, 5.625, 5.5, 3.0, 5.625, 4.25],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [-1, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("image_negative").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.5, 3.5625, -3.9375, -3.25, 0.8125, 2.6875, 3.125, -0.4375, 3.8125, 2.8125, -1.875, -2.4375, 2.0625, -0.6875, 3.125, 0.25, 1.3125, 1.4375, 3.8125, -0.875, 3.3125, -2.375, -1.3125, 1.5, 3.8125, 1.375, -1.125, 2.8125, -1.75, 1.3125, -3.0625, 2.25, -3.625, -3.125, -0.9375, 1.875, -2.9375, 2.0625, -1.375, -0.3125, 0.875, -0.4375, -2.3125, 2.75, -0.5, -3.125, -3.0, 3.875],
    rois: [2.625, 0.875, 6.5, 5.625, 5.5, 3.0, 5.625, 4.25],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("indices").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.5, 3.5625, -3.9375, -3.25, 0.8125, 2.6875, 3.125, -0.4375, 3.8125, 2.8125, -1.875, -2.4375, 2.0625, -0.6875, 3.125, 0.25, 1.3125, 1.4375, 3.8125, -0.875, 3.3125, -2.375, -1.3125, 1.5, 3.8125, 1.375, -1.125, 2.8125, -1.75, 1.3125, -3.0625, 2.25, -3.625, -3.125, -0.9375, 1.875, -2.9375, 2.0625, -1.375, -0.3125, 0.875, -0.4375, -2.3125, 2.75, -0.5, -3.125, -3.0, 3.875],
    rois: [2.625, 0.875, 6.5, 5.625, 5.5, 3.0, 5.625, 4.25],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

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
model = Model("left_of_image").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.5, 3.5625, -3.9375, -3.25, 0.8125, 2.6875, 3.125, -0.4375, 3.8125, 2.8125, -1.875, -2.4375, 2.0625, -0.6875, 3.125, 0.25, 1.3125, 1.4375, 3.8125, -0.875, 3.3125, -2.375, -1.3125, 1.5, 3.8125, 1.375, -1.125, 2.8125, -1.75, 1.3125, -3.0625, 2.25, -3.625, -3.125, -0.9375, 1.875, -2.9375, 2.0625, -1.375, -0.3125, 0.875, -0.4375, -2.3125, 2.75, -0.5, -3.125, -3.0, 3.875],
    rois: [-1, 0, 4, 4, 5.5, 3.0, 5.625, 4.25],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

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
model = Model("above_image").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.5, 3.5625, -3.9375, -3.25, 0.8125, 2.6875, 3.125, -0.4375, 3.8125, 2.8125, -1.875, -2.4375, 2.0625, -0.6875, 3.125, 0.25, 1.3125, 1.4375, 3.8125, -0.875, 3.3125, -2.375, -1.3125, 1.5, 3.8125, 1.375, -1.125, 2.8125, -1.75, 1.3125, -3.0625, 2.25, -3.625, -3.125, -0.9375, 1.875, -2.9375, 2.0625, -1.375, -0.3125, 0.875, -0.4375, -2.3125, 2.75, -0.5, -3.125, -3.0, 3.875],
    rois: [0, -1, 4, 4, 5.5, 3.0, 5.625, 4.25],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

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
model = Model("right_of_image").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.5, 3.5625, -3.9375, -3.25, 0.8125, 2.6875, 3.125, -0.4375, 3.8125, 2.8125, -1.875, -2.4375, 2.0625, -0.6875, 3.125, 0.25, 1.3125, 1.4375, 3.8125, -0.875, 3.3125, -2.375, -1.3125, 1.5, 3.8125, 1.375, -1.125, 2.8125, -1.75, 1.3125, -3.0625, 2.25, -3.625, -3.125, -0.9375, 1.875, -2.9375, 2.0625, -1.375, -0.3125, 0.875, -0.4375, -2.3125, 2.75, -0.5, -3.125, -3.0, 3.875],
    rois: [0, 0, 8.5, 4, 5.5, 3.0, 5.625, 4.25],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

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
model = Model("below_image").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.5, 3.5625, -3.9375, -3.25, 0.8125, 2.6875, 3.125, -0.4375, 3.8125, 2.8125, -1.875, -2.4375, 2.0625, -0.6875, 3.125, 0.25, 1.3125, 1.4375, 3.8125, -0.875, 3.3125, -2.375, -1.3125, 1.5, 3.8125, 1.375, -1.125, 2.8125, -1.75, 1.3125, -3.0625, 2.25, -3.625, -3.125, -0.9375, 1.875, -2.9375, 2.0625, -1.375, -0.3125, 0.875, -0.4375, -2.3125, 2.75, -0.5, -3.125, -3.0, 3.875],
    rois: [0, 0, 4, 8.5, 5.5, 3.0, 5.625, 4.25],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

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
model = Model("order_of_x").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.5, 3.5625, -3.9375, -3.25, 0.8125, 2.6875, 3.125, -0.4375, 3.8125, 2.8125, -1.875, -2.4375, 2.0625, -0.6875, 3.125, 0.25, 1.3125, 1.4375, 3.8125, -0.875, 3.3125, -2.375, -1.3125, 1.5, 3.8125, 1.375, -1.125, 2.8125, -1.75, 1.3125, -3.0625, 2.25, -3.625, -3.125, -0.9375, 1.875, -2.9375, 2.0625, -1.375, -0.3125, 0.875, -0.4375, -2.3125, 2.75, -0.5, -3.125, -3.0, 3.875],
    rois: [4, 0, 3, 4, 5.5, 3.0, 5.625, 4.25],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

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
model = Model("order_of_y").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.5, 3.5625, -3.9375, -3.25, 0.8125, 2.6875, 3.125, -0.4375, 3.8125, 2.8125, -1.875, -2.4375, 2.0625, -0.6875, 3.125, 0.25, 1.3125, 1.4375, 3.8125, -0.875, 3.3125, -2.375, -1.3125, 1.5, 3.8125, 1.375, -1.125, 2.8125, -1.75, 1.3125, -3.0625, 2.25, -3.625, -3.125, -0.9375, 1.875, -2.9375, 2.0625, -1.375, -0.3125, 0.875, -0.4375, -2.3125, 2.75, -0.5, -3.125, -3.0, 3.875],
    rois: [0, 4, 4, 3, 5.5, 3.0, 5.625, 4.25],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 0
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("height").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.5, 3.5625, -3.9375, -3.25, 0.8125, 2.6875, 3.125, -0.4375, 3.8125, 2.8125, -1.875, -2.4375, 2.0625, -0.6875, 3.125, 0.25, 1.3125, 1.4375, 3.8125, -0.875, 3.3125, -2.375, -1.3125, 1.5, 3.8125, 1.375, -1.125, 2.8125, -1.75, 1.3125, -3.0625, 2.25, -3.625, -3.125, -0.9375, 1.875, -2.9375, 2.0625, -1.375, -0.3125, 0.875, -0.4375, -2.3125, 2.75, -0.5, -3.125, -3.0, 3.875],
    rois: [2.625, 0.875, 6.5, 5.625, 5.5, 3.0, 5.625, 4.25],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = -1
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("width").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.5, 3.5625, -3.9375, -3.25, 0.8125, 2.6875, 3.125, -0.4375, 3.8125, 2.8125, -1.875, -2.4375, 2.0625, -0.6875, 3.125, 0.25, 1.3125, 1.4375, 3.8125, -0.875, 3.3125, -2.375, -1.3125, 1.5, 3.8125, 1.375, -1.125, 2.8125, -1.75, 1.3125, -3.0625, 2.25, -3.625, -3.125, -0.9375, 1.875, -2.9375, 2.0625, -1.375, -0.3125, 0.875, -0.4375, -2.3125, 2.75, -0.5, -3.125, -3.0, 3.875],
    rois: [2.625, 0.875, 6.5, 5.625, 5.5, 3.0, 5.625, 4.25],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 0.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("height_ratio").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.5, 3.5625, -3.9375, -3.25, 0.8125, 2.6875, 3.125, -0.4375, 3.8125, 2.8125, -1.875, -2.4375, 2.0625, -0.6875, 3.125, 0.25, 1.3125, 1.4375, 3.8125, -0.875, 3.3125, -2.375, -1.3125, 1.5, 3.8125, 1.375, -1.125, 2.8125, -1.75, 1.3125, -3.0625, 2.25, -3.625, -3.125, -0.9375, 1.875, -2.9375, 2.0625, -1.375, -0.3125, 0.875, -0.4375, -2.3125, 2.75, -0.5, -3.125, -3.0, 3.875],
    rois: [2.625, 0.875, 6.5, 5.625, 5.5, 3.0, 5.625, 4.25],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = -2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("width_ratio").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.5, 3.5625, -3.9375, -3.25, 0.8125, 2.6875, 3.125, -0.4375, 3.8125, 2.8125, -1.875, -2.4375, 2.0625, -0.6875, 3.125, 0.25, 1.3125, 1.4375, 3.8125, -0.875, 3.3125, -2.375, -1.3125, 1.5, 3.8125, 1.375, -1.125, 2.8125, -1.75, 1.3125, -3.0625, 2.25, -3.625, -3.125, -0.9375, 1.875, -2.9375, 2.0625, -1.375, -0.3125, 0.875, -0.4375, -2.3125, 2.75, -0.5, -3.125, -3.0, 3.875],
    rois: [2.625, 0.875, 6.5, 5.625, 5.5, 3.0, 5.625, 4.25],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = -1
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("height_samples").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.5, 3.5625, -3.9375, -3.25, 0.8125, 2.6875, 3.125, -0.4375, 3.8125, 2.8125, -1.875, -2.4375, 2.0625, -0.6875, 3.125, 0.25, 1.3125, 1.4375, 3.8125, -0.875, 3.3125, -2.375, -1.3125, 1.5, 3.8125, 1.375, -1.125, 2.8125, -1.75, 1.3125, -3.0625, 2.25, -3.625, -3.125, -0.9375, 1.875, -2.9375, 2.0625, -1.375, -0.3125, 0.875, -0.4375, -2.3125, 2.75, -0.5, -3.125, -3.0, 3.875],
    rois: [2.625, 0.875, 6.5, 5.625, 5.5, 3.0, 5.625, 4.25],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = -1
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("width_samples").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1.5, 3.5625, -3.9375, -3.25, 0.8125, 2.6875, 3.125, -0.4375, 3.8125, 2.8125, -1.875, -2.4375, 2.0625, -0.6875, 3.125, 0.25, 1.3125, 1.4375, 3.8125, -0.875, 3.3125, -2.375, -1.3125, 1.5, 3.8125, 1.375, -1.125, 2.8125, -1.75, 1.3125, -3.0625, 2.25, -3.625, -3.125, -0.9375, 1.875, -2.9375, 2.0625, -1.375, -0.3125, 0.875, -0.4375, -2.3125, 2.75, -0.5, -3.125, -3.0, 3.875],
    rois: [2.625, 0.875, 6.5, 5.625, 5.5, 3.0, 5.625, 4.25],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
