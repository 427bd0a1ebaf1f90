# Written by tests/golden/write_extremum_specs.py.

base = Input("base", ("TENSOR_FLOAT32", [2, 3]))
exponent = Input("exponent", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("POW", base, exponent).To(output)
Example({
    base: [1.9375, 1.3125, 1.5, 0.625, 0.5625, 1.375],
    exponent: [-1.5, 2.0, 3.0, 2.0, -2.0, -0.5],
    output: [0.37079805, 1.7226562, 3.375, 0.390625, 3.1604939, 0.8528029],
}, model=model).AddVariations("relaxed", "float16")

base = Input("base", ("TENSOR_FLOAT32", [2, 2, 2]))
exponent = Input("exponent", ("TENSOR_FLOAT32", [1]))
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 2]))
model = Model().Operation("POW", base, exponent).To(output)
Example({
    base: [1.0625, 2.0, 0.9375, 1.875, 1.3125, 1.3125, 0.5, 0.875],
    exponent: [2.5],
    output: [1.1636499, 5.656854, 0.8509973, 4.8139677, 1.9735507, 1.9735507, 0.17677669, 0.7161766],
}, model=model).AddVariations("relaxed", "float16")

base = Input("base", ("TENSOR_FLOAT32", [2]))
exponent = Input("exponent", ("TENSOR_FLOAT32", [3, 1, 2]))
output = Output("output", ("TENSOR_FLOAT32", [3, 1, 2]))
model = Model().Operation("POW", base, exponent).To(output)
Example({
    base: [2.0, 0.6875],
    exponent: [-1.0, -1.5, -1.5, -1.5, 2.0, 3.5],
    output: [0.5, 1.7542478, 0.35355338, 1.7542478, 4.0, 0.2694353],
}, model=model).AddVariations("relaxed", "float16")

base = Input("base", ("TENSOR_FLOAT32", [2, 1, 2]))
exponent = Input("exponent", ("TENSOR_FLOAT32", [1, 3, 1]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3, 2]))
model = Model().Operation("POW", base, exponent).To(output)
Example({
    base: [1.9375, 1.1875, 1.375, 0.6875],
    exponent: [-1.0, 3.5, -1.0],
    output: [0.516129, 0.84210527, 10.123857, 1.82481, 0.516129, 0.84210527, 0.72727275, 1.4545455, 3.0483122, 0.2694353, 0.72727275, 1.4545455],
}, model=model).AddVariations("relaxed", "float16")

base = Input("base", ("TENSOR_FLOAT32", [1, 2, 1, 1, 2]))
exponent = Input("exponent", ("TENSOR_FLOAT32", [2, 1, 1, 2, 1]))
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 1, 2, 2]))
model = Model().Operation("POW", base, exponent).To(output)
Example({
    base: [2.0, 0.6875, 1.1875, 1.6875],
    exponent: [-1.5, -1.5, 2.0, 3.5],
    output: [0.35355338, 1.7542478, 0.35355338, 1.7542478, 0.7727688, 0.45617798, 0.7727688, 0.45617798, 4.0, 0.47265625, 11.313708, 0.2694353, 1.4101562, 2.8476562, 1.82481, 6.2424235],
}, model=model).AddVariations("relaxed", "float16")

base = Input("base", ("TENSOR_FLOAT32", [8]))
exponent = Input("exponent", ("TENSOR_FLOAT32", [8]))
output = Output("output", ("TENSOR_FLOAT32", [8]))
model = Model().Operation("POW", base, exponent).To(output)
Example({
    base: [0.0, 1.0, -2.0, -2.0, 0.0, 1.0, -0.5, 3.0],
    exponent: [0.0, 65504.0, 3.0, -2.0, 2.0, -65504.0, 2.0, 0.0],
    output: [1.0, 1.0, -8.0, 0.25, 0.0, 1.0, 0.25, 1.0],
}, model=model).AddVariations("relaxed", "float16")
