# Written by tests/golden/write_assembly_specs.py.

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [8], 0.5, 0))
input1 = Input("input1", ("TENSOR_QUANT8_ASYMM_SIGNED", [8], 0.25, -118))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [16], 1.0, 0))
model = Model("coarser").Operation("CONCATENATION", input0, input1, 0).To(output0)
Example({
    input0: [-128, -127, -28, -1, 0, 1, 126, 127],
    input1: [-128, -127, -28, -1, 0, 1, 126, 127],
    output0: [-64, -64, -14, -1, 0, 1, 63, 64, -3, -2, 23, 29, 30, 30, 61, 61],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [8], 0.5, 0))
input1 = Input("input1", ("TENSOR_QUANT8_ASYMM_SIGNED", [8], 1.0, 0))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [16], 0.125, -28))
model = Model("finer").Operation("CONCATENATION", input0, input1, 0).To(output0)
Example({
    input0: [-128, -127, -28, -1, 0, 1, 126, 127],
    input1: [-128, -127, -28, -1, 0, 1, 126, 127],
    output0: [-128, -128, -128, -32, -28, -24, 127, 127, -128, -128, -128, -36, -28, -20, 127, 127],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [8], 0.5, -128))
input1 = Input("input1", ("TENSOR_QUANT8_ASYMM_SIGNED", [8], 0.5, 127))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [16], 0.5, 0))
model = Model("zero_points").Operation("CONCATENATION", input0, input1, 0).To(output0)
Example({
    input0: [-128, -127, -28, -1, 0, 1, 126, 127],
    input1: [-128, -127, -28, -1, 0, 1, 126, 127],
    output0: [0, 1, 100, 127, 127, 127, 127, 127, -128, -128, -128, -128, -127, -126, -1, 0],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [8], 0.3, -51))
input1 = Input("input1", ("TENSOR_QUANT8_ASYMM_SIGNED", [8], 0.7, 72))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [16], 0.4, 127))
model = Model("target_ends").Operation("CONCATENATION", input0, input1, 0).To(output0)
Example({
    input0: [-128, -127, -28, -1, 0, 1, 126, 127],
    input1: [-128, -127, -28, -1, 0, 1, 126, 127],
    output0: [69, 70, 127, 127, 127, 127, 127, 127, -128, -128, -48, -1, 1, 3, 127, 127],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [8], 0.3, -51))
input1 = Input("input1", ("TENSOR_QUANT8_ASYMM_SIGNED", [8], 0.7, -128))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [16], 0.7, -128))
model = Model("one_kept").Operation("CONCATENATION", input0, input1, 0).To(output0)
Example({
    input0: [-128, -127, -28, -1, 0, 1, 126, 127],
    input1: [-128, -127, -28, -1, 0, 1, 126, 127],
    output0: [-128, -128, -118, -107, -106, -106, -52, -52, -128, -127, -28, -1, 0, 1, 126, 127],
}, model=model).DisableLifeTimeVariation()
