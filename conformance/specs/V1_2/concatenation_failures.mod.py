# Written by tests/golden/write_assembly_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Input("input1", ("TENSOR_FLOAT32", [2, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 6]))
model = Model("negative_axis").Operation("CONCATENATION", input0, input1, -1).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    input1: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Input("input1", ("TENSOR_FLOAT32", [2, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 6]))
model = Model("axis").Operation("CONCATENATION", input0, input1, 2).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    input1: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Input("input1", ("TENSOR_FLOAT32", [1, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 6]))
model = Model("sizes").Operation("CONCATENATION", input0, input1, 1).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    input1: [7.0, 33.0, -5.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Input("input1", ("TENSOR_FLOAT32", [3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [3, 3]))
model = Model("ranks").Operation("CONCATENATION", input0, input1, 0).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    input1: [-9.0, 4.0, -4.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
