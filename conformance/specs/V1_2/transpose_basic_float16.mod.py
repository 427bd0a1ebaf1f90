# Written by tests/golden/write_reshaping_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [1, 0])
output0 = Output("output0", ("TENSOR_FLOAT32", [3, 2]))
model = Model("matrix").Operation("TRANSPOSE", input0, input1).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0, 10.0, 20.0],
    output0: [-9.0, 2.0, 4.0, 10.0, -4.0, 20.0],
}, model=model).AddVariations("float16", includeDefault=False)

input0 = Input("input0", ("TENSOR_FLOAT32", [3]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [0])
output0 = Output("output0", ("TENSOR_FLOAT32", [3]))
model = Model("vector").Operation("TRANSPOSE", input0, input1).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0],
    output0: [-12.0, 38.0, 26.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [3]), [2, 0, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2, 3]))
model = Model("cube").Operation("TRANSPOSE", input0, input1).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0, 20.0, 13.0, 38.0, 24.0, 19.0, 4.0],
    output0: [7.0, -5.0, 33.0, 20.0, 38.0, 19.0, 33.0, -18.0, 8.0, 13.0, 24.0, 4.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 3, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [4]), [3, 2, 1, 0])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3, 2, 1]))
model = Model("reversed").Operation("TRANSPOSE", input0, input1).To(output0)
Example({
    input0: [26.0, 5.0, 3.0, 23.0, 3.0, -17.0, 35.0, -6.0, 7.0, 38.0, 20.0, -6.0],
    output0: [26.0, 35.0, 3.0, 7.0, 3.0, 20.0, 5.0, -6.0, 23.0, 38.0, -17.0, -6.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [4]), [0, 3, 1, 2])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 3, 2, 2]))
model = Model("to_nchw").Operation("TRANSPOSE", input0, input1).To(output0)
Example({
    input0: [23.0, 0.0, 33.0, 2.0, 35.0, 18.0, 28.0, 15.0, -2.0, -8.0, -1.0, -17.0],
    output0: [23.0, 2.0, 28.0, -8.0, 0.0, 35.0, 15.0, -1.0, 33.0, 18.0, -2.0, -17.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [4]), [0, 1, 2, 3])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
model = Model("identity").Operation("TRANSPOSE", input0, input1).To(output0)
Example({
    input0: [-19.0, 34.0, 1.0, -19.0, 5.0, -7.0, -18.0, -4.0],
    output0: [-19.0, 34.0, 1.0, -19.0, 5.0, -7.0, -18.0, -4.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()
