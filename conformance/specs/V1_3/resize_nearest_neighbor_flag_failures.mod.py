# Written by tests/golden/write_resize_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 3, 3, 1]))
model = Model("exclusive").Operation("RESIZE_NEAREST_NEIGHBOR", input0, 3, 3, input3, True, True).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
