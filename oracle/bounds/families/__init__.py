"""Bound rules of operations: each module has a table RULES for a family, and is named as in ``oracle/operations``."""
