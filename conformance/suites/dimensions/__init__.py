"""Checks of operands whose dimensions the model or the request leaves open.

``unknown.py`` has sums in which any dimension is open or wrong, and the combinations for ``unspecified.py``, where one
operand of an ADD and a TRANSPOSE varies.
"""
