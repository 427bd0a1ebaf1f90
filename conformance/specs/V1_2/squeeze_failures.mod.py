# Written by tests/golden/write_reshaping_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [0])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 3]))
model = Model("size").Operation("SQUEEZE", input0, input1).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0],
    output0: [0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [3])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1, 3]))
model = Model("range").Operation("SQUEEZE", input0, input1).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
