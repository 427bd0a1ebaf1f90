# Written by tests/golden/write_reshaping_specs.py.

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [2, 1, 3, 1]))
model = Model("above").Operation("EXPAND_DIMS", input0, 4).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_FLOAT32", [2, 1, 3]))
output0 = Output("output0", ("TENSOR_FLOAT32", [1, 2, 1, 3]))
model = Model("below").Operation("EXPAND_DIMS", input0, -5).To(output0)
Example({
    input0: [7.0, 33.0, -5.0, -18.0, 33.0, 8.0],
    output0: [0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
}, model=model).ExpectFailure().DisableLifeTimeVariation()
