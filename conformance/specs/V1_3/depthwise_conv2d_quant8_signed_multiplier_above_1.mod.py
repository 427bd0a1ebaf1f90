# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 4, 3], 1.5, -121))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [1, 2, 3, 3], 2.0, 122), [125, 121, 120, 125, 125, 123, 121, 124, 122, 121, 123, 125, 124, 123, 124, 120, 123, 119])
bias = Parameter("bias", ("TENSOR_INT32", [3], 3.0, 0), [5, -9, 17])
padding = 1
stride_width = 1
stride_height = 2
factor = 1
activation = Int32Scalar("activation", 0)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 4, 3], 0.75, 0))
model = Model().Operation("DEPTHWISE_CONV_2D", input, filter, bias, padding, stride_width, stride_height, factor, activation).To(output)
Example({
    input: [-120, -123, -121, -118, -121, -123, -122, -120, -120, -124, -118, -121, -123, -121, -118, -124, -122, -124, -123, -120, -124, -118, -120, -120, -118, -118, -122, -121, -124, -120, -124, -123, -123, -118, -122, -121, -119, -122, -118, -119, -119, -118, -124, -123, -120, -120, -122, -120, -120, -120, -123, -118, -120, -121, -120, -118, -122, -123, -119, -118, -121, -120, -121, -121, -118, -121, -119, -122, -120, -120, -121, -124],
    output: [28, -64, 127, 72, -20, 108, 28, 4, 16, 4, 4, 32, 56, -24, 64, 68, -100, 80, -28, -56, 52, 20, -40, 84, 20, -24, 64, 92, -4, 44, 16, -52, 4, -24, -20, 76, 20, 0, 68, 12, -12, 68, 40, -60, 72, 56, -32, 48],
}, model=model)
