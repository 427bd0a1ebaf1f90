# Written by tests/golden/write_reshaping_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [0]), value=None)
output0 = Output("output0", ("TENSOR_FLOAT32", [3, 1, 2]))
model = Model("omitted_cube").Operation("TRANSPOSE", input0, input1).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [1, 0])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 3]))
model = Model("length").Operation("TRANSPOSE", input0, input1).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [3]), [0, 1, -1])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1, 3]))
model = Model("negative").Operation("TRANSPOSE", input0, input1).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [3]), [0, 1, 3])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1, 3]))
model = Model("range").Operation("TRANSPOSE", input0, input1).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
