# Written by tests/golden/write_slicing_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [0])
input2 = Parameter("input2", ("TENSOR_INT32", [1]), [2])
input3 = Parameter("input3", ("TENSOR_INT32", [1]), [0])
output0 = Output("output0", ("TENSOR_FLOAT32", [2]))
model = Model("stride").Operation("STRIDED_SLICE", input0, input1, input2, input3, 0, 0, 0).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [0])
input2 = Parameter("input2", ("TENSOR_INT32", [1]), [2])
input3 = Parameter("input3", ("TENSOR_INT32", [1]), [1])
output0 = Output("output0", ("TENSOR_FLOAT32", [1]))
model = Model("shrink_size").Operation("STRIDED_SLICE", input0, input1, input2, input3, 0, 0, 1).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [1])
input2 = Parameter("input2", ("TENSOR_INT32", [1]), [0])
input3 = Parameter("input3", ("TENSOR_INT32", [1]), [-1])
output0 = Output("output0", ("TENSOR_FLOAT32", [1]))
model = Model("shrink_backwards").Operation("STRIDED_SLICE", input0, input1, input2, input3, 0, 0, 1).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [-1])
input2 = Parameter("input2", ("TENSOR_INT32", [1]), [0])
input3 = Parameter("input3", ("TENSOR_INT32", [1]), [1])
output0 = Output("output0", ("TENSOR_FLOAT32", [1]))
model = Model("shrink_to_end").Operation("STRIDED_SLICE", input0, input1, input2, input3, 0, 0, 1).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [0])
input2 = Parameter("input2", ("TENSOR_INT32", [2]), [1, 1])
input3 = Parameter("input3", ("TENSOR_INT32", [2]), [1, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1]))
model = Model("length").Operation("STRIDED_SLICE", input0, input1, input2, input3, 0, 0, 0).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
