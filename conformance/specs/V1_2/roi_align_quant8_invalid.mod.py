# Written by tests/golden/write_roi_specs.py.

features = Input("features", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 1], 255.0, 0))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [1, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [0])
output_height = 1
output_width = 1
height_ratio = 2.0
width_ratio = 2.0
height_samples = 1
width_samples = 1
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 1, 1, 1], 0.5, 0))
model = Model("multiplier").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [1, 1, 1, 1],
    rois: [0, 0, 32, 32],
    output: [255],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
