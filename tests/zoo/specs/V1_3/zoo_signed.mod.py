# By hand, with scale 0.5 and zero point -3: (-3, 1) stand for 0 and 2, their doubles for 0 and 4, which is 5.
x = Input("x", ("TENSOR_QUANT8_ASYMM_SIGNED", [2], 0.5, -3))
y = Output("y", ("TENSOR_QUANT8_ASYMM_SIGNED", [2], 0.5, -3))
model = Model("double").Operation("ADD", x, x, 0).To(y)
Example({x: [-3, 1], y: [-3, 5]}, model=model).DisableLifeTimeVariation()
