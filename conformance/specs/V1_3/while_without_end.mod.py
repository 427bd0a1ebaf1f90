# The condition is always true: the loop timeout has to end the execution.
FLOAT, FLAG = ("TENSOR_FLOAT32", [1]), ("TENSOR_BOOL8", [1])
c, flag = Input("c", FLOAT), Output("flag", FLAG)
always = Model("always").IdentifyInputs(c).IdentifyOutputs(flag).Operation("EQUAL", c, c).To(flag)
v, w = Input("v", FLOAT), Output("w", FLOAT)
body = Model("body").IdentifyInputs(v).IdentifyOutputs(w).Operation("RELU", v).To(w)
x, out = Input("x", FLOAT), Output("out", FLOAT)
model = Model("always_true").Operation("WHILE", always, body, x).To(out)
Example({x: [1.0], out: [1.0]}, model=model).AddVariations(
    "relaxed", "float16", DataTypeConverter("quant8", scale=1.0, zeroPoint=3), DataTypeConverter("quant8_signed", scale=1.0, zeroPoint=3)
).DisableLifeTimeVariation().ExpectFailure()
