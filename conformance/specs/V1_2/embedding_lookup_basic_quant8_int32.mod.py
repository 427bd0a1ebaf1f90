# Written by tests/golden/write_lookup_specs.py.

input0 = Parameter("input0", ("TENSOR_INT32", [2]), [2, 0])
input1 = Input("input1", ("TENSOR_FLOAT32", [4, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3]))
model = Model("rows").Operation("EMBEDDING_LOOKUP", input0, input1).To(output0)
Example({
    input1: [-9.0, 4.0, -4.0, 2.0, 10.0, 20.0, 11.0, -11.0, 17.0, -5.0, 18.0, 25.0],
    output0: [11.0, -11.0, 17.0, -9.0, 4.0, -4.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100), "int32", includeDefault=False)

input0 = Input("input0", ("TENSOR_INT32", [5]))
input1 = Input("input1", ("TENSOR_FLOAT32", [4, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [5, 3]))
model = Model("repeated").Operation("EMBEDDING_LOOKUP", input0, input1).To(output0)
Example({
    input0: [3, 3, 1, 3, 0],
    input1: [-9.0, 4.0, -4.0, 2.0, 10.0, 20.0, 11.0, -11.0, 17.0, -5.0, 18.0, 25.0],
    output0: [-5.0, 18.0, 25.0, -5.0, 18.0, 25.0, 2.0, 10.0, 20.0, -5.0, 18.0, 25.0, -9.0, 4.0, -4.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100), "int32", includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_INT32", [2]))
input1 = Input("input1", ("TENSOR_FLOAT32", [3, 2, 2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2, 2]))
model = Model("cubes").Operation("EMBEDDING_LOOKUP", input0, input1).To(output0)
Example({
    input0: [1, 2],
    input1: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0],
    output0: [-20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100), "int32", includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_INT32", [1]))
input1 = Input("input1", ("TENSOR_FLOAT32", [2, 1, 2, 1, 2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1, 2, 1, 2]))
model = Model("rank_five").Operation("EMBEDDING_LOOKUP", input0, input1).To(output0)
Example({
    input0: [1],
    input1: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0, 20.0, 13.0],
    output0: [33.0, 8.0, 20.0, 13.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100), "int32", includeDefault=False).DisableLifeTimeVariation()
