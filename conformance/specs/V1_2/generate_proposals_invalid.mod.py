# Written by tests/golden/write_proposals_specs.py.

scores = Input("scores", ("TENSOR_FLOAT32", [1, 2, 3, 2]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 2, 3, 8]))
anchors = Input("anchors", ("TENSOR_FLOAT32", [2, 4]))
image_info = Input("image_info", ("TENSOR_FLOAT32", [1, 2]))
height_stride = 4.0
width_stride = 4.0
pre_nms_max = -1
post_nms_max = -1
iou_threshold = 0.25
min_size = 1.0
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [6]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [6, 4]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [6]))
model = Model("anchor_order").Operation("GENERATE_PROPOSALS", scores, deltas, anchors, image_info, height_stride, width_stride, pre_nms_max, post_nms_max, iou_threshold, min_size, layout).To(scores_out, boxes_out, batch_index_out)
Example({
    scores: [0.3515625, 0.1875, 0.890625, 0.9140625, 0.5625, 0.609375, 0.1640625, 0.5390625, 0.1171875, 0.3984375, 0.375, 0.703125],
    deltas: [0.4375, -0.4375, 0.3125, 0.1875, -0.5, 0.25, -0.0625, 0.1875, 0.125, -0.375, 0.5, -0.4375, 0.5, 0.125, -0.5, -0.3125, -0.4375, 0.4375, 0.0625, 0.375, 0.3125, -0.3125, 0.4375, -0.125, 0.25, -0.3125, -0.375, 0.1875, -0.1875, 0.5, 0.0625, 0.25, -0.3125, -0.125, -0.0625, 0.125, -0.125, 0.4375, 0.1875, -0.25, 0.125, -0.4375, -0.0625, -0.0625, -0.1875, 0.5, -0.125, 0.25],
    anchors: [5, 0, 4, 4, 0, 0, 4, 4],
    image_info: [24.0, 13.0],
    scores_out: [0.9140625, 0.890625, 0.703125, 0.5625, 0.5390625, 0.1875],
    boxes_out: [11.832041, 0.7775767, 13.0, 2.9724233, 4.704156, 3.5108786, 13.0, 6.7391214, 11.291883, 5.0739617, 13.0, 8.926039, 6.946643, 5.5500216, 13.0, 12.824978, 2.7913902, 5.0739617, 8.64611, 8.926039, 1.416614, 0.44065452, 6.583386, 4.0593452],
    batch_index_out: [0, 0, 0, 0, 0, 0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 2, 3, 2]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 2, 3, 8]))
anchors = Input("anchors", ("TENSOR_FLOAT32", [1, 4]))
image_info = Input("image_info", ("TENSOR_FLOAT32", [1, 2]))
height_stride = 4.0
width_stride = 4.0
pre_nms_max = -1
post_nms_max = -1
iou_threshold = 0.25
min_size = 1.0
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [6]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [6, 4]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [6]))
model = Model("anchors").Operation("GENERATE_PROPOSALS", scores, deltas, anchors, image_info, height_stride, width_stride, pre_nms_max, post_nms_max, iou_threshold, min_size, layout).To(scores_out, boxes_out, batch_index_out)
Example({
    scores: [0.3515625, 0.1875, 0.890625, 0.9140625, 0.5625, 0.609375, 0.1640625, 0.5390625, 0.1171875, 0.3984375, 0.375, 0.703125],
    deltas: [0.4375, -0.4375, 0.3125, 0.1875, -0.5, 0.25, -0.0625, 0.1875, 0.125, -0.375, 0.5, -0.4375, 0.5, 0.125, -0.5, -0.3125, -0.4375, 0.4375, 0.0625, 0.375, 0.3125, -0.3125, 0.4375, -0.125, 0.25, -0.3125, -0.375, 0.1875, -0.1875, 0.5, 0.0625, 0.25, -0.3125, -0.125, -0.0625, 0.125, -0.125, 0.4375, 0.1875, -0.25, 0.125, -0.4375, -0.0625, -0.0625, -0.1875, 0.5, -0.125, 0.25],
    anchors: [0, 0, 4, 4],
    image_info: [24.0, 13.0],
    scores_out: [0.9140625, 0.890625, 0.703125, 0.5625, 0.5390625, 0.1875],
    boxes_out: [11.832041, 0.7775767, 13.0, 2.9724233, 4.704156, 3.5108786, 13.0, 6.7391214, 11.291883, 5.0739617, 13.0, 8.926039, 6.946643, 5.5500216, 13.0, 12.824978, 2.7913902, 5.0739617, 8.64611, 8.926039, 1.416614, 0.44065452, 6.583386, 4.0593452],
    batch_index_out: [0, 0, 0, 0, 0, 0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 2, 3, 2]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 2, 3, 4]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [2, 4]), [2.0, 4.5, 8.5, 9.5, 4.0, 0.0, 9.5, 3.0])
