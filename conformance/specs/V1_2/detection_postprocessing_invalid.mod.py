# Written by tests/golden/write_detection_specs.py.

scores = Input("scores", ("TENSOR_FLOAT32", [1, 6, 3]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 6, 4]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [6, 4]), [8.0, 8.0, 11.0, 7.0, 0.0, 2.0, 10.0, 11.0, 10.0, 8.0, 9.0, 12.0, 8.0, 7.0, 11.0, 6.0, 3.0, 5.0, 16.0, 7.0, 5.0, 9.0, 16.0, 9.0])
scale_dy = 10.0
scale_dx = 10.0
scale_dh = 5.0
scale_dw = 5.0
use_regular_nms = BoolScalar("use_regular_nms", True)
max_detections = 0
max_classes_per_detection = 1
max_detections_per_class = 2
score_threshold = 0.0
iou_threshold = 0.5
is_background_in_label = BoolScalar("is_background_in_label", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 3]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 3, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1, 3]))
valid_out = Output("valid_out", ("TENSOR_INT32", [1]))
model = Model("max_detections").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.703125, 0.09375, 0.890625, 0.421875, 0.4453125, 0.375, 0.140625, 0.2109375, 0.6328125, 0.1640625, 0.8203125, 0.7265625, 0.0703125, 0.65625, 0.046875, 0.46875, 0.609375, 0.0234375],
    deltas: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75],
    scores_out: [0.890625, 0.8203125, 0.7265625],
    boxes_out: [5.13824, 2.9069018, 12.51176, 10.643099, 2.0004997, 5.7859354, 10.1495, 10.014065, 2.0004997, 5.7859354, 10.1495, 10.014065],
    classes_out: [1, 0, 1],
    valid_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

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
max_detections_per_class = 0
score_threshold = 0.0
iou_threshold = 0.5
is_background_in_label = BoolScalar("is_background_in_label", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 3]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 3, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1, 3]))
valid_out = Output("valid_out", ("TENSOR_INT32", [1]))
model = Model("max_detections_per_class").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.703125, 0.09375, 0.890625, 0.421875, 0.4453125, 0.375, 0.140625, 0.2109375, 0.6328125, 0.1640625, 0.8203125, 0.7265625, 0.0703125, 0.65625, 0.046875, 0.46875, 0.609375, 0.0234375],
    deltas: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75],
    scores_out: [0.890625, 0.8203125, 0.7265625],
    boxes_out: [5.13824, 2.9069018, 12.51176, 10.643099, 2.0004997, 5.7859354, 10.1495, 10.014065, 2.0004997, 5.7859354, 10.1495, 10.014065],
    classes_out: [1, 0, 1],
    valid_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

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
score_threshold = -0.5
iou_threshold = 0.5
is_background_in_label = BoolScalar("is_background_in_label", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 3]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 3, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1, 3]))
valid_out = Output("valid_out", ("TENSOR_INT32", [1]))
model = Model("score_threshold").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.703125, 0.09375, 0.890625, 0.421875, 0.4453125, 0.375, 0.140625, 0.2109375, 0.6328125, 0.1640625, 0.8203125, 0.7265625, 0.0703125, 0.65625, 0.046875, 0.46875, 0.609375, 0.0234375],
    deltas: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75],
    scores_out: [0.890625, 0.8203125, 0.7265625],
    boxes_out: [5.13824, 2.9069018, 12.51176, 10.643099, 2.0004997, 5.7859354, 10.1495, 10.014065, 2.0004997, 5.7859354, 10.1495, 10.014065],
    classes_out: [1, 0, 1],
    valid_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

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
iou_threshold = -0.5
is_background_in_label = BoolScalar("is_background_in_label", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 3]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 3, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1, 3]))
valid_out = Output("valid_out", ("TENSOR_INT32", [1]))
model = Model("iou_threshold").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.703125, 0.09375, 0.890625, 0.421875, 0.4453125, 0.375, 0.140625, 0.2109375, 0.6328125, 0.1640625, 0.8203125, 0.7265625, 0.0703125, 0.65625, 0.046875, 0.46875, 0.609375, 0.0234375],
    deltas: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75],
    scores_out: [0.890625, 0.8203125, 0.7265625],
    boxes_out: [5.13824, 2.9069018, 12.51176, 10.643099, 2.0004997, 5.7859354, 10.1495, 10.014065, 2.0004997, 5.7859354, 10.1495, 10.014065],
    classes_out: [1, 0, 1],
    valid_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 6, 3]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 6, 4]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [6, 4]), [8.0, 8.0, 11.0, 7.0, 0.0, 2.0, 10.0, 11.0, 10.0, 8.0, 9.0, 12.0, 8.0, 7.0, 11.0, 6.0, 3.0, 5.0, 16.0, 7.0, 5.0, 9.0, 16.0, 9.0])
