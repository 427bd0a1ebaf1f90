# Written by tests/golden/write_dense_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.5, -8))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 0.125, 3), [-8, 16, -20, -3, 8, 5, 9, 26])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.0625, 0), [240, -239])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 2], 1.0, -28))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [-21, 4, 6, -28, 1, -17, -22, -19, -19, -31, -21, -3],
    output: [-7, -69, -2, -62, -7, -47],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1], 0.1, -128))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1], 0.07, 127), [78])
bias = Parameter("bias", ("TENSOR_INT32", [1], 0.007000000000000001, 0), [2785])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 1], 1.3, 127))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [-114],
    output: [127],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 2], 0.25, 127))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 6], 0.5, 127), [50, 111, 79, 68, 111, 65, 13, 66, 127, 103, 89, 15, 29, 51, 21, 92, 90, 111])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.125, 0), [3000, -2999, 3002])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 25.0, -128))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [56, 27, 23, 110, 85, 89, 18, 77, 96, 28, 77, 7],
    output: [-33, -41, 29, 11, 23, 12],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 1, 3], 0.5, 0))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM_SIGNED", [5, 3], 0.25, 0), [-9, -66, 92, -78, -118, -39, 80, -19, -96, 89, -84, -86, -13, -55, 55])
bias = Parameter("bias", ("TENSOR_INT32", [5], 0.125, 0), [24, -23, 26, -21, 28])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [4, 5], 0.2, 0))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [79, -15, 92, -55, 119, -49, 73, 91, 49, 56, -60, -53],
    output: [127, -128, -128, 127, 127, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, 127, 127, 127, -128],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 6], 0.5, -8))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 0.125, 3), [26, 17, -19, 5, 16, -20, -5, 11])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.0625, 0), [240, -239])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 2], 1.0, -28))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [13, -18, -19, -21, 9, -20, -13, -9, -10, -19, -11, -12],
    output: [22, -12, 8, -10, -22, -29],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 8], 0.1, -128))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 2], 0.07, 127), [71, 83, 81, 80, 93, 72])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.007000000000000001, 0), [2785, -2784, 2787])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [4, 3], 1.3, 127))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [-121, -85, -83, -94, -72, -97, -91, -83],
    output: [127, 99, 127, 120, 92, 124, 118, 90, 123, 120, 91, 122],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 0.5, -8))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 0.125, 3), [-12, 18, 5, -13, 24, 3, 3, 21])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.0625, 0), [240, -239])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 2], 1.0, -28))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [-2, -17, -18, -13, -32, 4, -28, -24, -24, 15, 0, -21],
    output: [-23, -41, 34, -92, 38, -79],
}, model=model).AddAllActivations(output, activation)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 1, 3], 0.1, -128))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM_SIGNED", [5, 3], 0.07, 127), [125, 79, 95, 80, 118, 71, 97, 119, 110, 74, 96, 100, 84, 118, 114])
bias = Parameter("bias", ("TENSOR_INT32", [5], 0.007000000000000001, 0), [107, -106, 109, -104, 111])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [4, 5], 0.05, -68))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [-89, -88, -108, -94, -108, -99, -114, -119, -115, -75, -78, -85],
    output: [-128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128],
}, model=model).AddAllActivations(output, activation)
