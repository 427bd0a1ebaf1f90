# Written by tests/golden/write_lookup_specs.py.

input0 = Parameter("input0", ("TENSOR_FLOAT16", [4, 2]), [0.5625, 0.9375, -0.8125, -3.875, -0.1875, 3.0, -2.4375, 0.625])
input1 = Input("input1", ("TENSOR_FLOAT16", [3, 2])).ShouldNeverBeInternal()
input2 = Parameter("input2", ("TENSOR_FLOAT16", [3]), [0.3125, 0.9375, 0.6875])
output0 = Output("output0", ("TENSOR_INT32", [8]))
model = Model("dense_half").Operation("LSH_PROJECTION", input0, input1, input2, 2).To(output0)
Example({
    input1: [33, 45, 36, -3, -13, -14],
    output0: [0, 1, 1, 0, 1, 1, 1, 1],
}, model=model).DisableLifeTimeVariation()

input0 = Parameter("input0", ("TENSOR_FLOAT16", [2, 8]), [3.0625, 0.625, -1.5, 3.8125, 1.0625, -2.125, 3.3125, 2.625, 3.75, -1.5, -3.1875, 3.5625, 3.6875, -1.625, 0.1875, 1.125])
input1 = Input("input1", ("TENSOR_FLOAT16", [2, 3])).ShouldNeverBeInternal()
input2 = Parameter("input2", ("TENSOR_FLOAT16", [2]), value=None)
output0 = Output("output0", ("TENSOR_INT32", [2]))
model = Model("sparse_half").Operation("LSH_PROJECTION", input0, input1, input2, 3).To(output0)
Example({
    input1: [60, 40, 67, -5, 0, 97],
    output0: [217, 307],
}, model=model).DisableLifeTimeVariation()

input0 = Parameter("input0", ("TENSOR_FLOAT32", [2, 4]), [1.8125, -3.375, 3.0, 4.0, 0.4375, -3.625, -3.5625, -2.5])
input1 = Input("input1", ("TENSOR_FLOAT16", [3, 3])).ShouldNeverBeInternal()
input2 = Parameter("input2", ("TENSOR_FLOAT32", [3]), value=None)
output0 = Output("output0", ("TENSOR_INT32", [2]))
model = Model("half_input").Operation("LSH_PROJECTION", input0, input1, input2, 3).To(output0)
Example({
    input1: [18, 0, 94, 5, 18, 82, 74, 7, 69],
    output0: [5, 16],
}, model=model).DisableLifeTimeVariation()

input0 = Parameter("input0", ("TENSOR_FLOAT16", [2, 4]), [0.5625, 0.9375, -0.8125, -3.875, -0.1875, 3.0, -2.4375, 0.625])
input1 = Input("input1", ("TENSOR_FLOAT32", [3, 3])).ShouldNeverBeInternal()
input2 = Parameter("input2", ("TENSOR_FLOAT16", [3]), [0.25, 0.375, 1.375])
output0 = Output("output0", ("TENSOR_INT32", [8]))
model = Model("half_seeds").Operation("LSH_PROJECTION", input0, input1, input2, 2).To(output0)
Example({
    input1: [33, 45, 36, -3, -13, -14, 44, -7, 77],
    output0: [0, 0, 1, 1, 1, 1, 0, 1],
}, model=model)
