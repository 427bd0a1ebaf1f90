# Written by tests/golden/write_assembly_specs.py.

input0 = Parameter("input0", ("TENSOR_INT32", [1]), [3])
output0 = Output("output0", ("TENSOR_FLOAT32", [3]))
model = Model("vector").Operation("FILL", input0, 5.0).To(output0)
Example({
    output0: [5.0, 5.0, 5.0],
}, model=model).AddVariations("float16", "int32")

input0 = Input("input0", ("TENSOR_INT32", [2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3]))
model = Model("matrix").Operation("FILL", input0, -7.0).To(output0)
Example({
    input0: [2, 3],
    output0: [-7.0, -7.0, -7.0, -7.0, -7.0, -7.0],
}, model=model).AddVariations("relaxed", "float16", "int32").DisableLifeTimeVariation()

input0 = Parameter("input0", ("TENSOR_INT32", [5]), [1, 2, 1, 2, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 1, 2, 1]))
model = Model("rank_five").Operation("FILL", input0, 3.0).To(output0)
Example({
    output0: [3.0, 3.0, 3.0, 3.0],
}, model=model).AddVariations("float16", "int32")

input0 = Input("input0", ("TENSOR_INT32", [1]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1]))
model = Model("one").Operation("FILL", input0, 0.0).To(output0)
Example({
    input0: [1],
    output0: [0.0],
}, model=model).AddVariations("relaxed", "float16", "int32").DisableLifeTimeVariation()
