# Written by tests/golden/write_reshaping_specs.py.

input0 = Input("input0", ("TENSOR_QUANT8_SYMM_PER_CHANNEL", [2, 1, 2]), extraParams=SymmPerChannelQuantParams(channelDim=0, scales=[0.5, 0.25]))
output0 = Output("output0", ("INT32", []))
model = Model().Operation("RANK", input0).To(output0)
Example({input0: [1, -1, 127, -127], output0: [3]}, model=model)
