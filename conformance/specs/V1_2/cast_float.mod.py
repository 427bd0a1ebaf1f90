# Written by tests/golden/write_quantization_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [12]))
output = Output("output", ("TENSOR_FLOAT32", [12]))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0.0, -0.0, 0.5, -0.5, 1.9375, -1.9375, 254.875, 255.5, 300.0, -300.0, 2049.0, 60000.0],
    output: [0.0, -0.0, 0.5, -0.5, 1.9375, -1.9375, 254.875, 255.5, 300.0, -300.0, 2049.0, 60000.0],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 3, 2]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 1, 3, 2]))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0.0, -0.0, 0.5, -0.5, 1.9375, -1.9375, 254.875, 255.5, 300.0, -300.0, 2049.0, 60000.0],
    output: [0.0, -0.0, 0.5, -0.5, 1.9375, -1.9375, 254.875, 255.5, 300.0, -300.0, 2049.0, 60000.0],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [3, 4]))
output = Output("output", ("TENSOR_FLOAT16", [3, 4]))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0.0, -0.0, 0.5, -0.5, 1.9375, -1.9375, 254.875, 255.5, 300.0, -300.0, 2049.0, 60000.0],
    output: [0.0, -0.0, 0.5, -0.5, 1.9375, -1.9375, 254.875, 255.5, 300.0, -300.0, 2048.0, 60000.0],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 3, 2]))
output = Output("output", ("TENSOR_FLOAT16", [1, 2, 1, 3, 2]))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0.0, -0.0, 0.5, -0.5, 1.9375, -1.9375, 254.875, 255.5, 300.0, -300.0, 2049.0, 60000.0],
    output: [0.0, -0.0, 0.5, -0.5, 1.9375, -1.9375, 254.875, 255.5, 300.0, -300.0, 2048.0, 60000.0],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 3]))
output = Output("output", ("TENSOR_INT32", [2, 2, 3]))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0.0, -0.0, 0.5, -0.5, 1.9375, -1.9375, 254.875, 255.5, 300.0, -300.0, 2049.0, 60000.0],
    output: [0, 0, 0, 0, 1, -1, 254, 255, 300, -300, 2049, 60000],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 3, 2]))
output = Output("output", ("TENSOR_INT32", [1, 2, 1, 3, 2]))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0.0, -0.0, 0.5, -0.5, 1.9375, -1.9375, 254.875, 255.5, 300.0, -300.0, 2049.0, 60000.0],
    output: [0, 0, 0, 0, 1, -1, 254, 255, 300, -300, 2049, 60000],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 3, 2]))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 1, 3, 2], 0.5, 10))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0.0, -0.0, 0.5, -0.5, 1.9375, -1.9375, 254.875, 255.5, 300.0, -300.0, 2049.0, 60000.0],
    output: [0, 0, 0, 0, 1, 0, 254, 255, 255, 0, 255, 255],
}, model=model)

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 3, 2]))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 1, 3, 2], 0.5, 10))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0.0, -0.0, 0.5, -0.5, 1.9375, -1.9375, 254.875, 255.5, 300.0, -300.0, 2049.0, 60000.0],
    output: [0, 0, 0, 0, 1, 0, 254, 255, 255, 0, 255, 255],
}, model=model)
