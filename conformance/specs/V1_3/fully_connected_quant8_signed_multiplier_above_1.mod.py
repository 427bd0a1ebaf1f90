# Written by tests/golden/write_dense_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 4], 1.5, -121))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4], 2.0, 122), [125, 119, 125, 120, 121, 125, 121, 122])
bias = Parameter("bias", ("TENSOR_INT32", [2], 3.0, 0), [3, -2])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 2], 0.75, 0))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [-120, -120, -123, -123, -118, -123, -121, -122, -120, -122, -120, -122],
    output: [4, 8, 80, -44, 56, -28],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 2], 1.5, -121))
weights = Parameter("weights", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 6], 2.0, 122), [120, 120, 120, 120, 124, 122, 125, 123, 119, 122, 119, 119, 125, 121, 119, 124, 120, 122])
bias = Parameter("bias", ("TENSOR_INT32", [3], 3.0, 0), [15, -14, 17])
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 3.0, 0))
model = Model().Operation("FULLY_CONNECTED", input, weights, bias, activation).To(output)
Example({
    input: [-118, -124, -118, -123, -122, -118, -122, -121, -121, -121, -122, -120],
    output: [11, -23, 18, 15, -17, 16],
}, model=model)
