# IF with a condition as input or constant, both branches, several outputs, nesting, and branches without inputs.
# Expected values by hand: then = x + y, else = x - y.

x_data, y_data = [1.0, 2.0, 3.0, 4.0], [10.0, 20.0, 30.0, 40.0]
sums, differences = [11.0, 22.0, 33.0, 44.0], [-9.0, -18.0, -27.0, -36.0]
FLOAT = ("TENSOR_FLOAT32", [2, 2])


def arithmetic(operation, name):
    x, y, out = Input(name + "_x", FLOAT), Input(name + "_y", FLOAT), Output(name + "_out", FLOAT)
    return Model(name).IdentifyInputs(x, y).IdentifyOutputs(out).Operation(operation, x, y, 0).To(out)


def branching(name, taken, constant):
    then_branch, else_branch = arithmetic("ADD", "plus"), arithmetic("SUB", "minus")
    condition = ("TENSOR_BOOL8", [1])
    flag = Parameter("flag", condition, value=[taken]) if constant else Input("flag", condition)
    x, y, out = Input("x", FLOAT), Input("y", FLOAT), Output("out", FLOAT)
    model = Model(name).Operation("IF", flag, then_branch, else_branch, x, y).To(out)
    feed = {x: x_data, y: y_data, out: sums if taken else differences}
    if not constant:
        feed[flag] = [taken]
    to = DataTypeConverter
    quantised = {op: ("TENSOR_QUANT8_ASYMM", 1.0, 100) for op in (x, y, out)}
    Example(feed, model=model, name="then" if taken else "else").AddVariations("relaxed", "float16", to("int32"), to("quant8", scale=1.0, zeroPoint=100), to("quant8_signed", scale=1.0, zeroPoint=0))


for taken in (True, False):
    branching("input", taken, constant=False)
    branching("constant", taken, constant=True)

# A branch may run another IF: the outer one decides whether the inner one is reached.
inner_flag, inner_x, inner_y = Input("inner_flag", ("TENSOR_BOOL8", [1])), Input("inner_x", FLOAT), Input("inner_y", FLOAT)
inner_out = Output("inner_out", FLOAT)
nested = Model("nested_branch").IdentifyInputs(inner_flag, inner_x, inner_y).IdentifyOutputs(inner_out)
nested.Operation("IF", inner_flag, arithmetic("ADD", "inner_plus"), arithmetic("MUL", "inner_times"), inner_x, inner_y).To(inner_out)

last_flag, last_x, last_y = Input("last_flag", ("TENSOR_BOOL8", [1])), Input("last_x", FLOAT), Input("last_y", FLOAT)
last_out = Output("last_out", FLOAT)
other = Model("other_branch").IdentifyInputs(last_flag, last_x, last_y).IdentifyOutputs(last_out)
other.Operation("SUB", last_x, last_y, 0).To(last_out)

outer, inner, x, y, out = (Input("outer", ("TENSOR_BOOL8", [1])), Input("inner", ("TENSOR_BOOL8", [1])), Input("x", FLOAT), Input("y", FLOAT), Output("out", FLOAT))
model = Model("nested").Operation("IF", outer, nested, other, inner, x, y).To(out)
products = [10.0, 40.0, 90.0, 160.0]
nested_cases = (("inner_then", True, True, sums), ("inner_else", True, False, products), ("outer_else", False, True, differences))
for name, outer_value, inner_value, result in nested_cases:
    Example({outer: [outer_value], inner: [inner_value], x: x_data, y: y_data, out: result}, model=model, name=name)

# Branches without inputs yield constants; two outputs.
def constants(name, first, second):
    a, b = Output(name + "_a", ("TENSOR_FLOAT32", [2])), Output(name + "_b", ("TENSOR_INT32", [1]))
    made = Model(name).IdentifyInputs().IdentifyOutputs(a, b)
    made.Operation("RELU", Parameter(name + "_c", ("TENSOR_FLOAT32", [2]), value=first)).To(a)
    return made.Operation("ADD", Parameter(name + "_d", ("TENSOR_INT32", [1]), value=[second]), Parameter(name + "_zero", ("TENSOR_INT32", [1]), value=[0]), 0).To(b)


flag, a, b = Input("flag", ("TENSOR_BOOL8", [1])), Output("a", ("TENSOR_FLOAT32", [2])), Output("b", ("TENSOR_INT32", [1]))
model = Model("no_inputs").Operation("IF", flag, constants("yes", [1.5, -2.5], 7), constants("no", [-0.5, 4.0], -8)).To(a, b)
Example({flag: [True], a: [1.5, 0.0], b: [7]}, model=model, name="yes")
Example({flag: [False], a: [0.0, 4.0], b: [-8]}, model=model, name="no")
