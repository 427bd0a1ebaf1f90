# WHILE: counting loops with no, one and several rounds; state-only and input-only operands; nested loops.
COUNT, FLAG, FLOAT = ("TENSOR_FLOAT32", [1]), ("TENSOR_BOOL8", [1]), ("TENSOR_FLOAT32", [2])


def condition(name, operands, compare="LESS"):
    """First loop operand < last loop operand."""
    inputs = [Input(f"{name}_{i}", operand) for i, operand in enumerate(operands)]
    out = Output(name + "_out", FLAG)
    model = Model(name).IdentifyInputs(*inputs).IdentifyOutputs(out)
    return model.Operation(compare, inputs[0], inputs[-1]).To(out)


def counting():
    """body(i, sum, limit): i + 1, sum + i."""
    i, total, limit = Input("i", COUNT), Input("total", FLOAT), Input("limit", COUNT)
    i_out, total_out = Output("i_out", COUNT), Output("total_out", FLOAT)
    model = Model("body").IdentifyInputs(i, total, limit).IdentifyOutputs(i_out, total_out)
    return model.Operation("ADD", i, [1.0], 0).To(i_out).Operation("ADD", i, total, 0).To(total_out)


start, total, limit = Input("start", COUNT), Input("sum", FLOAT), Input("end", COUNT)
i_out, total_out = Output("last", COUNT), Output("result", FLOAT)
loop = Model("counting").Operation("WHILE", condition("less", [COUNT, FLOAT, COUNT]), counting(), start, total, limit).To(i_out, total_out)
# By hand: the sum of start .. end-1 is added to both elements.
counting_cases = (
    ("no_round", 0.0, 0.0, 0.0),
    ("beyond_the_end", 5.0, 3.0, 0.0),
    ("one_round", 0.0, 1.0, 0.0),
    ("from_one", 1.0, 5.0, 10.0),
    ("eight_rounds", 0.0, 8.0, 28.0),
)
for name, begin, end, added in counting_cases:
    last = max(begin, end)
    Example(
        {start: [begin], total: [100.0, -2.0], limit: [end], i_out: [last], total_out: [100.0 + added, -2.0 + added]},
        model=loop,
        name=name,
    ).AddVariations("relaxed", "float16", DataTypeConverter("quant8", scale=1.0, zeroPoint=50), DataTypeConverter("quant8_signed", scale=1.0, zeroPoint=-100))

# The counter is state-only: it does not leave the loop.
begin, value, limit = Input("begin", COUNT), Input("value", FLOAT), Input("bound", COUNT)
i, v, n = Input("state_i", COUNT), Input("state_v", FLOAT), Input("state_n", COUNT)
v_out, i_next = Output("state_v_out", FLOAT), Output("state_i_out", COUNT)
body = Model("state_body").IdentifyInputs(v, i, n).IdentifyOutputs(v_out, i_next)
body.Operation("MUL", v, [2.0], 0).To(v_out).Operation("ADD", i, [1.0], 0).To(i_next)
v0, i0, n0, flag = Input("c_v", FLOAT), Input("c_i", COUNT), Input("c_n", COUNT), Output("c_flag", FLAG)
less = Model("state_less").IdentifyInputs(v0, i0, n0).IdentifyOutputs(flag).Operation("LESS", i0, n0).To(flag)
out = Output("doubled", FLOAT)
model = Model("state_only").IdentifyInputs(value, begin, limit).IdentifyOutputs(out).Operation("WHILE", less, body, value, begin, limit).To(out)
Example({value: [1.0, -3.0], begin: [0.0], limit: [4.0], out: [16.0, -48.0]}, model=model).AddVariations("relaxed", "float16")

# A loop in a loop: the inner one adds 1 to the value twice in each of three rounds.
def add_one(name):
    i, v, n = Input(name + "_i", COUNT), Input(name + "_v", FLOAT), Input(name + "_n", COUNT)
    io, vo = Output(name + "_io", COUNT), Output(name + "_vo", FLOAT)
    made = Model(name).IdentifyInputs(i, v, n).IdentifyOutputs(io, vo)
    return made.Operation("ADD", i, [1.0], 0).To(io).Operation("ADD", v, [1.0], 0).To(vo)


i, v, n = Input("o_i", COUNT), Input("o_v", FLOAT), Input("o_n", COUNT)
io, vo, unused = Output("o_io", COUNT), Output("o_vo", FLOAT), Internal("o_unused", COUNT)
outer_body = Model("outer_body").IdentifyInputs(i, v, n).IdentifyOutputs(io, vo)
outer_body.Operation("ADD", i, [1.0], 0).To(io)
outer_body.Operation("WHILE", condition("inner_less", [COUNT, FLOAT, COUNT]), add_one("inner_body"), [0.0], v, [2.0]).To(unused, vo)
start, value, limit, last, out = Input("n_start", COUNT), Input("n_value", FLOAT), Input("n_limit", COUNT), Output("n_last", COUNT), Output("n_out", FLOAT)
model = Model("nested").Operation("WHILE", condition("outer_less", [COUNT, FLOAT, COUNT]), outer_body, start, value, limit).To(last, out)
Example({start: [0.0], value: [0.0, 10.0], limit: [3.0], last: [3.0], out: [6.0, 16.0]}, model=model)
