# Written by tests/golden/write_detection_specs.py.

scores = Input("scores", ("TENSOR_FLOAT32", [8, 3]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [8, 12]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [8]), [0, 0, 0, 0, 0, 0, 0, 0])
score_threshold = 0.0625
max_detections = -1
nms_kernel = 0
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [8]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [8, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [8]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [8]))
model = Model("all_of_one_image_hard").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.46875, 0.796875, 0.375, 0.8203125, 0.140625, 0.703125, 0.5625, 0.09375, 0.9609375, 0.65625, 0.890625, 0.5390625, 0.28125, 0.046875, 0.0703125, 0.421875, 0.3515625, 0.2578125, 0.84375, 0.2109375, 0.5859375, 0.234375, 0.609375, 0.9140625],
    boxes: [5.5, 0.5, 13.0, 14.5, 2.0, 7.5, 9.0, 20.5, 10.0, 11.0, 15.5, 23.5, 8.5, 12.0, 11.5, 21.0, 8.0, 0.0, 22.5, 11.5, 4.0, 2.5, 15.5, 14.5, 6.0, 9.0, 9.0, 19.0, 11.5, 2.0, 20.0, 5.0, 1.5, 1.0, 13.5, 11.5, 11.0, 8.5, 18.0, 16.0, 4.5, 8.0, 15.5, 18.5, 9.5, 0.0, 15.0, 7.5, 8.5, 9.0, 16.0, 22.5, 3.0, 4.0, 18.0, 9.5, 8.0, 5.0, 21.5, 18.5, 2.0, 9.0, 8.5, 24.0, 7.5, 7.5, 14.0, 22.5, 7.0, 8.0, 16.0, 18.0, 3.0, 0.0, 11.5, 5.0, 3.5, 3.5, 11.0, 18.0, 7.5, 9.5, 13.0, 23.0, 1.5, 11.0, 9.5, 25.0, 5.5, 0.5, 18.5, 12.5, 11.0, 9.0, 26.0, 13.5],
    scores_out: [0.890625, 0.609375, 0.09375, 0.9609375, 0.9140625, 0.5859375, 0.5390625, 0.0703125],
    boxes_out: [4.5, 8.0, 15.5, 18.5, 5.5, 0.5, 18.5, 12.5, 11.5, 2.0, 20.0, 5.0, 1.5, 1.0, 13.5, 11.5, 11.0, 9.0, 26.0, 13.5, 7.5, 9.5, 13.0, 23.0, 9.5, 0.0, 15.0, 7.5, 8.0, 5.0, 21.5, 18.5],
    classes_out: [1, 1, 1, 2, 2, 2, 2, 2],
    batch_index_out: [0, 0, 0, 0, 0, 0, 0, 0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [8, 3]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [8, 12]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [8]), [0, 0, 0, 0, 0, 0, 0, 0])
score_threshold = 0.0625
max_detections = -1
nms_kernel = 1
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [15]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [15, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [15]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [15]))
model = Model("all_of_one_image_linear").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.09375, 0.28125, 0.2578125, 0.140625, 0.5859375, 0.2109375, 0.5625, 0.1171875, 0.7734375, 0.609375, 0.0703125, 0.75, 0.8203125, 0.46875, 0.65625, 0.3984375, 0.328125, 0.796875, 0.4921875, 0.1640625, 0.6796875, 0.4453125, 0.3046875, 0.9140625],
    boxes: [9.0, 11.0, 22.0, 24.0, 8.0, 11.5, 11.0, 24.0, 12.0, 12.0, 20.5, 25.5, 2.0, 1.5, 9.5, 10.0, 11.0, 10.5, 14.0, 16.5, 1.5, 9.0, 16.5, 21.5, 6.0, 5.5, 21.0, 15.0, 10.5, 2.0, 15.0, 14.0, 1.0, 7.5, 5.5, 16.5, 0.0, 11.0, 6.5, 17.5, 2.0, 2.5, 12.5, 13.5, 0.0, 9.5, 10.0, 16.0, 4.0, 7.0, 12.5, 18.0, 5.5, 4.0, 14.5, 15.5, 8.0, 8.5, 14.0, 23.5, 2.5, 0.5, 15.5, 10.0, 3.0, 6.0, 13.5, 20.5, 5.5, 2.0, 19.0, 8.0, 8.5, 4.0, 16.5, 10.5, 6.0, 10.5, 16.5, 25.5, 11.0, 7.0, 26.0, 18.0, 3.5, 5.5, 11.0, 8.5, 11.0, 12.0, 23.5, 23.0, 11.5, 9.5, 20.0, 17.5],
    scores_out: [0.5859375, 0.46875, 0.3046875, 0.28125, 0.18939064, 0.08284208, 0.07729389, 0.9140625, 0.796875, 0.7734375, 0.65625, 0.4622951, 0.3995739, 0.17605574, 0.09561153],
    boxes_out: [11.0, 10.5, 14.0, 16.5, 5.5, 4.0, 14.5, 15.5, 11.0, 12.0, 23.5, 23.0, 8.0, 11.5, 11.0, 24.0, 3.0, 6.0, 13.5, 20.5, 6.0, 10.5, 16.5, 25.5, 10.5, 2.0, 15.0, 14.0, 11.5, 9.5, 20.0, 17.5, 5.5, 2.0, 19.0, 8.0, 1.0, 7.5, 5.5, 16.5, 8.0, 8.5, 14.0, 23.5, 0.0, 9.5, 10.0, 16.0, 11.0, 7.0, 26.0, 18.0, 12.0, 12.0, 20.5, 25.5, 1.5, 9.0, 16.5, 21.5],
    classes_out: [1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2],
    batch_index_out: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [8, 3]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [8, 12]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [8]), [0, 0, 0, 0, 0, 0, 0, 0])
