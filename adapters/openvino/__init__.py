"""The kind ``openvino``."""
