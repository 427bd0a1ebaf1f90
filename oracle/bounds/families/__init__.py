"""The bounds of operations, one module per family, named like those of ``oracle/operations``."""
