# Written by tests/golden/write_dense_specs.py.

input = Input("input", ("TENSOR_FLOAT32", [12]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [2, 4]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [0.5, 1.0])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [3, 2]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [3, 5]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [2, 4]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [0.5, 1.0])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [3, 2]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5, -1.75, 1.5, -1.5],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [3, 4]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [2, 4, 1]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2]), [0.5, 1.0])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [3, 2]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [3, 4]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [2, 4]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75])
bias = Parameter("bias", ("TENSOR_FLOAT32", [3]), [0.0, 0.0, 0.0])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [3, 2]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_FLOAT32", [3, 4]))
weights = Parameter("weights", ("TENSOR_FLOAT32", [2, 4]), [1.75, -1.75, 1.25, 0.75, -2.0, 1.0, -0.25, 0.75])
bias = Parameter("bias", ("TENSOR_FLOAT32", [2, 1]), [0.0, 0.0])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_FLOAT32", [3, 2]))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [0.75, -1.75, -2.0, 0.5, -0.25, 0.75, 0.25, -1.25, -0.25, 0.0, 0.75, 1.5],
    output: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).DisableLifeTimeVariation().ExpectFailure()

input = Input("input", ("TENSOR_QUANT8_ASYMM", [3, 4], 0.5, 120))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM", [2, 4], 0.125, 131), [120, 125, 110, 139, 126, 127, 109, 129])
bias = Parameter("bias", ("TENSOR_INT32", [2], 0.0624, 0), [240, -239])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [3, 2], 1.0, 100))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [107, 113, 137, 113, 96, 104, 127, 109, 132, 126, 109, 106],
    output: [101, 68, 123, 88, 112, 97],
}, model=model).DisableLifeTimeVariation().ExpectFailure()
