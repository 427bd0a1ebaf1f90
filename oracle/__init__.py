"""The meaning of operations, and the judgement of outputs.

``operations`` has the meaning of every operation, and :func:`nnvet.oracle.execution.evaluate` computes the expected
outputs of a model with it. ``bounds`` computes, for each element, the largest error of an honest driver. The other
modules have the tolerances of the NNAPI, the criteria of random graphs, and the comparison itself.

Nothing here may depend on the bundled driver or on the declarations of operations, so that errors in them are found.
"""

from nnvet.oracle.comparison import Mismatch, Tolerance, compare, tolerance_for

__all__ = ["Mismatch", "Tolerance", "compare", "tolerance_for"]
