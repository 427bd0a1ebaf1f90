# Operands of the extension nnvet.example carried into the branches of an IF and round a WHILE.
FIXED = "nnvet.example::TENSOR_FIXED64"
BITS = b"\x08"


def doubled():
    x = Input("x", (FIXED, [2]), extraParams=BITS)
    y = Output("y", (FIXED, [2]), extraParams=BITS)
    return Model().Operation("nnvet.example::ADD_FIXED64", x, x).To(y)


def one_more():
    x = Input("x", (FIXED, [2]), extraParams=BITS)
    one = Parameter("one", (FIXED, [1]), [256], extraParams=BITS)
    y = Output("y", (FIXED, [2]), extraParams=BITS)
    return Model().Operation("nnvet.example::ADD_FIXED64", x, one).To(y)


for name, taken, result in (("then", True, [-2, 512]), ("else", False, [255, 512])):
    condition = Input("condition", ("TENSOR_BOOL8", [1]))
    value = Input("value", (FIXED, [2]), extraParams=BITS)
    output = Output("output", (FIXED, [2]), extraParams=BITS)
    branches = doubled(), one_more()
    model = Model(name).Operation("IF", condition, *branches, value).To(output)
    Example({condition: [taken], value: [-1, 256], output: result}, model=model)


def below_three():
    n = Input("n", ("TENSOR_INT32", [1]))
    more = Output("more", ("TENSOR_BOOL8", [1]))
    return Model().IdentifyInputs(n, Input("x", (FIXED, [2]), extraParams=BITS)).Operation("LESS", n, [3]).To(more)


def round_of_the_loop():
    n = Input("n", ("TENSOR_INT32", [1]))
    x = Input("x", (FIXED, [2]), extraParams=BITS)
    next_n = Output("next_n", ("TENSOR_INT32", [1]))
    next_x = Output("next_x", (FIXED, [2]), extraParams=BITS)
    return (
        Model()
        .IdentifyInputs(n, x)
        .IdentifyOutputs(next_n, next_x)
        .Operation("ADD", n, [1], 0).To(next_n)
        .Operation("nnvet.example::ADD_FIXED64", x, x).To(next_x)
    )


start = Input("start", ("TENSOR_INT32", [1]))
value = Input("value", (FIXED, [2]), extraParams=BITS)
rounds = Output("rounds", ("TENSOR_INT32", [1]))
output = Output("output", (FIXED, [2]), extraParams=BITS)
condition, body = below_three(), round_of_the_loop()
model = (
    Model("while")
    .IdentifyInputs(start, value)
    .IdentifyOutputs(rounds, output)
    .Operation("WHILE", condition, body, start, value).To(rounds, output)
)
# Doubled while n is below 3.
Example({start: [0], value: [-3, 5], rounds: [3], output: [-24, 40]}, model=model, name="three_rounds")
Example({start: [3], value: [-3, 5], rounds: [3], output: [-3, 5]}, model=model, name="no_round")
