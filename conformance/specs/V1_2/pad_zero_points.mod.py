# Written by tests/golden/write_padding_specs.py.

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.5, 100))
input1 = Parameter("input1", ("TENSOR_INT32", [2, 2]), [1, 0, 0, 2])
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [3, 5], 0.5, 100))
model = Model("middle").Operation("PAD", input0, input1).To(output0)
Example({
    input0: [48, 98, 86, 41, 40, 55],
    output0: [100, 100, 100, 100, 100, 48, 98, 86, 100, 100, 41, 40, 55, 100, 100],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [3], 0.5, 255))
input1 = Parameter("input1", ("TENSOR_INT32", [1, 2]), [1, 1])
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [5], 0.5, 255))
model = Model("highest").Operation("PAD", input0, input1).To(output0)
Example({
    input0: [51, 64, 56],
    output0: [255, 51, 64, 56, 255],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [1, 2, 1, 2], 0.5, 1))
input1 = Parameter("input1", ("TENSOR_INT32", [4, 2]), [0, 1, 1, 0, 0, 0, 1, 1])
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [2, 3, 1, 4], 0.5, 1))
model = Model("one").Operation("PAD", input0, input1).To(output0)
Example({
    input0: [83, 60, 93, 62],
    output0: [1, 1, 1, 1, 1, 83, 60, 1, 1, 93, 62, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1],
}, model=model).DisableLifeTimeVariation()
