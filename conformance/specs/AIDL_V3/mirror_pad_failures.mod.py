# Written by tests/golden/write_padding_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [3]))
input1 = Parameter("input1", ("TENSOR_INT32", [1, 2]), [3, 0])
output0 = Output("output0", ("TENSOR_FLOAT32", [6]))
model = Model("reflect_room").Operation("MIRROR_PAD", input0, input1, 0).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [3]))
input1 = Parameter("input1", ("TENSOR_INT32", [1, 2]), [0, 4])
output0 = Output("output0", ("TENSOR_FLOAT32", [7]))
model = Model("symmetric_room").Operation("MIRROR_PAD", input0, input1, 1).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [3]))
input1 = Parameter("input1", ("TENSOR_INT32", [1, 2]), [-1, 0])
output0 = Output("output0", ("TENSOR_FLOAT32", [2]))
model = Model("negative").Operation("MIRROR_PAD", input0, input1, 1).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0],
    output0: [0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [3]))
input1 = Parameter("input1", ("TENSOR_INT32", [1, 2]), [1, 0])
output0 = Output("output0", ("TENSOR_FLOAT32", [4]))
model = Model("mode").Operation("MIRROR_PAD", input0, input1, 2).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0],
    output0: [0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