score_threshold = 0.0625
max_detections = -1
nms_kernel = 2
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [13]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [13, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [13]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [13]))
model = Model("all_of_one_image_gaussian").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.65625, 0.0703125, 0.4453125, 0.328125, 0.046875, 0.375, 0.1640625, 0.46875, 0.5625, 0.2578125, 0.796875, 0.7265625, 0.84375, 0.515625, 0.28125, 0.3046875, 0.09375, 0.5859375, 0.140625, 0.7734375, 0.0234375, 0.75, 0.9609375, 0.9375],
    boxes: [6.5, 12.0, 17.5, 26.5, 5.0, 12.0, 11.0, 23.5, 5.5, 11.5, 12.5, 15.0, 12.0, 2.0, 23.5, 6.5, 10.5, 7.5, 22.5, 16.5, 9.0, 1.5, 15.0, 13.0, 11.0, 4.5, 15.5, 8.0, 4.5, 4.5, 11.0, 14.0, 10.0, 6.0, 17.0, 11.0, 6.0, 11.5, 17.5, 15.0, 9.5, 5.5, 12.5, 17.0, 6.0, 4.5, 10.5, 8.5, 2.5, 9.0, 12.0, 19.0, 8.5, 8.5, 13.0, 18.0, 4.0, 12.0, 12.0, 23.0, 0.5, 8.0, 7.5, 17.0, 4.5, 3.5, 18.5, 8.0, 7.0, 0.0, 16.5, 12.5, 10.0, 0.5, 23.0, 9.5, 12.0, 0.5, 26.0, 10.5, 8.0, 2.5, 12.5, 8.0, 0.5, 9.5, 15.0, 13.0, 7.0, 0.5, 15.5, 9.5, 5.0, 6.5, 17.0, 12.0],
    scores_out: [0.9609375, 0.7737997, 0.7295577, 0.42251554, 0.30203208, 0.064860925, 0.9375, 0.7059359, 0.4438734, 0.41696447, 0.3226873, 0.25749883, 0.13574135],
    boxes_out: [7.0, 0.5, 15.5, 9.5, 9.5, 5.5, 12.5, 17.0, 12.0, 0.5, 26.0, 10.5, 4.5, 4.5, 11.0, 14.0, 8.5, 8.5, 13.0, 18.0, 5.0, 12.0, 11.0, 23.5, 5.0, 6.5, 17.0, 12.0, 6.0, 4.5, 10.5, 8.5, 5.5, 11.5, 12.5, 15.0, 7.0, 0.0, 16.5, 12.5, 10.0, 6.0, 17.0, 11.0, 4.0, 12.0, 12.0, 23.0, 9.0, 1.5, 15.0, 13.0],
    classes_out: [1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2],
    batch_index_out: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [10, 3]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [10, 12]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [10]), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
score_threshold = 0.0625
max_detections = 3
nms_kernel = 0
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [6]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [6, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [6]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [6]))
model = Model("three_per_image_hard").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.7734375, 0.09375, 0.9375, 0.046875, 0.609375, 0.5859375, 0.5390625, 0.1640625, 0.7265625, 0.890625, 0.3984375, 0.703125, 0.375, 0.515625, 0.1875, 0.75, 0.3046875, 0.9609375, 0.328125, 0.2109375, 0.6328125, 0.46875, 0.84375, 0.28125, 0.140625, 0.8671875, 0.5625, 0.4921875, 0.65625, 0.234375],
    boxes: [5.0, 8.5, 10.5, 20.0, 11.5, 5.5, 18.5, 12.0, 1.5, 10.5, 13.0, 24.0, 1.5, 11.0, 8.0, 17.0, 2.0, 2.0, 14.5, 7.0, 8.5, 9.0, 12.0, 12.0, 5.0, 3.5, 10.5, 15.5, 7.5, 4.0, 22.0, 9.0, 5.0, 7.0, 11.5, 15.0, 5.0, 4.0, 11.5, 16.0, 10.0, 6.0, 21.0, 11.0, 3.5, 6.0, 12.0, 15.0, 10.0, 2.0, 21.0, 10.0, 10.0, 7.0, 24.0, 14.0, 6.0, 7.5, 12.0, 12.5, 2.0, 12.0, 7.0, 20.0, 3.5, 0.5, 8.5, 12.5, 6.0, 5.5, 13.0, 9.0, 0.5, 4.5, 4.5, 17.0, 2.0, 8.0, 9.5, 18.0, 2.5, 2.5, 11.5, 8.5, 1.5, 10.5, 14.0, 22.0, 2.5, 0.0, 12.5, 5.0, 12.0, 7.0, 18.5, 17.5, 10.5, 7.5, 23.0, 16.5, 8.5, 6.5, 17.0, 20.0, 3.0, 5.5, 9.0, 10.0, 2.5, 8.5, 10.0, 18.5, 4.5, 9.5, 13.5, 23.5, 0.5, 2.5, 6.5, 10.5],
    scores_out: [0.609375, 0.9375, 0.7265625, 0.8671875, 0.84375, 0.9609375],
    boxes_out: [2.0, 2.0, 14.5, 7.0, 1.5, 10.5, 13.0, 24.0, 5.0, 7.0, 11.5, 15.0, 8.5, 6.5, 17.0, 20.0, 2.5, 0.0, 12.5, 5.0, 6.0, 5.5, 13.0, 9.0],
    classes_out: [1, 2, 2, 1, 1, 2],
    batch_index_out: [0, 0, 0, 1, 1, 1],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}))

