# Written by tests/golden/write_blocks_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 3, 2, 1]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1, 1, 4]))
model = Model("divides").Operation("SPACE_TO_DEPTH", input0, 2).To(output0)
Example({
    input0: [16.0, 36.0, -14.0, -20.0, -2.0, 17.0],
    output0: [0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
model = Model("block").Operation("SPACE_TO_DEPTH", input0, -1).To(output0)
Example({
    input0: [35.0, 31.0, 15.0, 20.0],
    output0: [0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
