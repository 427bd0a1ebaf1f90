# Written by tests/golden/write_normalization_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
axis = Int32Scalar("axis", -1)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
model = Model().Operation("L2_NORMALIZATION", x, axis).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25, -0.3125, 0.0, 2.6875, -1.5625, 2.125, 2.5, -3.5, -3.875, 2.6875, 2.0625, -2.6875, 0.9375, -3.6875, -2.0625, -0.625, -3.125, 0.375, -3.8125],
    output: [-0.24904104, 0.9684929, 0.5869676, -0.8096104, 0.9938837, -0.11043153, -1.0, 0.0, 0.8645072, -0.50262046, 0.6476484, 0.76193935, -0.67028624, -0.7421026, 0.79330933, 0.60881877, -0.94420016, 0.32937217, -0.87275815, -0.48815286, -0.19611613, -0.9805807, 0.09788827, -0.9951974],
}, model=model).AddAllDimsAndAxis(x, output, axis).AddVariations("float16")
