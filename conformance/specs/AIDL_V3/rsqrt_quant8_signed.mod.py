# Written by tests/golden/write_elementwise_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.5, -118))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.0078125, -128))
model = Model().Operation("RSQRT", x).To(output)
Example({
    x: [-117, -95, -73, -51, -29, -7, 16, 38, 60, 82, 104, 127],
    output: [53, -90, -101, -106, -109, -111, -112, -114, -114, -115, -116, -116],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.03125, -128))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.0625, 0))
model = Model().Operation("RSQRT", x).To(output)
Example({
    x: [-127, -104, -81, -58, -35, -12, 11, 34, 57, 80, 103, 127],
    output: [91, 18, 13, 11, 9, 8, 8, 7, 7, 6, 6, 6],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 1, 2, 3], 0.25, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 1, 2, 3], 0.0078125, 127))
model = Model().Operation("RSQRT", x).To(output)
Example({
    x: [1, 12, 23, 35, 46, 58, 69, 81, 92, 104, 115, 127],
    output: [127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127],
}, model=model)