scores = Input("scores", ("TENSOR_FLOAT32", [10, 3]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [10, 12]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [10]), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
score_threshold = 0.0625
max_detections = 3
nms_kernel = 1
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [6]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [6, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [6]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [6]))
model = Model("three_per_image_linear").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.84375, 0.1640625, 0.3984375, 0.703125, 0.4921875, 0.609375, 0.7265625, 0.2578125, 0.8203125, 0.09375, 0.9140625, 0.046875, 0.0703125, 0.421875, 0.890625, 0.796875, 0.46875, 0.0234375, 0.7734375, 0.75, 0.328125, 0.1171875, 0.4453125, 0.65625, 0.140625, 0.515625, 0.3515625, 0.6328125, 0.5859375, 0.9375],
    boxes: [2.5, 4.5, 16.0, 19.5, 0.5, 5.0, 7.0, 17.0, 12.0, 1.5, 17.0, 16.5, 4.5, 0.0, 9.0, 13.0, 0.5, 0.0, 8.5, 10.0, 7.0, 2.0, 20.0, 8.0, 1.5, 11.0, 5.0, 16.0, 4.0, 5.5, 11.0, 14.5, 3.0, 3.0, 13.0, 11.0, 3.0, 2.5, 12.0, 12.5, 0.0, 4.5, 10.5, 16.0, 8.0, 2.0, 22.0, 15.5, 10.0, 5.0, 25.0, 10.5, 6.0, 0.0, 15.0, 9.0, 1.5, 7.5, 8.5, 14.0, 4.0, 8.0, 19.0, 15.5, 11.5, 1.0, 17.5, 14.0, 12.0, 1.5, 19.0, 6.0, 1.0, 11.0, 13.5, 22.5, 0.0, 0.0, 10.5, 7.5, 5.5, 5.5, 14.0, 11.0, 7.5, 9.5, 11.0, 16.0, 10.5, 9.0, 25.0, 16.0, 9.0, 8.0, 20.5, 13.0, 3.0, 11.5, 10.5, 23.0, 12.0, 10.5, 21.5, 25.0, 12.0, 8.0, 15.0, 14.0, 6.0, 5.0, 18.0, 8.0, 0.0, 7.5, 15.0, 11.5, 6.0, 5.5, 19.5, 14.5],
    scores_out: [0.9140625, 0.890625, 0.8203125, 0.75, 0.5859375, 0.9375],
    boxes_out: [0.0, 4.5, 10.5, 16.0, 1.5, 7.5, 8.5, 14.0, 3.0, 3.0, 13.0, 11.0, 0.0, 0.0, 10.5, 7.5, 0.0, 7.5, 15.0, 11.5, 6.0, 5.5, 19.5, 14.5],
    classes_out: [1, 2, 2, 1, 1, 2],
    batch_index_out: [0, 0, 0, 1, 1, 1],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}))

scores = Input("scores", ("TENSOR_FLOAT32", [10, 3]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [10, 12]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [10]), [0, 0, 0, 0, 0, 1, 1, 1, 1, 1])
score_threshold = 0.0625
max_detections = 3
nms_kernel = 2
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [6]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [6, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [6]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [6]))
model = Model("three_per_image_gaussian").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.890625, 0.6796875, 0.09375, 0.421875, 0.28125, 0.796875, 0.3515625, 0.0234375, 0.375, 0.2578125, 0.9140625, 0.75, 0.515625, 0.1171875, 0.1875, 0.8203125, 0.5390625, 0.609375, 0.0703125, 0.703125, 0.3984375, 0.046875, 0.140625, 0.9375, 0.65625, 0.5859375, 0.2109375, 0.5625, 0.328125, 0.234375],
    boxes: [6.5, 2.5, 13.0, 11.0, 6.5, 9.0, 21.5, 15.0, 8.5, 2.0, 16.5, 6.0, 10.5, 2.0, 19.5, 14.5, 9.5, 10.5, 18.0, 15.0, 5.0, 9.0, 15.0, 21.0, 1.5, 7.5, 4.5, 12.0, 10.0, 0.0, 13.0, 5.5, 8.0, 4.0, 11.0, 10.5, 11.5, 4.5, 25.5, 13.5, 10.0, 4.5, 20.0, 17.0, 4.0, 5.5, 10.5, 12.5, 5.5, 3.0, 9.0, 6.0, 8.5, 0.5, 23.5, 15.5, 1.0, 5.0, 7.0, 13.0, 4.5, 0.0, 8.0, 14.5, 7.0, 12.0, 17.0, 24.5, 10.5, 2.5, 22.0, 15.5, 6.5, 8.5, 18.0, 21.5, 2.5, 0.5, 16.5, 9.0, 9.0, 8.0, 14.5, 11.0, 9.5, 4.5, 17.5, 12.5, 3.5, 8.0, 18.0, 13.5, 9.5, 8.5, 21.5, 22.5, 0.0, 11.0, 3.0, 14.5, 11.0, 10.0, 22.0, 21.0, 5.5, 8.0, 20.0, 17.5, 4.5, 0.5, 8.0, 15.5, 11.0, 0.5, 19.5, 14.0, 11.0, 5.0, 20.0, 18.0],
    scores_out: [0.9140625, 0.796875, 0.72445774, 0.703125, 0.5859375, 0.9375],
    boxes_out: [10.0, 4.5, 20.0, 17.0, 5.0, 9.0, 15.0, 21.0, 4.0, 5.5, 10.5, 12.5, 2.5, 0.5, 16.5, 9.0, 11.0, 10.0, 22.0, 21.0, 9.5, 8.5, 21.5, 22.5],
    classes_out: [1, 2, 2, 1, 1, 2],
    batch_index_out: [0, 0, 0, 1, 1, 1],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}))

