# Extension nnvet.example: sums of TENSOR_FIXED64, clamped to 64 bits. Expected values by hand.
FIXED = "nnvet.example::TENSOR_FIXED64"
BITS = b"\x08"
LOWEST, HIGHEST = -(2**63), 2**63 - 1

a = Input("a", (FIXED, [2, 3]), extraParams=BITS)
b = Parameter("b", (FIXED, [3]), [1, HIGHEST, LOWEST], extraParams=BITS)
total = Output("total", (FIXED, [2, 3]), extraParams=BITS)
model = Model("broadcast").Operation("nnvet.example::ADD_FIXED64", a, b).To(total)
# 2^53 + 1 is the first integer that a double does not have.
Example({
    a: [2**53, 1, -1, HIGHEST, LOWEST, HIGHEST],
    total: [2**53 + 1, HIGHEST, LOWEST, HIGHEST, -1, -1],
}, model=model)

# Weights in shared memory.
Configuration.use_shm_for_weights = True
c = Input("c", (FIXED, [2]), extraParams=BITS)
shared = Parameter("shared", (FIXED, [2]), [-5, 7], extraParams=BITS)
shift = Output("shift", (FIXED, [2]), extraParams=BITS)
model = Model("shared").Operation("nnvet.example::ADD_FIXED64", c, shared).To(shift)
Example({c: [5, -8], shift: [0, -1]}, model=model)
Configuration.use_shm_for_weights = False

# Floats converted, and added as fixed-point numbers: 0.1 is 25.6 / 256, 0.2 is 51.2 / 256.
x = Input("x", ("TENSOR_FLOAT32", [2]))
y = Input("y", ("TENSOR_FLOAT32", [2]))
fixed_x = Internal("fixed_x", (FIXED, [2]), extraParams=BITS)
fixed_y = Internal("fixed_y", (FIXED, [2]), extraParams=BITS)
z = Output("z", (FIXED, [2]), extraParams=BITS)
model = (
    Model("temporaries")
    .Operation("nnvet.example::TO_FIXED64", x).To(fixed_x)
    .Operation("nnvet.example::TO_FIXED64", y).To(fixed_y)
    .Operation("nnvet.example::ADD_FIXED64", fixed_x, fixed_y).To(z)
)
Example({x: [0.1, -4.0], y: [0.2, 0.5], z: [26 + 51, -896]}, model=model)

# Shapes that do not broadcast, fraction bits that differ, a type that the operation does not take.
narrow = Input("narrow", (FIXED, [2]), extraParams=BITS)
wide = Output("wide", (FIXED, [2, 3]), extraParams=BITS)
model = Model("shapes").Operation("nnvet.example::ADD_FIXED64", a, narrow).To(wide)
Example({a: [0] * 6, narrow: [0] * 2, wide: [0] * 6}, model=model).ExpectFailure()

coarse = Input("coarse", (FIXED, [2, 3]), extraParams=b"\x04")
sum_of_two = Output("sum_of_two", (FIXED, [2, 3]), extraParams=BITS)
model = Model("bits").Operation("nnvet.example::ADD_FIXED64", a, coarse).To(sum_of_two)
Example({a: [0] * 6, coarse: [0] * 6, sum_of_two: [0] * 6}, model=model).ExpectFailure()

floats = Input("floats", ("TENSOR_FLOAT32", [2, 3]))
mixed = Output("mixed", (FIXED, [2, 3]), extraParams=BITS)
model = Model("type").Operation("nnvet.example::ADD_FIXED64", a, floats).To(mixed)
Example({a: [0] * 6, floats: [0.0] * 6, mixed: [0] * 6}, model=model).DisableLifeTimeVariation().ExpectFailure()
