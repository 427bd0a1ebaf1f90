# Written by tests/golden/write_blocks_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 1, 1, 6]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
model = Model("divides").Operation("DEPTH_TO_SPACE", input0, 2).To(output0)
Example({
    input0: [26.0, 5.0, 3.0, 23.0, 3.0, -17.0],
    output0: [0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 1, 1, 4]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1, 1, 4]))
model = Model("block").Operation("DEPTH_TO_SPACE", input0, 0).To(output0)
Example({
    input0: [23.0, 0.0, 33.0, 2.0],
    output0: [0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
