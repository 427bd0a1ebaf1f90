# Written by tests/golden/write_padding_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [3]))
input1 = Parameter("input1", ("TENSOR_INT32", [1, 2]), [1, -1])
output0 = Output("output0", ("TENSOR_FLOAT32", [3]))
model = Model("negative").Operation("PAD_V2", input0, input1, 0.0).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0],
    output0: [0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2, 2]), [0, 0, 0, 0])
output0 = Output("output0", ("TENSOR_FLOAT32", [3]))
model = Model("too_many").Operation("PAD_V2", input0, input1, 0.0).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0],
    output0: [0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
