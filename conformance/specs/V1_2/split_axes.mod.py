# Written by tests/golden/write_assembly_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 2, 2, 2]))
input1 = Int32Scalar("axis", 1)
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
output1 = Output("output1", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
model = Model("every").Operation("SPLIT", input0, input1, 2).To(output0, output1)
Example({
    input0: [16.0, 36.0, -14.0, -20.0, -2.0, 17.0, 6.0, 1.0, -20.0, 29.0, -20.0, 24.0, -3.0, 39.0, 37.0, 11.0],
    output0: [16.0, 36.0, -14.0, -20.0, -20.0, 29.0, -20.0, 24.0],
    output1: [-2.0, 17.0, 6.0, 1.0, -3.0, 39.0, 37.0, 11.0],
}, model=model).AddVariations("int32").AddAllAxis(input0, input1, output0, output1).DisableLifeTimeVariation()
