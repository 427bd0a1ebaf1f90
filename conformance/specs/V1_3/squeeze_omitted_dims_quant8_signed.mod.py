# Written by tests/golden/write_reshaping_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 1, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [0]), value=None)
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2]))
model = Model("constant").Operation("SQUEEZE", input0, input1).To(output0)
Example({
    input0: [16.0, 36.0, -14.0, -20.0],
    output0: [16.0, 36.0, -14.0, -20.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 1]))
input1 = Input("input1", ("TENSOR_INT32", [0]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2]))
model = Model("argument").Operation("SQUEEZE", input0, input1).To(output0)
Example({
    input0: [35.0, 31.0],
    input1: [],
    output0: [35.0, 31.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 2]))
input1 = Parameter("input1", ("TENSOR_INT32", [0]), value=None)
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 2]))
model = Model("no_ones").Operation("SQUEEZE", input0, input1).To(output0)
Example({
    input0: [-8.0, 4.0, -16.0, -1.0],
    output0: [-8.0, 4.0, -16.0, -1.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 1, 1, 1]))
input1 = Input("input1", ("TENSOR_INT32", [0]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1]))
model = Model("all_ones").Operation("SQUEEZE", input0, input1).To(output0)
Example({
    input0: [-11.0],
    input1: [],
    output0: [-11.0],
}, model=model).AddVariations(DataTypeConverter("quant8_signed", scale=0.5, zeroPoint=-20), includeDefault=False).DisableLifeTimeVariation()
