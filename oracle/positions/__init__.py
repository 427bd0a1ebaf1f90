"""Numeric positions: published limits of the errors of processors (IEEE, Vulkan, TOSA, …), and grades by them.

``grading.py`` lists the positions and measures a driver's results; ``elementwise.py`` has the limits of functions of
single elements, ``sums.py`` those of sums of products, and ``samples.py`` the formats of numbers. Grades stand in
reports beside the verdict and never decide it: that is done by the error bounds of :mod:`nnvet.oracle.bounds`.
"""
