"""The meaning of operations, and the judgement of outputs.

``operations`` has the meaning of every operation, and :func:`nnvet.oracle.execution.evaluate` computes the expected
outputs of a model with it. ``bounds`` computes, for each element, the largest error of an honest driver. The other
modules have the tolerances of the NNAPI, the criteria of random graphs, and the comparison itself.

Nothing here may depend on the bundled driver or on the declarations of operations: a mistake in either of them would
otherwise be in the expected values, too, and no test would find it.
"""

from nnvet.oracle.comparison import Mismatch, Tolerance, compare, tolerance_for

__all__ = ["Mismatch", "Tolerance", "compare", "tolerance_for"]
