# Written by tests/golden/write_quantization_specs.py.

x = Input("x", ("TENSOR_QUANT8_SYMM", [12], 0.5, 0))
output = Output("output", ("TENSOR_FLOAT16", [12]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-128, 127, 0, -32, 85, 74, -66, -47, -27, -63, -57, -92],
    output: [-64.0, 63.5, 0.0, -16.0, 42.5, 37.0, -33.0, -23.5, -13.5, -31.5, -28.5, -46.0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM", [3, 4], 0.25, 0))
output = Output("output", ("TENSOR_FLOAT16", [3, 4]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-128, 127, 0, -120, 34, 75, -89, -28, -16, -57, 90, 19],
    output: [-32.0, 31.75, 0.0, -30.0, 8.5, 18.75, -22.25, -7.0, -4.0, -14.25, 22.5, 4.75],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM", [2, 2, 3], 0.0625, 0))
output = Output("output", ("TENSOR_FLOAT16", [2, 2, 3]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-128, 127, 0, 48, -17, 76, -112, -9, -6, -50, -20, -126],
    output: [-8.0, 7.9375, 0.0, 3.0, -1.0625, 4.75, -7.0, -0.5625, -0.375, -3.125, -1.25, -7.875],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM", [2, 1, 3, 2], 1.0, 0))
output = Output("output", ("TENSOR_FLOAT16", [2, 1, 3, 2]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-128, 127, 0, -40, -69, 77, 122, 10, 5, -44, 126, -15],
    output: [-128.0, 127.0, 0.0, -40.0, -69.0, 77.0, 122.0, 10.0, 5.0, -44.0, 126.0, -15.0],
}, model=model)
