"""Readers of model files (``tflite``, ``onnx``) that make models of the HAL, and a writer of TFLite files."""