image_info = Input("image_info", ("TENSOR_FLOAT32", [1, 2]))
height_stride = 4.0
width_stride = 4.0
pre_nms_max = -1
post_nms_max = -1
iou_threshold = 0.25
min_size = 1.0
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [6]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [6, 4]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [6]))
model = Model("deltas").Operation("GENERATE_PROPOSALS", scores, deltas, anchors, image_info, height_stride, width_stride, pre_nms_max, post_nms_max, iou_threshold, min_size, layout).To(scores_out, boxes_out, batch_index_out)
Example({
    scores: [0.3515625, 0.1875, 0.890625, 0.9140625, 0.5625, 0.609375, 0.1640625, 0.5390625, 0.1171875, 0.3984375, 0.375, 0.703125],
    deltas: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    image_info: [24.0, 13.0],
    scores_out: [0.9140625, 0.890625, 0.703125, 0.5625, 0.5390625, 0.1875],
    boxes_out: [11.832041, 0.7775767, 13.0, 2.9724233, 4.704156, 3.5108786, 13.0, 6.7391214, 11.291883, 5.0739617, 13.0, 8.926039, 6.946643, 5.5500216, 13.0, 12.824978, 2.7913902, 5.0739617, 8.64611, 8.926039, 1.416614, 0.44065452, 6.583386, 4.0593452],
    batch_index_out: [0, 0, 0, 0, 0, 0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 2, 3, 2]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 3, 2, 8]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [2, 4]), [2.0, 4.5, 8.5, 9.5, 4.0, 0.0, 9.5, 3.0])
image_info = Input("image_info", ("TENSOR_FLOAT32", [1, 2]))
height_stride = 4.0
width_stride = 4.0
pre_nms_max = -1
post_nms_max = -1
iou_threshold = 0.25
min_size = 1.0
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [6]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [6, 4]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [6]))
model = Model("map_of_deltas").Operation("GENERATE_PROPOSALS", scores, deltas, anchors, image_info, height_stride, width_stride, pre_nms_max, post_nms_max, iou_threshold, min_size, layout).To(scores_out, boxes_out, batch_index_out)
Example({
    scores: [0.3515625, 0.1875, 0.890625, 0.9140625, 0.5625, 0.609375, 0.1640625, 0.5390625, 0.1171875, 0.3984375, 0.375, 0.703125],
    deltas: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    image_info: [24.0, 13.0],
    scores_out: [0.9140625, 0.890625, 0.703125, 0.5625, 0.5390625, 0.1875],
    boxes_out: [11.832041, 0.7775767, 13.0, 2.9724233, 4.704156, 3.5108786, 13.0, 6.7391214, 11.291883, 5.0739617, 13.0, 8.926039, 6.946643, 5.5500216, 13.0, 12.824978, 2.7913902, 5.0739617, 8.64611, 8.926039, 1.416614, 0.44065452, 6.583386, 4.0593452],
    batch_index_out: [0, 0, 0, 0, 0, 0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 2, 3, 2]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 2, 3, 8]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [2, 4]), [2.0, 4.5, 8.5, 9.5, 4.0, 0.0, 9.5, 3.0])
image_info = Input("image_info", ("TENSOR_FLOAT32", [2, 2]))
height_stride = 4.0
width_stride = 4.0
pre_nms_max = -1
post_nms_max = -1
iou_threshold = 0.25
min_size = 1.0
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [6]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [6, 4]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [6]))
model = Model("image_info").Operation("GENERATE_PROPOSALS", scores, deltas, anchors, image_info, height_stride, width_stride, pre_nms_max, post_nms_max, iou_threshold, min_size, layout).To(scores_out, boxes_out, batch_index_out)
Example({
    scores: [0.3515625, 0.1875, 0.890625, 0.9140625, 0.5625, 0.609375, 0.1640625, 0.5390625, 0.1171875, 0.3984375, 0.375, 0.703125],
    deltas: [0.4375, -0.4375, 0.3125, 0.1875, -0.5, 0.25, -0.0625, 0.1875, 0.125, -0.375, 0.5, -0.4375, 0.5, 0.125, -0.5, -0.3125, -0.4375, 0.4375, 0.0625, 0.375, 0.3125, -0.3125, 0.4375, -0.125, 0.25, -0.3125, -0.375, 0.1875, -0.1875, 0.5, 0.0625, 0.25, -0.3125, -0.125, -0.0625, 0.125, -0.125, 0.4375, 0.1875, -0.25, 0.125, -0.4375, -0.0625, -0.0625, -0.1875, 0.5, -0.125, 0.25],
    image_info: [16.0, 16.0, 16.0, 16.0],
    scores_out: [0.9140625, 0.890625, 0.703125, 0.5625, 0.5390625, 0.1875],
    boxes_out: [11.832041, 0.7775767, 13.0, 2.9724233, 4.704156, 3.5108786, 13.0, 6.7391214, 11.291883, 5.0739617, 13.0, 8.926039, 6.946643, 5.5500216, 13.0, 12.824978, 2.7913902, 5.0739617, 8.64611, 8.926039, 1.416614, 0.44065452, 6.583386, 4.0593452],
    batch_index_out: [0, 0, 0, 0, 0, 0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
