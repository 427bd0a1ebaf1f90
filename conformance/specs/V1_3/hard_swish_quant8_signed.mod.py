# Written by tests/golden/write_activation_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.05, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.05, 0))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [-128, -127, -1, 0, 1, 126, 127, -117, -94, -71, -48, -25],
    output: [0, 0, 0, 0, 1, 126, 127, 0, 0, 0, -5, -7],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.05, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.25, -108))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [-128, -127, -1, 0, 1, 126, 127, -117, -94, -71, -48, -25],
    output: [-108, -108, -108, -108, -108, -83, -83, -108, -108, -108, -109, -109],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.05, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.01, 127))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [-128, -127, -1, 0, 1, 126, 127, -117, -94, -71, -48, -25],
    output: [127, 127, 125, 127, 127, 127, 127, 127, 127, 127, 103, 91],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.5, -128))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.5, -128))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [-128, -127, -128, -127, 126, 127, -117, -94, -71, -48, -25, -2],
    output: [-128, -127, -128, -127, 126, 127, -117, -94, -71, -48, -25, -2],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.5, -128))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.25, -108))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [-128, -127, -128, -127, 126, 127, -117, -94, -71, -48, -25, -2],
    output: [-108, -107, -108, -107, 127, 127, -86, -40, 6, 52, 98, 127],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.5, -128))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.01, 127))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [-128, -127, -128, -127, 126, 127, -117, -94, -71, -48, -25, -2],
    output: [127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 0.1, 127))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 0.1, 127))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [-128, -127, 126, 127, 126, 127, -117, -94, -71, -48, -25, -2],
    output: [127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 0.1, 127))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 0.25, -108))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [-128, -127, 126, 127, 126, 127, -117, -94, -71, -48, -25, -2],
    output: [-108, -108, -108, -108, -108, -108, -108, -108, -108, -108, -108, -108],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 0.1, 127))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 0.01, 127))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [-128, -127, 126, 127, 126, 127, -117, -94, -71, -48, -25, -2],
    output: [127, 127, 122, 127, 122, 127, 127, 127, 127, 127, 127, 127],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.0078125, -28))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.0078125, -28))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [-128, -127, -29, -28, -27, 126, 127, -117, -94, -71, -48, -25],
    output: [-65, -65, -28, -28, -27, 80, 81, -62, -55, -47, -37, -26],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.0078125, -28))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.25, -108))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [-128, -127, -29, -28, -27, 126, 127, -117, -94, -71, -48, -25],
    output: [-109, -109, -108, -108, -108, -105, -105, -109, -109, -109, -108, -108],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.0078125, -28))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 3, 2, 2], 0.01, 127))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [-128, -127, -29, -28, -27, 126, 127, -117, -94, -71, -48, -25],
    output: [98, 98, 127, 127, 127, 127, 127, 100, 106, 112, 120, 127],
}, model=model)
