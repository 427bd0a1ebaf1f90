# Written by tests/golden/write_normalization_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 5], 0.1, 0))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 5], 0.0078125, 0))
model = Model().Operation("L2_NORMALIZATION", x).To(output)
Example({
    x: [-120, 34, 75, -89, -28, -16, -57, 90, 19, -117],
    output: [-89, 25, 56, -66, -21, -13, -46, 72, 15, -93],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [3], 0.5, -128))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [3], 0.0078125, 0))
model = Model().Operation("L2_NORMALIZATION", x).To(output)
Example({
    x: [-32, 85, 74],
    output: [40, 88, 84],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 1.0, 127))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3], 0.0078125, 0))
model = Model().Operation("L2_NORMALIZATION", x).To(output)
Example({
    x: [48, -17, 76, -112, -9, -6, -50, -20, -126, -84, -109, 85],
    output: [-59, -107, -38, -100, -57, -56, -66, -55, -95, -85, -95, -17],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3, 2], 0.1, 0))
axis = Int32Scalar("axis", -1)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3, 2], 0.0078125, 0))
model = Model().Operation("L2_NORMALIZATION", x, axis).To(output)
Example({
    x: [-40, -69, 77, 122, 10, 5, -44, 126, -15, -52, 124, 53, -58, 85, -66, -86, -43, 85, 64, 76, 21, -82, 45, 95],
    output: [-64, -111, 68, 108, 114, 57, -42, 121, -35, -123, 118, 50, -72, 106, -78, -102, -58, 114, 82, 98, 32, -124, 55, 116],
}, model=model).AddAllDimsAndAxis(x, output, axis)

x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1, 1, 3], 0.1, -121))
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1, 1, 3], 0.0078125, 0))
model = Model().Operation("L2_NORMALIZATION", x).To(output)
Example({
    x: [-121, -121, -121],
    output: [0, 0, 0],
}, model=model)
