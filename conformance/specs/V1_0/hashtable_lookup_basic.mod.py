# Written by tests/golden/write_lookup_specs.py.

input0 = Input("input0", ("TENSOR_INT32", [4]))
input1 = Parameter("input1", ("TENSOR_INT32", [4]), [-7, 0, 3, 9])
input2 = Input("input2", ("TENSOR_FLOAT32", [4, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [4, 3]))
output1 = Output("output1", ("TENSOR_QUANT8_ASYMM", [4], 1.0, 0))
model = Model("matrix_tensor_float32").Operation("HASHTABLE_LOOKUP", input0, input1, input2).To(output0, output1)
Example({
    input0: [3, -7, 4, 9],
    input2: [-9.0, 4.0, -4.0, 2.0, 10.0, 20.0, 11.0, -11.0, 17.0, -5.0, 18.0, 25.0],
    output0: [11.0, -11.0, 17.0, -9.0, 4.0, -4.0, 0, 0, 0, -5.0, 18.0, 25.0],
    output1: [1, 1, 0, 1],
}, model=model)

input0 = Input("input0", ("TENSOR_INT32", [3]))
input1 = Parameter("input1", ("TENSOR_INT32", [4]), [1, 2, 5, 2147483647])
input2 = Input("input2", ("TENSOR_INT32", [4, 3]))
output0 = Output("output0", ("TENSOR_INT32", [3, 3]))
output1 = Output("output1", ("TENSOR_QUANT8_ASYMM", [3], 1.0, 0))
model = Model("matrix_tensor_int32").Operation("HASHTABLE_LOOKUP", input0, input1, input2).To(output0, output1)
Example({
    input0: [0, 5, 2147483647],
    input2: [9, 4, 4, 2, 10, 20, 11, 11, 17, 5, 18, 25],
    output0: [0, 0, 0, 11, 11, 17, 5, 18, 25],
    output1: [0, 1, 1],
}, model=model)

input0 = Input("input0", ("TENSOR_INT32", [3]))
input1 = Parameter("input1", ("TENSOR_INT32", [4]), [10, 20, 30, 40])
input2 = Input("input2", ("TENSOR_QUANT8_ASYMM", [4, 3], 0.5, 7))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [3, 3], 0.5, 7))
output1 = Output("output1", ("TENSOR_QUANT8_ASYMM", [3], 1.0, 0))
model = Model("matrix_tensor_quant8_asymm").Operation("HASHTABLE_LOOKUP", input0, input1, input2).To(output0, output1)
Example({
    input0: [40, 11, 20],
    input2: [9, 4, 4, 2, 10, 20, 11, 11, 17, 5, 18, 25],
    output0: [5, 18, 25, 0, 0, 0, 2, 10, 20],
    output1: [1, 0, 1],
}, model=model)

input0 = Input("input0", ("TENSOR_INT32", [2]))
input1 = Parameter("input1", ("TENSOR_INT32", [3]), [0, 1, 2])
input2 = Input("input2", ("TENSOR_FLOAT32", [3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2]))
output1 = Output("output1", ("TENSOR_QUANT8_ASYMM", [2], 1.0, 0))
model = Model("vector_tensor_float32").Operation("HASHTABLE_LOOKUP", input0, input1, input2).To(output0, output1)
Example({
    input0: [2, 3],
    input2: [26.0, 5.0, 3.0],
    output0: [3.0, 0],
    output1: [1, 0],
}, model=model)

input0 = Input("input0", ("TENSOR_INT32", [2]))
input1 = Parameter("input1", ("TENSOR_INT32", [3]), [5, 6, 7])
input2 = Input("input2", ("TENSOR_FLOAT32", [3, 2, 2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2, 2]))
output1 = Output("output1", ("TENSOR_QUANT8_ASYMM", [2], 1.0, 0))
model = Model("all_missing_tensor_float32").Operation("HASHTABLE_LOOKUP", input0, input1, input2).To(output0, output1)
Example({
    input0: [1, 8],
    input2: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0, 4.0, 32.0, -14.0, 9.0, 19.0, 15.0],
    output0: [0, 0, 0, 0, 0, 0, 0, 0],
    output1: [0, 0],
}, model=model)
