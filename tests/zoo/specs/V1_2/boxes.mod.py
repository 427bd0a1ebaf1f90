# The largest cell is a saddle of the surface: Axx Ayy - Axy^2 = 6 - 14.0625. The offsets are -0.4186 and -0.3566 cells.
maps, boxes = Input("maps", ("TENSOR_FLOAT32", [1, 3, 3, 1])), Input("boxes", ("TENSOR_FLOAT32", [1, 4]))
scores, places = Output("scores", ("TENSOR_FLOAT32", [1, 1])), Output("places", ("TENSOR_FLOAT32", [1, 1, 2]))
keypoint = Model("saddle").Operation("HEATMAP_MAX_KEYPOINT", maps, boxes, BoolScalar("layout", False)).To(scores, places)
Example({
    maps: [3.5, 2.0, -4.0, 2.5, 4.0, 3.5, -4.0, 3.0, 3.5], boxes: [0, 0, 30, 30],
    scores: [3.8062016], places: [10.813953, 11.434109],
}, model=keypoint).DisableLifeTimeVariation()

# A determinant of 2^-13 is below 1e-5 (1 + 16): the middle of the cell is taken.
maps, boxes = Input("maps", ("TENSOR_FLOAT32", [1, 3, 3, 1])), Input("boxes", ("TENSOR_FLOAT32", [1, 4]))
scores, places = Output("scores", ("TENSOR_FLOAT32", [1, 1])), Output("places", ("TENSOR_FLOAT32", [1, 1, 2]))
keypoint = Model("ridge").Operation("HEATMAP_MAX_KEYPOINT", maps, boxes, BoolScalar("layout", False)).To(scores, places)
Example({
    maps: [1.0, 0.5, -6.0, -0.5, 2.0, 0.5, -7.0, -0.5, 2 - 2**-14], boxes: [0, 0, 30, 30],
    scores: [2.0], places: [15.0, 15.0],
}, model=keypoint).DisableLifeTimeVariation()

# A limit of 0 after suppression leaves nothing.
grid, deltas = Input("grid", ("TENSOR_FLOAT32", [1, 1, 1, 1])), Input("deltas", ("TENSOR_FLOAT32", [1, 1, 1, 4]))
anchors = Parameter("anchors", ("TENSOR_FLOAT32", [1, 4]), [0, 0, 4, 4])
sizes = Parameter("sizes", ("TENSOR_FLOAT32", [1, 2]), [32, 32])
scores, found = Output("scores", ("TENSOR_FLOAT32", [0])), Output("found", ("TENSOR_FLOAT32", [0, 4]))
images, twice = Output("images", ("TENSOR_INT32", [0])), Output("twice", ("TENSOR_FLOAT32", [1, 1, 1, 1]))
proposals = Model("no_proposals").Operation(
    "GENERATE_PROPOSALS", grid, deltas, anchors, sizes, 4.0, 4.0, -1, 0, 0.5, 1.0, BoolScalar("layout", False)
).To(scores, found, images)
proposals.Operation("ADD", grid, grid, 0).To(twice)
Example({
    grid: [0.75], deltas: [0, 0, 0, 0], scores: [], found: [], images: [], twice: [1.5],
}, model=proposals).DisableLifeTimeVariation()

# Nothing is detected, and turned into scores, boxes and deltas of no class. An operation takes one class at least.
likely = Parameter("likely", ("TENSOR_FLOAT32", [1, 2]), [0.9, 0.1])
corners = Input("corners", ("TENSOR_FLOAT32", [1, 8]))
best, left = Output("best", ("TENSOR_FLOAT32", [0])), Internal("left", ("TENSOR_FLOAT32", [0, 4]))
classes, batches = Output("classes", ("TENSOR_INT32", [0])), Output("batches", ("TENSOR_INT32", [0]))
none = Internal("none", ("TENSOR_FLOAT32", [4, 0]))
picked, kept = Output("picked", ("TENSOR_FLOAT32", [0])), Output("kept", ("TENSOR_FLOAT32", [0, 4]))
labels, places = Output("labels", ("TENSOR_INT32", [0])), Output("places", ("TENSOR_INT32", [0]))
limit = Model("no_classes")
limit.Operation("BOX_WITH_NMS_LIMIT", likely, corners, [0], 0.3, -1, 0, 0.4, 1.0, 0.3).To(best, left, classes, batches)
limit.Operation("TRANSPOSE", left, [1, 0]).To(none)
limit.Operation("BOX_WITH_NMS_LIMIT", none, none, [0, 0, 0, 0], 0.3, -1, 0, 0.4, 1.0, 0.3) \
    .To(picked, kept, labels, places)
Example({
    corners: [1, 1, 10, 10, 0, 0, 10, 10], best: [], classes: [], batches: [],
    picked: [], kept: [], labels: [], places: [],
}, model=limit).DisableLifeTimeVariation().ExpectFailure()
