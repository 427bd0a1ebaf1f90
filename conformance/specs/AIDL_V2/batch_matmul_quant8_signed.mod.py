# Written by tests/golden/write_dense_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 0.5, -8))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.125, 3))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 3.0, 4))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [34, -57, 1, 32, 27, -43],
    y: [8, 41, -28, -16, 60, -38, -46, 59, -5, 24, -37, -16],
    output: [-51, 83, 19, -73, 56, -10, -28, 43],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 0.5, -8))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [4, 3], 0.125, 3))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 3.0, 4))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [34, -57, 1, 32, 27, -43],
    y: [8, 41, -28, -16, 60, -38, -46, 59, -5, 24, -37, -16],
    output: [-36, -79, -98, 60, 58, 60, 10, 6],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 2], 0.5, -8))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.125, 3))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 3.0, 4))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [34, -57, 1, 32, 27, -43],
    y: [8, 41, -28, -16, 60, -38, -46, 59, -5, 24, -37, -16],
    output: [13, 45, -61, -16, 52, -84, 24, 84],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 2], 0.5, -8))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [4, 3], 0.125, 3))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 3.0, 4))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [34, -57, 1, 32, 27, -43],
    y: [8, 41, -28, -16, 60, -38, -46, 59, -5, 24, -37, -16],
    output: [-7, -32, -34, 1, 53, 101, 107, -37],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 1], 0.1, -128))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 1, 2], 0.3, 127))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 2], 1.5, -128))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-117, -104, -112, -106, -98, -88],
    y: [122, 118, 102, 107],
    output: [-128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 1], 0.1, -128))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 1], 0.3, 127))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 2], 1.5, -128))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-117, -104, -112, -106, -98, -88],
    y: [122, 118, 102, 107],
    output: [-128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 1, 3], 0.1, -128))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 1, 2], 0.3, 127))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 2], 1.5, -128))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-117, -104, -112, -106, -98, -88],
    y: [122, 118, 102, 107],
    output: [-128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 1, 3], 0.1, -128))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 1], 0.3, 127))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 2], 1.5, -128))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-117, -104, -112, -106, -98, -88],
    y: [122, 118, 102, 107],
    output: [-128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 1, 4], 0.25, 127))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 4, 2], 0.5, -128))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 1, 2], 40.0, 127))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [75, 125, 113, 68, 67, 82, 91, 119, 73, 96, 106, 102, 84, 96, 87, 94, 103, 122, 107, 118, 80, 113, 84, 87],
    y: [-116, -104, -124, -109, -86, -81, -72, -83, -107, -111, -126, -105, -90, -102, -112, -125, -80, -91, -93, -87, -95, -108, -112, -68, -85, -97, -104, -127, -106, -69, -119, -68, -98, -101, -71, -96, -71, -88, -128, -106, -75, -69, -106, -104, -99, -122, -86, -76],
    output: [113, 113, 118, 118, 112, 111, 115, 109, 120, 121, 109, 110],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 1, 4], 0.25, 127))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 2, 4], 0.5, -128))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 1, 2], 40.0, 127))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [75, 125, 113, 68, 67, 82, 91, 119, 73, 96, 106, 102, 84, 96, 87, 94, 103, 122, 107, 118, 80, 113, 84, 87],
    y: [-116, -104, -124, -109, -86, -81, -72, -83, -107, -111, -126, -105, -90, -102, -112, -125, -80, -91, -93, -87, -95, -108, -112, -68, -85, -97, -104, -127, -106, -69, -119, -68, -98, -101, -71, -96, -71, -88, -128, -106, -75, -69, -106, -104, -99, -122, -86, -76],
    output: [121, 109, 120, 114, 110, 114, 115, 111, 120, 121, 111, 110],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 4, 1], 0.25, 127))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 4, 2], 0.5, -128))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 1, 2], 40.0, 127))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [75, 125, 113, 68, 67, 82, 91, 119, 73, 96, 106, 102, 84, 96, 87, 94, 103, 122, 107, 118, 80, 113, 84, 87],
    y: [-116, -104, -124, -109, -86, -81, -72, -83, -107, -111, -126, -105, -90, -102, -112, -125, -80, -91, -93, -87, -95, -108, -112, -68, -85, -97, -104, -127, -106, -69, -119, -68, -98, -101, -71, -96, -71, -88, -128, -106, -75, -69, -106, -104, -99, -122, -86, -76],
    output: [113, 113, 118, 118, 112, 111, 115, 109, 120, 121, 109, 110],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 4, 1], 0.25, 127))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 2, 4], 0.5, -128))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 1, 2], 40.0, 127))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [75, 125, 113, 68, 67, 82, 91, 119, 73, 96, 106, 102, 84, 96, 87, 94, 103, 122, 107, 118, 80, 113, 84, 87],
    y: [-116, -104, -124, -109, -86, -81, -72, -83, -107, -111, -126, -105, -90, -102, -112, -125, -80, -91, -93, -87, -95, -108, -112, -68, -85, -97, -104, -127, -106, -69, -119, -68, -98, -101, -71, -96, -71, -88, -128, -106, -75, -69, -106, -104, -99, -122, -86, -76],
    output: [121, 109, 120, 114, 110, 114, 115, 111, 120, 121, 111, 110],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1], 2.0, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1], 1.0, 0))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1], 0.75, 0))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-51],
    y: [32],
    output: [-128],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1], 2.0, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1], 1.0, 0))
adj_x = BoolScalar("adj_x", False)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1], 0.75, 0))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-51],
    y: [32],
    output: [-128],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1], 2.0, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1], 1.0, 0))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1], 0.75, 0))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-51],
    y: [32],
    output: [-128],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1], 2.0, 0))
y = Input("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1], 1.0, 0))
adj_x = BoolScalar("adj_x", True)
adj_y = BoolScalar("adj_y", True)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1], 0.75, 0))
model = Model().Operation("BATCH_MATMUL", x, y, adj_x, adj_y).To(output)
Example({
    x: [-51],
    y: [32],
    output: [-128],
}, model=model)
