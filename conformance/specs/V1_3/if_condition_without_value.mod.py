# A condition that has no value makes the execution fail.
FLOAT = ("TENSOR_FLOAT32", [2])


def arithmetic(operation, name):
    x, out = Input(name + "_x", FLOAT), Output(name + "_out", FLOAT)
    return Model(name).IdentifyInputs(x).IdentifyOutputs(out).Operation(operation, x, x, 0).To(out)


flag = Parameter("flag", ("TENSOR_BOOL8", [1]), value=None)
x, out = Input("x", FLOAT), Output("out", FLOAT)
model = Model("constant").Operation("IF", flag, arithmetic("ADD", "plus"), arithmetic("MUL", "times"), x).To(out)
Example({x: [1.0, 2.0], out: [2.0, 4.0]}, model=model).AddVariations("relaxed", "float16").ExpectFailure()
