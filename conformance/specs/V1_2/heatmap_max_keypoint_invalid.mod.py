# Written by tests/golden/write_keypoint_specs.py.

heatmap = Input("heatmap", ("TENSOR_FLOAT32", [1, 4, 3, 1]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 4]))
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 1]))
keypoints_out = Output("keypoints_out", ("TENSOR_FLOAT32", [1, 1, 2]))
model = Model("oblong").Operation("HEATMAP_MAX_KEYPOINT", heatmap, boxes, layout).To(scores_out, keypoints_out)
Example({
    heatmap: [1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0],
    boxes: [8.0, 0.0, 22.5, 11.5],
    scores_out: [5.75],
    keypoints_out: [20.6875, 10.0625],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

heatmap = Input("heatmap", ("TENSOR_FLOAT32", [1, 1, 1, 1]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 4]))
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 1]))
keypoints_out = Output("keypoints_out", ("TENSOR_FLOAT32", [1, 1, 2]))
model = Model("single_cell").Operation("HEATMAP_MAX_KEYPOINT", heatmap, boxes, layout).To(scores_out, keypoints_out)
Example({
    heatmap: [1.0],
    boxes: [8.0, 0.0, 22.5, 11.5],
    scores_out: [5.75],
    keypoints_out: [20.6875, 10.0625],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

heatmap = Input("heatmap", ("TENSOR_FLOAT32", [1, 4, 4, 1]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [2, 4]))
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 1]))
keypoints_out = Output("keypoints_out", ("TENSOR_FLOAT32", [1, 1, 2]))
model = Model("two_boxes").Operation("HEATMAP_MAX_KEYPOINT", heatmap, boxes, layout).To(scores_out, keypoints_out)
Example({
    heatmap: [-1.75, -1.75, 5.0, 2.75, 3.25, 3.0, -4.0, -0.5, -1.5, -3.0, 2.5, -3.25, -3.75, 2.5, -2.0, 5.75],
    boxes: [0, 0, 4, 4, 0, 0, 4, 4],
    scores_out: [5.75],
    keypoints_out: [20.6875, 10.0625],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

heatmap = Input("heatmap", ("TENSOR_FLOAT32", [1, 4, 4, 1]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 4]))
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 1]))
keypoints_out = Output("keypoints_out", ("TENSOR_FLOAT32", [1, 1, 2]))
model = Model("order_of_x").Operation("HEATMAP_MAX_KEYPOINT", heatmap, boxes, layout).To(scores_out, keypoints_out)
Example({
    heatmap: [-1.75, -1.75, 5.0, 2.75, 3.25, 3.0, -4.0, -0.5, -1.5, -3.0, 2.5, -3.25, -3.75, 2.5, -2.0, 5.75],
    boxes: [5, 0, 4, 4],
    scores_out: [5.75],
    keypoints_out: [20.6875, 10.0625],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

heatmap = Input("heatmap", ("TENSOR_FLOAT32", [1, 4, 4, 1]))
boxes = Input("boxes", ("TENSOR_FLOAT32", [1, 4]))
layout = BoolScalar("layout", False)
scores_out = Output("scores_out", ("TENSOR_FLOAT32", [1, 1]))
keypoints_out = Output("keypoints_out", ("TENSOR_FLOAT32", [1, 1, 2]))
model = Model("order_of_y").Operation("HEATMAP_MAX_KEYPOINT", heatmap, boxes, layout).To(scores_out, keypoints_out)
Example({
    heatmap: [-1.75, -1.75, 5.0, 2.75, 3.25, 3.0, -4.0, -0.5, -1.5, -3.0, 2.5, -3.25, -3.75, 2.5, -2.0, 5.75],
    boxes: [0, 5, 4, 4],
    scores_out: [5.75],
    keypoints_out: [20.6875, 10.0625],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
