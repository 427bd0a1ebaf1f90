# Written by tests/golden/write_normalization_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
beta = 1.0
axis = Int32Scalar("axis", -1)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
model = Model().Operation("SOFTMAX", x, beta, axis).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25, -0.3125, 0.0, 2.6875, -1.5625, 2.125, 2.5, -3.5, -3.875, 2.6875, 2.0625, -2.6875, 0.9375, -3.6875, -2.0625, -0.625, -3.125, 0.375, -3.8125],
    output: [0.06008665, 0.93991333, 0.9867772, 0.013222822, 0.9241418, 0.07585818, 0.42250463, 0.57749534, 0.98593634, 0.014063627, 0.4073334, 0.5926666, 0.5926666, 0.4073334, 0.65135485, 0.34864512, 0.025957357, 0.97404265, 0.16451646, 0.83548355, 0.9241418, 0.07585818, 0.9850429, 0.014957086],
}, model=model).AddAllDimsAndAxis(x, output, axis).AddVariations("float16")
