# Written by tests/golden/write_assembly_specs.py.

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [12], 0.1, 223))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [12], 0.3, 163))
model = Model("random_0").Operation("CONCATENATION", input0, 0).To(output0)
Example({
    input0: [215, 210, 132, 15, 164, 109, 22, 245, 207, 14, 99, 97],
    output0: [160, 159, 133, 94, 143, 125, 96, 170, 158, 93, 122, 121],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [12], 0.3, 205))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [12], 0.1, 26))
model = Model("random_1").Operation("CONCATENATION", input0, 0).To(output0)
Example({
    input0: [153, 9, 63, 126, 188, 100, 45, 129, 159, 67, 181, 34],
    output0: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [12], 1.5, 94))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [12], 1.4, 232))
model = Model("random_2").Operation("CONCATENATION", input0, 0).To(output0)
Example({
    input0: [76, 237, 84, 158, 114, 83, 148, 211, 235, 132, 224, 173],
    output0: [213, 255, 221, 255, 253, 220, 255, 255, 255, 255, 255, 255],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM", [12], 0.02, 116))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM", [12], 0.021, 195))
model = Model("random_3").Operation("CONCATENATION", input0, 0).To(output0)
Example({
    input0: [33, 36, 0, 66, 95, 154, 109, 121, 60, 241, 188, 252],
    output0: [116, 119, 85, 147, 175, 231, 188, 200, 142, 255, 255, 255],
}, model=model).DisableLifeTimeVariation()