scores = Input("scores", ("TENSOR_FLOAT32", [6, 4]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [6, 16]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [6]), [4, 4, 4, 0, 0, 7])
score_threshold = 0.0625
max_detections = 5
nms_kernel = 0
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [13]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [13, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [13]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [13]))
model = Model("indices_not_counted_up_hard").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.2109375, 0.4921875, 0.9140625, 0.84375, 0.3984375, 0.609375, 0.375, 0.890625, 0.234375, 0.0234375, 0.140625, 0.3046875, 0.75, 0.6796875, 0.9609375, 0.4453125, 0.9375, 0.8203125, 0.09375, 0.5625, 0.796875, 0.703125, 0.6328125, 0.1171875],
    boxes: [11.5, 9.5, 21.5, 24.5, 8.5, 4.0, 15.5, 10.5, 6.0, 3.5, 16.0, 17.5, 2.0, 10.5, 6.5, 19.5, 3.5, 4.5, 14.0, 15.5, 0.0, 3.0, 13.0, 9.0, 10.5, 5.0, 18.5, 12.0, 11.0, 6.5, 18.5, 20.5, 8.0, 6.5, 21.5, 17.5, 6.5, 6.0, 18.0, 17.0, 3.0, 9.0, 8.5, 21.0, 10.5, 11.5, 15.0, 16.0, 11.5, 1.0, 26.0, 9.5, 4.0, 4.5, 10.0, 13.0, 4.0, 9.5, 9.5, 19.0, 2.0, 8.0, 13.0, 14.0, 6.0, 11.5, 10.0, 20.0, 11.5, 10.0, 21.5, 13.5, 10.0, 2.0, 22.0, 9.0, 7.5, 5.5, 15.0, 11.0, 3.0, 1.5, 16.0, 12.5, 8.5, 4.5, 13.0, 8.5, 7.0, 0.0, 21.0, 10.5, 0.0, 4.5, 5.5, 14.0],
    scores_out: [0.609375, 0.4921875, 0.9140625, 0.890625, 0.84375, 0.8203125, 0.6796875, 0.9609375, 0.5625, 0.4453125, 0.703125, 0.6328125, 0.1171875],
    boxes_out: [0.0, 3.0, 13.0, 9.0, 8.5, 4.0, 15.5, 10.5, 6.0, 3.5, 16.0, 17.5, 11.0, 6.5, 18.5, 20.5, 2.0, 10.5, 6.5, 19.5, 11.5, 10.0, 21.5, 13.5, 4.0, 4.5, 10.0, 13.0, 4.0, 9.5, 9.5, 19.0, 7.5, 5.5, 15.0, 11.0, 2.0, 8.0, 13.0, 14.0, 8.5, 4.5, 13.0, 8.5, 7.0, 0.0, 21.0, 10.5, 0.0, 4.5, 5.5, 14.0],
    classes_out: [1, 1, 2, 3, 3, 1, 1, 2, 3, 3, 1, 2, 3],
    batch_index_out: [4, 4, 4, 4, 4, 0, 0, 0, 0, 0, 7, 7, 7],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [6, 4]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [6, 16]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [6]), [4, 4, 4, 0, 0, 7])
