# Written by tests/golden/write_quantization_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM", [12], 0.5, 128))
output = Output("output", ("TENSOR_FLOAT32", [12]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [0, 255, 128, 96, 213, 202, 62, 81, 101, 65, 71, 36],
    output: [-64.0, 63.5, 0.0, -16.0, 42.5, 37.0, -33.0, -23.5, -13.5, -31.5, -28.5, -46.0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.25, 0))
output = Output("output", ("TENSOR_FLOAT32", [3, 4]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [0, 255, 0, 8, 162, 203, 39, 100, 112, 71, 218, 147],
    output: [0.0, 63.75, 0.0, 2.0, 40.5, 50.75, 9.75, 25.0, 28.0, 17.75, 54.5, 36.75],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 2, 3], 0.0625, 255))
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 3]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [0, 255, 255, 176, 111, 204, 16, 119, 122, 78, 108, 2],
    output: [-15.9375, 0.0, 0.0, -4.9375, -9.0, -3.1875, -14.9375, -8.5, -8.3125, -11.0625, -9.1875, -15.8125],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2, 1, 3, 2], 1.0, 10))
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 3, 2]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [0, 255, 10, 88, 59, 205, 250, 138, 133, 84, 254, 113],
    output: [-10.0, 245.0, 0.0, 78.0, 49.0, 195.0, 240.0, 128.0, 123.0, 74.0, 244.0, 103.0],
}, model=model)
