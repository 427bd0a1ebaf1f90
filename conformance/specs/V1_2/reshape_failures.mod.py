# Written by tests/golden/write_reshaping_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [5])
output0 = Output("output0", ("TENSOR_FLOAT32", [5]))
model = Model("elements").Operation("RESHAPE", input0, input1).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [-1, -1])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3]))
model = Model("two_inferred").Operation("RESHAPE", input0, input1).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [4, -1])
output0 = Output("output0", ("TENSOR_FLOAT32", [4, 1]))
model = Model("inexact").Operation("RESHAPE", input0, input1).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0],
    output0: [0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
