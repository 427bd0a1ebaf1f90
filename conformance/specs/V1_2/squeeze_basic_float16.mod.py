# Written by tests/golden/write_reshaping_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [1])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3]))
model = Model("middle").Operation("SQUEEZE", input0, input1).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0],
    output0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0],
}, model=model).AddVariations("float16", includeDefault=False)

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [-1])
output0 = Output("output0", ("TENSOR_FLOAT32", [2]))
model = Model("negative").Operation("SQUEEZE", input0, input1).To(output0)
Example({
    input0: [26.0, 5.0],
    output0: [26.0, 5.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [2, 0])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2]))
model = Model("several").Operation("SQUEEZE", input0, input1).To(output0)
Example({
    input0: [23.0, 0.0, 33.0, 2.0],
    output0: [23.0, 0.0, 33.0, 2.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [3]), [0, 0, -2])
output0 = Output("output0", ("TENSOR_FLOAT32", [3]))
model = Model("repeated").Operation("SQUEEZE", input0, input1).To(output0)
Example({
    input0: [-19.0, 34.0, 1.0],
    output0: [-19.0, 34.0, 1.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 1]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [0, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [1]))
model = Model("nothing_left").Operation("SQUEEZE", input0, input1).To(output0)
Example({
    input0: [0.0],
    output0: [0.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 1, 2, 1]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [3])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1, 2]))
model = Model("some_kept").Operation("SQUEEZE", input0, input1).To(output0)
Example({
    input0: [19.0, 2.0],
    output0: [19.0, 2.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()
