# Written by tests/golden/write_roi_specs.py.

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 1])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("image_too_large").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [2.9375, 2.0, 1.5, 3.4375, -1.6875, -2.125, 1.3125, 0.1875, 3.0625, -2.0625, 3.625, -1.5, -1.9375, 1.0, -2.25, -0.5625, 0.8125, -2.375, -0.8125, -1.0, 1.4375, -2.0625, 0.8125, -0.0625, -3.375, 3.0625, -1.125, 3.8125, 0.625, -2.3125, 2.1875, 1.75, 2.3125, 3.875, -0.5625, 3.6875, 0.6875, 1.8125, 1.625, -3.4375, 1.125, -3.25, 0.9375, -1.375, -1.0625, 2.625, 2.375, -3.875],
    rois: [2.5, 4.125, 6.5, 7.25, 1.75, 4.75, 3.375, 5.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [-1, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("image_negative").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [2.9375, 2.0, 1.5, 3.4375, -1.6875, -2.125, 1.3125, 0.1875, 3.0625, -2.0625, 3.625, -1.5, -1.9375, 1.0, -2.25, -0.5625, 0.8125, -2.375, -0.8125, -1.0, 1.4375, -2.0625, 0.8125, -0.0625, -3.375, 3.0625, -1.125, 3.8125, 0.625, -2.3125, 2.1875, 1.75, 2.3125, 3.875, -0.5625, 3.6875, 0.6875, 1.8125, 1.625, -3.4375, 1.125, -3.25, 0.9375, -1.375, -1.0625, 2.625, 2.375, -3.875],
    rois: [2.5, 4.125, 6.5, 7.25, 1.75, 4.75, 3.375, 5.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("indices").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [2.9375, 2.0, 1.5, 3.4375, -1.6875, -2.125, 1.3125, 0.1875, 3.0625, -2.0625, 3.625, -1.5, -1.9375, 1.0, -2.25, -0.5625, 0.8125, -2.375, -0.8125, -1.0, 1.4375, -2.0625, 0.8125, -0.0625, -3.375, 3.0625, -1.125, 3.8125, 0.625, -2.3125, 2.1875, 1.75, 2.3125, 3.875, -0.5625, 3.6875, 0.6875, 1.8125, 1.625, -3.4375, 1.125, -3.25, 0.9375, -1.375, -1.0625, 2.625, 2.375, -3.875],
    rois: [2.5, 4.125, 6.5, 7.25, 1.75, 4.75, 3.375, 5.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("left_of_image").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [2.9375, 2.0, 1.5, 3.4375, -1.6875, -2.125, 1.3125, 0.1875, 3.0625, -2.0625, 3.625, -1.5, -1.9375, 1.0, -2.25, -0.5625, 0.8125, -2.375, -0.8125, -1.0, 1.4375, -2.0625, 0.8125, -0.0625, -3.375, 3.0625, -1.125, 3.8125, 0.625, -2.3125, 2.1875, 1.75, 2.3125, 3.875, -0.5625, 3.6875, 0.6875, 1.8125, 1.625, -3.4375, 1.125, -3.25, 0.9375, -1.375, -1.0625, 2.625, 2.375, -3.875],
    rois: [-1, 0, 4, 4, 1.75, 4.75, 3.375, 5.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("above_image").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [2.9375, 2.0, 1.5, 3.4375, -1.6875, -2.125, 1.3125, 0.1875, 3.0625, -2.0625, 3.625, -1.5, -1.9375, 1.0, -2.25, -0.5625, 0.8125, -2.375, -0.8125, -1.0, 1.4375, -2.0625, 0.8125, -0.0625, -3.375, 3.0625, -1.125, 3.8125, 0.625, -2.3125, 2.1875, 1.75, 2.3125, 3.875, -0.5625, 3.6875, 0.6875, 1.8125, 1.625, -3.4375, 1.125, -3.25, 0.9375, -1.375, -1.0625, 2.625, 2.375, -3.875],
    rois: [0, -1, 4, 4, 1.75, 4.75, 3.375, 5.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("right_of_image").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [2.9375, 2.0, 1.5, 3.4375, -1.6875, -2.125, 1.3125, 0.1875, 3.0625, -2.0625, 3.625, -1.5, -1.9375, 1.0, -2.25, -0.5625, 0.8125, -2.375, -0.8125, -1.0, 1.4375, -2.0625, 0.8125, -0.0625, -3.375, 3.0625, -1.125, 3.8125, 0.625, -2.3125, 2.1875, 1.75, 2.3125, 3.875, -0.5625, 3.6875, 0.6875, 1.8125, 1.625, -3.4375, 1.125, -3.25, 0.9375, -1.375, -1.0625, 2.625, 2.375, -3.875],
    rois: [0, 0, 8.5, 4, 1.75, 4.75, 3.375, 5.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("below_image").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [2.9375, 2.0, 1.5, 3.4375, -1.6875, -2.125, 1.3125, 0.1875, 3.0625, -2.0625, 3.625, -1.5, -1.9375, 1.0, -2.25, -0.5625, 0.8125, -2.375, -0.8125, -1.0, 1.4375, -2.0625, 0.8125, -0.0625, -3.375, 3.0625, -1.125, 3.8125, 0.625, -2.3125, 2.1875, 1.75, 2.3125, 3.875, -0.5625, 3.6875, 0.6875, 1.8125, 1.625, -3.4375, 1.125, -3.25, 0.9375, -1.375, -1.0625, 2.625, 2.375, -3.875],
    rois: [0, 0, 4, 8.5, 1.75, 4.75, 3.375, 5.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("order_of_x").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [2.9375, 2.0, 1.5, 3.4375, -1.6875, -2.125, 1.3125, 0.1875, 3.0625, -2.0625, 3.625, -1.5, -1.9375, 1.0, -2.25, -0.5625, 0.8125, -2.375, -0.8125, -1.0, 1.4375, -2.0625, 0.8125, -0.0625, -3.375, 3.0625, -1.125, 3.8125, 0.625, -2.3125, 2.1875, 1.75, 2.3125, 3.875, -0.5625, 3.6875, 0.6875, 1.8125, 1.625, -3.4375, 1.125, -3.25, 0.9375, -1.375, -1.0625, 2.625, 2.375, -3.875],
    rois: [4, 0, 3, 4, 1.75, 4.75, 3.375, 5.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("order_of_y").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [2.9375, 2.0, 1.5, 3.4375, -1.6875, -2.125, 1.3125, 0.1875, 3.0625, -2.0625, 3.625, -1.5, -1.9375, 1.0, -2.25, -0.5625, 0.8125, -2.375, -0.8125, -1.0, 1.4375, -2.0625, 0.8125, -0.0625, -3.375, 3.0625, -1.125, 3.8125, 0.625, -2.3125, 2.1875, 1.75, 2.3125, 3.875, -0.5625, 3.6875, 0.6875, 1.8125, 1.625, -3.4375, 1.125, -3.25, 0.9375, -1.375, -1.0625, 2.625, 2.375, -3.875],
    rois: [0, 4, 4, 3, 1.75, 4.75, 3.375, 5.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 0
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("height").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [2.9375, 2.0, 1.5, 3.4375, -1.6875, -2.125, 1.3125, 0.1875, 3.0625, -2.0625, 3.625, -1.5, -1.9375, 1.0, -2.25, -0.5625, 0.8125, -2.375, -0.8125, -1.0, 1.4375, -2.0625, 0.8125, -0.0625, -3.375, 3.0625, -1.125, 3.8125, 0.625, -2.3125, 2.1875, 1.75, 2.3125, 3.875, -0.5625, 3.6875, 0.6875, 1.8125, 1.625, -3.4375, 1.125, -3.25, 0.9375, -1.375, -1.0625, 2.625, 2.375, -3.875],
    rois: [2.5, 4.125, 6.5, 7.25, 1.75, 4.75, 3.375, 5.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = -1
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("width").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [2.9375, 2.0, 1.5, 3.4375, -1.6875, -2.125, 1.3125, 0.1875, 3.0625, -2.0625, 3.625, -1.5, -1.9375, 1.0, -2.25, -0.5625, 0.8125, -2.375, -0.8125, -1.0, 1.4375, -2.0625, 0.8125, -0.0625, -3.375, 3.0625, -1.125, 3.8125, 0.625, -2.3125, 2.1875, 1.75, 2.3125, 3.875, -0.5625, 3.6875, 0.6875, 1.8125, 1.625, -3.4375, 1.125, -3.25, 0.9375, -1.375, -1.0625, 2.625, 2.375, -3.875],
    rois: [2.5, 4.125, 6.5, 7.25, 1.75, 4.75, 3.375, 5.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 0.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("height_ratio").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [2.9375, 2.0, 1.5, 3.4375, -1.6875, -2.125, 1.3125, 0.1875, 3.0625, -2.0625, 3.625, -1.5, -1.9375, 1.0, -2.25, -0.5625, 0.8125, -2.375, -0.8125, -1.0, 1.4375, -2.0625, 0.8125, -0.0625, -3.375, 3.0625, -1.125, 3.8125, 0.625, -2.3125, 2.1875, 1.75, 2.3125, 3.875, -0.5625, 3.6875, 0.6875, 1.8125, 1.625, -3.4375, 1.125, -3.25, 0.9375, -1.375, -1.0625, 2.625, 2.375, -3.875],
    rois: [2.5, 4.125, 6.5, 7.25, 1.75, 4.75, 3.375, 5.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_FLOAT32", [1, 4, 4, 3]))
rois = Input("rois", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = -2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model("width_ratio").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [2.9375, 2.0, 1.5, 3.4375, -1.6875, -2.125, 1.3125, 0.1875, 3.0625, -2.0625, 3.625, -1.5, -1.9375, 1.0, -2.25, -0.5625, 0.8125, -2.375, -0.8125, -1.0, 1.4375, -2.0625, 0.8125, -0.0625, -3.375, 3.0625, -1.125, 3.8125, 0.625, -2.3125, 2.1875, 1.75, 2.3125, 3.875, -0.5625, 3.6875, 0.6875, 1.8125, 1.625, -3.4375, 1.125, -3.25, 0.9375, -1.375, -1.0625, 2.625, 2.375, -3.875],
    rois: [2.5, 4.125, 6.5, 7.25, 1.75, 4.75, 3.375, 5.75],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM", [1, 4, 4, 3], 0.5, 10))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 2, 3], 0.25, 10))
model = Model("output_scale").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10],
    rois: [0, 0, 64, 64, 0, 0, 64, 64],
    output: [10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM", [1, 4, 4, 3], 0.5, 10))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 2, 3], 0.5, 11))
model = Model("output_zero_point").Operation("ROI_POOLING", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, layout).To(output)
Example({
    features: [10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10],
    rois: [0, 0, 64, 64, 0, 0, 64, 64],
    output: [10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
