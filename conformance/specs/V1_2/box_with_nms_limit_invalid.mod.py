# Written by tests/golden/write_detection_specs.py.

scores = Input("scores", ("TENSOR_FLOAT32", [1, 2]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [3])
score_threshold = 0.0625
max_detections = -1
nms_kernel = 3
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [1]))
model = Model("kernel").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.75, 0.5],
    boxes: [0, 0, 4, 4, 1, 1, 5.5, 4],
    scores_out: [0.5],
    boxes_out: [1, 1, 5.5, 4],
    classes_out: [1],
    batch_index_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 2]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [3])
score_threshold = 0.0625
max_detections = -1
nms_kernel = -1
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [1]))
model = Model("kernel_negative").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.75, 0.5],
    boxes: [0, 0, 4, 4, 1, 1, 5.5, 4],
    scores_out: [0.5],
    boxes_out: [1, 1, 5.5, 4],
    classes_out: [1],
    batch_index_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 1]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [3])
score_threshold = 0.0625
max_detections = -1
nms_kernel = 0
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [1]))
model = Model("one_class").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.5],
    boxes: [0, 0, 4, 4],
    scores_out: [0.5],
    boxes_out: [1, 1, 5.5, 4],
    classes_out: [1],
    batch_index_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 2]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [3])
score_threshold = 0.0625
max_detections = -1
nms_kernel = 0
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [1]))
model = Model("boxes_of_one_class").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.75, 0.5],
    boxes: [0, 0, 4, 4],
    scores_out: [0.5],
    boxes_out: [1, 1, 5.5, 4],
    classes_out: [1],
    batch_index_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 2]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
score_threshold = 0.0625
max_detections = -1
nms_kernel = 0
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [1]))
model = Model("rows").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.75, 0.5],
    boxes: [0, 0, 4, 4, 1, 1, 5.5, 4],
    scores_out: [0.5],
    boxes_out: [1, 1, 5.5, 4],
    classes_out: [1],
    batch_index_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 2]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [3])
score_threshold = 0.0625
max_detections = -1
nms_kernel = 0
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [1]))
model = Model("order_of_x").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.75, 0.5],
    boxes: [5, 0, 4, 4, 0, 0, 1, 1],
    scores_out: [0.5],
    boxes_out: [1, 1, 5.5, 4],
    classes_out: [1],
    batch_index_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 2]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [3])
score_threshold = 0.0625
max_detections = -1
nms_kernel = 0
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [1]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [1]))
model = Model("order_of_y").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.75, 0.5],
    boxes: [0, 5, 4, 4, 0, 0, 1, 1],
    scores_out: [0.5],
    boxes_out: [1, 1, 5.5, 4],
    classes_out: [1],
    batch_index_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_QUANT8_ASYMM", [1, 2], 0.0078125, 0))
boxes = Input("boxes", ("TENSOR_QUANT16_ASYMM", [1, 8], 0.25, 0))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [3])
score_threshold = 0.0625
max_detections = -1
nms_kernel = 0
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_QUANT8_ASYMM", [1], 0.0078125, 0))
boxes_out = Output("boxes_out", ("TENSOR_QUANT16_ASYMM", [1, 4], 0.125, 0))
classes_out = Output("classes_out", ("TENSOR_INT32", [1]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [1]))
model = Model("boxes_scale").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [96, 64],
    boxes: [0, 0, 32, 32, 0, 0, 32, 32],
    scores_out: [64],
    boxes_out: [0, 0, 32, 32],
    classes_out: [1],
    batch_index_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_QUANT8_ASYMM", [1, 2], 0.0078125, 0))
boxes = Input("boxes", ("TENSOR_QUANT16_ASYMM", [1, 8], 0.125, 1))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [3])
score_threshold = 0.0625
max_detections = -1
nms_kernel = 0
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_QUANT8_ASYMM", [1], 0.0078125, 0))
boxes_out = Output("boxes_out", ("TENSOR_QUANT16_ASYMM", [1, 4], 0.125, 0))
classes_out = Output("classes_out", ("TENSOR_INT32", [1]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [1]))
model = Model("boxes_zero_point").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [96, 64],
    boxes: [0, 0, 32, 32, 0, 0, 32, 32],
    scores_out: [64],
    boxes_out: [0, 0, 32, 32],
    classes_out: [1],
    batch_index_out: [3],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
