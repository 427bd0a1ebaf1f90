# Written by tests/golden/write_slicing_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input2 = Parameter("input2", ("TENSOR_INT32", [1]), [2])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 3]))
model = Model("index").Operation("GATHER", input0, 0, input2).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input2 = Parameter("input2", ("TENSOR_INT32", [1]), [-1])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 3]))
model = Model("negative_index").Operation("GATHER", input0, 0, input2).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input2 = Parameter("input2", ("TENSOR_INT32", [1]), [0])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3]))
model = Model("axis").Operation("GATHER", input0, 2, input2).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
