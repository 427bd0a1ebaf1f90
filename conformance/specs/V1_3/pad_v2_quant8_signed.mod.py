# Written by tests/golden/write_padding_specs.py.

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3], 0.5, -98))
input1 = Parameter("input1", ("TENSOR_INT32", [2, 2]), [1, 0, 0, 2])
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [3, 5], 0.5, -98))
model = Model("matrix").Operation("PAD_V2", input0, input1, 9).To(output0)
Example({
    input0: [40, 85, 78, 76, 49, 26],
    output0: [9, 9, 9, 9, 9, 40, 85, 78, 9, 9, 76, 49, 26, 9, 9],
}, model=model)

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [2], 0.5, -98))
input1 = Parameter("input1", ("TENSOR_INT32", [1, 2]), [1, 1])
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [4], 0.5, -98))
model = Model("lowest").Operation("PAD_V2", input0, input1, -128).To(output0)
Example({
    input0: [40, 85],
    output0: [-128, 40, 85, -128],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 3, 1, 2], 0.5, -98))
input1 = Parameter("input1", ("TENSOR_INT32", [4, 2]), [0, 0, 1, 1, 0, 1, 1, 0])
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [2, 5, 2, 3], 0.5, -98))
model = Model("highest").Operation("PAD_V2", input0, input1, 127).To(output0)
Example({
    input0: [-48, 34, 79, 53, 68, 37, -26, 53, 62, 46, 55, -45],
    output0: [127, 127, 127, 127, 127, 127, 127, -48, 34, 127, 127, 127, 127, 79, 53, 127, 127, 127, 127, 68, 37, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127, -26, 53, 127, 127, 127, 127, 62, 46, 127, 127, 127, 127, 55, -45, 127, 127, 127, 127, 127, 127, 127, 127, 127],
}, model=model).DisableLifeTimeVariation()
