"""Numeric positions: published limits of the errors of accelerators (IEEE, Vulkan, TOSA, …), and grades by them.

``grading.py`` lists the positions and measures results, with the limits of ``elementwise.py`` and ``sums.py``.
"""
