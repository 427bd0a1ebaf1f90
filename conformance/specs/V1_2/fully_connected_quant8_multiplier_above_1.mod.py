# Written by tests/golden/write_dense_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [3, 4], 1.5, 7))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM", [2, 4], 2.0, 250), [253, 247, 253, 248, 249, 253, 249, 250])
bias = Parameter("bias", ("TENSOR_INT32", [2], 3.0, 0), [3, -2])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3, 2], 0.75, 128))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [8, 8, 5, 5, 10, 5, 7, 6, 8, 6, 8, 6],
    output: [132, 136, 208, 84, 184, 100],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 3, 2], 1.5, 7))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM", [3, 6], 2.0, 250), [248, 248, 248, 248, 252, 250, 253, 251, 247, 250, 247, 247, 253, 249, 247, 252, 248, 250])
bias = Parameter("bias", ("TENSOR_INT32", [3], 3.0, 0), [15, -14, 17])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 3], 3.0, 128))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [10, 4, 10, 5, 6, 10, 6, 7, 7, 7, 6, 8],
    output: [139, 105, 146, 143, 111, 144],
}, model=model)
