# Written by tests/golden/write_padding_specs.py.

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [3], 0.5, -128))
input1 = Parameter("input1", ("TENSOR_INT32", [1, 2]), [1, 1])
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [5], 0.5, -128))
model = Model("signed_lowest").Operation("PAD", input0, input1).To(output0)
Example({
    input0: [51, 64, 56],
    output0: [-128, 51, 64, 56, -128],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 0.5, 0))
input1 = Parameter("input1", ("TENSOR_INT32", [2, 2]), [1, 0, 0, 2])
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 5], 0.5, 0))
model = Model("signed_zero").Operation("PAD", input0, input1).To(output0)
Example({
    input0: [48, 98, 86, 41, 40, 55],
    output0: [0, 0, 0, 0, 0, 48, 98, 86, 0, 0, 41, 40, 55, 0, 0],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [3], 0.5, 127))
input1 = Parameter("input1", ("TENSOR_INT32", [1, 2]), [0, 2])
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [5], 0.5, 127))
model = Model("signed_highest").Operation("PAD", input0, input1).To(output0)
Example({
    input0: [51, 64, 56],
    output0: [51, 64, 56, 127, 127],
}, model=model).DisableLifeTimeVariation()
