"""Generates the parts of the documentation that are data: ``python -m docs.generate``."""
