"""The signatures of CTS and further ones, one module per family of operations; each has a table ``SIGNATURES``."""
