# Written by tests/golden/write_convolution_specs.py.

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 3, 2, 2]), [-11, -3, -18, 21, 11, 15, -2, -2, 10, 20, 24, -18, -20, -19, -9, -5, -22, -3, -5, 18, 12, -21, -5, 6], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25]))
bias = Parameter("bias", ("TENSOR_INT32", [2]), [160, -319])
left = 1
right = 0
top = 1
bottom = 2
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 3, 2], 1.0, 100))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [107, 142, 113, 127, 134, 124, 98, 109, 132, 131, 111, 135],
    output: [98, 99, 129, 158, 120, 112, 64, 65, 92, 83, 126, 59],
}, model=model).AddNchw(input, output, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [2, 2, 3, 1], 0.1, 0))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 2, 3, 1]), [13, -52, -27, -25, 46, -55, -52, 56, 21, -51, -26, 38], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25]))
bias = Parameter("bias", ("TENSOR_INT32", [2]), [1040, -2079])
shape = Int32Vector("shape", [2, 4, 8, 2])
padding = 1
stride_width = 2
stride_height = 3
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2, 4, 6, 2], 1.3, 255))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, shape, padding, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [22, 52, 16, 1, 13, 39, 58, 57, 10, 6, 22, 21],
    output: [255, 193, 254, 239, 255, 172, 239, 255, 253, 220, 255, 232, 255, 193, 255, 204, 241, 180, 255, 189, 234, 237, 255, 207, 255, 215, 255, 215, 255, 215, 255, 215, 255, 215, 255, 215, 255, 214, 255, 216, 255, 202, 255, 229, 255, 181, 245, 255, 255, 157, 236, 255, 255, 181, 236, 255, 251, 228, 255, 226, 251, 158, 255, 186, 221, 201, 255, 187, 232, 247, 255, 210, 255, 215, 255, 215, 255, 215, 255, 215, 255, 215, 255, 215, 255, 209, 255, 221, 255, 195, 254, 239, 255, 203, 254, 238],
}, model=model).AddNchw(input, output, shape, layout)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 3], 0.25, 255))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [1, 3, 3, 3]), [0, -119, 24, 42, -67, -51, 34, 89, 76, -10, 9, 7, -67, -74, 20, 77, 108, 9, -88, -113, 55, 11, -7, -55, 41, -77, -99], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125]))
bias = Parameter("bias", ("TENSOR_INT32", [1]), [8000])
shape = Int32Vector("shape", [1, 5, 4, 1])
padding = 1
stride_width = 2
stride_height = 2
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 5, 4, 1], 25.0, 0))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, shape, padding, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [208, 143, 168, 170, 241, 140, 143, 251, 216, 144, 169, 233, 136, 168, 208, 176, 219, 155],
    output: [9, 22, 0, 16, 24, 13, 36, 20, 11, 19, 0, 27, 32, 15, 15, 16, 10, 27, 0, 17],
}, model=model)

input = Input("input", ("TENSOR_QUANT8_ASYMM", [1, 3, 2, 2], 0.5, 120))
filter = Parameter("filter", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 3, 2, 2]), [-14, -1, 19, 3, 22, -24, 13, 1, 1, -23, 6, -19, 12, -23, 7, -12, 18, 17, -12, -9, -20, -13, 16, 15], extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.125, 0.25]))
bias = Parameter("bias", ("TENSOR_INT32", [2]), [160, -319])
left = 1
right = 0
top = 1
bottom = 2
stride_width = 2
stride_height = 1
activation = Int32Scalar("activation", 0)
layout = BoolScalar("layout", False)
output = Output("output", ("TENSOR_QUANT8_ASYMM", [1, 2, 3, 2], 1.0, 100))
model = Model().Operation("TRANSPOSE_CONV_2D", input, filter, bias, left, right, top, bottom, stride_width, stride_height, activation, layout).To(output)
Example({
    input: [127, 118, 127, 108, 97, 133, 113, 113, 124, 137, 116, 133],
    output: [91, 12, 144, 60, 105, 67, 105, 68, 131, 0, 119, 47],
}, model=model).AddAllActivations(output, activation)
