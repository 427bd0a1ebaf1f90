# Written by tests/golden/write_blocks_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
output0 = Output("output0", ("TENSOR_FLOAT32", [4]))
model = Model("groups").Operation("CHANNEL_SHUFFLE", input0, 3, 0).To(output0)
Example({
    input0: [10.0, -6.0, -12.0, -6.0],
    output0: [0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
output0 = Output("output0", ("TENSOR_FLOAT32", [4]))
model = Model("no_groups").Operation("CHANNEL_SHUFFLE", input0, 0, 0).To(output0)
Example({
    input0: [29.0, 28.0, 17.0, 34.0],
    output0: [0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
output0 = Output("output0", ("TENSOR_FLOAT32", [4]))
model = Model("axis").Operation("CHANNEL_SHUFFLE", input0, 2, 1).To(output0)
Example({
    input0: [-13.0, 23.0, 25.0, 14.0],
    output0: [0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
