# Written by tests/golden/write_keypoint_specs.py.

heatmap = Input("heatmap", ("TENSOR_FLOAT32", [1, 4, 4, 1]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 4]))
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 1]))
keypoints_out = Output("keypoints_out", ("TENSOR_FLOAT32", [1, 1, 2]))
model = Model("one_map").Operation("HEATMAP_MAX_KEYPOINT", heatmap, boxes, layout).To(scores_out, keypoints_out)
Example({
    heatmap: [-1.75, -1.75, 5.0, 2.75, 3.25, 3.0, -4.0, -0.5, -1.5, -3.0, 2.5, -3.25, -3.75, 2.5, -2.0, 5.75],
    boxes: [8.0, 0.0, 22.5, 11.5],
    scores_out: [5.75],
    keypoints_out: [20.6875, 10.0625],
}, model=model).AddNchw(heatmap, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({heatmap: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), keypoints_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False)

heatmap = Input("heatmap", ("TENSOR_FLOAT32", [1, 5, 5, 6]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 4]))
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 6]))
keypoints_out = Output("keypoints_out", ("TENSOR_FLOAT32", [1, 6, 2]))
model = Model("many_keypoints").Operation("HEATMAP_MAX_KEYPOINT", heatmap, boxes, layout).To(scores_out, keypoints_out)
Example({
    heatmap: [-0.25, 2.0, -0.5, -2.5, 0.75, -2.0, -1.25, -3.0, -3.5, -0.75, -2.5, 4.5, 2.75, 0.75, -3.5, -3.75, 1.0, -2.75, 0.75, -3.0, 5.75, -3.75, 4.25, 3.0, -1.5, -1.75, 2.25, 1.75, 4.5, 2.5, -3.5, -2.5, 0.75, 1.25, -1.75, -2.5, -1.5, 1.0, -3.5, 4.0, 1.5, 5.5, 2.75, -3.25, -2.75, -3.5, -3.5, -2.25, -1.5, 2.0, -0.5, -0.5, -1.75, 5.75, 0.5, 0.25, -2.75, -1.25, 2.0, -3.25, -1.5, -4.0, 1.0, -2.0, 2.25, -4.0, -3.5, 2.0, 2.5, 6.0, 2.25, 5.0, -0.25, -1.25, 3.0, 1.0, 0.25, -3.75, 2.5, -2.5, 1.0, 3.5, -3.0, 2.25, 0.0, 4.0, 4.75, -2.0, 0.5, 2.75, -3.75, 5.75, 1.75, -1.5, 4.5, -0.25, 0.25, -0.75, 0.5, 0.75, 6.0, -2.75, -0.5, 0.0, 0.0, -1.0, 5.25, -2.0, -0.25, -2.75, -1.75, 0.25, 4.75, 5.5, 3.0, -3.5, -3.0, -4.0, -4.0, -3.75, -3.5, 3.25, 4.0, 4.25, -1.5, -1.75, 2.0, -0.75, 0.5, -2.0, 4.75, -3.0, -0.75, -3.75, 1.75, 4.0, 1.75, 3.75, -1.75, 2.0, 3.25, -1.25, 1.5, 2.5, -3.5, 0.5, -3.5, -0.75, -0.25, -2.75],
    boxes: [6.0, 6.0, 14.0, 18.5],
    scores_out: [3.161184, 6.286352, 6.0741425, 6.239076, 6.285978, 5.7691717],
    keypoints_out: [13.2, 14.289474, 6.8, 15.489797, 11.960784, 7.25, 8.551171, 11.732416, 8.990406, 15.617159, 11.551131, 9.596182],
}, model=model).AddNchw(heatmap, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({heatmap: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), keypoints_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

heatmap = Input("heatmap", ("TENSOR_FLOAT32", [4, 4, 4, 2]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [4, 4]))
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [4, 2]))
keypoints_out = Output("keypoints_out", ("TENSOR_FLOAT32", [4, 2, 2]))
model = Model("many_boxes").Operation("HEATMAP_MAX_KEYPOINT", heatmap, boxes, layout).To(scores_out, keypoints_out)
Example({
    heatmap: [4.25, -2.0, 2.5, -3.0, -1.25, 1.75, -0.75, -0.25, 0.75, 2.5, 4.25, 1.0, 1.25, 2.5, 2.75, 2.5, -2.25, 2.5, 1.0, 0.75, 5.25, 4.5, -2.75, 1.5, 3.75, 0.25, -2.5, -3.0, -0.5, 1.75, -0.5, -0.75, -1.0, 0.75, -1.0, 0.0, -2.0, 4.25, 1.25, 3.25, 4.25, 0.25, -3.75, 4.25, 5.0, 4.0, 3.0, 5.5, 4.25, 5.25, 2.25, -4.0, 4.5, 2.75, -3.25, 6.0, 4.5, -3.25, 2.0, 1.5, -3.25, 4.0, 4.75, 2.5, 3.0, -3.75, 2.25, 4.0, 2.5, 4.25, -3.5, 1.75, -2.0, 3.5, 3.5, 3.75, 1.5, 3.75, -1.25, -0.75, -2.25, 1.0, -3.0, 1.25, 1.5, 5.75, -2.5, 2.0, 5.25, 1.0, 2.5, 6.0, 1.25, -4.0, 4.75, 2.0, 0.0, 5.0, -1.25, 0.25, 1.75, -1.0, 2.5, 4.5, 1.0, -1.0, -1.0, 3.0, 5.0, 2.0, 3.5, 4.5, -3.75, 4.5, -3.75, 1.5, 1.25, 4.5, 5.75, 5.5, 2.5, 3.0, 2.0, 4.25, -1.75, 1.25, 4.75, 1.25],
    boxes: [7.0, 3.0, 20.5, 15.0, 10.0, 8.5, 17.5, 19.5, 7.5, 4.5, 20.0, 12.0, 6.5, 3.5, 18.0, 14.5],
    scores_out: [5.4460335, 4.5244236, 6.0177603, 6.28125, 5.25, 6.208333, 5.8100963, 5.751488],
    keypoints_out: [14.895811, 10.187557, 15.617797, 10.2694845, 15.1513195, 13.64093, 16.5625, 14.34375, 9.0625, 11.0625, 11.666666, 11.0625, 16.5625, 10.903847, 16.5625, 9.523809],
}, model=model).AddNchw(heatmap, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({heatmap: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), keypoints_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

heatmap = Input("heatmap", ("TENSOR_FLOAT32", [3, 2, 2, 2]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [3, 4]))
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [3, 2]))
keypoints_out = Output("keypoints_out", ("TENSOR_FLOAT32", [3, 2, 2]))
model = Model("two_by_two").Operation("HEATMAP_MAX_KEYPOINT", heatmap, boxes, layout).To(scores_out, keypoints_out)
Example({
    heatmap: [4.25, 1.25, -1.75, 1.5, 4.5, -0.75, 2.0, -0.25, -2.25, -3.5, -2.25, 4.25, 4.5, 2.25, -2.25, -1.5, -0.75, -0.5, -1.75, 1.25, 2.5, 4.5, 4.5, 2.5],
    boxes: [0.5, 4.5, 3.5, 13.5, 1.0, 6.0, 5.5, 12.5, 1.0, 1.5, 11.5, 6.5],
    scores_out: [4.5, 1.5, 4.5, 4.25, 4.5, 4.5],
    keypoints_out: [1.25, 11.25, 2.75, 6.75, 2.125, 10.875, 4.375, 7.625, 8.875, 5.25, 3.625, 5.25],
}, model=model).AddNchw(heatmap, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({heatmap: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), keypoints_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

heatmap = Input("heatmap", ("TENSOR_FLOAT32", [3, 3, 3, 3]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [3, 4]))
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [3, 3]))
keypoints_out = Output("keypoints_out", ("TENSOR_FLOAT32", [3, 3, 2]))
model = Model("three_by_three").Operation("HEATMAP_MAX_KEYPOINT", heatmap, boxes, layout).To(scores_out, keypoints_out)
Example({
    heatmap: [4.5, 3.5, 0.0, 1.75, -1.0, 4.75, 2.5, 5.75, -3.0, 2.25, 6.0, 5.25, 0.75, -1.75, 1.75, 3.75, 3.25, -1.75, 0.5, -2.5, 4.0, 1.5, -0.75, 4.25, -2.25, -1.5, 0.25, 6.0, -3.25, 2.0, 4.25, 3.75, -2.0, -2.0, 3.0, 4.25, 3.0, -1.25, 1.25, -3.25, -2.0, 0.25, 1.75, -3.25, 2.5, 1.25, 5.25, 3.5, -0.25, -1.25, 0.5, -3.25, 1.25, -3.5, -1.75, 4.75, 3.25, 0.25, -2.0, 4.5, -0.25, -3.0, 0.5, -0.75, -4.0, -2.25, 4.5, 4.5, 6.0, -3.0, -0.25, 1.0, 3.25, -3.5, -0.75, -2.0, 0.0, -3.75, -4.0, 3.75, -2.25],
    boxes: [2.5, 0.5, 15.5, 8.0, 11.5, 8.5, 18.0, 11.5, 11.0, 12.0, 19.0, 27.0],
    scores_out: [4.5, 6.409091, 5.557692, 6.0, 5.25, 4.25, 4.591494, 4.75, 6.842396],
    keypoints_out: [4.666667, 1.75, 4.666667, 3.5681818, 4.666667, 5.019231, 12.583333, 9.0, 12.583333, 11.0, 16.916666, 9.0, 14.805806, 19.050838, 12.333333, 14.5, 15.304182, 17.68251],
}, model=model).AddNchw(heatmap, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({heatmap: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), keypoints_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

heatmap = Input("heatmap", ("TENSOR_FLOAT32", [1, 8, 8, 2]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 4]))
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 2]))
keypoints_out = Output("keypoints_out", ("TENSOR_FLOAT32", [1, 2, 2]))
model = Model("larger_maps").Operation("HEATMAP_MAX_KEYPOINT", heatmap, boxes, layout).To(scores_out, keypoints_out)
Example({
    heatmap: [3.0, 0.75, 4.75, -4.0, 1.25, 6.0, 3.75, -2.5, 6.0, -0.75, 5.75, 3.5, 3.0, 5.25, -0.25, -2.5, -2.5, 5.0, -3.75, 0.75, 5.5, -1.5, 1.75, 3.25, 5.25, 0.0, 1.0, -3.25, 4.75, 0.75, 3.25, 4.5, -1.5, -3.0, -3.25, 5.0, 4.75, 2.0, -3.5, -1.5, -2.75, -3.5, 3.25, 2.25, 1.75, 1.5, 5.0, -1.0, 1.75, 2.25, -0.5, 3.25, 0.25, -3.5, -3.0, -1.0, 3.0, 4.75, 1.75, -1.0, 4.25, 3.0, -3.25, 0.25, 4.25, 1.75, 4.0, 5.5, -2.5, -3.25, 1.75, -1.75, -1.0, -2.0, 3.25, -1.0, -2.25, 1.25, 0.75, -1.75, 1.75, 5.0, -0.75, -3.0, -3.5, 0.0, 4.0, -0.75, -2.25, -0.25, 0.25, -2.0, -3.75, 3.75, 0.75, 4.25, 1.0, 1.0, 4.5, 1.75, 4.75, 4.25, -1.75, 5.75, 4.25, 3.0, 0.0, 5.75, -2.25, 0.5, -0.5, 0.0, -4.0, 1.0, 1.0, -3.25, -1.25, -2.0, -2.5, 0.75, -1.5, 5.0, 5.25, 5.25, -1.5, 3.25, -1.25, 0.75],
    boxes: [3.0, 9.5, 8.5, 20.5],
    scores_out: [6.2000003, 6.015203],
    keypoints_out: [6.36875, 10.1875, 4.7466216, 10.1875],
}, model=model).AddNchw(heatmap, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({heatmap: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), keypoints_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

heatmap = Input("heatmap", ("TENSOR_FLOAT32", [1, 3, 3, 9]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 4]))
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 9]))
keypoints_out = Output("keypoints_out", ("TENSOR_FLOAT32", [1, 9, 2]))
model = Model("maximum_in_every_cell").Operation("HEATMAP_MAX_KEYPOINT", heatmap, boxes, layout).To(scores_out, keypoints_out)
Example({
    heatmap: [5.0, 3.5, 2.0, 3.5, 2.0, 0.5, 2.0, 0.5, -1.0, 3.75, 5.25, 3.75, 2.25, 3.75, 2.25, 0.75, 2.25, 0.75, 2.5, 4.0, 5.5, 1.0, 2.5, 4.0, -0.5, 1.0, 2.5, 3.5, 2.0, 0.5, 5.0, 3.5, 2.0, 3.5, 2.0, 0.5, 2.25, 3.75, 2.25, 3.75, 5.25, 3.75, 2.25, 3.75, 2.25, 1.0, 2.5, 4.0, 2.5, 4.0, 5.5, 1.0, 2.5, 4.0, 2.0, 0.5, -1.0, 3.5, 2.0, 0.5, 5.0, 3.5, 2.0, 0.75, 2.25, 0.75, 2.25, 3.75, 2.25, 3.75, 5.25, 3.75, -0.5, 1.0, 2.5, 1.0, 2.5, 4.0, 2.5, 4.0, 5.5],
    boxes: [2, 2, 14, 26],
    scores_out: [5.0, 5.260417, 5.5, 5.0, 5.260417, 5.5, 5.0, 5.260417, 5.5],
    keypoints_out: [4.0, 6.0, 8.333334, 6.0, 12.0, 6.0, 4.0, 14.0, 8.333334, 14.0, 12.0, 14.0, 4.0, 22.0, 8.333334, 22.0, 12.0, 22.0],
}, model=model).AddNchw(heatmap, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({heatmap: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), keypoints_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

heatmap = Input("heatmap", ("TENSOR_FLOAT32", [1, 4, 4, 1]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 4]))
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 1]))
keypoints_out = Output("keypoints_out", ("TENSOR_FLOAT32", [1, 1, 2]))
model = Model("flat").Operation("HEATMAP_MAX_KEYPOINT", heatmap, boxes, layout).To(scores_out, keypoints_out)
Example({
    heatmap: [2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0, 2.0],
    boxes: [0, 0, 8, 16],
    scores_out: [2.0],
    keypoints_out: [1.0, 2.0],
}, model=model).AddNchw(heatmap, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({heatmap: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), keypoints_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

heatmap = Input("heatmap", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 4]))
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 1]))
keypoints_out = Output("keypoints_out", ("TENSOR_FLOAT32", [1, 1, 2]))
model = Model("flat_below_zero").Operation("HEATMAP_MAX_KEYPOINT", heatmap, boxes, layout).To(scores_out, keypoints_out)
Example({
    heatmap: [-2.0, -2.0, -2.0, -2.0],
    boxes: [1, 1, 3, 5],
    scores_out: [-2.0],
    keypoints_out: [1.5, 2.0],
}, model=model).AddNchw(heatmap, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({heatmap: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), keypoints_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

heatmap = Input("heatmap", ("TENSOR_FLOAT32", [1, 3, 3, 1]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 4]))
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 1]))
keypoints_out = Output("keypoints_out", ("TENSOR_FLOAT32", [1, 1, 2]))
model = Model("far").Operation("HEATMAP_MAX_KEYPOINT", heatmap, boxes, layout).To(scores_out, keypoints_out)
Example({
    heatmap: [0.75, 0.75, 0.25, 0.25, 1.0, 0.75, 0.0, 1.0, 1.0],
    boxes: [0, 0, 8, 8],
    scores_out: [1.234375],
    keypoints_out: [6.0, 8.0],
}, model=model).AddNchw(heatmap, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({heatmap: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), keypoints_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

heatmap = Input("heatmap", ("TENSOR_FLOAT32", [1, 3, 3, 9]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 4]))
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 9]))
keypoints_out = Output("keypoints_out", ("TENSOR_FLOAT32", [1, 9, 2]))
model = Model("box_without_area").Operation("HEATMAP_MAX_KEYPOINT", heatmap, boxes, layout).To(scores_out, keypoints_out)
Example({
    heatmap: [5.0, 3.5, 2.0, 3.5, 2.0, 0.5, 2.0, 0.5, -1.0, 3.75, 5.25, 3.75, 2.25, 3.75, 2.25, 0.75, 2.25, 0.75, 2.5, 4.0, 5.5, 1.0, 2.5, 4.0, -0.5, 1.0, 2.5, 3.5, 2.0, 0.5, 5.0, 3.5, 2.0, 3.5, 2.0, 0.5, 2.25, 3.75, 2.25, 3.75, 5.25, 3.75, 2.25, 3.75, 2.25, 1.0, 2.5, 4.0, 2.5, 4.0, 5.5, 1.0, 2.5, 4.0, 2.0, 0.5, -1.0, 3.5, 2.0, 0.5, 5.0, 3.5, 2.0, 0.75, 2.25, 0.75, 2.25, 3.75, 2.25, 3.75, 5.25, 3.75, -0.5, 1.0, 2.5, 1.0, 2.5, 4.0, 2.5, 4.0, 5.5],
    boxes: [5, 6, 5, 6],
    scores_out: [5.0, 5.260417, 5.5, 5.0, 5.260417, 5.5, 5.0, 5.260417, 5.5],
    keypoints_out: [5.0, 6.0, 5.0, 6.0, 5.0, 6.0, 5.0, 6.0, 5.0, 6.0, 5.0, 6.0, 5.0, 6.0, 5.0, 6.0, 5.0, 6.0],
}, model=model).AddNchw(heatmap, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({heatmap: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), keypoints_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()
