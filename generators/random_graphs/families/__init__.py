"""The signatures, one module per family of operations; each has a table ``SIGNATURES``."""
