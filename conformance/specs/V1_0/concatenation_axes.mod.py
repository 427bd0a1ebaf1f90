# Written by tests/golden/write_assembly_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
input1 = Input("input1", ("TENSOR_FLOAT32", [1, 2, 2, 3]))
input2 = Int32Scalar("axis", 3)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 2, 4]))
model = Model("every").Operation("CONCATENATION", input0, input1, input2).To(output0)
Example({
    input0: [8.0, 33.0, 22.0, 19.0],
    input1: [27.0, 28.0, 30.0, -2.0, -7.0, -10.0, -1.0, 8.0, 14.0, -20.0, 23.0, -7.0],
    output0: [8.0, 27.0, 28.0, 30.0, 33.0, -2.0, -7.0, -10.0, 22.0, -1.0, 8.0, 14.0, 19.0, -20.0, 23.0, -7.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).AddAllDimsAndPositiveAxis(input0, input1, input2, output0).DisableLifeTimeVariation()