scale_dy = 10.0
scale_dx = 10.0
scale_dh = 0.0
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
model = Model("scale").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.703125, 0.09375, 0.890625, 0.421875, 0.4453125, 0.375, 0.140625, 0.2109375, 0.6328125, 0.1640625, 0.8203125, 0.7265625, 0.0703125, 0.65625, 0.046875, 0.46875, 0.609375, 0.0234375],
    deltas: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75],
    scores_out: [0.890625, 0.8203125, 0.7265625],
    boxes_out: [5.13824, 2.9069018, 12.51176, 10.643099, 2.0004997, 5.7859354, 10.1495, 10.014065, 2.0004997, 5.7859354, 10.1495, 10.014065],
    classes_out: [1, 0, 1],
    valid_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 6, 1]))
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
model = Model("one_class").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.5, 0.5, 0.5, 0.5, 0.5, 0.5],
    deltas: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75],
    scores_out: [0.890625, 0.8203125, 0.7265625],
    boxes_out: [5.13824, 2.9069018, 12.51176, 10.643099, 2.0004997, 5.7859354, 10.1495, 10.014065, 2.0004997, 5.7859354, 10.1495, 10.014065],
    classes_out: [1, 0, 1],
    valid_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 6, 3]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 6, 3]))
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
model = Model("three_deltas").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.703125, 0.09375, 0.890625, 0.421875, 0.4453125, 0.375, 0.140625, 0.2109375, 0.6328125, 0.1640625, 0.8203125, 0.7265625, 0.0703125, 0.65625, 0.046875, 0.46875, 0.609375, 0.0234375],
    deltas: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    scores_out: [0.890625, 0.8203125, 0.7265625],
    boxes_out: [5.13824, 2.9069018, 12.51176, 10.643099, 2.0004997, 5.7859354, 10.1495, 10.014065, 2.0004997, 5.7859354, 10.1495, 10.014065],
    classes_out: [1, 0, 1],
    valid_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 6, 3]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 6, 4]))
anchors = Input("anchors", ("TENSOR_FLOAT32", [5, 4]))
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
model = Model("anchors").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.703125, 0.09375, 0.890625, 0.421875, 0.4453125, 0.375, 0.140625, 0.2109375, 0.6328125, 0.1640625, 0.8203125, 0.7265625, 0.0703125, 0.65625, 0.046875, 0.46875, 0.609375, 0.0234375],
    deltas: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75],
    anchors: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    scores_out: [0.890625, 0.8203125, 0.7265625],
    boxes_out: [5.13824, 2.9069018, 12.51176, 10.643099, 2.0004997, 5.7859354, 10.1495, 10.014065, 2.0004997, 5.7859354, 10.1495, 10.014065],
    classes_out: [1, 0, 1],
    valid_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 6, 3]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 6, 4]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [6, 4]), [8.0, 8.0, 11.0, 7.0, 0.0, 2.0, 10.0, 11.0, 10.0, 8.0, 9.0, 12.0, 8.0, 7.0, 11.0, 6.0, 3.0, 5.0, 16.0, 7.0, 5.0, 9.0, 16.0, 9.0])
scale_dy = 10.0
scale_dx = 10.0
scale_dh = 5.0
scale_dw = 5.0
use_regular_nms = BoolScalar("use_regular_nms", False)
max_detections = 3
max_classes_per_detection = 0
max_detections_per_class = 2
score_threshold = 0.0
iou_threshold = 0.5
is_background_in_label = BoolScalar("is_background_in_label", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 3]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 3, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1, 3]))
valid_out = Output("valid_out", ("TENSOR_INT32", [1]))
model = Model("max_classes_per_detection").Operation("DETECTION_POSTPROCESSING", scores, deltas, anchors, scale_dy, scale_dx, scale_dh, scale_dw, use_regular_nms, max_detections, max_classes_per_detection, max_detections_per_class, score_threshold, iou_threshold, is_background_in_label).To(scores_out, boxes_out, classes_out, valid_out)
Example({
    scores: [0.703125, 0.09375, 0.890625, 0.421875, 0.4453125, 0.375, 0.140625, 0.2109375, 0.6328125, 0.1640625, 0.8203125, 0.7265625, 0.0703125, 0.65625, 0.046875, 0.46875, 0.609375, 0.0234375],
    deltas: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5, -1.75, -1.0, 1.0, 1.5, -0.75, 1.0, 0.25, -0.75, -1.75],
    scores_out: [0.890625, 0.8203125, 0.7265625],
    boxes_out: [5.13824, 2.9069018, 12.51176, 10.643099, 2.0004997, 5.7859354, 10.1495, 10.014065, 2.0004997, 5.7859354, 10.1495, 10.014065],
    classes_out: [1, 0, 1],
    valid_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