score_threshold = 0.0625
max_detections = 5
nms_kernel = 1
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [13]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [13, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [13]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [13]))
model = Model("indices_not_counted_up_linear").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.09375, 0.328125, 0.9375, 0.1640625, 0.2578125, 0.65625, 0.2109375, 0.0703125, 0.0234375, 0.3984375, 0.1171875, 0.609375, 0.046875, 0.515625, 0.3515625, 0.6796875, 0.1875, 0.421875, 0.8671875, 0.84375, 0.140625, 0.3046875, 0.6328125, 0.4453125],
    boxes: [2.0, 0.0, 8.0, 12.5, 10.0, 3.0, 22.0, 15.0, 3.5, 1.0, 14.5, 4.5, 10.0, 11.5, 17.5, 21.5, 7.5, 2.0, 13.5, 5.5, 6.0, 8.5, 16.5, 23.5, 0.5, 5.0, 6.5, 12.0, 7.5, 7.5, 13.0, 18.5, 11.5, 9.0, 16.0, 14.5, 4.0, 10.0, 18.0, 19.5, 5.5, 7.5, 16.0, 13.5, 8.0, 2.0, 12.5, 11.5, 11.5, 3.5, 17.5, 16.5, 0.5, 3.5, 14.0, 14.0, 12.0, 4.0, 18.5, 15.0, 4.0, 11.5, 12.5, 24.0, 7.5, 6.5, 12.0, 10.5, 5.0, 6.0, 9.5, 11.0, 11.0, 9.0, 19.0, 15.5, 5.5, 10.5, 16.0, 14.0, 6.0, 4.0, 18.5, 14.5, 7.5, 4.0, 15.5, 15.0, 8.0, 9.0, 20.0, 21.5, 9.5, 6.0, 19.5, 10.0],
    scores_out: [0.65625, 0.328125, 0.9375, 0.2109375, 0.609375, 0.515625, 0.421875, 0.8671875, 0.84375, 0.6796875, 0.3046875, 0.6328125, 0.4453125],
    boxes_out: [6.0, 8.5, 16.5, 23.5, 10.0, 3.0, 22.0, 15.0, 3.5, 1.0, 14.5, 4.5, 0.5, 5.0, 6.5, 12.0, 8.0, 2.0, 12.5, 11.5, 0.5, 3.5, 14.0, 14.0, 5.0, 6.0, 9.5, 11.0, 11.0, 9.0, 19.0, 15.5, 5.5, 10.5, 16.0, 14.0, 4.0, 11.5, 12.5, 24.0, 7.5, 4.0, 15.5, 15.0, 8.0, 9.0, 20.0, 21.5, 9.5, 6.0, 19.5, 10.0],
    classes_out: [1, 1, 2, 2, 3, 1, 1, 2, 3, 3, 1, 2, 3],
    batch_index_out: [4, 4, 4, 4, 4, 0, 0, 0, 0, 0, 7, 7, 7],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [6, 4]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [6, 16]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [6]), [4, 4, 4, 0, 0, 7])
score_threshold = 0.0625
max_detections = 5
nms_kernel = 2
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [13]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [13, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [13]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [13]))
model = Model("indices_not_counted_up_gaussian").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.9375, 0.7265625, 0.9609375, 0.375, 0.2578125, 0.2109375, 0.890625, 0.1875, 0.703125, 0.515625, 0.8671875, 0.75, 0.234375, 0.09375, 0.140625, 0.328125, 0.609375, 0.7734375, 0.9140625, 0.0703125, 0.421875, 0.3046875, 0.28125, 0.3984375],
    boxes: [0.0, 8.5, 7.0, 19.0, 11.5, 2.5, 23.0, 7.5, 1.5, 11.0, 13.0, 16.5, 5.5, 0.0, 11.0, 4.5, 11.5, 12.0, 25.0, 20.5, 5.0, 2.0, 13.0, 7.5, 3.0, 0.0, 12.5, 12.5, 4.0, 3.5, 15.0, 11.5, 9.5, 12.0, 18.0, 17.5, 2.0, 9.0, 6.0, 22.0, 8.0, 6.5, 23.0, 14.0, 0.0, 10.5, 10.5, 24.5, 6.0, 0.5, 10.5, 5.5, 2.5, 9.0, 17.5, 21.5, 7.0, 4.0, 14.0, 16.5, 1.0, 2.0, 7.0, 14.5, 8.5, 1.5, 19.5, 6.5, 11.0, 2.0, 16.0, 8.0, 4.5, 3.0, 8.5, 14.0, 3.5, 2.5, 17.5, 16.0, 9.0, 6.5, 20.5, 16.0, 1.0, 3.0, 5.0, 8.5, 3.0, 5.5, 12.5, 13.0, 7.0, 7.5, 22.0, 18.0],
    scores_out: [0.7265625, 0.9609375, 0.87786365, 0.822947, 0.75, 0.7734375, 0.09375, 0.9140625, 0.13603891, 0.328125, 0.3046875, 0.28125, 0.3984375],
    boxes_out: [11.5, 2.5, 23.0, 7.5, 1.5, 11.0, 13.0, 16.5, 3.0, 0.0, 12.5, 12.5, 8.0, 6.5, 23.0, 14.0, 0.0, 10.5, 10.5, 24.5, 11.0, 2.0, 16.0, 8.0, 2.5, 9.0, 17.5, 21.5, 4.5, 3.0, 8.5, 14.0, 7.0, 4.0, 14.0, 16.5, 1.0, 2.0, 7.0, 14.5, 1.0, 3.0, 5.0, 8.5, 3.0, 5.5, 12.5, 13.0, 7.0, 7.5, 22.0, 18.0],
    classes_out: [1, 2, 2, 2, 3, 1, 1, 2, 2, 3, 1, 2, 3],
    batch_index_out: [4, 4, 4, 4, 4, 0, 0, 0, 0, 0, 7, 7, 7],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [9, 2]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [9, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [9]), [0, 0, 0, 0, 0, 0, 0, 0, 0])
