# Written by tests/golden/write_lookup_specs.py.

input0 = Parameter("input0", ("TENSOR_FLOAT32", [4, 2]), [-2.875, -2.75, -3.875, -3.375, -2.375, -1.1875, 1.375, 1.3125])
input1 = Input("input1", ("TENSOR_FLOAT32", [3, 2])).ShouldNeverBeInternal()
input2 = Parameter("input2", ("TENSOR_FLOAT32", [3]), value=None)
output0 = Output("output0", ("TENSOR_INT32", [4]))
model = Model("sparse").Operation("LSH_PROJECTION", input0, input1, input2, 3).To(output0).IntroducedIn("V1_0")
Example({
    input1: [32, 61, 0, 21, 43, 12],
    output0: [0, 5, 8, 14],
}, model=model)

input0 = Parameter("input0", ("TENSOR_FLOAT32", [2, 16]), [0.75, 3.6875, 0.8125, 2.9375, -3.5625, -3.0625, -3.0625, -3.875, 0.1875, -1.625, -1.6875, 0.125, -0.8125, -0.625, 2.8125, 0.5, 1.25, -3.9375, 0.6875, -1.0625, 3.0625, 0.625, -2.4375, -3.875, 3.0, 0.6875, -1.1875, -1.125, 3.5625, 2.3125, 0.0625, 2.3125])
input1 = Input("input1", ("TENSOR_FLOAT32", [2, 40])).ShouldNeverBeInternal()
input2 = Parameter("input2", ("TENSOR_FLOAT32", [2]), value=None)
output0 = Output("output0", ("TENSOR_INT32", [2]))
model = Model("sparse_long_rows").Operation("LSH_PROJECTION", input0, input1, input2, 3).To(output0).IntroducedIn("V1_0")
Example({
    input1: [93, -6, -13, -13, 26, -10, 55, 80, 3, -8, 23, 55, 55, 3, 57, 64, 3, 2, 88, -13, 93, 46, 49, 43, 53, 64, 40, 92, 40, 60, 40, 68, 58, 62, 11, -17, -13, 52, 42, 11, 42, 99, 2, 91, 35, 60, 94, 79, -19, -14, -13, 68, 93, 28, 45, 50, 5, -6, 16, 49, 0, -5, 91, 13, -14, 3, 87, 26, 73, 75, 8, 53, 34, 27, 37, 19, 51, 72, -12, 77],
    output0: [63121, 68783],
}, model=model)

input0 = Parameter("input0", ("TENSOR_FLOAT32", [3, 4]), [-4.0, -3.6875, 2.25, 3.625, 1.6875, -0.625, 1.875, -0.3125, -3.3125, -3.375, 3.625, -0.375])
input1 = Input("input1", ("TENSOR_INT32", [3, 5])).ShouldNeverBeInternal()
input2 = Parameter("input2", ("TENSOR_FLOAT32", [3]), value=None)
output0 = Output("output0", ("TENSOR_INT32", [3]))
model = Model("sparse_int32").Operation("LSH_PROJECTION", input0, input1, input2, 3).To(output0).IntroducedIn("V1_0")
Example({
    input1: [52, 80, 88, 7, 52, 68, 88, 62, 15, 12, 61, 97, 72, 10, 35],
    output0: [8, 23, 45],
}, model=model).DisableLifeTimeVariation()

input0 = Parameter("input0", ("TENSOR_FLOAT32", [2, 8]), [-2.75, 0.3125, -2.0, 3.5, 2.625, 0.5625, 0.6875, -3.1875, -2.5625, 3.125, 2.375, 3.6875, -1.3125, -1.25, 2.75, 0.9375])
input1 = Input("input1", ("TENSOR_QUANT8_ASYMM", [3, 9], 0.5, 3)).ShouldNeverBeInternal()
input2 = Parameter("input2", ("TENSOR_FLOAT32", [3]), value=None)
output0 = Output("output0", ("TENSOR_INT32", [2]))
model = Model("sparse_quant8").Operation("LSH_PROJECTION", input0, input1, input2, 3).To(output0).IntroducedIn("V1_0")
Example({
    input1: [31, 90, 30, 31, 6, 76, 62, 24, 19, 15, 44, 46, 23, 15, 32, 69, 0, 7, 32, 19, 24, 80, 45, 18, 26, 15, 90],
    output0: [3, 438],
}, model=model).DisableLifeTimeVariation()
