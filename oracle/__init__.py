"""Decides whether outputs are right: tolerances of the NNAPI and the comparison itself."""

from nnvet.oracle.comparison import Mismatch, compare
from nnvet.oracle.tolerance import Tolerance, tolerance_for

__all__ = ["Mismatch", "Tolerance", "compare", "tolerance_for"]
