# Written by tests/golden/write_slicing_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1]))
output1 = Output("output1", ("TENSOR_FLOAT32", [2, 1]))
model = Model("none").Operation("TOPK_V2", input0, 0).To(output0, output1)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [0.0, 0.0],
    output1: [0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 4]))
output1 = Output("output1", ("TENSOR_FLOAT32", [2, 4]))
model = Model("too_many").Operation("TOPK_V2", input0, 4).To(output0, output1)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
    output1: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
