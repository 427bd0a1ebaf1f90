# Written by tests/golden/write_proposals_specs.py.

scores = Input("scores", ("TENSOR_FLOAT32", [1, 2, 3, 2]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 2, 3, 8]))
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
model = Model("one_image").Operation("GENERATE_PROPOSALS", scores, deltas, anchors, image_info, height_stride, width_stride, pre_nms_max, post_nms_max, iou_threshold, min_size, layout).To(scores_out, boxes_out, batch_index_out)
Example({
    scores: [0.3515625, 0.1875, 0.890625, 0.9140625, 0.5625, 0.609375, 0.1640625, 0.5390625, 0.1171875, 0.3984375, 0.375, 0.703125],
    deltas: [0.4375, -0.4375, 0.3125, 0.1875, -0.5, 0.25, -0.0625, 0.1875, 0.125, -0.375, 0.5, -0.4375, 0.5, 0.125, -0.5, -0.3125, -0.4375, 0.4375, 0.0625, 0.375, 0.3125, -0.3125, 0.4375, -0.125, 0.25, -0.3125, -0.375, 0.1875, -0.1875, 0.5, 0.0625, 0.25, -0.3125, -0.125, -0.0625, 0.125, -0.125, 0.4375, 0.1875, -0.25, 0.125, -0.4375, -0.0625, -0.0625, -0.1875, 0.5, -0.125, 0.25],
    image_info: [24.0, 13.0],
    scores_out: [0.9140625, 0.890625, 0.703125, 0.5625, 0.5390625, 0.1875],
    boxes_out: [11.832041, 0.7775767, 13.0, 2.9724233, 4.704156, 3.5108786, 13.0, 6.7391214, 11.291883, 5.0739617, 13.0, 8.926039, 6.946643, 5.5500216, 13.0, 12.824978, 2.7913902, 5.0739617, 8.64611, 8.926039, 1.416614, 0.44065452, 6.583386, 4.0593452],
    batch_index_out: [0, 0, 0, 0, 0, 0],
}, model=model).AddNchw(scores, deltas, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({scores: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), deltas: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), anchors: ("TENSOR_QUANT16_SYMM", 0.125, 0), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False)

