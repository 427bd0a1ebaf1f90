# Written by tests/golden/write_quantization_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM", [12], 0.5, 10))
output = Output("output", ("TENSOR_FLOAT32", [12]))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0, 1, 2, 3, 99, 126, 127, 128, 129, 253, 254, 255],
    output: [0.0, 1.0, 2.0, 3.0, 99.0, 126.0, 127.0, 128.0, 129.0, 253.0, 254.0, 255.0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 2, 1, 3, 2], 0.5, 10))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 1, 3, 2]))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0, 1, 2, 3, 99, 126, 127, 128, 129, 253, 254, 255],
    output: [0.0, 1.0, 2.0, 3.0, 99.0, 126.0, 127.0, 128.0, 129.0, 253.0, 254.0, 255.0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.5, 10))
output = Output("output", ("TENSOR_FLOAT16", [3, 4]))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0, 1, 2, 3, 99, 126, 127, 128, 129, 253, 254, 255],
    output: [0.0, 1.0, 2.0, 3.0, 99.0, 126.0, 127.0, 128.0, 129.0, 253.0, 254.0, 255.0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 2, 1, 3, 2], 0.5, 10))
output = Output("output", ("TENSOR_FLOAT16", [1, 2, 1, 3, 2]))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0, 1, 2, 3, 99, 126, 127, 128, 129, 253, 254, 255],
    output: [0.0, 1.0, 2.0, 3.0, 99.0, 126.0, 127.0, 128.0, 129.0, 253.0, 254.0, 255.0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 2, 3], 0.5, 10))
output = Output("output", ("TENSOR_INT32", [2, 2, 3]))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0, 1, 2, 3, 99, 126, 127, 128, 129, 253, 254, 255],
    output: [0, 1, 2, 3, 99, 126, 127, 128, 129, 253, 254, 255],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 2, 1, 3, 2], 0.5, 10))
output = Output("output", ("TENSOR_INT32", [1, 2, 1, 3, 2]))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0, 1, 2, 3, 99, 126, 127, 128, 129, 253, 254, 255],
    output: [0, 1, 2, 3, 99, 126, 127, 128, 129, 253, 254, 255],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 1, 3, 2], 0.5, 10))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 1, 3, 2], 0.5, 10))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0, 1, 2, 3, 99, 126, 127, 128, 129, 253, 254, 255],
    output: [0, 1, 2, 3, 99, 126, 127, 128, 129, 253, 254, 255],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 2, 1, 3, 2], 0.5, 10))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 1, 3, 2], 0.5, 10))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0, 1, 2, 3, 99, 126, 127, 128, 129, 253, 254, 255],
    output: [0, 1, 2, 3, 99, 126, 127, 128, 129, 253, 254, 255],
}, model=model)
