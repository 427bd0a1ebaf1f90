# An operation of an extension; 8 fraction bits, so 1 is 256.
x, y = Input("x", ("TENSOR_FLOAT32", [2])), Output("y", ("nnvet.example::TENSOR_FIXED64", [2]), extraParams=b"\x08")
model = Model("extension").Operation("nnvet.example::TO_FIXED64", x).To(y)
Example({x: [1.0, -2.5], y: [256, -640]}, model=model)
