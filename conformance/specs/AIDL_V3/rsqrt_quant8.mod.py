# Written by tests/golden/write_elementwise_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM", [12], 0.5, 10))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [12], 0.0078125, 0))
model = Model().Operation("RSQRT", x).To(output)
Example({
    x: [11, 33, 55, 77, 99, 121, 144, 166, 188, 210, 232, 255],
    output: [181, 38, 27, 22, 19, 17, 16, 14, 14, 13, 12, 12],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.03125, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.0625, 128))
model = Model().Operation("RSQRT", x).To(output)
Example({
    x: [1, 24, 47, 70, 93, 116, 139, 162, 185, 208, 231, 255],
    output: [219, 146, 141, 139, 137, 136, 136, 135, 135, 134, 134, 134],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM", [1, 2, 1, 2, 3], 0.25, 128))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 1, 2, 3], 0.0078125, 255))
model = Model().Operation("RSQRT", x).To(output)
Example({
    x: [129, 140, 151, 163, 174, 186, 197, 209, 220, 232, 243, 255],
    output: [255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255],
}, model=model)
