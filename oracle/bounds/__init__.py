"""Error bounds: the ideal real value of every element of a model's outputs, and the largest error of an honest driver.

:func:`nnvet.oracle.bounds.execution.estimate` computes the estimates of a model's outputs, and
:func:`nnvet.oracle.bounds.compare.compare_estimate` compares an output with its estimate. A rule of an operation
(``rule``, with the forms in ``patterns``) has two parts: (a) the errors of inputs spread to the result (``precision``,
``running``, ``products``), and (b) the operation adds an error of its own, and the result is stored (``storing``). The
rules themselves are in ``families``; extensions are in ``following``. docs/oracle.md explains them.
"""
