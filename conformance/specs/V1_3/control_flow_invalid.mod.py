# Models of IF and WHILE whose subgraphs do not fit: the condition, or what goes in or comes out.
ONE, TWO, THREE, OPEN = (("TENSOR_FLOAT32", [size]) for size in (1, 2, 3, 0))
FLAG, FLAGS, CODES = ("TENSOR_BOOL8", [1]), ("TENSOR_BOOL8", [2]), ("TENSOR_QUANT8_ASYMM", [2], 0.5, 0)


def subgraph(name, operation, takes, gives, *scalars):
    """A subgraph of one operation, which reads the first one or two of its inputs."""
    inputs = [Input(f"{name}_in{i}", operand) for i, operand in enumerate(takes)]
    out = Output(f"{name}_out", gives)
    read = inputs[:1] if operation in ("RELU", "LOGICAL_NOT", "QUANTIZE", "CAST") else [inputs[0], inputs[-1]]
    return Model(name).IdentifyInputs(*inputs).IdentifyOutputs(out).Operation(operation, *read, *scalars).To(out)


def refuse(name, operation, condition, others, takes, gives):
    """One example; only the model is looked at."""
    x = [Input(f"{name}_x{i}", operand) for i, operand in enumerate(takes)]
    out = Output(f"{name}_result", gives)
    flags = [Input(f"{name}_flag", condition)] if operation == "IF" else []
    model = Model(name).Operation(operation, *flags, *others, *x).To(out)
    data = {operand: [1] * max(shape[1][0], 1) for operand, shape in zip([*flags, *x], [condition][: len(flags)] + takes)}
    Example({**data, out: [1] * max(gives[1][0], 1)}, model=model).DisableLifeTimeVariation().ExpectFailure()


def branches(name, first=(TWO, TWO), second=(TWO, TWO)):
    return [subgraph(f"{name}_then", "RELU", [first[0]], first[1]), subgraph(f"{name}_else", "RELU", [second[0]], second[1])]


refuse("flags", "IF", FLAGS, branches("flags"), [TWO], TWO)
refuse("then_takes_more", "IF", FLAG, branches("then_takes_more", first=(THREE, THREE)), [TWO], TWO)
refuse("else_takes_more", "IF", FLAG, branches("else_takes_more", second=(THREE, THREE)), [TWO], TWO)
for place in ("then", "else"):
    name = f"{place}_takes_two"
    pair = branches(name)
    pair[place == "else"] = subgraph(f"{name}_sum", "ADD", [TWO, TWO], TWO, 0)
    refuse(name, "IF", FLAG, pair, [TWO], TWO)
    name = f"{place}_gives_codes"
    pair = branches(name)
    pair[place == "else"] = subgraph(f"{name}_codes", "QUANTIZE", [TWO], CODES)
    refuse(name, "IF", FLAG, pair, [TWO], TWO)
refuse("result_is_longer", "IF", FLAG, branches("result_is_longer"), [TWO], THREE)


def less(name, takes=(ONE, ONE), gives=FLAG):
    return subgraph(f"{name}_less", "LESS", takes, gives)


def step(name, takes=(ONE, ONE), gives=ONE):
    return subgraph(f"{name}_step", "ADD", takes, gives, 0)


loop = [ONE, ONE]
refuse("condition_takes_one", "WHILE", FLAG, [less("condition_takes_one", [ONE]), step("condition_takes_one")], loop, ONE)
refuse("condition_takes_more", "WHILE", FLAG, [less("condition_takes_more", [TWO, ONE], FLAGS), step("condition_takes_more")], loop, ONE)
refuse("condition_gives_two", "WHILE", FLAG, [less("condition_gives_two", [TWO, TWO], FLAGS), step("condition_gives_two", [TWO, TWO], TWO)], [TWO, TWO], TWO)
sums = subgraph("condition_gives_sum_less", "ADD", loop, ONE, 0)
refuse("condition_gives_sum", "WHILE", FLAG, [sums, step("condition_gives_sum")], loop, ONE)
refuse("body_takes_one", "WHILE", FLAG, [less("body_takes_one"), step("body_takes_one", [ONE])], loop, ONE)
refuse("body_takes_more", "WHILE", FLAG, [less("body_takes_more"), step("body_takes_more", [ONE, TWO], TWO)], loop, TWO)
refuse("body_gives_more", "WHILE", FLAG, [less("body_gives_more"), step("body_gives_more", gives=TWO)], loop, ONE)
refuse("body_gives_flag", "WHILE", FLAG, [less("body_gives_flag"), subgraph("body_gives_flag_step", "LESS", loop, FLAG)], loop, FLAG)
refuse("result_of_loop_is_longer", "WHILE", FLAG, [less("result_of_loop_is_longer"), step("result_of_loop_is_longer")], loop, TWO)
refuse("open_input", "WHILE", FLAG, [less("open_input", [OPEN, ONE]), step("open_input", [OPEN, ONE])], loop, ONE)
refuse("open_result", "WHILE", FLAG, [less("open_result"), step("open_result")], loop, OPEN)
