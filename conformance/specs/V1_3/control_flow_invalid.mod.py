# Models of IF whose subgraphs do not fit: the condition, or what goes in or comes out.
# Of WHILE there are none: a failing example with a loop is taken for one without end.
TWO, THREE = ("TENSOR_FLOAT32", [2]), ("TENSOR_FLOAT32", [3])
FLAG, FLAGS, CODES = ("TENSOR_BOOL8", [1]), ("TENSOR_BOOL8", [2]), ("TENSOR_QUANT8_ASYMM", [2], 0.5, 0)


def subgraph(name, operation, takes, gives, *scalars):
    """A subgraph of one operation, which reads the first one or two of its inputs."""
    inputs = [Input(f"{name}_in{i}", operand) for i, operand in enumerate(takes)]
    out = Output(f"{name}_out", gives)
    read = inputs[:1] if operation in ("RELU", "QUANTIZE") else [inputs[0], inputs[-1]]
    return Model(name).IdentifyInputs(*inputs).IdentifyOutputs(out).Operation(operation, *read, *scalars).To(out)


def refuse(name, condition, others, takes, gives):
    """One example; only the model is looked at."""
    x = [Input(f"{name}_x{i}", operand) for i, operand in enumerate(takes)]
    out = Output(f"{name}_result", gives)
    flag = Input(f"{name}_flag", condition)
    model = Model(name).Operation("IF", flag, *others, *x).To(out)
    data = {operand: [1] * shape[1][0] for operand, shape in zip([flag, *x], [condition, *takes])}
    Example({**data, out: [1] * gives[1][0]}, model=model).DisableLifeTimeVariation().ExpectFailure()


def branches(name, first=(TWO, TWO), second=(TWO, TWO)):
    return [subgraph(f"{name}_then", "RELU", [first[0]], first[1]), subgraph(f"{name}_else", "RELU", [second[0]], second[1])]


refuse("flags", FLAGS, branches("flags"), [TWO], TWO)
refuse("then_takes_more", FLAG, branches("then_takes_more", first=(THREE, THREE)), [TWO], TWO)
refuse("else_takes_more", FLAG, branches("else_takes_more", second=(THREE, THREE)), [TWO], TWO)
for place in ("then", "else"):
    name = f"{place}_takes_two"
    pair = branches(name)
    pair[place == "else"] = subgraph(f"{name}_sum", "ADD", [TWO, TWO], TWO, 0)
    refuse(name, FLAG, pair, [TWO], TWO)
    name = f"{place}_gives_codes"
    pair = branches(name)
    pair[place == "else"] = subgraph(f"{name}_codes", "QUANTIZE", [TWO], CODES)
    refuse(name, FLAG, pair, [TWO], TWO)
refuse("result_is_longer", FLAG, branches("result_is_longer"), [TWO], THREE)
