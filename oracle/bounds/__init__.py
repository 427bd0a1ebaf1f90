"""Error bounds: for every element of a model's outputs the ideal real value, and how far an honest driver may be off.

:func:`nnvet.oracle.bounds.execution.estimate` gives the estimates of a model's outputs,
:func:`nnvet.oracle.bounds.compare.compare_estimate` says whether an output is right. docs/oracle.md has the rules.
"""
