"""The kind ``openvino``: models of the HAL as ONNX models that OpenVINO compiles for one device."""
