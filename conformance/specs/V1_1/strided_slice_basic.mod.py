# Written by tests/golden/write_slicing_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [0, 1])
input2 = Parameter("input2", ("TENSOR_INT32", [2]), [2, 3])
input3 = Parameter("input3", ("TENSOR_INT32", [2]), [1, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2]))
model = Model("box").Operation("STRIDED_SLICE", input0, input1, input2, input3, 0, 0, 0).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [38.0, 26.0, -20.0, -5.0],
}, model=model).AddVariations("relaxed", DataTypeConverter("quant8", scale=0.5, zeroPoint=100))

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [0])
input2 = Parameter("input2", ("TENSOR_INT32", [1]), [4])
input3 = Parameter("input3", ("TENSOR_INT32", [1]), [2])
output0 = Output("output0", ("TENSOR_FLOAT32", [2]))
model = Model("steps").Operation("STRIDED_SLICE", input0, input1, input2, input3, 0, 0, 0).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [-9.0, -4.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [1])
input2 = Parameter("input2", ("TENSOR_INT32", [1]), [9])
input3 = Parameter("input3", ("TENSOR_INT32", [1]), [2])
output0 = Output("output0", ("TENSOR_FLOAT32", [2]))
model = Model("steps_beyond").Operation("STRIDED_SLICE", input0, input1, input2, input3, 0, 0, 0).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [4.0, 2.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [-3])
input2 = Parameter("input2", ("TENSOR_INT32", [1]), [-1])
input3 = Parameter("input3", ("TENSOR_INT32", [1]), [1])
output0 = Output("output0", ("TENSOR_FLOAT32", [2]))
model = Model("negative_positions").Operation("STRIDED_SLICE", input0, input1, input2, input3, 0, 0, 0).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [4.0, -4.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [-9])
input2 = Parameter("input2", ("TENSOR_INT32", [1]), [9])
input3 = Parameter("input3", ("TENSOR_INT32", [1]), [1])
output0 = Output("output0", ("TENSOR_FLOAT32", [4]))
model = Model("clamped").Operation("STRIDED_SLICE", input0, input1, input2, input3, 0, 0, 0).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [-9.0, 4.0, -4.0, 2.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [3])
input2 = Parameter("input2", ("TENSOR_INT32", [1]), [0])
input3 = Parameter("input3", ("TENSOR_INT32", [1]), [-1])
output0 = Output("output0", ("TENSOR_FLOAT32", [3]))
model = Model("backwards").Operation("STRIDED_SLICE", input0, input1, input2, input3, 0, 0, 0).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [2.0, -4.0, 4.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [9])
input2 = Parameter("input2", ("TENSOR_INT32", [1]), [-9])
input3 = Parameter("input3", ("TENSOR_INT32", [1]), [-2])
output0 = Output("output0", ("TENSOR_FLOAT32", [2]))
model = Model("backwards_clamped").Operation("STRIDED_SLICE", input0, input1, input2, input3, 0, 0, 0).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [2.0, 4.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [4]))
input1 = Parameter("input1", ("TENSOR_INT32", [1]), [1])
input2 = Parameter("input2", ("TENSOR_INT32", [1]), [-5])
input3 = Parameter("input3", ("TENSOR_INT32", [1]), [-1])
output0 = Output("output0", ("TENSOR_FLOAT32", [2]))
model = Model("backwards_through_first").Operation("STRIDED_SLICE", input0, input1, input2, input3, 0, 0, 0).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [4.0, -9.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [1, 2])
input2 = Parameter("input2", ("TENSOR_INT32", [2]), [1, 1])
input3 = Parameter("input3", ("TENSOR_INT32", [2]), [1, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1]))
model = Model("masks").Operation("STRIDED_SLICE", input0, input1, input2, input3, 1, 2, 0).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [26.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [0, 0])
input2 = Parameter("input2", ("TENSOR_INT32", [2]), [0, 0])
input3 = Parameter("input3", ("TENSOR_INT32", [2]), [-1, -2])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2]))
model = Model("masks_backwards").Operation("STRIDED_SLICE", input0, input1, input2, input3, 3, 3, 0).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [-5.0, -19.0, 26.0, -12.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [1, 0])
input2 = Parameter("input2", ("TENSOR_INT32", [2]), [2, 3])
input3 = Parameter("input3", ("TENSOR_INT32", [2]), [1, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [3]))
model = Model("shrink").Operation("STRIDED_SLICE", input0, input1, input2, input3, 0, 0, 1).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [-19.0, -20.0, -5.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [0, -2])
input2 = Parameter("input2", ("TENSOR_INT32", [2]), [2, -1])
input3 = Parameter("input3", ("TENSOR_INT32", [2]), [1, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [2]))
model = Model("shrink_last").Operation("STRIDED_SLICE", input0, input1, input2, input3, 0, 0, 2).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [38.0, -20.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 3]))
input1 = Parameter("input1", ("TENSOR_INT32", [2]), [1, 1])
input2 = Parameter("input2", ("TENSOR_INT32", [2]), [2, 2])
input3 = Parameter("input3", ("TENSOR_INT32", [2]), [1, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [1]))
model = Model("shrink_all").Operation("STRIDED_SLICE", input0, input1, input2, input3, 0, 0, 3).To(output0)
Example({
    input0: [-12.0, 38.0, 26.0, -19.0, -20.0, -5.0],
    output0: [-20.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 2, 3, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [4]), [0, 0, -1, 0])
input2 = Parameter("input2", ("TENSOR_INT32", [4]), [2, 1, -4, 2])
input3 = Parameter("input3", ("TENSOR_INT32", [4]), [1, 1, -2, 1])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2, 2]))
model = Model("image").Operation("STRIDED_SLICE", input0, input1, input2, input3, 0, 0, 2).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0, 20.0, 13.0, 38.0, 24.0, 19.0, 4.0, -3.0, 22.0, 21.0, 34.0, 30.0, 28.0, -4.0, 37.0, 1.0, 31.0, 20.0, 0.0],
    output0: [33.0, 8.0, 7.0, 33.0, 30.0, 28.0, -3.0, 22.0],
}, model=model).AddVariations(DataTypeConverter("quant8", scale=0.5, zeroPoint=100)).DisableLifeTimeVariation()
