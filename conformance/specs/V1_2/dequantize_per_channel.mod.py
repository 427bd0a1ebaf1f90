# Written by tests/golden/write_quantization_specs.py.

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [12]), extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0]))
output = Output("output", ("TENSOR_FLOAT32", [12]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-31, -41, -8, -15, 67, 88, 86, -107, 118, -85, -82, -28],
    output: [-7.75, -20.5, -6.0, -15.0, 83.75, 132.0, 150.5, -214.0, 265.5, -212.5, -225.5, -84.0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [12]), extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.25, 2.5, 2.75, 3.0]))
output = Output("output", ("TENSOR_FLOAT16", [12]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-31, -41, -8, -15, 67, 88, 86, -107, 118, -85, -82, -28],
    output: [-7.75, -20.5, -6.0, -15.0, 83.75, 132.0, 150.5, -214.0, 265.5, -212.5, -225.5, -84.0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [3, 4]), extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.25, 0.5, 0.75]))
output = Output("output", ("TENSOR_FLOAT32", [3, 4]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-31, -41, -8, -15, 67, 88, 86, -107, 118, -85, -82, -28],
    output: [-7.75, -10.25, -2.0, -3.75, 33.5, 44.0, 43.0, -53.5, 88.5, -63.75, -61.5, -21.0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [3, 4]), extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.25, 0.5, 0.75]))
output = Output("output", ("TENSOR_FLOAT16", [3, 4]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-31, -41, -8, -15, 67, 88, 86, -107, 118, -85, -82, -28],
    output: [-7.75, -10.25, -2.0, -3.75, 33.5, 44.0, 43.0, -53.5, 88.5, -63.75, -61.5, -21.0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [3, 4]), extraParams=SymmPerChannelQuantParams(channelDim=1, scales=[0.25, 0.5, 0.75, 1.0]))
output = Output("output", ("TENSOR_FLOAT32", [3, 4]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-44, 44, 90, -48, 26, -98, -86, 71, 87, -23, -43, -109],
    output: [-11.0, 22.0, 67.5, -48.0, 6.5, -49.0, -64.5, 71.0, 21.75, -11.5, -32.25, -109.0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [3, 4]), extraParams=SymmPerChannelQuantParams(channelDim=1, scales=[0.25, 0.5, 0.75, 1.0]))
output = Output("output", ("TENSOR_FLOAT16", [3, 4]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-44, 44, 90, -48, 26, -98, -86, 71, 87, -23, -43, -109],
    output: [-11.0, 22.0, 67.5, -48.0, 6.5, -49.0, -64.5, 71.0, 21.75, -11.5, -32.25, -109.0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 2, 3]), extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.25, 0.5]))
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 3]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-31, -41, -8, -15, 67, 88, 86, -107, 118, -85, -82, -28],
    output: [-7.75, -10.25, -2.0, -3.75, 16.75, 22.0, 43.0, -53.5, 59.0, -42.5, -41.0, -14.0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 2, 3]), extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.25, 0.5]))
output = Output("output", ("TENSOR_FLOAT16", [2, 2, 3]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-31, -41, -8, -15, 67, 88, 86, -107, 118, -85, -82, -28],
    output: [-7.75, -10.25, -2.0, -3.75, 16.75, 22.0, 43.0, -53.5, 59.0, -42.5, -41.0, -14.0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 2, 3]), extraParams=SymmPerChannelQuantParams(channelDim=1, scales=[0.25, 0.5]))
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 3]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-44, 44, 90, -48, 26, -98, -86, 71, 87, -23, -43, -109],
    output: [-11.0, 11.0, 22.5, -24.0, 13.0, -49.0, -21.5, 17.75, 21.75, -11.5, -21.5, -54.5],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 2, 3]), extraParams=SymmPerChannelQuantParams(channelDim=1, scales=[0.25, 0.5]))
output = Output("output", ("TENSOR_FLOAT16", [2, 2, 3]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-44, 44, 90, -48, 26, -98, -86, 71, 87, -23, -43, -109],
    output: [-11.0, 11.0, 22.5, -24.0, 13.0, -49.0, -21.5, 17.75, 21.75, -11.5, -21.5, -54.5],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 2, 3]), extraParams=SymmPerChannelQuantParams(channelDim=2, scales=[0.25, 0.5, 0.75]))
