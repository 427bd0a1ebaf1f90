# Written by tests/golden/write_elementwise_specs.py.

x = Input("x", ("TENSOR_FLOAT32", [6]))
output = Output("output", ("TENSOR_FLOAT32", [6]))
model = Model().Operation("SQRT", x).To(output)
Example({
    x: [30.5, 22.6875, 28.1875, 19.375, 2.8125, 16.625],
    output: [5.5226803, 4.7631397, 5.3091903, 4.4017043, 1.677051, 4.077377],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [2, 3]))
model = Model().Operation("SQRT", x).To(output)
Example({
    x: [14.625, 23.25, 9.125, 18.25, 5.875, 15.5],
    output: [3.8242645, 4.8218255, 3.0207615, 4.2720017, 2.42384, 3.9370039],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 3]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 3]))
model = Model().Operation("SQRT", x).To(output)
Example({
    x: [22.8125, 15.8125, 22.125, 9.125, 0.9375, 22.3125],
    output: [4.776243, 3.9764934, 4.703722, 3.0207615, 0.96824586, 4.723611],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
output = Output("output", ("TENSOR_FLOAT32", [2, 1, 2, 2]))
model = Model().Operation("SQRT", x).To(output)
Example({
    x: [31.0, 16.3125, 11.0625, 8.0625, 4.0, 21.1875, 30.875, 8.875],
    output: [5.5677643, 4.0388737, 3.3260336, 2.8394542, 2.0, 4.6029882, 5.5565276, 2.9790938],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [1, 2, 1, 2, 2]))
output = Output("output", ("TENSOR_FLOAT32", [1, 2, 1, 2, 2]))
model = Model().Operation("SQRT", x).To(output)
Example({
    x: [15.125, 8.875, 24.0625, 6.9375, 7.125, 20.0, 20.8125, 25.0625],
    output: [3.8890872, 2.9790938, 4.905354, 2.6339135, 2.6692696, 4.472136, 4.562072, 5.006246],
}, model=model).AddVariations("relaxed", "float16")

x = Input("x", ("TENSOR_FLOAT32", [4]))
output = Output("output", ("TENSOR_FLOAT32", [4]))
model = Model().Operation("SQRT", x).To(output)
Example({
    x: [0.0, 1.0, 65504.0, 0.0078125],
    output: [0.0, 1.0, 255.93748, 0.088388346],
}, model=model).AddVariations("relaxed", "float16")
