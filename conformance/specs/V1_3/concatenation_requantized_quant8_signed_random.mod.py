# Written by tests/golden/write_assembly_specs.py.

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.1, 95))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.3, 35))
model = Model("random_0").Operation("CONCATENATION", input0, 0).To(output0)
Example({
    input0: [87, 82, 4, -113, 36, -19, -106, 117, 79, -114, -29, -31],
    output0: [32, 31, 5, -34, 15, -3, -32, 42, 30, -35, -6, -7],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.3, 77))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.1, -102))
model = Model("random_1").Operation("CONCATENATION", input0, 0).To(output0)
Example({
    input0: [25, -119, -65, -2, 60, -28, -83, 1, 31, -61, 53, -94],
    output0: [-128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128, -128],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 1.5, -34))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 1.4, 104))
model = Model("random_2").Operation("CONCATENATION", input0, 0).To(output0)
Example({
    input0: [-52, 109, -44, 30, -14, -45, 20, 83, 107, 4, 96, 45],
    output0: [85, 127, 93, 127, 125, 92, 127, 127, 127, 127, 127, 127],
}, model=model).DisableLifeTimeVariation()

input0 = Input("input0", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.02, -12))
output0 = Output("output0", ("TENSOR_QUANT8_ASYMM_SIGNED", [12], 0.021, 67))
model = Model("random_3").Operation("CONCATENATION", input0, 0).To(output0)
Example({
    input0: [-95, -92, -128, -62, -33, 26, -19, -7, -68, 113, 60, 124],
    output0: [-12, -9, -43, 19, 47, 103, 60, 72, 14, 127, 127, 127],
}, model=model).DisableLifeTimeVariation()
