# Written by tests/golden/write_assembly_specs.py.

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [8], 0.5, 128))
input1 = Input("input1", ("TENSOR_QUANT8_ASYMM", [8], 0.25, 10))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [16], 1.0, 128))
model = Model("coarser").Operation("CONCATENATION", input0, input1, 0).To(output0)
Example({
    input0: [0, 1, 100, 127, 128, 129, 254, 255],
    input1: [0, 1, 100, 127, 128, 129, 254, 255],
    output0: [64, 64, 114, 127, 128, 129, 191, 192, 125, 126, 151, 157, 158, 158, 189, 189],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [8], 0.5, 128))
input1 = Input("input1", ("TENSOR_QUANT8_ASYMM", [8], 1.0, 128))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [16], 0.125, 100))
model = Model("finer").Operation("CONCATENATION", input0, input1, 0).To(output0)
Example({
    input0: [0, 1, 100, 127, 128, 129, 254, 255],
    input1: [0, 1, 100, 127, 128, 129, 254, 255],
    output0: [0, 0, 0, 96, 100, 104, 255, 255, 0, 0, 0, 92, 100, 108, 255, 255],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [8], 0.5, 0))
input1 = Input("input1", ("TENSOR_QUANT8_ASYMM", [8], 0.5, 255))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [16], 0.5, 128))
model = Model("zero_points").Operation("CONCATENATION", input0, input1, 0).To(output0)
Example({
    input0: [0, 1, 100, 127, 128, 129, 254, 255],
    input1: [0, 1, 100, 127, 128, 129, 254, 255],
    output0: [128, 129, 228, 255, 255, 255, 255, 255, 0, 0, 0, 0, 1, 2, 127, 128],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [8], 0.3, 77))
input1 = Input("input1", ("TENSOR_QUANT8_ASYMM", [8], 0.7, 200))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [16], 0.4, 255))
model = Model("target_ends").Operation("CONCATENATION", input0, input1, 0).To(output0)
Example({
    input0: [0, 1, 100, 127, 128, 129, 254, 255],
    input1: [0, 1, 100, 127, 128, 129, 254, 255],
    output0: [197, 198, 255, 255, 255, 255, 255, 255, 0, 0, 80, 127, 129, 131, 255, 255],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [8], 0.3, 77))
input1 = Input("input1", ("TENSOR_QUANT8_ASYMM", [8], 0.7, 0))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [16], 0.7, 0))
model = Model("one_kept").Operation("CONCATENATION", input0, input1, 0).To(output0)
Example({
    input0: [0, 1, 100, 127, 128, 129, 254, 255],
    input1: [0, 1, 100, 127, 128, 129, 254, 255],
    output0: [0, 0, 10, 21, 22, 22, 76, 76, 0, 1, 100, 127, 128, 129, 254, 255],
}, model=model).DisableLifeTimeVariation()
