# Written by tests/golden/write_quantization_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [12]))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [12], 0.5, 128))
model = Model().Operation("QUANTIZE", x).To(output)
Example({
    x: [0.0, 0.125, 0.25, 0.375, -0.125, -0.25, -0.375, 0.75, -0.75, 250.0, -250.0, 60.875],
    output: [128, 128, 129, 129, 128, 127, 127, 130, 126, 255, 0, 250],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [3, 4]))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.25, 0))
model = Model().Operation("QUANTIZE", x).To(output)
Example({
    x: [0.0, 0.0625, 0.125, 0.1875, -0.0625, -0.125, -0.1875, 0.375, -0.375, 125.0, -125.0, 6.8125],
    output: [0, 0, 1, 1, 0, 0, 0, 2, 0, 255, 0, 27],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 3]))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 2, 3], 0.0625, 255))
model = Model().Operation("QUANTIZE", x).To(output)
Example({
    x: [0.0, 0.015625, 0.03125, 0.046875, -0.015625, -0.03125, -0.046875, 0.09375, -0.09375, 31.25, -31.25, 3.15625],
    output: [255, 255, 255, 255, 255, 254, 254, 255, 253, 255, 0, 255],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 3, 2]))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 1, 3, 2], 1.0, 10))
model = Model().Operation("QUANTIZE", x).To(output)
Example({
    x: [0.0, 0.25, 0.5, 0.75, -0.25, -0.5, -0.75, 1.5, -1.5, 500.0, -500.0, 73.75],
    output: [10, 10, 11, 11, 10, 9, 9, 12, 8, 255, 0, 84],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 3, 2]))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 1, 3, 2], 2.0, 100))
model = Model().Operation("QUANTIZE", x).To(output)
Example({
    x: [0.0, 0.5, 1.0, 1.5, -0.5, -1.0, -1.5, 3.0, -3.0, 1000.0, -1000.0, -41.5],
    output: [100, 100, 101, 101, 100, 99, 99, 102, 98, 255, 0, 79],
}, model=model).AddVariations("relaxed", "float16")
