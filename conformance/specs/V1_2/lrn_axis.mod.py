# Written by tests/golden/write_normalization_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
radius = 1
bias = 1.0
alpha = 0.5
beta = 0.5
axis = Int32Scalar("axis", -1)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
model = Model().Operation("LOCAL_RESPONSE_NORMALIZATION", x, radius, bias, alpha, beta, axis).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25, -0.3125, 0.0, 2.6875, -1.5625, 2.125, 2.5, -3.5, -3.875, 2.6875, 2.0625, -2.6875, 0.9375, -3.6875, -2.0625, -0.625, -3.125, 0.375, -3.8125],
    output: [-0.29851115, 1.1608768, 0.75471205, -1.0409821, 1.1920791, -0.13245323, -0.3051391, 0.0, 1.112855, -0.64700866, 0.84111017, 0.9895414, -0.91496426, -1.0129962, 1.0353184, 0.7945466, -1.1958293, 0.41714975, -1.1704414, -0.65465367, -0.25351006, -1.2675503, 0.1298683, -1.3203278],
}, model=model).AddAllDimsAndAxis(x, output, axis).AddVariations("float16")
