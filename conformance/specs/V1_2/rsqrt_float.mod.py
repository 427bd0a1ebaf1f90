# Written by tests/golden/write_elementwise_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [6]))
output = Output("output", ("TENSOR_FLOAT32", [6]))
model = Model().Operation("RSQRT", x).To(output)
Example({
    x: [6.0625, 13.375, 12.6875, 3.9375, 5.125, 6.375],
    output: [0.40613848, 0.27343437, 0.28074497, 0.5039526, 0.44172612, 0.396059],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("RSQRT", x).To(output)
Example({
    x: [0.5625, 10.1875, 12.75, 2.5, 6.3125, 7.0625],
    output: [1.3333334, 0.3133042, 0.28005603, 0.6324555, 0.39801487, 0.37628835],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 3]))
model = Model().Operation("RSQRT", x).To(output)
Example({
    x: [11.0625, 7.0, 12.8125, 1.0625, 7.5, 7.6875],
    output: [0.3006584, 0.37796447, 0.27937213, 0.9701425, 0.36514837, 0.36066785],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
model = Model().Operation("RSQRT", x).To(output)
Example({
    x: [5.5625, 3.75, 12.875, 15.6875, 8.6875, 8.375, 5.3125, 15.9375],
    output: [0.42399916, 0.5163978, 0.2786932, 0.25247777, 0.33927557, 0.34554738, 0.43386093, 0.2504897],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 2, 2]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 1, 2, 2]))
model = Model().Operation("RSQRT", x).To(output)
Example({
    x: [0.0625, 0.5625, 12.9375, 14.25, 9.9375, 9.0, 5.6875, 9.125],
    output: [4.0, 1.3333334, 0.27801922, 0.26490647, 0.31722063, 0.33333334, 0.41931394, 0.33104235],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [5]))
output = Output("output", ("TENSOR_FLOAT32", [5]))
model = Model().Operation("RSQRT", x).To(output)
Example({
    x: [1.0, 4.0, 65504.0, 0.0078125, float("inf")],
    output: [1.0, 0.5, 0.003907204, 11.313708, 0.0],
}, model=model).AddVariations("relaxed", "float16").DisableLifeTimeVariation()
