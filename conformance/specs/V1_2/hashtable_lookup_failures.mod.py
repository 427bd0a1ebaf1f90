# Written by tests/golden/write_lookup_specs.py.

input0 = Input("input0", ("TENSOR_INT32", [1]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [1, 2])
input2 = Input("input2", ("TENSOR_FLOAT32", [2]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1]))
output1 = Output("output1", ("TENSOR_QUANT8_ASYMM", [1], 0.5, 0))
model = Model("scale_of_hits").Operation("HASHTABLE_LOOKUP", input0, input1, input2).To(output0, output1)
Example({
    input0: [1],
    input2: [23.0, 0.0],
    output0: [0.0],
    output1: [1],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
