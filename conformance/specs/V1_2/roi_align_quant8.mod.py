# Written by tests/golden/write_roi_specs.py.

features = Input("features", ("TENSOR_QUANT8_ASYMM", [1, 4, 4, 1], 0.0625, 0))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [1, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 1], 0.0625, 0))
model = Model("one_region").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [24, 5, 38, 28, 37, 1, 13, 27, 7, 4, 36, 35, 39, 30, 19, 22],
    rois: [5, 28, 11, 42],
    output: [8, 8, 20, 18],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM", [1, 4, 4, 3], 0.25, 128))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 2, 3], 0.5, 100))
model = Model("channels").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [123, 150, 160, 140, 107, 110, 118, 130, 96, 119, 146, 149, 104, 161, 120, 145, 133, 105, 151, 138, 168, 126, 108, 153, 93, 109, 130, 133, 137, 115, 94, 144, 100, 118, 116, 125, 144, 159, 140, 162, 100, 106, 134, 91, 102, 115, 131, 94],
    rois: [21, 7, 52, 45, 44, 24, 45, 34],
    output: [105, 104, 105, 99, 96, 110, 93, 101, 89, 93, 97, 93, 96, 94, 102, 96, 93, 102, 94, 96, 94, 95, 96, 95],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM", [2, 4, 4, 2], 0.5, 255))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [4, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [4]), [0, 0, 1, 1])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [4, 2, 2, 2], 0.25, 200))
model = Model("two_images").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [232, 250, 251, 250, 233, 236, 222, 249, 222, 237, 215, 216, 225, 242, 224, 231, 242, 246, 232, 243, 230, 218, 235, 230, 239, 254, 255, 249, 219, 219, 251, 229, 238, 224, 248, 232, 219, 249, 242, 218, 225, 215, 228, 248, 237, 224, 252, 249, 252, 236, 244, 217, 222, 234, 233, 252, 229, 229, 243, 255, 243, 237, 217, 226],
    rois: [52, 7, 54, 48, 14, 39, 35, 48, 1, 40, 50, 47, 9, 12, 61, 64],
    output: [142, 156, 142, 156, 171, 149, 171, 149, 175, 173, 143, 136, 185, 176, 140, 137, 171, 171, 153, 160, 168, 182, 157, 156, 158, 150, 167, 183, 174, 180, 136, 151],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM", [3, 4, 4, 1], 0.1, 128))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [2, 2])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 2, 1], 0.3, 0))
model = Model("image_left_out").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [155, 103, 107, 114, 157, 89, 129, 93, 133, 99, 107, 133, 160, 132, 164, 147, 166, 101, 143, 88, 163, 125, 136, 141, 138, 133, 106, 111, 134, 131, 111, 151, 164, 162, 90, 152, 121, 100, 122, 142, 121, 121, 122, 136, 89, 163, 135, 154],
    rois: [10, 48, 52, 51, 19, 42, 59, 63],
    output: [8, 6, 8, 6, 4, 7, 5, 8],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM", [1, 4, 4, 2], 0.0625, 0))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 1
output_width = 1
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 1, 1, 2], 0.0625, 0))
model = Model("one_cell").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [25, 1, 1, 3, 5, 37, 21, 20, 7, 8, 37, 16, 0, 11, 8, 32, 24, 11, 31, 36, 37, 31, 37, 36, 25, 21, 27, 21, 28, 4, 34, 24],
    rois: [48, 13, 53, 18, 4, 29, 8, 60],
    output: [17, 33, 27, 24],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM", [1, 5, 8, 1], 0.25, 128))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 1
output_width = 4
height_ratio = 2.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 1, 4, 1], 0.5, 100))
model = Model("other_sizes").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [137, 168, 155, 130, 118, 137, 135, 113, 105, 138, 129, 95, 120, 143, 133, 130, 89, 159, 150, 116, 135, 103, 134, 141, 118, 97, 128, 120, 151, 131, 157, 136, 110, 151, 162, 90, 124, 154, 134, 150],
    rois: [10, 32, 51, 69, 61, 25, 108, 50],
    output: [100, 105, 104, 93, 104, 96, 102, 107],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM", [1, 4, 8, 1], 0.5, 255))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 4.0
width_ratio = 0.5
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 2, 1], 0.25, 200))
model = Model("other_ratios").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [235, 251, 230, 238, 240, 249, 239, 253, 231, 249, 241, 231, 222, 235, 249, 240, 249, 215, 220, 244, 222, 240, 245, 241, 227, 226, 247, 232, 222, 240, 241, 220],
    rois: [1, 72, 9, 105, 5, 12, 22, 86],
    output: [140, 151, 142, 171, 163, 153, 154, 153],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM", [1, 4, 4, 1], 0.1, 128))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [1, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [0])
