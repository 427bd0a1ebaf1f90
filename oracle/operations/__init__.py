"""The meaning of every operation, plainly written: one module per family, named as in ``hal/operations``."""
