"""The kind ``torch``: models of the HAL as functions of tensors that PyTorch evaluates eagerly."""
