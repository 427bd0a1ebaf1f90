# Written by tests/golden/write_normalization_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
gamma = 1.0
beta = 0.0
epsilon = 0.25
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2, 3]))
model = Model().Operation("INSTANCE_NORMALIZATION", x, gamma, beta, epsilon, layout).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25, -0.3125, 0.0, 2.6875, -1.5625, 2.125, 2.5, -3.5, -3.875, 2.6875, 2.0625, -2.6875, 0.9375, -3.6875, -2.0625, -0.625, -3.125, 0.375, -3.8125],
    output: [0.6709747, 0.5101477, 0.098592766, -1.263929, 0.5684503, -1.5281879, 0.9206397, -1.5304431, 0.7887421, -0.3276853, 0.4518451, 0.640853, -0.5886802, -1.1125083, 1.1834927, 1.6892562, -0.38362357, 0.4669998, -0.6654646, 0.0, -0.17272595, -0.43511143, 1.4961319, -1.4777665],
}, model=model).AddNchw(x, output, layout).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 3, 2, 1]))
gamma = 2.0
beta = 10.0
epsilon = 0.0625
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [1, 3, 2, 1]))
model = Model().Operation("INSTANCE_NORMALIZATION", x, gamma, beta, epsilon, layout).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5, 2.25, -0.25],
    output: [8.808067, 11.923614, 11.498766, 6.613024, 11.994421, 9.162107],
}, model=model).AddNchw(x, output, layout).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 1, 2]))
gamma = -0.5
beta = -1.0
epsilon = 1.0
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 1, 2]))
model = Model().Operation("INSTANCE_NORMALIZATION", x, gamma, beta, epsilon, layout).To(output)
Example({
    x: [-0.5625, 2.1875, 1.8125, -2.5],
    output: [-1.0, -1.0, -1.0, -1.0],
}, model=model).AddNchw(x, output, layout).AddVariations("relaxed", "float16")
