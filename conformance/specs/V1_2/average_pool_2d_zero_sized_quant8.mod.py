# Written by tests/golden/write_pooling_specs.py.

# No score passes the threshold, so the feature map has no images when the operation sees it.
scores = Parameter("scores", ("TENSOR_FLOAT32", [1, 2]), [0.9, 0.1])
boxes = Parameter("boxes", ("TENSOR_FLOAT32", [1, 8]), [1, 1, 10, 10, 0, 0, 10, 10])
scores_left = Output("scores_left", ("TENSOR_FLOAT32", [0]))
boxes_left = Internal("boxes_left", ("TENSOR_FLOAT32", [0, 4]))
classes_left = Output("classes_left", ("TENSOR_INT32", [0]))
batches_left = Internal("batches_left", ("TENSOR_INT32", [0]))
model = Model()
model.Operation("BOX_WITH_NMS_LIMIT", scores, boxes, [0], 0.3, -1, 0, 0.4, 1.0, 0.3)
model.To(scores_left, boxes_left, classes_left, batches_left)
features = Input("features", ("TENSOR_FLOAT32", [1, 1, 1, 2]))
empty = Internal("empty", ("TENSOR_FLOAT32", [0, 2, 2, 2]))
model.Operation("ROI_ALIGN", features, boxes_left, batches_left, 2, 2, 2.0, 2.0, 4, 4, False).To(empty)
output = Output("output", ("TENSOR_FLOAT32", [0, 2, 2, 2]))
model.Operation("AVERAGE_POOL_2D", empty, 1, 1, 1, 1, 1, 0).To(output)
Example({features: [1.0, 2.0], scores_left: [], classes_left: [], output: []}, model=model).AddVariations(DataTypeConverter(name="quant8").Identify({scores: ("TENSOR_QUANT8_ASYMM", 0.1, 128), scores_left: ("TENSOR_QUANT8_ASYMM", 0.1, 128), boxes: ("TENSOR_QUANT16_ASYMM", 0.125, 0), boxes_left: ("TENSOR_QUANT16_ASYMM", 0.125, 0), features: ("TENSOR_QUANT8_ASYMM", 0.1, 128), empty: ("TENSOR_QUANT8_ASYMM", 0.1, 128), output: ("TENSOR_QUANT8_ASYMM", 0.1, 128)}), includeDefault=False)
