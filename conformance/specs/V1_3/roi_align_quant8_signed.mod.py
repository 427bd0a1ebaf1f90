# Written by tests/golden/write_roi_specs.py.

features = Input("features", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 4, 1], 0.0625, -128))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [1, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 1], 0.0625, -128))
model = Model("one_region").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [-104, -123, -90, -100, -91, -127, -115, -101, -121, -124, -92, -93, -89, -98, -109, -106],
    rois: [5, 28, 11, 42],
    output: [-120, -120, -108, -110],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 4, 3], 0.25, 0))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 2, 3], 0.5, -28))
model = Model("channels").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [-5, 22, 32, 12, -21, -18, -10, 2, -32, -9, 18, 21, -24, 33, -8, 17, 5, -23, 23, 10, 40, -2, -20, 25, -35, -19, 2, 5, 9, -13, -34, 16, -28, -10, -12, -3, 16, 31, 12, 34, -28, -22, 6, -37, -26, -13, 3, -34],
    rois: [21, 7, 52, 45, 44, 24, 45, 34],
    output: [-23, -24, -23, -29, -32, -18, -35, -27, -39, -35, -31, -35, -32, -34, -26, -32, -35, -26, -34, -32, -34, -33, -32, -33],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4, 4, 2], 0.5, 127))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [4, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [4]), [0, 0, 1, 1])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [4, 2, 2, 2], 0.25, 72))
model = Model("two_images").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [104, 122, 123, 122, 105, 108, 94, 121, 94, 109, 87, 88, 97, 114, 96, 103, 114, 118, 104, 115, 102, 90, 107, 102, 111, 126, 127, 121, 91, 91, 123, 101, 110, 96, 120, 104, 91, 121, 114, 90, 97, 87, 100, 120, 109, 96, 124, 121, 124, 108, 116, 89, 94, 106, 105, 124, 101, 101, 115, 127, 115, 109, 89, 98],
    rois: [52, 7, 54, 48, 14, 39, 35, 48, 1, 40, 50, 47, 9, 12, 61, 64],
    output: [14, 28, 14, 28, 43, 21, 43, 21, 47, 45, 15, 8, 57, 48, 12, 9, 43, 43, 25, 32, 40, 54, 29, 28, 30, 22, 39, 55, 46, 52, 8, 23],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4, 4, 1], 0.1, 0))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [2, 2])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 2, 1], 0.3, -128))
model = Model("image_left_out").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [27, -25, -21, -14, 29, -39, 1, -35, 5, -29, -21, 5, 32, 4, 36, 19, 38, -27, 15, -40, 35, -3, 8, 13, 10, 5, -22, -17, 6, 3, -17, 23, 36, 34, -38, 24, -7, -28, -6, 14, -7, -7, -6, 8, -39, 35, 7, 26],
    rois: [10, 48, 52, 51, 19, 42, 59, 63],
    output: [-120, -122, -120, -122, -124, -121, -123, -120],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 4, 2], 0.0625, -128))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 1
output_width = 1
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 1, 1, 2], 0.0625, -128))
model = Model("one_cell").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [-103, -127, -127, -125, -123, -91, -107, -108, -121, -120, -91, -112, -128, -117, -120, -96, -104, -117, -97, -92, -91, -97, -91, -92, -103, -107, -101, -107, -100, -124, -94, -104],
    rois: [48, 13, 53, 18, 4, 29, 8, 60],
    output: [-111, -95, -101, -104],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 5, 8, 1], 0.25, 0))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 1
output_width = 4
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 1, 4, 1], 0.5, -28))
model = Model("other_sizes").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [9, 40, 27, 2, -10, 9, 7, -15, -23, 10, 1, -33, -8, 15, 5, 2, -39, 31, 22, -12, 7, -25, 6, 13, -10, -31, 0, -8, 23, 3, 29, 8, -18, 23, 34, -38, -4, 26, 6, 22],
    rois: [10, 32, 51, 69, 61, 25, 108, 50],
    output: [-28, -23, -24, -35, -24, -32, -26, -21],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 8, 1], 0.5, 127))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 4.0