score_threshold = 0.25
max_detections = -1
nms_kernel = 0
iou_threshold = 0.5
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [5]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [5, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [5]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [5]))
model = Model("two_classes_hard").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.9375, 0.5859375, 0.0234375, 0.1875, 0.421875, 0.46875, 0.8203125, 0.328125, 0.6796875, 0.2109375, 0.609375, 0.8671875, 0.75, 0.140625, 0.84375, 0.3046875, 0.9140625, 0.515625],
    boxes: [11.0, 4.5, 19.0, 17.5, 12.0, 9.0, 24.5, 21.5, 10.0, 3.0, 13.5, 18.0, 2.5, 2.5, 10.0, 8.5, 10.0, 12.0, 24.0, 16.5, 4.5, 9.5, 9.5, 19.0, 3.5, 12.0, 14.0, 21.0, 1.5, 8.5, 14.5, 19.0, 11.5, 0.5, 25.0, 9.5, 1.0, 1.0, 5.5, 4.5, 8.0, 12.0, 13.5, 18.5, 10.0, 11.5, 17.0, 17.5, 1.0, 12.0, 6.5, 20.5, 11.0, 7.5, 16.0, 17.5, 2.0, 12.0, 7.0, 18.5, 2.0, 11.5, 6.0, 23.0, 2.0, 4.0, 11.5, 16.5, 10.0, 7.5, 17.5, 17.0],
    scores_out: [0.8671875, 0.5859375, 0.46875, 0.328125, 0.3046875],
    boxes_out: [10.0, 11.5, 17.0, 17.5, 12.0, 9.0, 24.5, 21.5, 4.5, 9.5, 9.5, 19.0, 1.5, 8.5, 14.5, 19.0, 2.0, 11.5, 6.0, 23.0],
    classes_out: [1, 1, 1, 1, 1],
    batch_index_out: [0, 0, 0, 0, 0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [9, 2]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [9, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [9]), [0, 0, 0, 0, 0, 0, 0, 0, 0])
score_threshold = 0.25
max_detections = -1
nms_kernel = 1
iou_threshold = 0.5
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [6]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [6, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [6]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [6]))
model = Model("two_classes_linear").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.84375, 0.328125, 0.46875, 0.6328125, 0.7265625, 0.375, 0.5625, 0.9375, 0.1875, 0.140625, 0.65625, 0.1171875, 0.2578125, 0.9140625, 0.2109375, 0.234375, 0.0234375, 0.3515625],
    boxes: [9.0, 1.0, 13.0, 11.5, 7.0, 1.5, 19.0, 7.0, 7.5, 0.5, 17.0, 5.0, 10.5, 4.0, 16.0, 17.0, 1.5, 4.0, 5.5, 13.5, 10.5, 3.0, 18.5, 8.5, 6.0, 6.5, 20.0, 21.0, 10.5, 4.5, 21.5, 12.0, 2.5, 3.0, 7.0, 6.5, 11.0, 12.0, 17.5, 26.0, 10.5, 11.0, 21.0, 24.0, 2.0, 7.5, 15.0, 18.0, 0.5, 2.0, 10.0, 15.0, 0.0, 1.0, 12.0, 13.0, 10.0, 6.5, 15.5, 21.5, 4.5, 2.0, 18.5, 13.0, 3.0, 12.0, 6.5, 25.5, 3.5, 3.5, 18.5, 14.0],
    scores_out: [0.9375, 0.9140625, 0.6328125, 0.375, 0.3515625, 0.328125],
    boxes_out: [10.5, 4.5, 21.5, 12.0, 0.0, 1.0, 12.0, 13.0, 10.5, 4.0, 16.0, 17.0, 10.5, 3.0, 18.5, 8.5, 3.5, 3.5, 18.5, 14.0, 7.0, 1.5, 19.0, 7.0],
    classes_out: [1, 1, 1, 1, 1, 1],
    batch_index_out: [0, 0, 0, 0, 0, 0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [9, 2]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [9, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [9]), [0, 0, 0, 0, 0, 0, 0, 0, 0])
score_threshold = 0.25
max_detections = -1
nms_kernel = 2
iou_threshold = 0.5
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [7]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [7, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [7]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [7]))
model = Model("two_classes_gaussian").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.3515625, 0.046875, 0.9140625, 0.75, 0.09375, 0.3984375, 0.375, 0.609375, 0.7265625, 0.1875, 0.703125, 0.46875, 0.8671875, 0.65625, 0.4921875, 0.515625, 0.0703125, 0.6328125],
    boxes: [12.0, 4.0, 24.0, 17.5, 8.5, 0.5, 20.0, 11.5, 5.5, 10.5, 16.0, 16.5, 6.0, 5.0, 15.0, 12.5, 6.0, 1.5, 17.5, 16.0, 9.5, 8.5, 14.5, 23.0, 8.5, 7.0, 20.5, 14.5, 7.0, 5.5, 11.0, 10.0, 0.5, 5.5, 9.0, 9.0, 8.5, 4.0, 12.0, 16.0, 0.5, 9.5, 15.5, 24.0, 6.5, 3.5, 13.0, 6.5, 7.5, 12.0, 15.5, 17.0, 9.0, 12.0, 16.0, 26.0, 5.0, 6.5, 11.5, 10.5, 1.0, 5.0, 12.5, 15.5, 11.5, 0.0, 15.5, 14.5, 4.5, 12.0, 19.5, 24.0],
    scores_out: [0.75, 0.65580285, 0.5285891, 0.44128713, 0.43464437, 0.3721025, 0.19881006],
    boxes_out: [6.0, 5.0, 15.0, 12.5, 9.0, 12.0, 16.0, 26.0, 7.0, 5.5, 11.0, 10.0, 6.5, 3.5, 13.0, 6.5, 4.5, 12.0, 19.5, 24.0, 1.0, 5.0, 12.5, 15.5, 9.5, 8.5, 14.5, 23.0],
    classes_out: [1, 1, 1, 1, 1, 1, 1],
    batch_index_out: [0, 0, 0, 0, 0, 0, 0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [6, 3]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [6, 12]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [6]), [0, 0, 0, 0, 0, 0])
