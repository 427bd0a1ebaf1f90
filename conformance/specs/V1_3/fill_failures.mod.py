# Written by tests/golden/write_assembly_specs.py.

input0 = Parameter("input0", ("TENSOR_INT32", [2]), [2, -1])
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1]))
model = Model("negative").Operation("FILL", input0, 1.0).To(output0)
Example({
    output0: [0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