width_ratio = 0.5
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 2, 1], 0.25, 72))
model = Model("other_ratios").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [107, 123, 102, 110, 112, 121, 111, 125, 103, 121, 113, 103, 94, 107, 121, 112, 121, 87, 92, 116, 94, 112, 117, 113, 99, 98, 119, 104, 94, 112, 113, 92],
    rois: [1, 72, 9, 105, 5, 12, 22, 86],
    output: [12, 23, 14, 43, 35, 25, 26, 25],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 4, 1], 0.1, 0))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [1, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [0])
output_height = 4
output_width = 4
height_ratio = 1.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 4, 1], 0.3, -128))
model = Model("more_cells_than_region").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [24, 30, 38, -20, 35, 14, 7, -27, 28, -3, 39, -40, 27, 0, -31, 15],
    rois: [30, 4, 40, 14],
    output: [-123, -126, -128, -128, -125, -128, -128, -128, -123, -127, -128, -128, -120, -124, -128, -128],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 8, 8, 1], 0.0625, -128))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 0
width_samples = 0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 2, 1], 0.0625, -128))
model = Model("adaptive").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [-100, -124, -92, -94, -106, -94, -125, -107, -92, -126, -95, -98, -125, -122, -91, -117, -98, -122, -95, -116, -99, -122, -123, -119, -113, -125, -91, -92, -112, -107, -107, -121, -88, -127, -91, -105, -91, -117, -103, -126, -128, -95, -103, -115, -107, -115, -100, -109, -108, -118, -89, -104, -123, -112, -109, -112, -117, -122, -104, -89, -88, -120, -95, -90],
    rois: [55, 10, 121, 50, 0, 40, 21, 111],
    output: [-117, -110, -110, -118, -110, -122, -115, -111],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 8, 4, 2], 0.25, 0))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 0
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 2, 2], 0.5, -28))
model = Model("adaptive_height").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [-26, -40, -24, -25, -1, 15, -10, -16, 5, -9, -21, 7, -16, -24, -35, 28, -31, 3, -14, 30, 13, -37, 26, 36, -39, 37, 24, -11, -6, 18, 26, 40, 23, -11, -2, -15, -13, -18, -25, 17, 27, -25, -7, 17, -12, -24, 23, -5, 29, 1, -7, 7, -32, -28, -35, 28, -36, -19, 5, -9, 15, 36, 17, 16],
    rois: [31, 20, 44, 128, 24, 23, 29, 101],
    output: [-29, -31, -26, -20, -30, -26, -28, -23, -28, -32, -26, -28, -36, -36, -36, -36],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 8, 2], 0.5, 127))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 1
width_samples = 0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 2, 2], 0.25, 72))
model = Model("adaptive_width").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [90, 104, 101, 91, 114, 104, 106, 110, 112, 97, 91, 110, 104, 96, 91, 102, 109, 88, 96, 97, 90, 88, 125, 108, 91, 107, 119, 125, 109, 114, 116, 125, 125, 124, 101, 87, 88, 112, 111, 117, 126, 89, 88, 118, 122, 119, 94, 123, 119, 100, 102, 121, 100, 98, 111, 91, 108, 88, 110, 117, 101, 126, 92, 91],
    rois: [22, 9, 90, 43, 54, 13, 100, 36],
    output: [28, 17, 31, 47, 21, 35, 35, 29, 26, 36, 43, 56, 46, 19, 32, 55],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 4, 2], 0.1, 0))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 1
width_samples = 1
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 2, 2], 0.3, -128))
model = Model("one_sample").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [-37, -3, 21, 4, 27, 1, -30, -12, -4, -27, 20, 35, -5, -6, 27, -23, -16, -40, -8, -16, -20, 34, 24, -36, -3, -37, -20, 21, 15, -31, -18, -5],
    rois: [21, 40, 31, 44, 21, 17, 55, 44],
    output: [-128, -128, -126, -128, -128, -128, -124, -128, -128, -124, -121, -128, -128, -125, -125, -128],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 4, 4, 1], 0.0625, -128))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [1, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 4
width_samples = 3
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 2, 1], 0.0625, -128))
model = Model("many_samples").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [-113, -91, -110, -96, -93, -112, -103, -109, -126, -93, -109, -90, -96, -102, -122, -117],
    rois: [25, 45, 55, 54],
    output: [-119, -117, -119, -118],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()