score_threshold = 0.0625
max_detections = -1
nms_kernel = 0
iou_threshold = 0.25
sigma = 2.0
nms_score_threshold = 0.375
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [6]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [6, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [6]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [6]))
model = Model("high_drop_limit_hard").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.0234375, 0.6328125, 0.28125, 0.1875, 0.3046875, 0.4921875, 0.5625, 0.2109375, 0.09375, 0.8671875, 0.328125, 0.65625, 0.8203125, 0.609375, 0.703125, 0.84375, 0.6796875, 0.9140625],
    boxes: [4.0, 7.5, 14.5, 14.5, 7.0, 11.5, 16.5, 24.0, 5.5, 6.0, 10.0, 14.0, 0.5, 2.5, 5.5, 16.5, 9.0, 2.5, 14.0, 15.0, 7.5, 11.5, 16.0, 14.5, 7.0, 9.5, 21.0, 19.5, 7.0, 4.0, 16.0, 10.5, 9.5, 5.5, 19.0, 16.0, 6.0, 1.0, 13.0, 9.5, 8.5, 5.5, 21.0, 13.0, 2.5, 6.0, 11.5, 15.5, 3.5, 11.5, 10.0, 25.5, 4.0, 0.0, 7.0, 3.0, 12.0, 0.0, 20.5, 3.5, 6.0, 10.0, 19.0, 14.5, 4.0, 0.5, 9.5, 15.5, 8.0, 10.0, 23.0, 14.5],
    scores_out: [0.6796875, 0.6328125, 0.609375, 0.9140625, 0.703125, 0.65625],
    boxes_out: [4.0, 0.5, 9.5, 15.5, 7.0, 11.5, 16.5, 24.0, 4.0, 0.0, 7.0, 3.0, 8.0, 10.0, 23.0, 14.5, 12.0, 0.0, 20.5, 3.5, 2.5, 6.0, 11.5, 15.5],
    classes_out: [1, 1, 1, 2, 2, 2],
    batch_index_out: [0, 0, 0, 0, 0, 0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [6, 3]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [6, 12]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [6]), [0, 0, 0, 0, 0, 0])
score_threshold = 0.0625
max_detections = -1
nms_kernel = 1
iou_threshold = 0.25
sigma = 2.0
nms_score_threshold = 0.375
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [6]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [6, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [6]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [6]))
model = Model("high_drop_limit_linear").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.7734375, 0.421875, 0.8671875, 0.6328125, 0.0234375, 0.9609375, 0.140625, 0.75, 0.4921875, 0.9140625, 0.4453125, 0.1640625, 0.09375, 0.6796875, 0.703125, 0.3046875, 0.328125, 0.28125],
    boxes: [8.5, 8.5, 22.5, 17.0, 11.0, 6.5, 23.0, 18.0, 11.5, 0.5, 14.5, 5.5, 3.5, 3.0, 12.5, 13.0, 8.5, 12.0, 22.5, 15.0, 2.5, 9.5, 14.5, 18.5, 5.0, 1.0, 8.5, 5.0, 7.0, 6.5, 11.5, 11.0, 6.0, 9.5, 17.5, 16.0, 12.0, 1.5, 18.5, 7.5, 3.5, 8.5, 13.5, 23.5, 8.5, 1.0, 12.0, 7.5, 2.0, 1.0, 9.5, 14.5, 7.0, 4.0, 18.0, 17.5, 8.0, 9.0, 13.0, 21.0, 4.5, 5.0, 11.5, 9.0, 6.0, 4.5, 20.5, 15.0, 9.5, 8.0, 15.0, 19.0],
    scores_out: [0.75, 0.6796875, 0.4453125, 0.9609375, 0.8671875, 0.44588414],
    boxes_out: [7.0, 6.5, 11.5, 11.0, 7.0, 4.0, 18.0, 17.5, 3.5, 8.5, 13.5, 23.5, 2.5, 9.5, 14.5, 18.5, 11.5, 0.5, 14.5, 5.5, 8.0, 9.0, 13.0, 21.0],
    classes_out: [1, 1, 1, 2, 2, 2],
    batch_index_out: [0, 0, 0, 0, 0, 0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [6, 3]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [6, 12]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [6]), [0, 0, 0, 0, 0, 0])
