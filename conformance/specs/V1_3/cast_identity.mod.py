# Written by tests/golden/write_quantization_specs.py.

x = Input("x", ("TENSOR_BOOL8", [2, 3]))
output = Output("output", ("TENSOR_BOOL8", [2, 3]))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0, 1, 1, 0, 1, 0],
    output: [0, 1, 1, 0, 1, 0],
}, model=model)

x = Input("x", ("TENSOR_QUANT16_ASYMM", [2, 3], 0.5, 100))
output = Output("output", ("TENSOR_QUANT16_ASYMM", [2, 3], 0.5, 100))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [0, 1, 255, 256, 65534, 65535],
    output: [0, 1, 255, 256, 65534, 65535],
}, model=model)

x = Input("x", ("TENSOR_QUANT16_SYMM", [2, 3], 0.5, 0))
output = Output("output", ("TENSOR_QUANT16_SYMM", [2, 3], 0.5, 0))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [-32768, -1, 0, 1, 256, 32767],
    output: [-32768, -1, 0, 1, 256, 32767],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 0.5, -3))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 0.5, -3))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [-128, -127, -1, 0, 1, 127],
    output: [-128, -127, -1, 0, 1, 127],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM", [2, 3], 0.5, 0))
output = Output("output", ("TENSOR_QUANT8_SYMM", [2, 3], 0.5, 0))
model = Model().Operation("CAST", x).To(output)
Example({
    x: [-128, -127, -1, 0, 1, 127],
    output: [-128, -127, -1, 0, 1, 127],
}, model=model)
