# Extension nnvet.example: TENSOR_FIXED64 with n fraction bits stores x as x * 2^n, rounded half to even.
# Expected values by hand: with 8 bits 1 is 256, and 1/512, 3/512 lie halfway between two numbers.
x = Input("x", ("TENSOR_FLOAT32", [2, 4]))
y = Output("y", ("nnvet.example::TENSOR_FIXED64", [2, 4]), extraParams=b"\x08")
model = Model("rounding").Operation("nnvet.example::TO_FIXED64", x).To(y)
Example({
    x: [1.0, -2.5, 1 / 512, 3 / 512, -1 / 512, -3 / 512, 1 / 256, 1024.0],
    y: [256, -640, 0, 2, 0, -2, 1, 262144],
}, model=model).AddVariations("float16")

# Without fraction bits halves are what is rounded.
whole = Output("whole", ("nnvet.example::TENSOR_FIXED64", [5]), extraParams=b"\x00")
halves = Input("halves", ("TENSOR_FLOAT32", [5]))
model = Model("whole").Operation("nnvet.example::TO_FIXED64", halves).To(whole)
Example({halves: [0.5, 1.5, -0.5, -1.5, 0.0], whole: [0, 2, 0, -2, 0]}, model=model)

# With 62 bits the range is [-2, 2); the float below 2 is 2 - 2^-23, which becomes 2^63 - 2^39.
wide = Output("wide", ("nnvet.example::TENSOR_FIXED64", [4]), extraParams=bytes([62]))
ends = Input("ends", ("TENSOR_FLOAT32", [4]))
model = Model("ends").Operation("nnvet.example::TO_FIXED64", ends).To(wide)
Example({ends: [-2.0, 1.0, 2 - 2**-23, 2**-62], wide: [-(2**63), 2**62, 2**63 - 2**39, 1]}, model=model)

# Values that no element of 64 bits holds make the execution fail.
for name, value in (("above", 2.0), ("below", -2 - 2**-22), ("infinite", float("inf")), ("nan", float("nan"))):
    Example({ends: [0.0, 0.0, 0.0, value], wide: [0, 0, 0, 0]}, model=model, name=name).ExpectFailure()

# So does a number of fraction bits that is unknown or too large.
for name, data in (("no_bits", None), ("long", b"\x08\x00"), ("many_bits", bytes([63]))):
    bad = Output("bad", ("nnvet.example::TENSOR_FIXED64", [5]), extraParams=data)
    model = Model(name).Operation("nnvet.example::TO_FIXED64", halves).To(bad)
    Example({halves: [1.0] * 5, bad: [0] * 5}, model=model).ExpectFailure()