score_threshold = 0.0625
max_detections = -1
nms_kernel = 2
iou_threshold = 0.25
sigma = 2.0
nms_score_threshold = 0.375
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [6]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [6, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [6]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [6]))
model = Model("high_drop_limit_gaussian").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.3984375, 0.0703125, 0.609375, 0.7734375, 0.890625, 0.3515625, 0.046875, 0.46875, 0.1875, 0.8203125, 0.4453125, 0.2109375, 0.0234375, 0.234375, 0.3046875, 0.6796875, 0.796875, 0.9609375],
    boxes: [12.0, 6.5, 19.0, 14.0, 10.0, 10.0, 18.0, 15.5, 1.0, 1.0, 7.0, 7.5, 4.5, 5.0, 11.0, 20.0, 11.5, 10.0, 19.5, 20.0, 0.0, 11.0, 3.5, 26.0, 12.0, 10.0, 15.0, 13.0, 0.0, 1.0, 12.5, 8.5, 5.5, 3.5, 10.0, 8.5, 1.5, 3.5, 7.5, 8.5, 1.0, 8.5, 10.5, 17.0, 4.5, 4.5, 12.5, 10.5, 10.0, 11.5, 24.0, 22.0, 9.5, 4.0, 14.5, 11.0, 8.0, 0.0, 18.0, 13.5, 4.5, 9.5, 18.0, 13.0, 1.0, 8.5, 13.5, 13.0, 7.5, 2.0, 17.5, 9.0],
    scores_out: [0.890625, 0.79603, 0.46875, 0.40178153, 0.9609375, 0.609375],
    boxes_out: [11.5, 10.0, 19.5, 20.0, 1.0, 8.5, 13.5, 13.0, 0.0, 1.0, 12.5, 8.5, 1.0, 8.5, 10.5, 17.0, 7.5, 2.0, 17.5, 9.0, 1.0, 1.0, 7.0, 7.5],
    classes_out: [1, 1, 1, 1, 2, 2],
    batch_index_out: [0, 0, 0, 0, 0, 0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [2, 2]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [2, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
score_threshold = 1.0
max_detections = -1
nms_kernel = 0
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [0]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [0, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [0]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [0]))
model = Model("below_threshold").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.0703125, 0.7734375, 0.9140625, 0.796875],
    boxes: [3.0, 1.0, 12.5, 14.0, 1.0, 4.5, 7.0, 16.5, 2.0, 6.5, 12.5, 19.5, 2.5, 3.5, 12.0, 14.5],
    scores_out: [],
    boxes_out: [],
    classes_out: [],
    batch_index_out: [],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [2, 2]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [2, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
score_threshold = 0.0625
max_detections = 0
nms_kernel = 0
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [0]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [0, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [0]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [0]))
model = Model("limit_of_zero").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.0703125, 0.7734375, 0.9140625, 0.796875],
    boxes: [3.0, 1.0, 12.5, 14.0, 1.0, 4.5, 7.0, 16.5, 2.0, 6.5, 12.5, 19.5, 2.5, 3.5, 12.0, 14.5],
    scores_out: [],
    boxes_out: [],
    classes_out: [],
    batch_index_out: [],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

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
model = Model("one_box").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0.75, 0.5],
    boxes: [0, 0, 4, 4, 1, 1, 5.5, 4],
    scores_out: [0.5],
    boxes_out: [1, 1, 5.5, 4],
    classes_out: [1],
    batch_index_out: [3],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [3, 2]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [3, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [3]), [0, 0, 0])
score_threshold = 0.0625
max_detections = -1
nms_kernel = 0
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.0
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [3]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [3, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [3]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [3]))
model = Model("suppressed_come_back").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0, 0.75, 0, 0.625, 0, 0.5],
    boxes: [0, 0, 10, 10, 0, 0, 10, 10, 0, 0, 10, 10, 0, 0, 10, 10, 20, 20, 30, 30, 20, 20, 30, 30],
    scores_out: [0.75, 0.5, 0.0],
    boxes_out: [0, 0, 10, 10, 20, 20, 30, 30, 0, 0, 10, 10],
    classes_out: [1, 1, 1],
    batch_index_out: [0, 0, 0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [2, 2]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [2, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
score_threshold = 0.0625
max_detections = -1
nms_kernel = 1
iou_threshold = 0.5
sigma = 0.5
nms_score_threshold = 0.0625
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [2]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [2, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [2]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [2]))
model = Model("overlap_at_threshold").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0, 0.75, 0, 0.625],
    boxes: [0, 0, 10, 10, 0, 0, 10, 10, 0, 0, 10, 5, 0, 0, 10, 5],
    scores_out: [0.75, 0.3125],
    boxes_out: [0, 0, 10, 10, 0, 0, 10, 5],
    classes_out: [1, 1],
    batch_index_out: [0, 0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [3, 2]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [3, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [3]), [0, 0, 0])
score_threshold = 0.0625
max_detections = -1
nms_kernel = 0
iou_threshold = 0.25
sigma = 0.5
nms_score_threshold = 0.5
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [2]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [2, 4]))
classes_out = Output("classes_out", ("TENSOR_INT32", [2]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [2]))
model = Model("score_at_drop_limit").Operation("BOX_WITH_NMS_LIMIT", scores, boxes, batch_index, score_threshold, max_detections, nms_kernel, iou_threshold, sigma, nms_score_threshold).To(scores_out, boxes_out, classes_out, batch_index_out)
Example({
    scores: [0, 0.75, 0, 0.5, 0, 0.25],
    boxes: [0, 0, 5, 5, 0, 0, 5, 5, 10, 0, 15, 5, 10, 0, 15, 5, 20, 0, 25, 5, 20, 0, 25, 5],
    scores_out: [0.75, 0.5],
    boxes_out: [0, 0, 5, 5, 10, 0, 15, 5],
    classes_out: [1, 1],
    batch_index_out: [0, 0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM", 0.0078125, 0), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()
