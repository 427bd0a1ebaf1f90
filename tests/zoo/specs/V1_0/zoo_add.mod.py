# Two operations by hand: (a + [1, 2]) * a, in float32 and, with scale 1 and zero point 0, in 8 bits.
a, b, c = Input("a", ("TENSOR_FLOAT32", [2])), Internal("b", ("TENSOR_FLOAT32", [2])), Output("c", ("TENSOR_FLOAT32", [2]))
ones = Parameter("ones", ("TENSOR_FLOAT32", [2]), [1.0, 2.0])
model = Model("two").Operation("ADD", a, ones, 0).To(b).Operation("MUL", b, a, 0).To(c)
Example({a: [3.0, -4.0], c: [12.0, 8.0]}, model=model).DisableLifeTimeVariation()

x, y = Input("x", ("TENSOR_QUANT8_ASYMM", [3], 1.0, 0)), Output("y", ("TENSOR_QUANT8_ASYMM", [3], 1.0, 0))
model = Model("quant8").Operation("ADD", x, Parameter("k", ("TENSOR_QUANT8_ASYMM", [1], 1.0, 0), [5]), 0).To(y)
Example({x: [0, 7, 252], y: [5, 12, 255]}, model=model).DisableLifeTimeVariation()
