# Written by tests/golden/write_detection_specs.py.

scores = Input("scores", ("TENSOR_FLOAT32", [1, 6, 3]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 6, 4]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [6, 4]), [8.0, 8.0, 11.0, 7.0, 0.0, 2.0, 10.0, 11.0, 10.0, 8.0, 9.0, 12.0, 8.0, 7.0, 11.0, 6.0, 3.0, 5.0, 16.0, 7.0, 5.0, 9.0, 16.0, 9.0])
scale_dy = 10.0
scale_dx = 10.0
scale_dh = 5.0
scale_dw = 5.0
use_regular_nms = BoolScalar("use_regular_nms", True)
max_detections = 3
max_classes_per_detection = 1
max_detections_per_class = 2
score_threshold = 0.0
iou_threshold = 0.5
is_background_in_label = BoolScalar("is_background_in_label", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 3]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 3, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1, 3]))
valid_out = Output("valid_out", ("TENSOR_INT32", [1]))
model = Model("regular").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.703125, 0.09375, 0.890625, 0.421875, 0.4453125, 0.375, 0.140625, 0.2109375, 0.6328125, 0.1640625, 0.8203125, 0.7265625, 0.0703125, 0.65625, 0.046875, 0.46875, 0.609375, 0.0234375],
    deltas: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75],
    scores_out: [0.890625, 0.8203125, 0.7265625],
    boxes_out: [5.13824, 2.9069018, 12.51176, 10.643099, 2.0004997, 5.7859354, 10.1495, 10.014065, 2.0004997, 5.7859354, 10.1495, 10.014065],
    classes_out: [1, 0, 1],
    valid_out: [3],
}, model=model).AddVariations("relaxed", "float16")

