# Written by tests/golden/write_proposals_specs.py.

roi = Input("roi", ("TENSOR_FLOAT32", [3, 4]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [3, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [3]), [0, 0, 0])
image_info = Parameter("image_info", ("TENSOR_FLOAT32", [3, 2]), [16, 24, 20, 20, 10.5, 12])
output = Output("output", ("TENSOR_FLOAT32", [3, 4]))
model = Model("one_class").Operation("AXIS_ALIGNED_BBOX_TRANSFORM", roi, deltas, batch_index, image_info).To(output)
Example({
    roi: [8.5, 12.0, 11.5, 21.0, 8.0, 0.0, 22.5, 11.5, 4.0, 2.5, 15.5, 14.5],
    deltas: [-0.8125, -0.3125, -0.125, -0.9375, 0.8125, -0.125, -0.0625, 0.4375, 0.4375, -0.8125, 0.125, -1.0],
    output: [6.2387547, 11.925275, 8.886246, 15.449725, 20.220505, 0.0, 24.0, 13.218274, 8.265646, 0.0, 21.296854, 0.9572766],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({roi: ("TENSOR_QUANT16_ASYMM", 0.125, 0), deltas: ("TENSOR_QUANT8_ASYMM", 0.0625, 128), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), output: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

roi = Input("roi", ("TENSOR_FLOAT32", [2, 4]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [2, 12]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
image_info = Parameter("image_info", ("TENSOR_FLOAT32", [3, 2]), [16, 24, 20, 20, 10.5, 12])
output = Output("output", ("TENSOR_FLOAT32", [2, 12]))
model = Model("three_classes").Operation("AXIS_ALIGNED_BBOX_TRANSFORM", roi, deltas, batch_index, image_info).To(output)
Example({
    roi: [4.0, 5.0, 15.5, 9.0, 1.0, 1.0, 7.5, 16.0],
    deltas: [-0.5, 0.6875, 0.0, 0.5625, -1.0, 0.4375, 1.0, -0.25, 0.9375, -0.875, 0.3125, 0.6875, -0.25, 0.375, 0.5625, 0.8125, -0.375, 0.125, 0.5, 0.6875, 0.6875, -1.0, -0.3125, 0.375],
    output: [0.0, 6.239891, 9.75, 13.260109, 0.0, 7.1923985, 13.880121, 10.307602, 12.671932, 0.0, 24.0, 7.4774747, 0.0, 0.0, 8.328928, 16.0, 0.0, 0.0, 7.170844, 16.0, 6.3409996, 0.0, 11.0965, 4.4124355],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({roi: ("TENSOR_QUANT16_ASYMM", 0.125, 0), deltas: ("TENSOR_QUANT8_ASYMM", 0.0625, 128), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), output: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

roi = Input("roi", ("TENSOR_FLOAT32", [5, 4]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [5, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [5]), [0, 0, 1, 2, 2])
image_info = Parameter("image_info", ("TENSOR_FLOAT32", [3, 2]), [16, 24, 20, 20, 10.5, 12])
output = Output("output", ("TENSOR_FLOAT32", [5, 8]))
model = Model("three_images").Operation("AXIS_ALIGNED_BBOX_TRANSFORM", roi, deltas, batch_index, image_info).To(output)
Example({
    roi: [7.0, 0.0, 20.0, 4.0, 6.0, 2.0, 9.5, 6.0, 5.0, 5.5, 12.0, 17.0, 2.5, 0.0, 10.0, 14.0, 5.0, 12.0, 9.0, 18.0],
    deltas: [-0.0625, -0.25, 0.0625, 0.0, -0.75, 1.0, 0.125, -0.875, -0.5625, -1.0, 0.375, 0.5, -0.25, -0.4375, -0.3125, -0.875, 0.5, -0.875, 1.0, 0.0625, -0.4375, -0.875, -0.6875, -0.875, 0.9375, 0.0, 1.0, 1.0, 0.0625, 0.4375, 0.6875, 0.25, -0.9375, 0.375, 0.75, 1.0, -1.0, -0.3125, -0.0625, 0.0625],
    output: [5.7682858, 0.0, 19.606714, 3.0, 0.0, 5.166276, 11.115465, 6.833724, 3.2350152, 0.0, 8.327485, 3.2974424, 5.5946727, 1.416276, 8.155327, 3.083724, 2.4860134, 0.0, 20.0, 7.3083434, 3.6775894, 0.0, 7.1974106, 3.5844564, 3.0876923, 0.0, 12.0, 10.5, 0.0, 4.136821, 12.0, 10.5, 0.0, 9.095154, 7.484, 10.5, 1.1211739, 9.931517, 4.878826, 10.5],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({roi: ("TENSOR_QUANT16_ASYMM", 0.125, 0), deltas: ("TENSOR_QUANT8_ASYMM", 0.0625, 128), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), output: ("TENSOR_QUANT16_ASYMM", 0.125, 0)}))

roi = Input("roi", ("TENSOR_FLOAT32", [1, 4]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [1, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [1]), [2])
image_info = Parameter("image_info", ("TENSOR_FLOAT32", [3, 2]), [16, 24, 20, 20, 10.5, 12])
output = Output("output", ("TENSOR_FLOAT32", [1, 8]))
model = Model("images_left_out").Operation("AXIS_ALIGNED_BBOX_TRANSFORM", roi, deltas, batch_index, image_info).To(output)
Example({
    roi: [4.5, 8.5, 11.5, 11.5],
    deltas: [-0.1875, -0.5, 0.0625, 0.375, -0.25, 0.25, -0.3125, 0.1875],
    output: [2.9617693, 6.317513, 10.413231, 10.5, 3.6893456, 8.940655, 8.810655, 10.5],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({roi: ("TENSOR_QUANT16_ASYMM", 0.125, 0), deltas: ("TENSOR_QUANT8_ASYMM", 0.0625, 128), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), output: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

roi = Input("roi", ("TENSOR_FLOAT32", [3, 4]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [3, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [3]), [0, 1, 1])
image_info = Parameter("image_info", ("TENSOR_FLOAT32", [3, 2]), [16, 24, 20, 20, 10.5, 12])
output = Output("output", ("TENSOR_FLOAT32", [3, 4]))
model = Model("still").Operation("AXIS_ALIGNED_BBOX_TRANSFORM", roi, deltas, batch_index, image_info).To(output)
Example({
    roi: [2.5, 4.5, 12.0, 14.5, 0.5, 7.5, 11.0, 16.0, 10.0, 8.0, 22.0, 14.5],
    deltas: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    output: [2.5, 4.5, 12.0, 14.5, 0.5, 7.5, 11.0, 16.0, 10.0, 8.0, 20.0, 14.5],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({roi: ("TENSOR_QUANT16_ASYMM", 0.125, 0), deltas: ("TENSOR_QUANT8_ASYMM", 0.0625, 128), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), output: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

roi = Input("roi", ("TENSOR_FLOAT32", [2, 4]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [2, 8]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 1])
image_info = Parameter("image_info", ("TENSOR_FLOAT32", [3, 2]), [16, 24, 20, 20, 10.5, 12])
output = Output("output", ("TENSOR_FLOAT32", [2, 8]))
model = Model("mostly_clipped").Operation("AXIS_ALIGNED_BBOX_TRANSFORM", roi, deltas, batch_index, image_info).To(output)
Example({
    roi: [5.0, 1.0, 8.5, 12.0, 8.5, 4.0, 21.0, 8.0],
    deltas: [-1.125, -1.8125, 0.5625, -1.125, -1.9375, -0.3125, 0.9375, -1.3125, -0.5, 1.4375, 0.9375, 1.875, 1.4375, 1.5, 1.8125, -1.3125],
    output: [0.0, 0.0, 5.8838453, 0.0, 0.0, 1.582195, 4.4375315, 4.5428047, 0.0, 0.0, 20.0, 20.0, 0.0, 11.461707, 20.0, 12.538293],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({roi: ("TENSOR_QUANT16_ASYMM", 0.125, 0), deltas: ("TENSOR_QUANT8_ASYMM", 0.0625, 128), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), output: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()

roi = Input("roi", ("TENSOR_FLOAT32", [2, 4]))
deltas = Input("deltas", ("TENSOR_FLOAT32", [2, 4]))
batch_index = Parameter("batch_index", ("TENSOR_INT32", [2]), [0, 0])
image_info = Parameter("image_info", ("TENSOR_FLOAT32", [3, 2]), [16, 24, 20, 20, 10.5, 12])
output = Output("output", ("TENSOR_FLOAT32", [2, 4]))
model = Model("without_area").Operation("AXIS_ALIGNED_BBOX_TRANSFORM", roi, deltas, batch_index, image_info).To(output)
Example({
    roi: [3, 4, 3, 4, 3, 4, 3, 8],
    deltas: [1, 1, 1, 1, 1, 0.5, 0, 0],
    output: [3.0, 4.0, 3.0, 4.0, 3.0, 6.0, 3.0, 10.0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter(name="quant8").Identify({roi: ("TENSOR_QUANT16_ASYMM", 0.125, 0), deltas: ("TENSOR_QUANT8_ASYMM", 0.0625, 128), image_info: ("TENSOR_QUANT16_ASYMM", 0.125, 0), output: ("TENSOR_QUANT16_ASYMM", 0.125, 0)})).DisableLifeTimeVariation()
