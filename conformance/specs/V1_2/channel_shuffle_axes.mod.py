# Written by tests/golden/write_blocks_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1, 6]))
input2 = Int32Scalar("axis", 3)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 1, 6]))
model = Model("every").Operation("CHANNEL_SHUFFLE", input0, 3, input2).To(output0)
Example({
    input0: [16.0, 36.0, -14.0, -20.0, -2.0, 17.0, 6.0, 1.0, -20.0, 29.0, -20.0, 24.0],
    output0: [16.0, -14.0, -2.0, 36.0, -20.0, 17.0, 6.0, -20.0, -20.0, 1.0, 29.0, 24.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).AddAllDimsAndAxis(input0, input2, output0).DisableLifeTimeVariation()
