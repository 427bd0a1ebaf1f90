# Written by tests/golden/write_blocks_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1, 6]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 1, 6]))
model = Model("image").Operation("CHANNEL_SHUFFLE", input0, 2, 3).To(output0)
Example({
    input0: [17.0, -3.0, 12.0, 16.0, -12.0, 24.0, 31.0, 37.0, -14.0, 31.0, 5.0, 24.0],
    output0: [17.0, 16.0, -3.0, -12.0, 12.0, 24.0, 31.0, 31.0, 37.0, 5.0, -14.0, 24.0],
}, model=model).AddVariations("relaxed", "float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100))

input0 = Input("input0", ("TENSOR_FLOAT32", [6]))
output0 = Output("output0", ("TENSOR_FLOAT32", [6]))
model = Model("vector").Operation("CHANNEL_SHUFFLE", input0, 3, 0).To(output0)
Example({
    input0: [36.0, -8.0, -19.0, -4.0, -20.0, 38.0],
    output0: [36.0, -19.0, -20.0, -8.0, -4.0, 38.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3]))
model = Model("one_group").Operation("CHANNEL_SHUFFLE", input0, 1, -1).To(output0)
Example({
    input0: [-6.0, 26.0, 11.0, 36.0, 11.0, 12.0],
    output0: [-6.0, 26.0, 11.0, 36.0, 11.0, 12.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 3]))
model = Model("one_each").Operation("CHANNEL_SHUFFLE", input0, 3, 1).To(output0)
Example({
    input0: [-9.0, 21.0, 19.0, 15.0, -18.0, -13.0],
    output0: [-9.0, 21.0, 19.0, 15.0, -18.0, -13.0],
}, model=model).AddVariations("float16", DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).DisableLifeTimeVariation()
