# Written by tests/golden/write_dense_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.5, 120))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.125, 131), [120, 144, 108, 125, 136, 133, 137, 154])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.0625, 0), [240, -239])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3, 2], 1.0, 100))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [107, 132, 134, 100, 129, 111, 106, 109, 109, 97, 107, 125],
    output: [121, 59, 126, 66, 121, 81],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 1], 0.1, 0))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM", [1, 1], 0.07, 255), [206])
bias = Parameter("bias", ("TENSOR_INT32", [1], 0.007000000000000001, 0), [2785])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 1], 1.3, 255))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [14],
    output: [255],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 3, 2], 0.25, 255))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM", [3, 6], 0.5, 255), [178, 239, 207, 196, 239, 193, 141, 194, 255, 231, 217, 143, 157, 179, 149, 220, 218, 239])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.125, 0), [3000, -2999, 3002])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 3], 25.0, 0))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [184, 155, 151, 238, 213, 217, 146, 205, 224, 156, 205, 135],
    output: [95, 87, 157, 139, 151, 140],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 2, 1, 3], 0.5, 128))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM", [5, 3], 0.25, 128), [119, 62, 220, 50, 10, 89, 208, 109, 32, 217, 44, 42, 115, 73, 183])
bias = Parameter("bias", ("TENSOR_INT32", [5], 0.125, 0), [24, -23, 26, -21, 28])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [4, 5], 0.2, 128))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [207, 113, 220, 73, 247, 79, 201, 219, 177, 184, 68, 75],
    output: [255, 0, 0, 255, 255, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 255, 0],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 6], 0.5, 120))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.125, 131), [154, 145, 109, 133, 144, 108, 123, 139])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.0625, 0), [240, -239])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3, 2], 1.0, 100))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [141, 110, 109, 107, 137, 108, 115, 119, 118, 109, 117, 116],
    output: [150, 116, 136, 118, 106, 99],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 8], 0.1, 0))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.07, 255), [199, 211, 209, 208, 221, 200])
bias = Parameter("bias", ("TENSOR_INT32", [3], 0.007000000000000001, 0), [2785, -2784, 2787])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [4, 3], 1.3, 255))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [7, 43, 45, 34, 56, 31, 37, 45],
    output: [255, 227, 255, 248, 220, 252, 246, 218, 251, 248, 219, 250],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.5, 120))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.125, 131), [116, 146, 133, 115, 152, 131, 131, 149])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.0625, 0), [240, -239])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3, 2], 1.0, 100))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [126, 111, 110, 115, 96, 132, 100, 104, 104, 143, 128, 107],
    output: [105, 87, 162, 36, 166, 49],
}, model=model).AddAllActivations(output, activation)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 2, 1, 3], 0.1, 0))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM", [5, 3], 0.07, 255), [253, 207, 223, 208, 246, 199, 225, 247, 238, 202, 224, 228, 212, 246, 242])
bias = Parameter("bias", ("TENSOR_INT32", [5], 0.007000000000000001, 0), [107, -106, 109, -104, 111])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [4, 5], 0.05, 60))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [39, 40, 20, 34, 20, 29, 14, 9, 13, 53, 50, 43],
    output: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
}, model=model).AddAllActivations(output, activation)
