"""TFLite model files: a reader that trusts nothing, the way into HAL models, and a writer for synthetic models."""
