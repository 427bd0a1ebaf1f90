# Products that are not whole, by hand: the last bit of a float32 is far below the tolerance.
a, b, c = Input("a", ("TENSOR_FLOAT32", [3])), Input("b", ("TENSOR_FLOAT32", [3])), Output("c", ("TENSOR_FLOAT32", [3]))
model = Model("fractions").Operation("MUL", a, b, 0).To(c)
Example({a: [0.1, 0.3, -1.7], b: [0.7, 1.1, 0.9], c: [0.07, 0.33, -1.53]}, model=model).DisableLifeTimeVariation()