scores = Input("scores", ("TENSOR_FLOAT32", [1, 6, 3]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 6, 4]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [6, 4]), [5.0, 11.0, 9.0, 11.0, 5.0, 0.0, 15.0, 15.0, 9.0, 12.0, 11.0, 11.0, 11.0, 5.0, 6.0, 13.0, 8.0, 11.0, 11.0, 13.0, 8.0, 3.0, 13.0, 15.0])
scale_dy = 10.0
scale_dx = 10.0
scale_dh = 5.0
scale_dw = 5.0
use_regular_nms = BoolScalar("use_regular_nms", True)
max_detections = 3
max_classes_per_detection = 1
max_detections_per_class = 2
score_threshold = 0.0
iou_threshold = 0.5
is_background_in_label = BoolScalar("is_background_in_label", True)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 3]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 3, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1, 3]))
valid_out = Output("valid_out", ("TENSOR_INT32", [1]))
model = Model("regular_with_background").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.609375, 0.1875, 0.515625, 0.46875, 0.09375, 0.234375, 0.7265625, 0.1640625, 0.2109375, 0.3046875, 0.28125, 0.703125, 0.1171875, 0.0703125, 0.2578125, 0.5859375, 0.8203125, 0.7734375],
    deltas: [1.0, -0.75, -1.0, 2.0, 2.0, 1.5, -1.75, -0.5, -1.75, 1.0, 1.5, -1.75, 2.0, 0.75, 1.75, 1.5, 2.0, 0.0, -1.75, 0.75, 0.0, 0.0, 1.25, 1.75],
    scores_out: [0.8203125, 0.7734375, 0.703125],
    boxes_out: [-0.34616566, -7.6430063, 16.346165, 13.643006, -0.34616566, -7.6430063, 16.346165, 13.643006, 7.942797, -2.7990823, 16.457203, 14.749083],
    classes_out: [1, 2, 2],
    valid_out: [3],
}, model=model).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [2, 5, 3]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [2, 5, 7]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [5, 4]), [9.0, 0.0, 13.0, 14.0, 1.0, 8.0, 14.0, 6.0, 12.0, 12.0, 14.0, 7.0, 4.0, 12.0, 12.0, 9.0, 8.0, 3.0, 9.0, 8.0])
scale_dy = 10.0
scale_dx = 10.0
scale_dh = 5.0
scale_dw = 5.0
use_regular_nms = BoolScalar("use_regular_nms", True)
max_detections = 2
max_classes_per_detection = 1
max_detections_per_class = 3
score_threshold = 0.0
iou_threshold = 0.25
is_background_in_label = BoolScalar("is_background_in_label", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [2, 2]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [2, 2, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [2, 2]))
valid_out = Output("valid_out", ("TENSOR_INT32", [2]))
model = Model("regular_two_images").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.0234375, 0.796875, 0.9375, 0.0703125, 0.375, 0.1875, 0.3046875, 0.703125, 0.9609375, 0.046875, 0.65625, 0.4453125, 0.1171875, 0.9140625, 0.7734375, 0.890625, 0.609375, 0.75, 0.5390625, 0.515625, 0.421875, 0.8203125, 0.328125, 0.8671875, 0.2109375, 0.6796875, 0.4921875, 0.5625, 0.234375, 0.84375],
    deltas: [1.75, 0.0, 0.0, -1.0, 0.0, -1.75, 0.5, 0.25, 0.75, -2.0, 2.0, -1.0, 1.5, 0.25, 0.75, 0.5, 1.0, -1.0, -1.25, -2.0, -1.25, 0.0, -1.25, 1.0, -0.75, 0.5, -1.75, 0.0, 0.25, -0.25, -2.0, 0.25, 0.0, -0.75, 2.0, 1.75, 1.0, 1.75, -1.5, -2.0, 1.75, 1.25, -2.0, 1.25, -1.25, 1.25, 0.5, 1.75, -2.0, 0.0, -1.0, 1.5, 1.5, -1.25, 0.25, -1.0, -1.5, -0.75, 1.75, -0.25, -2.0, -1.25, -1.25, -0.25, 0.75, -0.5, -1.0, 1.5, 1.75, -0.75],
    scores_out: [0.9609375, 0.9375, 0.8671875, 0.84375],
    boxes_out: [4.500181, 9.484443, 21.59982, 15.215558, 4.7749996, -5.731115, 17.775, 5.731115, 2.5509892, 6.575495, 21.44901, 16.024506, 3.7032318, 0.32507706, 11.846768, 6.8749228],
    classes_out: [1, 1, 1, 1],
    valid_out: [2, 2],
}, model=model).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 6, 4]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 6, 5]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [6, 4]), [8.0, 1.0, 13.0, 8.0, 4.0, 9.0, 14.0, 6.0, 7.0, 0.0, 13.0, 15.0, 7.0, 4.0, 12.0, 14.0, 7.0, 11.0, 12.0, 10.0, 12.0, 9.0, 14.0, 10.0])
scale_dy = 10.0
scale_dx = 10.0
scale_dh = 5.0
scale_dw = 5.0
use_regular_nms = BoolScalar("use_regular_nms", True)
max_detections = 3
max_classes_per_detection = 1
max_detections_per_class = 1
score_threshold = 0.0
iou_threshold = 0.5
is_background_in_label = BoolScalar("is_background_in_label", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 3]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 3, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1, 3]))
valid_out = Output("valid_out", ("TENSOR_INT32", [1]))
model = Model("regular_one_per_class").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.8203125, 0.421875, 0.7734375, 0.2578125, 0.09375, 0.9609375, 0.84375, 0.515625, 0.9375, 0.5625, 0.2109375, 0.5390625, 0.3515625, 0.7265625, 0.6328125, 0.0234375, 0.1171875, 0.9140625, 0.3984375, 0.0703125, 0.703125, 0.28125, 0.6796875, 0.140625],
    deltas: [2.0, 1.0, 1.5, 0.5, -1.75, -1.0, -1.5, 0.5, -0.75, -0.75, -1.75, 0.0, 1.0, -0.5, -0.25, -0.5, -0.25, 2.0, -0.5, -0.5, 1.75, -0.25, 0.75, 0.25, 1.0, -1.0, -1.25, -1.75, 1.25, 1.75],
    scores_out: [0.9609375, 0.84375, 0.5390625],
    boxes_out: [-5.1361966, 5.5178766, 10.336197, 10.682124, -5.1361966, 5.5178766, 10.336197, 10.682124, -3.214118, -6.7862806, 12.664118, 6.7862806],
    classes_out: [0, 1, 2],
    valid_out: [3],
}, model=model).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 7, 2]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 7, 4]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [7, 4]), [0.0, 11.0, 14.0, 14.0, 1.0, 2.0, 15.0, 13.0, 2.0, 2.0, 12.0, 10.0, 8.0, 5.0, 6.0, 7.0, 5.0, 10.0, 15.0, 8.0, 1.0, 0.0, 8.0, 12.0, 1.0, 5.0, 7.0, 6.0])
scale_dy = 1.0
scale_dx = 2.0
scale_dh = 4.0
scale_dw = 8.0
use_regular_nms = BoolScalar("use_regular_nms", True)
max_detections = 2
max_classes_per_detection = 1
max_detections_per_class = 2
score_threshold = 0.0
iou_threshold = 0.5
is_background_in_label = BoolScalar("is_background_in_label", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 2]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 2, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1, 2]))
valid_out = Output("valid_out", ("TENSOR_INT32", [1]))
model = Model("regular_two_classes").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.65625, 0.1171875, 0.8203125, 0.0234375, 0.1875, 0.6328125, 0.2109375, 0.3984375, 0.375, 0.3046875, 0.421875, 0.9609375, 0.890625, 0.7734375],
    deltas: [-0.75, 1.75, 2.0, -2.0, -1.0, -0.25, 0.25, -0.75, -2.0, -1.5, 0.5, 1.75, 0.0, -2.0, -1.5, -0.25, -1.75, -2.0, -1.0, -1.0, 1.0, -1.5, 1.0, 0.75, 0.0, 1.5, 0.25, 2.0],
    scores_out: [0.9609375, 0.7734375],
    boxes_out: [3.8638978, -15.58971, 14.136103, -2.4102898, -2.7257307, 5.6479235, 4.725731, 13.352077],
    classes_out: [0, 0],
    valid_out: [2],
}, model=model).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 6, 3]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 6, 4]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [6, 4]), [5.0, 3.0, 9.0, 10.0, 12.0, 5.0, 8.0, 9.0, 8.0, 5.0, 10.0, 11.0, 11.0, 2.0, 8.0, 7.0, 5.0, 9.0, 15.0, 9.0, 11.0, 2.0, 10.0, 7.0])
scale_dy = 10.0
scale_dx = 10.0
scale_dh = 5.0
scale_dw = 5.0
use_regular_nms = BoolScalar("use_regular_nms", False)
max_detections = 2
max_classes_per_detection = 1
max_detections_per_class = 2
score_threshold = 0.0
iou_threshold = 0.5
is_background_in_label = BoolScalar("is_background_in_label", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 2]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 2, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1, 2]))
valid_out = Output("valid_out", ("TENSOR_INT32", [1]))
model = Model("fast").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.515625, 0.3984375, 0.1171875, 0.703125, 0.65625, 0.140625, 0.46875, 0.046875, 0.28125, 0.609375, 0.7734375, 0.8671875, 0.7265625, 0.1640625, 0.6796875, 0.75, 0.2578125, 0.796875],
    deltas: [-1.25, -1.5, -0.75, -1.0, -1.5, 0.25, -1.0, 2.0, 0.0, 1.25, -0.25, 2.0, 0.25, -1.75, -2.0, -2.0, -2.0, 0.25, 1.25, -1.75, -0.5, 0.0, 0.75, -1.0],
    scores_out: [0.8671875, 0.796875],
    boxes_out: [8.51872, -1.5711201, 13.88128, 3.12112, 4.690829, -0.86555743, 16.309172, 4.8655577],
    classes_out: [1, 1],
    valid_out: [2],
}, model=model).AddVariations("relaxed", "float16")