output_height = 4
output_width = 4
height_ratio = 1.0
width_ratio = 2.0
height_samples = 2
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 4, 4, 1], 0.3, 0))
model = Model("more_cells_than_region").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [152, 158, 166, 108, 163, 142, 135, 101, 156, 125, 167, 88, 155, 128, 97, 143],
    rois: [30, 4, 40, 14],
    output: [5, 2, 0, 0, 3, 0, 0, 0, 5, 1, 0, 0, 8, 4, 0, 0],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM", [1, 8, 8, 1], 0.0625, 0))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 0
width_samples = 0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 2, 1], 0.0625, 0))
model = Model("adaptive").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [28, 4, 36, 34, 22, 34, 3, 21, 36, 2, 33, 30, 3, 6, 37, 11, 30, 6, 33, 12, 29, 6, 5, 9, 15, 3, 37, 36, 16, 21, 21, 7, 40, 1, 37, 23, 37, 11, 25, 2, 0, 33, 25, 13, 21, 13, 28, 19, 20, 10, 39, 24, 5, 16, 19, 16, 11, 6, 24, 39, 40, 8, 33, 38],
    rois: [55, 10, 121, 50, 0, 40, 21, 111],
    output: [11, 18, 18, 10, 18, 6, 13, 17],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM", [1, 8, 4, 2], 0.25, 128))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 0
width_samples = 2
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 2, 2], 0.5, 100))
model = Model("adaptive_height").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [102, 88, 104, 103, 127, 143, 118, 112, 133, 119, 107, 135, 112, 104, 93, 156, 97, 131, 114, 158, 141, 91, 154, 164, 89, 165, 152, 117, 122, 146, 154, 168, 151, 117, 126, 113, 115, 110, 103, 145, 155, 103, 121, 145, 116, 104, 151, 123, 157, 129, 121, 135, 96, 100, 93, 156, 92, 109, 133, 119, 143, 164, 145, 144],
    rois: [31, 20, 44, 128, 24, 23, 29, 101],
    output: [99, 97, 102, 108, 98, 102, 100, 105, 100, 96, 102, 100, 92, 92, 92, 92],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM", [1, 4, 8, 2], 0.5, 255))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 1
width_samples = 0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 2, 2], 0.25, 200))
model = Model("adaptive_width").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [218, 232, 229, 219, 242, 232, 234, 238, 240, 225, 219, 238, 232, 224, 219, 230, 237, 216, 224, 225, 218, 216, 253, 236, 219, 235, 247, 253, 237, 242, 244, 253, 253, 252, 229, 215, 216, 240, 239, 245, 254, 217, 216, 246, 250, 247, 222, 251, 247, 228, 230, 249, 228, 226, 239, 219, 236, 216, 238, 245, 229, 254, 220, 219],
    rois: [22, 9, 90, 43, 54, 13, 100, 36],
    output: [156, 145, 159, 175, 149, 163, 163, 157, 154, 164, 171, 184, 174, 147, 160, 183],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM", [1, 4, 4, 2], 0.1, 128))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [2, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 1
width_samples = 1
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 2, 2], 0.3, 0))
model = Model("one_sample").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [91, 125, 149, 132, 155, 129, 98, 116, 124, 101, 148, 163, 123, 122, 155, 105, 112, 88, 120, 112, 108, 162, 152, 92, 125, 91, 108, 149, 143, 97, 110, 123],
    rois: [21, 40, 31, 44, 21, 17, 55, 44],
    output: [0, 0, 2, 0, 0, 0, 4, 0, 0, 4, 7, 0, 0, 3, 3, 0],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()

features = Input("features", ("TENSOR_QUANT8_ASYMM", [1, 4, 4, 1], 0.0625, 0))
rois = Input("rois", ("TENSOR_QUANT16_ASYMM", [1, 4], 0.125, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [0])
output_height = 2
output_width = 2
height_ratio = 2.0
width_ratio = 2.0
height_samples = 4
width_samples = 3
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 2, 1], 0.0625, 0))
model = Model("many_samples").Operation("ROI_ALIGN", features, rois, batch_index, output_height, output_width, height_ratio, width_ratio, height_samples, width_samples, layout).To(output)
Example({
    features: [15, 37, 18, 32, 35, 16, 25, 19, 2, 35, 19, 38, 32, 26, 6, 11],
    rois: [25, 45, 55, 54],
    output: [9, 11, 9, 10],
}, model=model).AddNchw(features, output, layout).DisableLifeTimeVariation()
