# Written by tests/golden/write_quantization_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.5, 0))
output = Output("output", ("TENSOR_FLOAT16", [12]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-128, 127, 0, -32, 85, 74, -66, -47, -27, -63, -57, -92],
    output: [-64.0, 63.5, 0.0, -16.0, 42.5, 37.0, -33.0, -23.5, -13.5, -31.5, -28.5, -46.0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.25, -128))
output = Output("output", ("TENSOR_FLOAT16", [3, 4]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-128, 127, -128, -120, 34, 75, -89, -28, -16, -57, 90, 19],
    output: [0.0, 63.75, 0.0, 2.0, 40.5, 50.75, 9.75, 25.0, 28.0, 17.75, 54.5, 36.75],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 0.0625, 127))
output = Output("output", ("TENSOR_FLOAT16", [2, 2, 3]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-128, 127, 127, 48, -17, 76, -112, -9, -6, -50, -20, -126],
    output: [-15.9375, 0.0, 0.0, -4.9375, -9.0, -3.1875, -14.9375, -8.5, -8.3125, -11.0625, -9.1875, -15.8125],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 1, 3, 2], 1.0, -118))
output = Output("output", ("TENSOR_FLOAT16", [2, 1, 3, 2]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-128, 127, -118, -40, -69, 77, 122, 10, 5, -44, 126, -15],
    output: [-10.0, 245.0, 0.0, 78.0, 49.0, 195.0, 240.0, 128.0, 123.0, 74.0, 244.0, 103.0],
}, model=model)