output = Output("output", ("TENSOR_FLOAT32", [2, 2, 3]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-58, -127, -65, -81, -15, -29, -4, -5, 54, 38, -3, 65],
    output: [-14.5, -63.5, -48.75, -20.25, -7.5, -21.75, -1.0, -2.5, 40.5, 9.5, -1.5, 48.75],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 2, 3]), extraParams=SymmPerChannelQuantParams(channelDim=2, scales=[0.25, 0.5, 0.75]))
output = Output("output", ("TENSOR_FLOAT16", [2, 2, 3]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-58, -127, -65, -81, -15, -29, -4, -5, 54, 38, -3, 65],
    output: [-14.5, -63.5, -48.75, -20.25, -7.5, -21.75, -1.0, -2.5, 40.5, 9.5, -1.5, 48.75],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 1, 3, 2]), extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.25, 0.5]))
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 3, 2]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-31, -41, -8, -15, 67, 88, 86, -107, 118, -85, -82, -28],
    output: [-7.75, -10.25, -2.0, -3.75, 16.75, 22.0, 43.0, -53.5, 59.0, -42.5, -41.0, -14.0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 1, 3, 2]), extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.25, 0.5]))
output = Output("output", ("TENSOR_FLOAT16", [2, 1, 3, 2]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-31, -41, -8, -15, 67, 88, 86, -107, 118, -85, -82, -28],
    output: [-7.75, -10.25, -2.0, -3.75, 16.75, 22.0, 43.0, -53.5, 59.0, -42.5, -41.0, -14.0],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 1, 3, 2]), extraParams=SymmPerChannelQuantParams(channelDim=1, scales=[0.25]))
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 3, 2]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-44, 44, 90, -48, 26, -98, -86, 71, 87, -23, -43, -109],
    output: [-11.0, 11.0, 22.5, -12.0, 6.5, -24.5, -21.5, 17.75, 21.75, -5.75, -10.75, -27.25],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 1, 3, 2]), extraParams=SymmPerChannelQuantParams(channelDim=1, scales=[0.25]))
output = Output("output", ("TENSOR_FLOAT16", [2, 1, 3, 2]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-44, 44, 90, -48, 26, -98, -86, 71, 87, -23, -43, -109],
    output: [-11.0, 11.0, 22.5, -12.0, 6.5, -24.5, -21.5, 17.75, 21.75, -5.75, -10.75, -27.25],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 1, 3, 2]), extraParams=SymmPerChannelQuantParams(channelDim=2, scales=[0.25, 0.5, 0.75]))
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 3, 2]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-58, -127, -65, -81, -15, -29, -4, -5, 54, 38, -3, 65],
    output: [-14.5, -31.75, -32.5, -40.5, -11.25, -21.75, -1.0, -1.25, 27.0, 19.0, -2.25, 48.75],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 1, 3, 2]), extraParams=SymmPerChannelQuantParams(channelDim=2, scales=[0.25, 0.5, 0.75]))
output = Output("output", ("TENSOR_FLOAT16", [2, 1, 3, 2]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-58, -127, -65, -81, -15, -29, -4, -5, 54, 38, -3, 65],
    output: [-14.5, -31.75, -32.5, -40.5, -11.25, -21.75, -1.0, -1.25, 27.0, 19.0, -2.25, 48.75],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 1, 3, 2]), extraParams=SymmPerChannelQuantParams(channelDim=3, scales=[0.25, 0.5]))
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 3, 2]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-71, -42, 35, -113, -55, 38, 80, -82, 22, 100, 36, -17],
    output: [-17.75, -21.0, 8.75, -56.5, -13.75, 19.0, 20.0, -41.0, 5.5, 50.0, 9.0, -8.5],
}, model=model)

x = Input("x", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 1, 3, 2]), extraParams=SymmPerChannelQuantParams(channelDim=3, scales=[0.25, 0.5]))
output = Output("output", ("TENSOR_FLOAT16", [2, 1, 3, 2]))
model = Model().Operation("DEQUANTIZE", x).To(output)
Example({
    x: [-71, -42, 35, -113, -55, 38, 80, -82, 22, 100, 36, -17],
    output: [-17.75, -21.0, 8.75, -56.5, -13.75, 19.0, 20.0, -41.0, 5.5, 50.0, 9.0, -8.5],
}, model=model)
