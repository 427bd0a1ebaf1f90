# Written by tests/golden/write_lookup_specs.py.

input0 = Parameter("input0", ("TENSOR_FLOAT32", [4, 2]), [2.9375, -2.4375, -3.1875, -3.0625, -3.625, 3.9375, 3.9375, -0.9375])
input1 = Input("input1", ("TENSOR_FLOAT32", [3, 2])).ShouldNeverBeInternal()
input2 = Parameter("input2", ("TENSOR_FLOAT32", [3]), [0.25, 1.625, 1.0625])
output0 = Output("output0", ("TENSOR_INT32", [8]))
model = Model("dense").Operation("LSH_PROJECTION", input0, input1, input2, 2).To(output0)
Example({
    input1: [15, 30, 52, 6, 56, 15],
    output0: [0, 1, 1, 0, 1, 0, 0, 1],
}, model=model)

input0 = Parameter("input0", ("TENSOR_FLOAT32", [2, 3]), [1.8125, -3.375, 3.0, 4.0, 0.4375, -3.625])
input1 = Input("input1", ("TENSOR_INT32", [2, 3, 2])).ShouldNeverBeInternal()
input2 = Parameter("input2", ("TENSOR_FLOAT32", [2]), [2.0, 1.125])
output0 = Output("output0", ("TENSOR_INT32", [6]))
model = Model("dense_int32").Operation("LSH_PROJECTION", input0, input1, input2, 2).To(output0)
Example({
    input1: [18, 100, 18, 0, 94, 5, 18, 82, 74, 7, 69, 87],
    output0: [0, 1, 1, 0, 0, 0],
}, model=model).DisableLifeTimeVariation()

input0 = Parameter("input0", ("TENSOR_FLOAT32", [2, 4]), [3.0625, 0.625, -1.5, 3.8125, 1.0625, -2.125, 3.3125, 2.625])
input1 = Input("input1", ("TENSOR_QUANT8_ASYMM", [5], 0.5, 3)).ShouldNeverBeInternal()
input2 = Parameter("input2", ("TENSOR_FLOAT32", [5]), [1.1875, 1.25, 0.625, 1.5625, 1.875])
output0 = Output("output0", ("TENSOR_INT32", [8]))
model = Model("dense_quant8").Operation("LSH_PROJECTION", input0, input1, input2, 2).To(output0)
Example({
    input1: [6, 52, 56, 40, 88],
    output0: [0, 0, 0, 1, 1, 0, 1, 1],
}, model=model).DisableLifeTimeVariation()

input0 = Parameter("input0", ("TENSOR_FLOAT32", [4, 2]), [-0.25, -0.0625, -2.6875, 3.125, 3.875, 3.5, -1.9375, -1.0])
input1 = Input("input1", ("TENSOR_FLOAT32", [3, 2])).ShouldNeverBeInternal()
input2 = Parameter("input2", ("TENSOR_FLOAT32", [3]), value=None)
output0 = Output("output0", ("TENSOR_INT32", [4]))
model = Model("sparse_deprecated").Operation("LSH_PROJECTION", input0, input1, input2, 1).To(output0)
Example({
    input1: [82, 61, 78, -4, 71, 53],
    output0: [1, 1, 3, 2],
}, model=model)

input0 = Parameter("input0", ("TENSOR_FLOAT32", [3, 5]), [-1.3125, -1.25, 3.4375, 2.0625, 0.125, -4.0, -1.125, -2.625, -3.3125, -1.75, -0.1875, -3.375, 2.75, 0.375, -2.625])
input1 = Input("input1", ("TENSOR_INT32", [4])).ShouldNeverBeInternal()
input2 = Parameter("input2", ("TENSOR_FLOAT32", [4]), value=None)
output0 = Output("output0", ("TENSOR_INT32", [3]))
model = Model("sparse_deprecated_int32").Operation("LSH_PROJECTION", input0, input1, input2, 1).To(output0)
Example({
    input1: [79, 55, 37, 95],
    output0: [29, 24, 22],
}, model=model).DisableLifeTimeVariation()
