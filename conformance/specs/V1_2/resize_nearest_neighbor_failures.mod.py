# Written by tests/golden/write_resize_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 1, 1]))
model = Model("no_width").Operation("RESIZE_NEAREST_NEIGHBOR", input0, 0, 2, input3).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1, 2, 1]))
model = Model("negative_height").Operation("RESIZE_NEAREST_NEIGHBOR", input0, 2, -1, input3).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [1, 2, 2, 1]))
input3 = BoolScalar("layout", False)
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 1, 2, 1]))
model = Model("scaled_to_nothing").Operation("RESIZE_NEAREST_NEIGHBOR", input0, 1.0, 0.25, input3).To(output0)
Example({
    input0: [-9.0, 4.0, -4.0, 2.0],
    output0: [0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
