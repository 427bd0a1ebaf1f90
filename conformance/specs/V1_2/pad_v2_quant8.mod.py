# Written by tests/golden/write_padding_specs.py.

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [2, 3], 0.5, 30))
input1 = Parameter("input1", ("TENSOR_INT32", [2, 2]), [1, 0, 0, 2])
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [3, 5], 0.5, 30))
model = Model("matrix").Operation("PAD_V2", input0, input1, 9).To(output0)
Example({
    input0: [168, 213, 206, 204, 177, 154],
    output0: [9, 9, 9, 9, 9, 168, 213, 206, 9, 9, 204, 177, 154, 9, 9],
}, model=model)

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [2], 0.5, 30))
input1 = Parameter("input1", ("TENSOR_INT32", [1, 2]), [1, 1])
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [4], 0.5, 30))
model = Model("lowest").Operation("PAD_V2", input0, input1, 0).To(output0)
Example({
    input0: [168, 213],
    output0: [0, 168, 213, 0],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [2, 3, 1, 2], 0.5, 30))
input1 = Parameter("input1", ("TENSOR_INT32", [4, 2]), [0, 0, 1, 1, 0, 1, 1, 0])
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [2, 5, 2, 3], 0.5, 30))
model = Model("highest").Operation("PAD_V2", input0, input1, 255).To(output0)
Example({
    input0: [80, 162, 207, 181, 196, 165, 102, 181, 190, 174, 183, 83],
    output0: [255, 255, 255, 255, 255, 255, 255, 80, 162, 255, 255, 255, 255, 207, 181, 255, 255, 255, 255, 196, 165, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 102, 181, 255, 255, 255, 255, 190, 174, 255, 255, 255, 255, 183, 83, 255, 255, 255, 255, 255, 255, 255, 255, 255],
}, model=model).DisableLifeTimeVariation()