scores = Input("scores", ("TENSOR_FLOAT32", [1, 6, 3]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 6, 4]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [6, 4]), [2.0, 3.0, 7.0, 14.0, 8.0, 4.0, 10.0, 15.0, 7.0, 10.0, 13.0, 12.0, 1.0, 12.0, 14.0, 14.0, 10.0, 1.0, 10.0, 15.0, 1.0, 6.0, 9.0, 13.0])
scale_dy = 10.0
scale_dx = 10.0
scale_dh = 5.0
scale_dw = 5.0
use_regular_nms = BoolScalar("use_regular_nms", False)
max_detections = 2
max_classes_per_detection = 1
max_detections_per_class = 2
score_threshold = 0.0
iou_threshold = 0.5
is_background_in_label = BoolScalar("is_background_in_label", True)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 2]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 2, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1, 2]))
valid_out = Output("valid_out", ("TENSOR_INT32", [1]))
model = Model("fast_with_background").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.3984375, 0.9140625, 0.703125, 0.7265625, 0.515625, 0.890625, 0.0234375, 0.046875, 0.7734375, 0.609375, 0.1171875, 0.75, 0.65625, 0.46875, 0.6796875, 0.328125, 0.28125, 0.375],
    deltas: [-0.75, -0.75, 0.25, 0.5, 0.75, 1.25, 1.25, -1.5, -1.75, -2.0, 0.5, -1.5, -0.25, 1.75, 1.25, 1.25, 1.0, -0.75, 2.0, 0.0, -1.5, -0.25, -1.75, -2.0],
    scores_out: [0.9140625, 0.890625],
    boxes_out: [-2.2044487, -5.7861967, 5.154449, 9.686196, 2.3298721, 0.3188634, 15.170128, 11.431137],
    classes_out: [1, 2],
    valid_out: [2],
}, model=model).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 6, 4]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 6, 6]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [6, 4]), [12.0, 1.0, 9.0, 8.0, 0.0, 11.0, 8.0, 7.0, 5.0, 2.0, 8.0, 16.0, 5.0, 1.0, 7.0, 11.0, 2.0, 3.0, 13.0, 16.0, 11.0, 4.0, 11.0, 12.0])
scale_dy = 10.0
scale_dx = 10.0
scale_dh = 5.0
scale_dw = 5.0
use_regular_nms = BoolScalar("use_regular_nms", False)
max_detections = 2
max_classes_per_detection = 2
max_detections_per_class = 2
score_threshold = 0.0
iou_threshold = 0.5
is_background_in_label = BoolScalar("is_background_in_label", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 4]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 4, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1, 4]))
valid_out = Output("valid_out", ("TENSOR_INT32", [1]))
model = Model("fast_two_classes_each").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.0703125, 0.328125, 0.1171875, 0.8203125, 0.6328125, 0.046875, 0.2578125, 0.9140625, 0.5625, 0.1875, 0.28125, 0.890625, 0.140625, 0.2109375, 0.09375, 0.65625, 0.0234375, 0.375, 0.3984375, 0.9609375, 0.609375, 0.8671875, 0.421875, 0.9375],
    deltas: [0.5, 0.0, 0.75, 2.0, 1.75, -2.0, -1.5, 1.0, 1.25, 2.0, -1.75, 0.5, -1.5, 0.25, -0.25, 1.25, -0.75, -1.0, 1.25, -0.5, 1.75, -1.5, -1.5, -1.25, 1.5, 1.75, 1.25, 1.0, -2.0, -2.0, -1.0, -1.5, 0.25, 1.75, -2.0, 0.25],
    scores_out: [0.9609375, 0.3984375, 0.9375, 0.8671875],
    boxes_out: [-4.396166, -3.971222, 12.296165, 15.571222, -4.396166, -3.971222, 12.296165, 15.571222, 4.1180086, -6.3144054, 15.681991, 10.714405, 4.1180086, -6.3144054, 15.681991, 10.714405],
    classes_out: [2, 1, 2, 0],
    valid_out: [4],
}, model=model).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [2, 5, 3]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [2, 5, 4]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [5, 4]), [7.0, 2.0, 6.0, 8.0, 10.0, 7.0, 13.0, 14.0, 4.0, 10.0, 15.0, 13.0, 10.0, 0.0, 8.0, 7.0, 7.0, 12.0, 7.0, 14.0])
scale_dy = 10.0
scale_dx = 10.0
scale_dh = 5.0
scale_dw = 5.0
use_regular_nms = BoolScalar("use_regular_nms", False)
max_detections = 2
max_classes_per_detection = 2
max_detections_per_class = 2
score_threshold = 0.0
iou_threshold = 0.25
is_background_in_label = BoolScalar("is_background_in_label", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [2, 4]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [2, 4, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [2, 4]))
valid_out = Output("valid_out", ("TENSOR_INT32", [2]))
model = Model("fast_two_images").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.4453125, 0.28125, 0.09375, 0.8203125, 0.5859375, 0.3046875, 0.8671875, 0.75, 0.1171875, 0.2578125, 0.796875, 0.515625, 0.84375, 0.3984375, 0.375, 0.7265625, 0.46875, 0.0234375, 0.5390625, 0.7734375, 0.6328125, 0.421875, 0.4921875, 0.3515625, 0.9140625, 0.703125, 0.6796875, 0.0703125, 0.65625, 0.9609375],
    deltas: [0.25, 1.25, -1.5, -1.0, 1.5, -1.5, 1.25, -0.25, -0.75, 0.5, 2.0, 0.5, -1.25, 0.5, -0.75, -0.5, -1.0, 1.5, -0.75, -1.0, 0.25, -0.5, -2.0, 1.25, -2.0, 0.25, 0.5, -2.0, -1.75, -1.75, 0.5, 0.5, 0.75, 1.25, -1.25, -2.0, 0.0, 1.25, 2.0, -0.75],
    scores_out: [0.796875, 0.515625, 0.75, 0.1171875, 0.9609375, 0.65625, 0.7734375, 0.6328125],
    boxes_out: [5.5571685, -2.816931, 12.442831, 3.5169308, 5.5571685, -2.816931, 12.442831, 3.5169308, -8.313684, 3.4663882, 14.063684, 17.83361, -8.313684, 3.4663882, 14.063684, 17.83361, 1.778614, 7.7250447, 12.221386, 19.774956, 1.778614, 7.7250447, 12.221386, 19.774956, 0.2163887, 2.6577597, 14.5836115, 12.04224, 0.2163887, 2.6577597, 14.5836115, 12.04224],
    classes_out: [0, 1, 0, 1, 1, 0, 0, 1],
    valid_out: [4, 4],
}, model=model).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 8, 2]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 8, 4]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [8, 4]), [7.0, 9.0, 11.0, 11.0, 1.0, 11.0, 9.0, 14.0, 12.0, 7.0, 10.0, 15.0, 0.0, 11.0, 10.0, 9.0, 9.0, 11.0, 13.0, 16.0, 5.0, 1.0, 14.0, 6.0, 6.0, 5.0, 10.0, 10.0, 10.0, 2.0, 10.0, 15.0])
scale_dy = 10.0
scale_dx = 10.0
scale_dh = 5.0
scale_dw = 5.0
use_regular_nms = BoolScalar("use_regular_nms", False)
max_detections = 3
max_classes_per_detection = 1
max_detections_per_class = 2
score_threshold = 0.125
iou_threshold = 0.5
is_background_in_label = BoolScalar("is_background_in_label", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 3]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 3, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1, 3]))
valid_out = Output("valid_out", ("TENSOR_INT32", [1]))
model = Model("fast_one_of_two_classes").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.046875, 0.3046875, 0.75, 0.8671875, 0.375, 0.09375, 0.140625, 0.515625, 0.890625, 0.609375, 0.6796875, 0.796875, 0.5390625, 0.3515625, 0.1640625, 0.6328125],
    deltas: [0.5, -2.0, -0.5, 0.25, -0.5, -0.75, -0.75, 0.5, 1.75, 1.5, -1.75, 1.25, -1.75, -0.25, -1.75, -1.5, -2.0, 0.25, 0.0, 0.5, -1.0, -0.25, 0.0, 0.25, 0.0, -1.0, 1.0, 0.25, -0.75, 0.0, 1.0, 2.0],
    scores_out: [0.8671875, 0.796875, 0.6328125],
    boxes_out: [-3.3231854, 2.2138033, 4.4231853, 17.686195, -3.4, -2.3038135, 10.6, 4.0038133, 3.1429863, -9.188684, 15.357014, 13.188684],
    classes_out: [0, 0, 0],
    valid_out: [3],
}, model=model).AddVariations("relaxed", "float16").DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 6, 3]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 6, 4]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [6, 4]), [8.0, 8.0, 11.0, 7.0, 0.0, 2.0, 10.0, 11.0, 10.0, 8.0, 9.0, 12.0, 8.0, 7.0, 11.0, 6.0, 3.0, 5.0, 16.0, 7.0, 5.0, 9.0, 16.0, 9.0])
scale_dy = 10.0
scale_dx = 10.0
scale_dh = 5.0
scale_dw = 5.0
use_regular_nms = BoolScalar("use_regular_nms", True)
max_detections = 8
max_classes_per_detection = 1
max_detections_per_class = 2
score_threshold = 0.875
iou_threshold = 0.5
is_background_in_label = BoolScalar("is_background_in_label", False)
scores_out = IgnoredOutput("scores_out", ("TENSOR_FLOAT32", [1, 8]))
boxes_out = IgnoredOutput("boxes_out", ("TENSOR_FLOAT32", [1, 8, 4]))
classes_out = IgnoredOutput("classes_out", ("TENSOR_INT32", [1, 8]))
valid_out = Output("valid_out", ("TENSOR_INT32", [1]))
model = Model("few_candidates").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.703125, 0.09375, 0.890625, 0.421875, 0.4453125, 0.375, 0.140625, 0.2109375, 0.6328125, 0.1640625, 0.8203125, 0.7265625, 0.0703125, 0.65625, 0.046875, 0.46875, 0.609375, 0.0234375],
    deltas: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75],
    scores_out: [0.890625, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    boxes_out: [5.13824, 2.9069018, 12.51176, 10.643099, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    classes_out: [1, 0, 0, 0, 0, 0, 0, 0],
    valid_out: [1],
}, model=model).AddVariations("relaxed", "float16").DisableLifeTimeVariation()
