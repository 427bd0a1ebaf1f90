# Written by tests/golden/write_assembly_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1]))
output1 = Output("output1", ("TENSOR_FLOAT32", [1]))
model = Model("divides").Operation("SPLIT", input0, 0, 2).To(output0, output1)
Example({
    input0: [0.0, 7.0, 9.0],
    output0: [0.0],
    output1: [0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1]))
output1 = Output("output1", ("TENSOR_FLOAT32", [1]))
model = Model("outputs").Operation("SPLIT", input0, 0, 4).To(output0, output1)
Example({
    input0: [19.0, 2.0, 39.0, 1.0],
    output0: [0.0],
    output1: [0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2]))
output1 = Output("output1", ("TENSOR_FLOAT32", [2]))
model = Model("axis").Operation("SPLIT", input0, 1, 2).To(output0, output1)
Example({
    input0: [16.0, 36.0, -14.0, -20.0],
    output0: [0.0, 0.0],
    output1: [0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
