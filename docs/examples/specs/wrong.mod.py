one, two = Input("one", "TENSOR_FLOAT32", "{2}"), Input("two", "TENSOR_FLOAT32", "{2}")
total = Output("total", "TENSOR_FLOAT32", "{2}")
Example({one: [1, 2], two: [3, 4], total: [4, 6]}, model=Model().Operation("SUM", one, two, 0).To(total))
