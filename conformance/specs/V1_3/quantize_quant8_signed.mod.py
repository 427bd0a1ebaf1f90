# Written by tests/golden/write_quantization_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [12]))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.5, 0))
model = Model().Operation("QUANTIZE", x).To(output)
Example({
    x: [0.0, 0.125, 0.25, 0.375, -0.125, -0.25, -0.375, 0.75, -0.75, 250.0, -250.0, 60.875],
    output: [0, 0, 1, 1, 0, -1, -1, 2, -2, 127, -128, 122],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [3, 4]))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.25, -128))
model = Model().Operation("QUANTIZE", x).To(output)
Example({
    x: [0.0, 0.0625, 0.125, 0.1875, -0.0625, -0.125, -0.1875, 0.375, -0.375, 125.0, -125.0, 6.8125],
    output: [-128, -128, -127, -127, -128, -128, -128, -126, -128, 127, -128, -101],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 3]))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 0.0625, 127))
model = Model().Operation("QUANTIZE", x).To(output)
Example({
    x: [0.0, 0.015625, 0.03125, 0.046875, -0.015625, -0.03125, -0.046875, 0.09375, -0.09375, 31.25, -31.25, 3.15625],
    output: [127, 127, 127, 127, 127, 126, 126, 127, 125, 127, -128, 127],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 3, 2]))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 1, 3, 2], 1.0, -118))
model = Model().Operation("QUANTIZE", x).To(output)
Example({
    x: [0.0, 0.25, 0.5, 0.75, -0.25, -0.5, -0.75, 1.5, -1.5, 500.0, -500.0, 73.75],
    output: [-118, -118, -117, -117, -118, -119, -119, -116, -120, 127, -128, -44],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 3, 2]))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 1, 3, 2], 2.0, -28))
model = Model().Operation("QUANTIZE", x).To(output)
Example({
    x: [0.0, 0.5, 1.0, 1.5, -0.5, -1.0, -1.5, 3.0, -3.0, 1000.0, -1000.0, -41.5],
    output: [-28, -28, -27, -27, -28, -29, -29, -26, -30, 127, -128, -49],
}, model=model).AddVariations("relaxed", "float16")
