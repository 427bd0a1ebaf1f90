"""TFLite model files: a reader for untrusted files, their conversion to HAL models, and a writer of small models."""
