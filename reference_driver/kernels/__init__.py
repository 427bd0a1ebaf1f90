"""NumPy kernels of the reference driver, one module per family of ``hal/operations``."""
