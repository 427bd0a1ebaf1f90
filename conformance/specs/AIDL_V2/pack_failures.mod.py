# Written by tests/golden/write_assembly_specs.py.

input1 = Input("input1", ("TENSOR_FLOAT32", [3]))
input2 = Input("input2", ("TENSOR_FLOAT32", [3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [3, 2]))
model = Model("negative_axis").Operation("PACK", -1, input1, input2).To(output0)
Example({
    input1: [-9.0, 4.0, -4.0],
    input2: [-9.0, 4.0, -4.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input1 = Input("input1", ("TENSOR_FLOAT32", [3]))
input2 = Input("input2", ("TENSOR_FLOAT32", [3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [3, 2]))
model = Model("axis").Operation("PACK", 2, input1, input2).To(output0)
Example({
    input1: [-9.0, 4.0, -4.0],
    input2: [-9.0, 4.0, -4.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input1 = Input("input1", ("TENSOR_FLOAT32", [3]))
input2 = Input("input2", ("TENSOR_FLOAT32", [4]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3]))
model = Model("sizes").Operation("PACK", 0, input1, input2).To(output0)
Example({
    input1: [-9.0, 4.0, -4.0],
    input2: [23.0, 0.0, 33.0, 2.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
