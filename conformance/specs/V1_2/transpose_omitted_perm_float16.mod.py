# Written by tests/golden/write_reshaping_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [0]), value=None)
output0 = Output("output0", ("TENSOR_FLOAT32", [3, 2]))
model = Model("constant").Operation("TRANSPOSE", input0, input1).To(output0)
Example({
    input0: [0.0, 7.0, 9.0, 21.0, -3.0, 7.0],
    output0: [0.0, 21.0, 7.0, -3.0, 9.0, 7.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [3, 1]))
input1 = Input("input1", ("TENSOR_INT32", [0]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 3]))
model = Model("argument").Operation("TRANSPOSE", input0, input1).To(output0)
Example({
    input0: [19.0, 2.0, 39.0],
    input1: [],
    output0: [19.0, 2.0, 39.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()