scores = Input("scores", ("TENSOR_FLOAT32", [2, 2, 2, 2]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [2, 2, 2, 8]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [2, 4]), [3.5, 3.5, 8.5, 10.5, 2.0, 4.0, 8.5, 10.5])
image_info = Input("image_info", ("TENSOR_FLOAT32", [2, 2]))
height_stride = 4.0
width_stride = 4.0
pre_nms_max = -1
post_nms_max = -1
iou_threshold = 0.5
min_size = 1.0
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [13]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [13, 4]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [13]))
model = Model("two_images").Operation("GENERATE_PROPOSALS", scores, deltas, anchors, image_info, height_stride, width_stride, pre_nms_max, post_nms_max, iou_threshold, min_size, layout).To(scores_out, boxes_out, batch_index_out)
Example({
    scores: [0.4921875, 0.9375, 0.5859375, 0.890625, 0.0703125, 0.234375, 0.515625, 0.5625, 0.09375, 0.796875, 0.5390625, 0.28125, 0.1171875, 0.6796875, 0.609375, 0.75],
    deltas: [0.25, -0.1875, -0.25, 0.5, 0.5, 0.375, -0.4375, -0.125, -0.4375, 0.25, 0.375, -0.4375, 0.5, 0.1875, 0.4375, 0.375, 0.5, 0.0, -0.4375, 0.1875, 0.0, 0.0, 0.3125, 0.4375, 0.375, 0.5, 0.5, 0.4375, -0.1875, 0.5, 0.5, -0.3125, -0.1875, -0.25, 0.0625, -0.4375, 0.5, 0.0, -0.3125, 0.1875, 0.25, 0.5, 0.0625, 0.3125, -0.25, -0.1875, -0.1875, -0.1875, 0.0625, -0.375, 0.1875, 0.25, -0.5, 0.25, -0.4375, -0.1875, 0.4375, 0.25, -0.1875, 0.4375, -0.375, -0.125, -0.3125, -0.25],
    image_info: [18.0, 14.0, 15.0, 15.0],
    scores_out: [0.9375, 0.890625, 0.5859375, 0.5625, 0.515625, 0.4921875, 0.234375, 0.796875, 0.75, 0.6796875, 0.609375, 0.1171875, 0.09375],
    boxes_out: [6.4016423, 6.819385, 10.598358, 12.555614, 7.4663014, 3.7400284, 14.0, 13.197472, 4.1750216, 6.49023, 11.449978, 11.009769, 2.672906, 12.12225, 13.389594, 16.87775, 7.7531967, 9.079094, 14.0, 18.0, 5.302998, 0.0, 9.197001, 11.458024, 0.8077769, 6.2163014, 9.692223, 16.283699, 6.1222496, 3.3297515, 10.87775, 11.170248, 4.4347496, 7.906398, 9.19025, 12.968602, 0.0, 10.1806555, 4.0983577, 15.0, 10.114927, 7.329094, 14.260073, 15.0, 3.2969244, 3.8809104, 9.328075, 12.869089, 2.4012637, 2.99023, 7.7237363, 7.50977],
    batch_index_out: [0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1],
}, model=model).AddNchw(scores, deltas, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({scores: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), deltas: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), anchors: ("TENSOR_QUANT16_SYMM", 0.125, 0), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 3, 3, 2]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 3, 3, 8]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [2, 4]), [0.0, 0.5, 4.0, 5.0, 1.5, 4.0, 9.5, 10.0])
image_info = Input("image_info", ("TENSOR_FLOAT32", [1, 2]))
height_stride = 4.0
width_stride = 4.0
pre_nms_max = 6
post_nms_max = -1
iou_threshold = 0.25
min_size = 1.0
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [6]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [6, 4]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [6]))
model = Model("best_before_suppression").Operation("GENERATE_PROPOSALS", scores, deltas, anchors, image_info, height_stride, width_stride, pre_nms_max, post_nms_max, iou_threshold, min_size, layout).To(scores_out, boxes_out, batch_index_out)
Example({
    scores: [0.6328125, 0.6796875, 0.890625, 0.28125, 0.9140625, 0.75, 0.84375, 0.3984375, 0.1171875, 0.3046875, 0.2578125, 0.9609375, 0.046875, 0.4453125, 0.5859375, 0.8671875, 0.421875, 0.609375],
    deltas: [0.4375, 0.0, 0.0, -0.25, 0.0, -0.4375, 0.125, 0.0625, 0.1875, -0.5, 0.5, -0.25, 0.375, 0.0625, 0.1875, 0.125, 0.25, -0.25, -0.3125, -0.5, -0.3125, 0.0, -0.3125, 0.25, -0.1875, 0.125, -0.4375, 0.0, 0.0625, -0.0625, -0.5, 0.0625, 0.0, -0.1875, 0.5, 0.4375, 0.25, 0.4375, -0.375, -0.5, 0.4375, 0.3125, -0.5, 0.3125, -0.3125, 0.3125, 0.125, 0.4375, -0.5, 0.0, -0.25, 0.375, 0.375, -0.3125, 0.0625, -0.25, -0.375, -0.1875, 0.4375, -0.0625, -0.5, -0.3125, -0.3125, -0.0625, 0.1875, -0.125, -0.25, 0.375, 0.4375, -0.1875, 0.3125, 0.3125],
    image_info: [23.0, 13.0],
    scores_out: [0.9609375, 0.9140625, 0.890625, 0.8671875, 0.84375, 0.75],
    boxes_out: [6.4674063, 8.228509, 13.0, 17.521492, 9.536769, 0.260306, 12.463231, 2.989694, 3.4525576, 0.0, 10.047442, 2.2523017, 2.5735378, 10.306761, 8.426462, 15.943239, 0.0, 5.0625, 2.541297, 9.5625, 8.073538, 3.1479235, 13.0, 10.852077],
    batch_index_out: [0, 0, 0, 0, 0, 0],
}, model=model).AddNchw(scores, deltas, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({scores: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), deltas: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), anchors: ("TENSOR_QUANT16_SYMM", 0.125, 0), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [2, 2, 2, 12]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [3, 4]), [5.0, 3.5, 10.0, 8.5, 1.5, 4.0, 9.5, 10.0, 4.0, 4.0, 12.0, 7.5])
image_info = Input("image_info", ("TENSOR_FLOAT32", [2, 2]))
height_stride = 4.0
width_stride = 4.0
pre_nms_max = -1
post_nms_max = 2
iou_threshold = 0.25
min_size = 1.0
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [4]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [4, 4]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [4]))
model = Model("best_after_suppression").Operation("GENERATE_PROPOSALS", scores, deltas, anchors, image_info, height_stride, width_stride, pre_nms_max, post_nms_max, iou_threshold, min_size, layout).To(scores_out, boxes_out, batch_index_out)
Example({
    scores: [0.234375, 0.1171875, 0.890625, 0.2109375, 0.0234375, 0.5625, 0.75, 0.9375, 0.515625, 0.5390625, 0.4453125, 0.1640625, 0.65625, 0.0703125, 0.046875, 0.9609375, 0.421875, 0.2578125, 0.703125, 0.5859375, 0.4921875, 0.84375, 0.3046875, 0.140625],
    deltas: [0.5, 0.25, 0.375, 0.125, -0.4375, -0.25, -0.375, 0.125, -0.1875, -0.1875, -0.4375, 0.0, 0.25, -0.125, -0.0625, -0.125, -0.0625, 0.5, -0.125, -0.125, 0.4375, -0.0625, 0.1875, 0.0625, 0.25, -0.25, -0.3125, -0.4375, 0.3125, 0.4375, -0.375, 0.4375, 0.25, -0.0625, -0.1875, 0.3125, 0.0625, -0.0625, -0.4375, -0.0625, -0.4375, 0.125, -0.0625, 0.1875, -0.375, -0.3125, 0.5, 0.0, 0.0625, 0.25, 0.5, 0.5, 0.125, 0.1875, -0.4375, -0.3125, -0.25, 0.4375, -0.0625, -0.5, 0.5, -0.4375, -0.375, 0.0625, -0.5, -0.375, -0.375, -0.375, -0.125, -0.125, -0.25, -0.1875, -0.125, -0.5, 0.25, -0.5, 0.5, 0.25, 0.3125, -0.25, 0.125, -0.1875, 0.25, 0.0625, 0.375, 0.0625, -0.3125, 0.1875, 0.125, -0.125, 0.1875, 0.0625, -0.3125, 0.0, 0.0, -0.25],
    image_info: [19.0, 24.0, 20.0, 19.0],
    scores_out: [0.9375, 0.890625, 0.9609375, 0.84375],
    boxes_out: [5.250843, 8.978509, 10.749157, 18.271492, 3.9174058, 3.34375, 9.082594, 6.84375, 12.281776, 1.1512637, 15.718224, 6.4737363, 11.545961, 7.2969246, 15.204039, 13.328075],
    batch_index_out: [0, 0, 1, 1],
}, model=model).AddNchw(scores, deltas, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({scores: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), deltas: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), anchors: ("TENSOR_QUANT16_SYMM", 0.125, 0), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 3, 2, 3]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 3, 2, 12]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [3, 4]), [2.5, 3.0, 9.0, 8.5, 1.0, 0.5, 8.0, 8.0, 4.5, 3.0, 12.0, 11.0])
image_info = Input("image_info", ("TENSOR_FLOAT32", [1, 2]))
height_stride = 4.0
width_stride = 4.0
pre_nms_max = 9
post_nms_max = 3
iou_threshold = 0.5
min_size = 1.0
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [3]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [3, 4]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [3]))
model = Model("both_limits").Operation("GENERATE_PROPOSALS", scores, deltas, anchors, image_info, height_stride, width_stride, pre_nms_max, post_nms_max, iou_threshold, min_size, layout).To(scores_out, boxes_out, batch_index_out)
Example({
    scores: [0.5390625, 0.0234375, 0.7734375, 0.84375, 0.3984375, 0.2109375, 0.421875, 0.328125, 0.7265625, 0.703125, 0.9609375, 0.4453125, 0.0703125, 0.9140625, 0.65625, 0.09375, 0.609375, 0.6328125],
    deltas: [-0.4375, 0.4375, -0.4375, 0.4375, 0.125, -0.0625, 0.1875, 0.3125, 0.375, 0.0625, -0.1875, 0.25, 0.1875, -0.3125, -0.3125, -0.3125, -0.25, 0.3125, 0.125, 0.25, 0.1875, 0.0, -0.375, -0.125, -0.3125, 0.4375, -0.25, 0.1875, -0.5, -0.1875, -0.25, -0.25, 0.4375, 0.0, 0.25, 0.125, -0.1875, 0.375, -0.5, 0.3125, -0.1875, 0.0625, 0.4375, 0.1875, -0.3125, 0.1875, -0.1875, -0.4375, -0.5, -0.5, 0.0625, -0.4375, -0.0625, -0.4375, 0.0, -0.375, -0.125, 0.0, -0.5, 0.125, 0.4375, 0.5, -0.4375, 0.1875, -0.1875, 0.4375, -0.5, -0.125, 0.375, -0.0625, 0.375, 0.25],
    image_info: [23.0, 24.0],
    scores_out: [0.9609375, 0.9140625, 0.84375],
    boxes_out: [1.7665939, 4.1953864, 12.608406, 13.242113, 0.5625, 6.391415, 7.5625, 11.546085, 8.591, 2.0193071, 13.3465, 6.043193],
    batch_index_out: [0, 0, 0],
}, model=model).AddNchw(scores, deltas, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({scores: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), deltas: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), anchors: ("TENSOR_QUANT16_SYMM", 0.125, 0), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 2, 2, 4]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [1, 4]), [2.5, 3.5, 5.5, 8.5])
image_info = Input("image_info", ("TENSOR_FLOAT32", [1, 2]))
height_stride = 4.0
width_stride = 4.0
pre_nms_max = 100
post_nms_max = 100
iou_threshold = 0.25
min_size = 1.0
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [4]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [4, 4]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [4]))
model = Model("limit_before_is_large").Operation("GENERATE_PROPOSALS", scores, deltas, anchors, image_info, height_stride, width_stride, pre_nms_max, post_nms_max, iou_threshold, min_size, layout).To(scores_out, boxes_out, batch_index_out)
Example({
    scores: [0.9609375, 0.890625, 0.4453125, 0.4921875],
    deltas: [-0.3125, -0.375, -0.1875, -0.25, -0.375, 0.0625, -0.25, 0.5, 0.0, 0.3125, -0.0625, 0.5, 0.0625, -0.4375, -0.5, -0.5],
    image_info: [24.0, 12.0],
    scores_out: [0.9609375, 0.890625, 0.4921875, 0.4453125],
    boxes_out: [1.8189564, 2.177998, 4.3060436, 6.072002, 5.706799, 2.1906967, 8.043201, 10.434303, 7.2777042, 6.296173, 9.097296, 9.328827, 2.5908804, 7.4406967, 5.4091196, 15.684303],
    batch_index_out: [0, 0, 0, 0],
}, model=model).AddNchw(scores, deltas, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({scores: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), deltas: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), anchors: ("TENSOR_QUANT16_SYMM", 0.125, 0), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 2, 3, 2]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 2, 3, 8]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [2, 4]), [3.5, 1.5, 9.0, 7.5, 2.5, 1.5, 10.0, 7.5])
image_info = Input("image_info", ("TENSOR_FLOAT32", [1, 2]))
height_stride = 4.0
width_stride = 4.0
pre_nms_max = -1
post_nms_max = -1
iou_threshold = 0.25
min_size = 6.0
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [1, 4]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [1]))
model = Model("large_boxes_only").Operation("GENERATE_PROPOSALS", scores, deltas, anchors, image_info, height_stride, width_stride, pre_nms_max, post_nms_max, iou_threshold, min_size, layout).To(scores_out, boxes_out, batch_index_out)
Example({
    scores: [0.6328125, 0.75, 0.8671875, 0.375, 0.890625, 0.9375, 0.609375, 0.328125, 0.140625, 0.4453125, 0.2578125, 0.09375],
    deltas: [-0.1875, -0.1875, 0.0625, 0.125, 0.1875, 0.3125, 0.3125, -0.375, -0.4375, -0.5, 0.125, -0.375, -0.0625, 0.4375, 0.3125, 0.3125, 0.25, -0.1875, 0.5, 0.0, -0.375, -0.0625, -0.4375, -0.5, -0.375, -0.25, -0.0625, 0.3125, 0.125, -0.3125, -0.0625, 0.4375, -0.25, 0.1875, 0.0, -0.1875, 0.375, 0.375, -0.5, 0.0625, 0.1875, -0.3125, 0.3125, 0.125, -0.4375, 0.0625, 0.4375, -0.1875],
    image_info: [13.0, 13.0],
    scores_out: [0.375],
    boxes_out: [4.655608, 3.0244865, 13.0, 11.225513],
    batch_index_out: [0],
}, model=model).AddNchw(scores, deltas, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({scores: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), deltas: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), anchors: ("TENSOR_QUANT16_SYMM", 0.125, 0), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 2, 3, 1]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 2, 3, 4]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [1, 4]), [5.0, 0.0, 8.0, 5.5])
image_info = Input("image_info", ("TENSOR_FLOAT32", [1, 2]))
height_stride = 8.0
width_stride = 5.5
pre_nms_max = -1
post_nms_max = -1
iou_threshold = 0.25
min_size = 1.0
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [3]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [3, 4]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [3]))
model = Model("other_strides").Operation("GENERATE_PROPOSALS", scores, deltas, anchors, image_info, height_stride, width_stride, pre_nms_max, post_nms_max, iou_threshold, min_size, layout).To(scores_out, boxes_out, batch_index_out)
Example({
    scores: [0.9375, 0.75, 0.6328125, 0.28125, 0.046875, 0.2578125],
    deltas: [-0.125, 0.0625, 0.4375, 0.4375, -0.1875, 0.5, -0.25, -0.25, 0.25, -0.125, 0.25, -0.125, -0.1875, 0.25, 0.0625, 0.125, 0.0, -0.4375, -0.375, 0.4375, 0.3125, -0.0625, 0.0625, 0.4375],
    image_info: [23.0, 17.0],
    scores_out: [0.9375, 0.75, 0.28125],
    boxes_out: [3.8017545, 0.0, 8.448246, 7.353033, 10.269299, 3.358298, 12.605701, 7.6417017, 4.3407583, 9.0088415, 7.5342417, 15.2411585],
    batch_index_out: [0, 0, 0],
}, model=model).AddNchw(scores, deltas, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({scores: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), deltas: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), anchors: ("TENSOR_QUANT16_SYMM", 0.125, 0), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [2, 1, 1, 1]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [2, 1, 1, 4]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [1, 4]), [5.0, 3.0, 10.0, 10.0])
image_info = Input("image_info", ("TENSOR_FLOAT32", [2, 2]))
height_stride = 4.0
width_stride = 4.0
pre_nms_max = -1
post_nms_max = -1
iou_threshold = 0.25
min_size = 1.0
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [2]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [2, 4]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [2]))
model = Model("one_anchor").Operation("GENERATE_PROPOSALS", scores, deltas, anchors, image_info, height_stride, width_stride, pre_nms_max, post_nms_max, iou_threshold, min_size, layout).To(scores_out, boxes_out, batch_index_out)
Example({
    scores: [0.2109375, 0.8203125],
    deltas: [0.0625, 0.3125, -0.375, -0.25, 0.375, -0.375, 0.3125, -0.0625],
    image_info: [19.0, 14.0, 12.0, 13.0],
    scores_out: [0.2109375, 0.8203125],
    boxes_out: [6.094277, 5.9616976, 9.530724, 11.413302, 5.9579053, 0.58705425, 12.792095, 7.1629457],
    batch_index_out: [0, 1],
}, model=model).AddNchw(scores, deltas, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({scores: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), deltas: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), anchors: ("TENSOR_QUANT16_SYMM", 0.125, 0), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 1, 6, 1]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 1, 6, 4]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [1, 4]), [2.0, 2.0, 7.5, 7.5])
image_info = Input("image_info", ("TENSOR_FLOAT32", [1, 2]))
height_stride = 4.0
width_stride = 3.0
pre_nms_max = -1
post_nms_max = -1
iou_threshold = 0.75
min_size = 1.0
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [6]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [6, 4]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [6]))
model = Model("wide_map").Operation("GENERATE_PROPOSALS", scores, deltas, anchors, image_info, height_stride, width_stride, pre_nms_max, post_nms_max, iou_threshold, min_size, layout).To(scores_out, boxes_out, batch_index_out)
Example({
    scores: [0.890625, 0.1875, 0.9140625, 0.8671875, 0.4921875, 0.3046875],
    deltas: [0.125, -0.5, -0.125, 0.0625, -0.125, -0.1875, -0.1875, 0.125, 0.4375, 0.375, -0.4375, 0.3125, -0.4375, -0.0625, -0.4375, -0.375, -0.5, 0.0625, 0.0, 0.125, -0.25, -0.0625, 0.0, 0.0625],
    image_info: [17.0, 20.0],
    scores_out: [0.9140625, 0.890625, 0.8671875, 0.4921875, 0.3046875, 0.1875],
    boxes_out: [11.380716, 3.053696, 14.931784, 10.571304, 3.0106335, 0.0, 7.8643665, 4.9273596, 9.568216, 2.5162044, 13.119284, 6.2962956, 11.25, 1.9775918, 16.75, 8.2099085, 15.625, 1.4788902, 20.0, 7.3336096, 4.78267, 0.60259175, 9.34233, 6.8349085],
    batch_index_out: [0, 0, 0, 0, 0, 0],
}, model=model).AddNchw(scores, deltas, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({scores: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), deltas: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), anchors: ("TENSOR_QUANT16_SYMM", 0.125, 0), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()

scores = Input("scores", ("TENSOR_FLOAT32", [1, 2, 3, 2]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 2, 3, 8]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [2, 4]), [2.0, 4.5, 8.5, 9.5, 4.0, 0.0, 9.5, 3.0])
image_info = Input("image_info", ("TENSOR_FLOAT32", [1, 2]))
height_stride = 4.0
width_stride = 4.0
pre_nms_max = -1
post_nms_max = -1
iou_threshold = 0.25
min_size = 100.0
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [0]))
boxes_out = Output("boxes_out", ("TENSOR_FLOAT32", [0, 4]))
batch_index_out = Output("batch_index_out", ("TENSOR_INT32", [0]))
model = Model("all_too_small").Operation("GENERATE_PROPOSALS", scores, deltas, anchors, image_info, height_stride, width_stride, pre_nms_max, post_nms_max, iou_threshold, min_size, layout).To(scores_out, boxes_out, batch_index_out)
Example({
    scores: [0.3515625, 0.1875, 0.890625, 0.9140625, 0.5625, 0.609375, 0.1640625, 0.5390625, 0.1171875, 0.3984375, 0.375, 0.703125],
    deltas: [0.4375, -0.4375, 0.3125, 0.1875, -0.5, 0.25, -0.0625, 0.1875, 0.125, -0.375, 0.5, -0.4375, 0.5, 0.125, -0.5, -0.3125, -0.4375, 0.4375, 0.0625, 0.375, 0.3125, -0.3125, 0.4375, -0.125, 0.25, -0.3125, -0.375, 0.1875, -0.1875, 0.5, 0.0625, 0.25, -0.3125, -0.125, -0.0625, 0.125, -0.125, 0.4375, 0.1875, -0.25, 0.125, -0.4375, -0.0625, -0.0625, -0.1875, 0.5, -0.125, 0.25],
    image_info: [24.0, 13.0],
    scores_out: [],
    boxes_out: [],
    batch_index_out: [],
}, model=model).AddNchw(scores, deltas, layout).AddVariations(DataTypeConverter(name="quant8_signed").Identify({scores: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), deltas: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0625, 0), anchors: ("TENSOR_QUANT16_SYMM", 0.125, 0), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), scores_out: ("TENSOR_QUANT8_ASYMM_SIGNED", 0.0078125, -128), boxes_out: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}), includeDefault=False).DisableLifeTimeVariation()
