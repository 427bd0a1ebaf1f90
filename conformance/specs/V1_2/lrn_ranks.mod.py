# Written by tests/golden/write_normalization_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [5]))
radius = 1
bias = 1.0
alpha = 0.5
beta = 0.5
output = Output("output", ("TENSOR_FLOAT32", [5]))
model = Model().Operation("LOCAL_RESPONSE_NORMALIZATION", x, radius, bias, alpha, beta).To(output)
Example({
    x: [4.0, -1.1875, -1.3125, -2.25, 0.125],
    output: [1.2839866, -0.36531708, -0.5813184, -1.0725979, 0.06644555],
}, model=model).AddVariations("float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
radius = 1
bias = 1.0
alpha = 0.5
beta = 0.5
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("LOCAL_RESPONSE_NORMALIZATION", x, radius, bias, alpha, beta).To(output)
Example({
    x: [-3.0625, 2.5625, 2.5, -2.4375, 0.75, -2.9375],
    output: [-1.0223876, 0.7367383, 0.9185093, -1.1820896, 0.25624886, -1.2417969],
}, model=model).AddVariations("float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 3]))
radius = 1
bias = 1.0
alpha = 0.5
beta = 0.5
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 3]))
model = Model().Operation("LOCAL_RESPONSE_NORMALIZATION", x, radius, bias, alpha, beta).To(output)
Example({
    x: [-1.8125, -1.5, -1.75, -2.375, 1.625, -1.75],
    output: [-0.93378496, -0.6516304, -0.91520864, -1.047504, 0.6291141, -0.89170164],
}, model=model).AddVariations("float16")
