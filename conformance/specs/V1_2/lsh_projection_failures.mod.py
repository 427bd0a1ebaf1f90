# Written by tests/golden/write_lookup_specs.py.

input0 = Parameter("input0", ("TENSOR_FLOAT32", [1, 2]), [0.5, 0.5])
input1 = Input("input1", ("TENSOR_FLOAT32", [2]))
input2 = Parameter("input2", ("TENSOR_FLOAT32", [2]), value=None)
output0 = Output("output0", ("TENSOR_INT32", [1]))
model = Model("dense_without_weights").Operation("LSH_PROJECTION", input0, input1, input2, 2).To(output0)
Example({
    input1: [-9.0, 4.0],
    output0: [0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Parameter("input0", ("TENSOR_FLOAT32", [1, 2]), [0.5, 0.5])
input1 = Input("input1", ("TENSOR_FLOAT32", [2]))
input2 = Parameter("input2", ("TENSOR_FLOAT32", [2]), [1.0, 2.0])
output0 = Output("output0", ("TENSOR_INT32", [1]))
model = Model("sparse_with_weights").Operation("LSH_PROJECTION", input0, input1, input2, 3).To(output0)
Example({
    input1: [-9.0, 4.0],
    output0: [0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Parameter("input0", ("TENSOR_FLOAT32", [1, 2]), [0.5, 0.5])
input1 = Input("input1", ("TENSOR_FLOAT32", [2]))
input2 = Parameter("input2", ("TENSOR_FLOAT32", [2]), value=None)
output0 = Output("output0", ("TENSOR_INT32", [1]))
model = Model("type").Operation("LSH_PROJECTION", input0, input1, input2, 4).To(output0)
Example({
    input1: [-9.0, 4.0],
    output0: [0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Parameter("input0", ("TENSOR_FLOAT32", [1, 33]), [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
input1 = Input("input1", ("TENSOR_FLOAT32", [2]))
input2 = Parameter("input2", ("TENSOR_FLOAT32", [2]), value=None)
output0 = Output("output0", ("TENSOR_INT32", [1]))
model = Model("bits").Operation("LSH_PROJECTION", input0, input1, input2, 3).To(output0)
Example({
    input1: [-9.0, 4.0],
    output0: [0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
