# Written by tests/golden/write_proposals_specs.py.

roi = Input("roi", ("TENSOR_FLOAT32", [2, 4]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [2, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 3])
image_info = Parameter("image_info", ("TENSOR_FLOAT32", [3, 2]), [16, 24, 20, 20, 10.5, 12])
output = Output("output", ("TENSOR_FLOAT32", [2, 8]))
model = Model("image_too_large").Operation("AXIS_ALIGNED_BBOX_TRANSFORM", roi, deltas, batch_index, image_info).To(output)
Example({
    roi: [1.5, 3.0, 16.0, 17.5, 7.5, 1.0, 12.0, 9.0],
    deltas: [0.5625, 0.3125, 0.0, -0.5, 0.375, 0.5, 0.25, -0.3125, -0.25, -0.375, -0.75, 0.75, 0.6875, -0.375, 0.875, -0.5625],
    output: [9.65625, 10.383903, 24.0, 16.0, 4.878315, 12.195787, 23.496685, 16.0, 7.5621753, 0.0, 9.687824, 10.468, 7.44628, 0.0, 18.24122, 4.2791314],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

roi = Input("roi", ("TENSOR_FLOAT32", [2, 4]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [2, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [-1, 0])
image_info = Parameter("image_info", ("TENSOR_FLOAT32", [3, 2]), [16, 24, 20, 20, 10.5, 12])
output = Output("output", ("TENSOR_FLOAT32", [2, 8]))
model = Model("image_negative").Operation("AXIS_ALIGNED_BBOX_TRANSFORM", roi, deltas, batch_index, image_info).To(output)
Example({
    roi: [1.5, 3.0, 16.0, 17.5, 7.5, 1.0, 12.0, 9.0],
    deltas: [0.5625, 0.3125, 0.0, -0.5, 0.375, 0.5, 0.25, -0.3125, -0.25, -0.375, -0.75, 0.75, 0.6875, -0.375, 0.875, -0.5625],
    output: [9.65625, 10.383903, 24.0, 16.0, 4.878315, 12.195787, 23.496685, 16.0, 7.5621753, 0.0, 9.687824, 10.468, 7.44628, 0.0, 18.24122, 4.2791314],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

roi = Input("roi", ("TENSOR_FLOAT32", [2, 4]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [2, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [3]), [0, 1, 2])
image_info = Parameter("image_info", ("TENSOR_FLOAT32", [3, 2]), [16, 24, 20, 20, 10.5, 12])
output = Output("output", ("TENSOR_FLOAT32", [2, 8]))
model = Model("indices").Operation("AXIS_ALIGNED_BBOX_TRANSFORM", roi, deltas, batch_index, image_info).To(output)
Example({
    roi: [1.5, 3.0, 16.0, 17.5, 7.5, 1.0, 12.0, 9.0],
    deltas: [0.5625, 0.3125, 0.0, -0.5, 0.375, 0.5, 0.25, -0.3125, -0.25, -0.375, -0.75, 0.75, 0.6875, -0.375, 0.875, -0.5625],
    output: [9.65625, 10.383903, 24.0, 16.0, 4.878315, 12.195787, 23.496685, 16.0, 7.5621753, 0.0, 9.687824, 10.468, 7.44628, 0.0, 18.24122, 4.2791314],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

roi = Input("roi", ("TENSOR_FLOAT32", [2, 4]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [2, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 1])
image_info = Parameter("image_info", ("TENSOR_FLOAT32", [3, 2]), [16, 24, 20, 20, 10.5, 12])
output = Output("output", ("TENSOR_FLOAT32", [2, 8]))
model = Model("order_of_x").Operation("AXIS_ALIGNED_BBOX_TRANSFORM", roi, deltas, batch_index, image_info).To(output)
Example({
    roi: [5, 0, 4, 4, 7.5, 1.0, 12.0, 9.0],
    deltas: [0.5625, 0.3125, 0.0, -0.5, 0.375, 0.5, 0.25, -0.3125, -0.25, -0.375, -0.75, 0.75, 0.6875, -0.375, 0.875, -0.5625],
    output: [9.65625, 10.383903, 24.0, 16.0, 4.878315, 12.195787, 23.496685, 16.0, 7.5621753, 0.0, 9.687824, 10.468, 7.44628, 0.0, 18.24122, 4.2791314],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

roi = Input("roi", ("TENSOR_FLOAT32", [2, 4]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [2, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 1])
image_info = Parameter("image_info", ("TENSOR_FLOAT32", [3, 2]), [16, 24, 20, 20, 10.5, 12])
output = Output("output", ("TENSOR_FLOAT32", [2, 8]))
model = Model("order_of_y").Operation("AXIS_ALIGNED_BBOX_TRANSFORM", roi, deltas, batch_index, image_info).To(output)
Example({
    roi: [1.5, 3.0, 16.0, 17.5, 0, 5, 4, 4],
    deltas: [0.5625, 0.3125, 0.0, -0.5, 0.375, 0.5, 0.25, -0.3125, -0.25, -0.375, -0.75, 0.75, 0.6875, -0.375, 0.875, -0.5625],
    output: [9.65625, 10.383903, 24.0, 16.0, 4.878315, 12.195787, 23.496685, 16.0, 7.5621753, 0.0, 9.687824, 10.468, 7.44628, 0.0, 18.24122, 4.2791314],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

roi = Input("roi", ("TENSOR_FLOAT32", [2, 4]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [2, 6]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 1])
image_info = Parameter("image_info", ("TENSOR_FLOAT32", [3, 2]), [16, 24, 20, 20, 10.5, 12])
output = Output("output", ("TENSOR_FLOAT32", [2, 8]))
model = Model("deltas").Operation("AXIS_ALIGNED_BBOX_TRANSFORM", roi, deltas, batch_index, image_info).To(output)
Example({
    roi: [1.5, 3.0, 16.0, 17.5, 7.5, 1.0, 12.0, 9.0],
    deltas: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    output: [9.65625, 10.383903, 24.0, 16.0, 4.878315, 12.195787, 23.496685, 16.0, 7.5621753, 0.0, 9.687824, 10.468, 7.44628, 0.0, 18.24122, 4.2791314],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

roi = Input("roi", ("TENSOR_FLOAT32", [2, 4]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [2, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 1])
image_info = Input("image_info", ("TENSOR_FLOAT32", [3, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 8]))
model = Model("image_info").Operation("AXIS_ALIGNED_BBOX_TRANSFORM", roi, deltas, batch_index, image_info).To(output)
Example({
    roi: [1.5, 3.0, 16.0, 17.5, 7.5, 1.0, 12.0, 9.0],
    deltas: [0.5625, 0.3125, 0.0, -0.5, 0.375, 0.5, 0.25, -0.3125, -0.25, -0.375, -0.75, 0.75, 0.6875, -0.375, 0.875, -0.5625],
    image_info: [16.0, 16.0, 16.0, 16.0, 16.0, 16.0, 16.0, 16.0, 16.0],
    output: [9.65625, 10.383903, 24.0, 16.0, 4.878315, 12.195787, 23.496685, 16.0, 7.5621753, 0.0, 9.687824, 10.468, 7.44628, 0.0, 18.24122, 4.2791314],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
