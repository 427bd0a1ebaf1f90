# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 4, 1], 1.5, -121))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3, 1], 2.0, 122), [125, 121, 120, 125, 125, 123, 121, 124, 122, 121, 123, 125])
bias = Parameter("bias", ("TENSOR_INT32", [2], 3.0, 0), [5, -9])
padding = 1
stride_width = 1
stride_height = 2
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 4, 2], 0.75, 0))
model = Model().Operation("CONV_2D", input, filter, bias, padding, stride_width, stride_height, activation).To(output)
Example({
    input: [-120, -123, -121, -118, -121, -123, -122, -120, -120, -124, -118, -121, -123, -121, -118, -124, -122, -124, -123, -120, -124, -118, -120, -120],
    output: [24, -52, 12, -76, -60, -12, 8, -4, 40, -28, 20, -64, -28, 0, 56, -48, 4, -92, -84, -60, -24, 4, 56, -60, 8, -60, -36, 0, 44, -40, 28, -32],
}, model=model)
