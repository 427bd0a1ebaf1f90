# Written by tests/golden/write_reshaping_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [6])
output0 = Output("output0", ("TENSOR_FLOAT32", [6]))
model = Model("flatten").Operation("RESHAPE", input0, input1).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0, 10.0, 20.0],
    output0: [-9.0, 4.0, -4.0, 2.0, 10.0, 20.0],
}, model=model).AddVariations("float16", includeDefault=False)

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
input1 = Parameter("input1", ("TENSOR_INT32", [4]), [1, 2, 1, 2])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 1, 2]))
model = Model("fold").Operation("RESHAPE", input0, input1).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0],
    output0: [-12.0, 38.0, 26.0, -19.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3, 4]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [-1, 6])
output0 = Output("output0", ("TENSOR_FLOAT32", [4, 6]))
model = Model("inferred_first").Operation("RESHAPE", input0, input1).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0, 20.0, 13.0, 38.0, 24.0, 19.0, 4.0, -3.0, 22.0, 21.0, 34.0, 30.0, 28.0, -4.0, 37.0, 1.0, 31.0, 20.0, 0.0],
    output0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0, 20.0, 13.0, 38.0, 24.0, 19.0, 4.0, -3.0, 22.0, 21.0, 34.0, 30.0, 28.0, -4.0, 37.0, 1.0, 31.0, 20.0, 0.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3, 2, 1]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [3, -1])
output0 = Output("output0", ("TENSOR_FLOAT32", [3, 4]))
model = Model("inferred_last").Operation("RESHAPE", input0, input1).To(output0)
Example({
    input0: [26.0, 5.0, 3.0, 23.0, 3.0, -17.0, 35.0, -6.0, 7.0, 38.0, 20.0, -6.0],
    output0: [26.0, 5.0, 3.0, 23.0, 3.0, -17.0, 35.0, -6.0, 7.0, 38.0, 20.0, -6.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [-1])
output0 = Output("output0", ("TENSOR_FLOAT32", [4]))
model = Model("inferred_alone").Operation("RESHAPE", input0, input1).To(output0)
Example({
    input0: [23.0, 0.0, 33.0, 2.0],
    output0: [23.0, 0.0, 33.0, 2.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
input1 = Parameter("input1", ("TENSOR_INT32", [4]), [1, 2, 2, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
model = Model("same").Operation("RESHAPE", input0, input1).To(output0)
Example({
    input0: [-19.0, 34.0, 1.0, -19.0],
    output0: [-19.0, 34.0, 1.0, -19.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1]))
input1 = Parameter("input1", ("TENSOR_INT32", [4]), [1, 1, 1, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1, 1, 1]))
model = Model("one_element").Operation("RESHAPE", input0, input1).To(output0)
Example({
    input0: [0.0],
    output0: [0.0],
}, model=model).AddVariations("float16", includeDefault=False).DisableLifeTimeVariation()
