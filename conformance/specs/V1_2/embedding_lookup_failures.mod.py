# Written by tests/golden/write_lookup_specs.py.

input0 = Input("input0", ("TENSOR_INT32", [2]))
input1 = Input("input1", ("TENSOR_FLOAT32", [4, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3]))
model = Model("index").Operation("EMBEDDING_LOOKUP", input0, input1).To(output0)
Example({
    input0: [0, 4],
    input1: [-9.0, 4.0, -4.0, 2.0, 10.0, 20.0, 11.0, -11.0, 17.0, -5.0, 18.0, 25.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_INT32", [1]))
input1 = Input("input1", ("TENSOR_FLOAT32", [4, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 3]))
model = Model("negative").Operation("EMBEDDING_LOOKUP", input0, input1).To(output0)
Example({
    input0: [-1],
    input1: [-9.0, 4.0, -4.0, 2.0, 10.0, 20.0, 11.0, -11.0, 17.0, -5.0, 18.0, 25.0],
    output0: [0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
