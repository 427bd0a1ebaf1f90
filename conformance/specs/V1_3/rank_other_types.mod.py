# Written by tests/golden/write_reshaping_specs.py.

input0 = Input("input0", ("TENSOR_BOOL8", [2, 1, 2]))
output0 = Output("output0", ("INT32", []))
model = Model("tensor_bool8").Operation("RANK", input0).To(output0)
Example({
    input0: [0, 1, 1, 0],
    output0: [3],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT16_SYMM", [2, 1, 2], 0.5, 0))
output0 = Output("output0", ("INT32", []))
model = Model("tensor_quant16_symm").Operation("RANK", input0).To(output0)
Example({
    input0: [0, 1, 1, 0],
    output0: [3],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT16_ASYMM", [2, 1, 2], 0.5, 3))
output0 = Output("output0", ("INT32", []))
model = Model("tensor_quant16_asymm").Operation("RANK", input0).To(output0)
Example({
    input0: [0, 1, 1, 0],
    output0: [3],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_SYMM", [2, 1, 2], 0.5, 0))
output0 = Output("output0", ("INT32", []))
model = Model("tensor_quant8_symm").Operation("RANK", input0).To(output0)
Example({
    input0: [0, 1, 1, 0],
    output0: [3],
}, model=model).DisableLifeTimeVariation()
