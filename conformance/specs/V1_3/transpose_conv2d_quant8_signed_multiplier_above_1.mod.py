# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3, 1], 1.5, -121))
filter = Parameter("filter", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 2, 3, 1], 2.0, 122), [125, 121, 120, 125, 125, 123, 121, 124, 122, 121, 123, 125])
bias = Parameter("bias", ("TENSOR_INT32", [2], 3.0, 0), [5, -9])
shape = Int32Vector("shape", [2, 4, 8, 2])
padding = 1
stride_width = 2
stride_height = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 4, 6, 2], 0.75, 0))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, shape, padding, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [-120, -123, -121, -118, -121, -123, -122, -120, -120, -124, -118, -121],
    output: [32, -40, 16, -28, -12, -28, 28, -52, 36, -36, 20, -36, 32, -40, 32, -32, 0, -16, -4, -44, 12, -60, 20, -36, 20, -36, 20, -36, 20, -36, 20, -36, 20, -36, 20, -36, 56, -48, 8, -12, -4, -36, 20, -36, -4, -28, 28, -52, 8, -32, 24, -44, 40, -40, 16, -28, 24, -40, 16, -28, 8, -32, 8, -40, 28, -52, 32, -32, 36, -28, 32, -32, 20, -36, 20, -36, 20, -36, 20, -36, 20, -36, 20, -36, -16, -24, 32, -60, 80, -48, 8, -12, -4, -36, 20, -36],
}, model=model)
