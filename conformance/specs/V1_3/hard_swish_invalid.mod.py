# Written by tests/golden/write_activation_specs.py.

x = Input("x", ("TENSOR_QUANT8_ASYMM", [2], 2.0, 3))
output = Output("output", ("TENSOR_QUANT8_ASYMM", [2], 0.015625, 0))
model = Model().Operation("HARD_SWISH", x).To(output)
Example({
    x: [1, 2],
    output: [1, 2],
}, model=model).ExpectFailure()
