"""The meaning of operations, and the judgement of outputs.

``operations`` has the meaning of every operation, :func:`nnvet.oracle.execution.evaluate` the expected outputs of a
model; ``bounds`` says of each element how far an honest driver may be off; the other modules have the tolerances of the
NNAPI, the criteria of random graphs and the comparison itself.
"""

from nnvet.oracle.comparison import Mismatch, Tolerance, compare, tolerance_for

__all__ = ["Mismatch", "Tolerance", "compare", "tolerance_for"]
