"""The kind ``onnxruntime``: models of the HAL as ONNX models in sessions of ONNX Runtime."""
